import { describe, expect, it } from 'vitest'
import { readChain, readKey, requireMatch } from '../../src/x509/chain.ts'
import { blocksOf, fixture, refusal } from './support.ts'

const plain = [
  'key-rsa2048',
  'key-rsa2048-pkcs1',
  'key-p256',
  'key-p256-sec1',
  'key-p384',
  'key-p384-sec1',
  'key-p521',
  'key-p521-sec1',
  'key-ed25519',
]
const SPOILT_SECOND = 'line 6 has text before its "-----BEGIN", without a line break between'
const block = (type: string, body = 'AAEC') => `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`

describe('an uploaded private key (rules: tls-certificates#private-key)', () => {
  it.each(plain)('%s is accepted and comes back byte for byte', (name) => {
    expect(readKey(fixture(name)).private_key_pem).toBe(fixture(name))
  })

  it('may stand behind its EC PARAMETERS and beside certificates', () => {
    const text = fixture('key-p256-parameters')
    const [, key] = blocksOf(text)
    expect(readKey(text).private_key_pem).toBe(key)
    expect(readKey(fixture('leaf-p256') + text).private_key_pem).toBe(key)
    expect(readKey(`${text}${fixture('leaf-p256')}`).private_key_pem).toBe(key)
  })

  it('is normalised', () => {
    const text = fixture('key-p256')
    expect(readKey(`# mine\r\n${text.replaceAll('\n', '\r\n')}`).private_key_pem).toBe(text)
  })
})

describe('a key that cannot be used is told why, each with its own error', () => {
  it.each([
    ['nothing', ''],
    ['a missing field', undefined],
    ['blanks', ' \n'],
    ['other text', 'hello'],
    ['EC PARAMETERS alone', blocksOf(fixture('key-p256-parameters'))[0]],
  ])('%s: key_missing', (_, text) =>
    expect(refusal(() => readKey(text))).toMatchObject({ key: 'key_missing', field: 'private_key_pem' }),
  )

  it('more than 64 KiB: certificate_too_long', () => {
    expect(refusal(() => readKey(`${fixture('key-p256')}${'x'.repeat(65_536)}`))).toMatchObject({
      key: 'certificate_too_long',
      field: 'private_key_pem',
    })
  })

  it.each(['leaf-p256', 'chain-mixed'])('%s: key_is_certificate', (name) => {
    expect(refusal(() => readKey(fixture(name)))).toMatchObject({ key: 'key_is_certificate', field: 'private_key_pem' })
  })

  it.each(['key-p256-encrypted', 'key-rsa2048-encrypted', 'key-p256-sec1-encrypted'])('%s: key_encrypted', (name) => {
    expect(refusal(() => readKey(fixture(name)))).toMatchObject({ key: 'key_encrypted', field: 'private_key_pem' })
  })

  it.each([
    ['PUBLIC KEY', fixture('bad-public-key')],
    ['CERTIFICATE REQUEST', fixture('bad-request')],
    ['PUBLIC KEY', fixture('key-p256') + fixture('bad-public-key')],
    ['DH PARAMETERS', block('DH PARAMETERS')],
  ])('%s: pem_wrong_type', (type, text) => {
    expect(refusal(() => readKey(text))).toEqual({
      key: 'pem_wrong_type',
      field: 'private_key_pem',
      message:
        `private_key_pem: received a PEM block of type ${type}. ` +
        'Allowed: PRIVATE KEY, RSA PRIVATE KEY, EC PRIVATE KEY.',
    })
  })

  it.each([
    ['no END line', fixture('key-p256').replace(/-----END.*\n/, ''), 'the block that line 1 begins has no END line'],
    [
      'lost line breaks',
      fixture('key-p256').replaceAll('\n', '\\n'),
      'line 1 has "\\n" or "\\r" written out, as two characters, in place of a line break',
    ],
    [
      'line breaks made blanks',
      fixture('key-p256').replaceAll('\n', ' '),
      'line 1 has text behind its "-----BEGIN …-----", without a line break between',
    ],
    ['an OpenSSH key', block('OPENSSH PRIVATE KEY'), 'a block of type OPENSSH PRIVATE KEY is not supported'],
    ['a DSA key', block('DSA PRIVATE KEY'), 'a block of type DSA PRIVATE KEY is not supported'],
    ['damaged base64', block('PRIVATE KEY', '%%%%'), 'character 1 of line 2 is not base64'],
    ['a label that is its own', block('3468BAB5 PRIVATE KEY'), 'a block of an unknown type is not supported'],
    ['a second key that is spoilt', `${fixture('key-p256')}x${fixture('key-p384')}`, SPOILT_SECOND],
    ['damaged DER', block('PRIVATE KEY'), 'its DER structure is missing or malformed'],
    ['an unsupported kind', fixture('bad-key-ed448'), 'its key is of the type Ed448, which is not supported'],
  ])('%s: key_unsupported', (_, text, problem) => {
    const found = refusal(() => readKey(text))
    expect(found.field).toBe('private_key_pem')
    expect(found.key).toBe('key_unsupported')
    expect(found.message).toContain(`private_key_pem: the private key cannot be used: ${problem}.`)
  })
})

describe('the key must match the leaf (rules: tls-certificates#private-key)', () => {
  it.each(['rsa2048', 'p256', 'p384', 'p521', 'ed25519'])('%s does', (kind) => {
    const { leaf } = readChain(fixture(`leaf-${kind}`))
    expect(() => requireMatch(leaf, readKey(fixture(`key-${kind}`)).key)).not.toThrow()
  })

  it('another one is refused with both kinds', () => {
    const { leaf } = readChain(fixture('leaf-rsa2048'))
    expect(refusal(() => requireMatch(leaf, readKey(fixture('key-p256')).key))).toEqual({
      key: 'certificate_key_mismatch',
      field: 'private_key_pem',
      message:
        'private_key_pem: the private key (ECDSA P-256) does not belong to the leaf certificate (RSA 2048). ' +
        "Send the leaf's own key.",
    })
  })
})
