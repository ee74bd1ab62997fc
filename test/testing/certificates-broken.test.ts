import { createPrivateKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  certificatePair,
  damagedPair,
  encryptedKeyPair,
  mismatchedPair,
  type Pair,
  swappedPair,
  wrongOrderPair,
} from '../../src/testing/testing.ts'
import { refusalOf } from '../support/client.ts'
import { open } from '../support/gateway.ts'
import { openssl, testOpenssl } from '../support/openssl.ts'
import { blocksOf } from '../x509/support.ts'

const NODE_KEY_TYPES = { rsa: 'rsa', ecdsa: 'ec', ed25519: 'ed25519' }

function create(pair: Pair) {
  return open().tlsCertificates.create(pair)
}

describe.each(['rsa', 'ecdsa', 'ed25519'] as const)('A broken pair with a key of type %s', (keyType) => {
  it.each([
    ['certificate_is_key', swappedPair],
    ['certificate_key_mismatch', mismatchedPair],
    ['key_encrypted', encryptedKeyPair],
    ['certificate_unparsable', damagedPair],
    ['chain_out_of_order', wrongOrderPair],
  ])('is refused with %s', (key, make) => {
    for (const issuers of [1, 2, 5]) expect(refusalOf(() => create(make({ keyType, issuers })))).toBe(key)
    expect(refusalOf(() => create(make({ keyType })))).toBe(key)
  })

  it('is broken in one place alone', () => {
    const options = { keyType, issuers: 1 }
    const good = certificatePair(options)
    expect(mismatchedPair(options).certificate_pem).toBe(good.certificate_pem)
    expect(createPrivateKey(mismatchedPair(options).private_key_pem).asymmetricKeyType).toBe(NODE_KEY_TYPES[keyType])
    expect(encryptedKeyPair(options).certificate_pem).toBe(good.certificate_pem)
    expect(damagedPair(options).private_key_pem).toBe(good.private_key_pem)
    expect(wrongOrderPair(options).private_key_pem).toBe(good.private_key_pem)
    expect(blocksOf(wrongOrderPair(options).certificate_pem)).toEqual(blocksOf(good.certificate_pem).reverse())
  })
})

describe('A broken pair', () => {
  testOpenssl('has an encrypted key that only a passphrase could open', () => {
    const { private_key_pem } = encryptedKeyPair()
    expect(private_key_pem).toMatch(/^-----BEGIN ENCRYPTED PRIVATE KEY-----\n/)
    const { output, status } = openssl({ 'key.pem': private_key_pem }, 'asn1parse', '-in', 'key.pem')
    expect(status).toBe(0)
    for (const part of ['PBES2', 'PBKDF2', 'hmacWithSHA256', 'aes-256-cbc']) expect(output).toContain(`:${part}\n`)
    expect(() => createPrivateKey(private_key_pem)).toThrow()
    expect(() => createPrivateKey({ key: private_key_pem, passphrase: 'secret' })).toThrow(/decrypt/)
  })
})
