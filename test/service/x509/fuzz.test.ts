import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Refusal } from '../../../src/core/schema/errors.ts'
import { writePem } from '../../../src/service/x509/pem.ts'
import { readChain, readKey } from '../../../src/service/x509/uploads.ts'
import { check } from '../../support/property.ts'
import { blocksOf, createNumbers, derOf, fixture } from './support.ts'

const RUNS = 200

type Change = (bytes: Uint8Array, next: (below: number) => number) => Uint8Array

const changes: Change[] = [
  (bytes, next) => bytes.with(next(bytes.length), next(256)),
  (bytes, next) => bytes.with(next(bytes.length), next(256)).with(next(bytes.length), next(256)),
  (bytes, next) => bytes.with(next(bytes.length), 0x80).with(next(bytes.length), 0xff),
  (bytes, next) => bytes.slice(0, next(bytes.length)),
  (bytes, next) => Uint8Array.from([...bytes.slice(0, next(bytes.length)), ...bytes.slice(next(bytes.length))]),
  (bytes, next) => Uint8Array.from([...bytes, ...bytes.slice(0, next(bytes.length))]),
  (bytes, next) => Uint8Array.from(bytes, (byte, i) => (i > 8 && next(40) === 0 ? next(256) : byte)),
  (_, next) => Uint8Array.from({ length: next(60) + 1 }, () => next(256)),
]

/** Runs `read` on changed forms of DER. Each must be read, or rejected without its content in the message. */
function readChanged(der: Uint8Array, read: (der: Uint8Array) => unknown): void {
  const change = fc
    .tuple(fc.constantFrom(...changes), fc.integer())
    .map(([apply, seed]) => apply(der, createNumbers(seed)))
  const reads = fc.property(change, (changed) => {
    try {
      read(changed)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      expect(error.problems).toHaveLength(1)
      expect(error.message).not.toContain(Buffer.from(changed).toString('base64').slice(20, 44) || '\0')
    }
  })
  check(reads, { numRuns: RUNS })
}

describe('changed bytes are either rejected or read', () => {
  it.each(['leaf-rsa2048', 'leaf-p256', 'leaf-ed25519', 'odd-all-usages', 'odd-bmp-string'])('%s', (name) => {
    readChanged(derOf(fixture(name)), (der) => readChain(writePem('CERTIFICATE', der)))
  })

  it.each(['chain-pss-sha256', 'chain-rsa-sha256'])('the leaf of %s, whose signature is checked', (name) => {
    const [leaf = '', issuer = ''] = blocksOf(fixture(name))
    readChanged(derOf(leaf), (der) => {
      readChain(writePem('CERTIFICATE', der) + issuer)
      expect(Buffer.from(der).equals(derOf(leaf)), 'an accepted leaf must be unchanged').toBe(true)
    })
  })

  it.each(['key-rsa2048', 'key-rsa2048-pkcs1', 'key-p256', 'key-p521-sec1', 'key-ed25519'])('%s', (name) => {
    const [, type = ''] = /BEGIN (.*?)-----/.exec(fixture(name)) ?? []
    readChanged(derOf(fixture(name)), (der) => readKey(writePem(type, der)))
  })

  it('deep nesting and endless lengths are rejected', () => {
    const nested = new Uint8Array(40_000).fill(0x30)
    const indefinite = Uint8Array.from({ length: 40_000 }, (_, i) => (i % 2 ? 0x80 : 0x30))
    for (const der of [nested, indefinite]) {
      expect(() => readChain(writePem('CERTIFICATE', der))).toThrow(Refusal)
      expect(() => readKey(writePem('PRIVATE KEY', der))).toThrow(Refusal)
    }
  })
})
