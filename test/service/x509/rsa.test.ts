import { constants, generateKeyPairSync, type KeyObject, privateEncrypt, publicDecrypt, sign } from 'node:crypto'
import { bytesToNumberBE as numberOf } from '@noble/curves/utils.js'
import { describe, expect, it } from 'vitest'
import { hashes } from '../../../src/service/x509/hashes.ts'
import { verifyPkcs1, verifyPss } from '../../../src/service/x509/rsa.ts'

const MESSAGE = Buffer.from('a signed part')

/** Creates a key of this many bits, for node:crypto and as the numbers of the verification. */
function createKey(bits: number) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: bits })
  const jwk = publicKey.export({ format: 'jwk' })
  const number = (text: string | undefined) => numberOf(Buffer.from(text ?? '', 'base64url'))
  return { privateKey, publicKey, numbers: { n: number(jwk.n), e: number(jwk.e) } }
}

/** Signs an encoded message. */
function signRaw(key: KeyObject, encoded: Uint8Array): Buffer {
  return privateEncrypt({ key, padding: constants.RSA_NO_PADDING }, encoded)
}

/** Returns the encoded message in a signature. */
function recoverEncoded(key: KeyObject, signature: Uint8Array): Buffer {
  return publicDecrypt({ key, padding: constants.RSA_NO_PADDING }, signature)
}

describe('RSASSA-PKCS1-v1_5 (RFC 8017, 8.2.2)', () => {
  const { privateKey, publicKey, numbers } = createKey(1024)
  const signature = sign('sha256', MESSAGE, privateKey)
  const verify = (
    signed: Uint8Array,
    message: Uint8Array = MESSAGE,
    hash = hashes.sha256 as (typeof hashes)[keyof typeof hashes],
  ) => verifyPkcs1(numbers, hash, message, signed)

  it('verifies signatures of node:crypto, with their hash function', () => {
    expect(verify(signature)).toBe(true)
    expect(verify(signature, Buffer.from('another'))).toBe(false)
    expect(verify(signature, MESSAGE, hashes.sha512)).toBe(false)
  })

  it('checks every byte of the padding', () => {
    const encoded = recoverEncoded(publicKey, signature)
    expect(verify(signRaw(privateKey, encoded))).toBe(true)
    for (let at = 1; at < encoded.length; at++) {
      expect(
        verify(
          signRaw(
            privateKey,
            encoded.map((byte, i) => (i === at ? byte ^ 1 : byte)),
          ),
        ),
      ).toBe(false)
    }
  })

  it('requires a signature of exactly the length of the modulus, below the modulus', () => {
    expect(verify(signature.subarray(1))).toBe(false)
    expect(verify(Buffer.concat([Buffer.alloc(1), signature]))).toBe(false)
    // With a modulus of 1025 bits there is room for a number above it in as many bytes.
    const longer = createKey(1025)
    const good = sign('sha256', MESSAGE, longer.privateKey)
    const above = (numberOf(good) + longer.numbers.n).toString(16).padStart(good.length * 2, '0')
    expect(verifyPkcs1(longer.numbers, hashes.sha256, MESSAGE, good)).toBe(true)
    expect(verifyPkcs1(longer.numbers, hashes.sha256, MESSAGE, Buffer.from(above, 'hex'))).toBe(false)
    expect(verifyPkcs1({ ...numbers, n: 1n }, hashes.sha256, MESSAGE, Uint8Array.of(0))).toBe(false)
  })

  it('requires at least eight bytes of padding', () => {
    const digest = hashes.sha512.digest(MESSAGE)
    const info = Buffer.concat([Buffer.from(hashes.sha512.digestInfo, 'hex'), digest])
    for (const [padding, verified] of [
      [8, true],
      [7, false],
    ] as const) {
      const key = createKey((info.length + 3 + padding) * 8)
      const encoded = Buffer.concat([Uint8Array.of(0, 1), Buffer.alloc(padding, 0xff), Uint8Array.of(0), info])
      expect(verifyPkcs1(key.numbers, hashes.sha512, MESSAGE, signRaw(key.privateKey, encoded))).toBe(verified)
    }
  })
})

describe('RSASSA-PSS (RFC 8017, 8.1.2)', () => {
  // 1025 bits: the encoded message is a byte shorter than the signature.
  const keys = { 1024: createKey(1024), 1025: createKey(1025), 1031: createKey(1031) }
  const signPss = (privateKey: KeyObject, saltLength: number) =>
    sign('sha256', MESSAGE, { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength })
  const parameters = (saltLength: number) => ({ hash: hashes.sha256, maskHash: hashes.sha256, saltLength })

  describe.each(Object.entries(keys))('with a key of %s bits', (bits, { privateKey, publicKey, numbers }) => {
    const longestSalt = Math.ceil((Number(bits) - 1) / 8) - 34

    it.each([0, 1, 20, longestSalt])('verifies a salt of %i bytes and no other', (saltLength) => {
      const signature = signPss(privateKey, saltLength)
      expect(verifyPss(numbers, parameters(saltLength), MESSAGE, signature)).toBe(true)
      expect(verifyPss(numbers, parameters(saltLength), Buffer.from('another'), signature)).toBe(false)
      for (const other of [saltLength - 1, saltLength + 1].filter((length) => length >= 0)) {
        expect(verifyPss(numbers, parameters(other), MESSAGE, signature)).toBe(false)
      }
    })

    it('checks every bit of the encoded message', () => {
      const encoded = recoverEncoded(publicKey, signPss(privateKey, 20))
      for (let at = 0; at < encoded.length; at++) {
        for (const bit of [1, 0x80]) {
          const changed = encoded.map((byte, i) => (i === at ? byte ^ bit : byte))
          if (numberOf(changed) >= numbers.n) continue
          expect(verifyPss(numbers, parameters(20), MESSAGE, signRaw(privateKey, changed))).toBe(false)
        }
      }
    })

    it('depends on the hash functions of the message and of the mask', () => {
      const signature = signPss(privateKey, 20)
      for (const other of [{ hash: hashes.sha512 }, { maskHash: hashes.sha512 }, { hash: hashes.sha1 }]) {
        expect(verifyPss(numbers, { ...parameters(20), ...other }, MESSAGE, signature)).toBe(false)
      }
    })
  })
})
