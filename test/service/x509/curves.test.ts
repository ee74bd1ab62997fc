import { ed25519 as nobleEd25519 } from '@noble/curves/ed25519.js'
import { p256, p384, p521 } from '@noble/curves/nist.js'
import { describe, expect, it } from 'vitest'
import { curves, ed25519 } from '../../../src/service/x509/curves.ts'

const SEED = Uint8Array.from({ length: 32 }, (_, i) => i * 7)
const MESSAGE = Uint8Array.of(1, 2, 3)
const SECRET_START = Uint8Array.of(1, 2, 3, 4)

describe('the curves equal those of noble, which computes them at each import', () => {
  it.each([
    ['P-256', p256],
    ['P-384', p384],
    ['P-521', p521],
  ] as const)('%s has the same parameters, and makes the same signatures', (name, noble) => {
    const { bytes, arithmetic } = curves[name]
    expect(arithmetic().Point.CURVE()).toEqual(noble.Point.CURVE())
    const secret = new Uint8Array(bytes)
    secret.set(SECRET_START, bytes - SECRET_START.length)
    expect(arithmetic().sign(MESSAGE, secret)).toEqual(noble.sign(MESSAGE, secret))
  })

  it('Ed25519 has the same parameters, and makes the same keys and signatures', () => {
    expect(ed25519().Point.CURVE()).toEqual(nobleEd25519.Point.CURVE())
    expect(ed25519().getPublicKey(SEED)).toEqual(nobleEd25519.getPublicKey(SEED))
    const signature = ed25519().sign(MESSAGE, SEED)
    expect(signature).toEqual(nobleEd25519.sign(MESSAGE, SEED))
    expect(nobleEd25519.verify(signature, MESSAGE, ed25519().getPublicKey(SEED))).toBe(true)
    // The coordinate of the neutral point plus the prime, which ZIP 215 allows.
    const neutral = new Uint8Array(32).fill(0xff)
    neutral[0] = 0xee
    neutral[31] = 0x7f
    expect(ed25519().Point.fromBytes(neutral, true).is0()).toBe(true)
  })
})
