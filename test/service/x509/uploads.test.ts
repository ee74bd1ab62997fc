import { createPrivateKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readChain, readKey, requireMatch } from '../../../src/service/x509/uploads.ts'
import { blocksOf, expectRefusal, fixture, fixtures } from './support.ts'

const leaf = fixture('leaf-p256')
const key = fixture('key-p256')
const chain = fixture('chain-rsa-sha256')
const [first = '', second = '', third = ''] = blocksOf(chain)

const block = (type: string, body = 'AAEC') => `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`

describe('an uploaded chain (rules: tls-certificates#accepted)', () => {
  it.each([...fixtures('leaf-'), ...fixtures('chain-'), ...fixtures('odd-')])(
    '%s is accepted, and normalisation is byte-identical for already normal PEM',
    (name) => expect(readChain(fixture(name)).certificate_pem).toBe(fixture(name)),
  )

  it('has the fields of its leaf, which comes first', () => {
    expect(readChain(chain).leaf.fields).toMatchObject({
      subject_common_name: 'leaf.example.com',
      issuer_common_name: 'rsa-sha256 intermediate',
    })
  })

  it('may lack its root, or its intermediate and root', () => {
    expect(readChain(first + second).certificate_pem).toBe(first + second)
    expect(readChain(first).certificate_pem).toBe(first)
  })

  it('may be expired', () => {
    expect(new Date(readChain(fixture('odd-expired')).leaf.fields.not_after).getUTCFullYear()).toBe(2002)
  })

  it.each([
    ['CRLF', chain.replaceAll('\n', '\r\n')],
    ['text around the blocks', `Bag Attributes\n  x: y\n${first}\n0 s:/CN=x\n${second}${third}# end`],
    ['no line end at the end', chain.trimEnd()],
    ['another column width', chain.replace(/(?<=[^-]{40})\n(?=[^-]{40})/g, '')],
  ])('is normalised if it has %s', (_, text) => expect(readChain(text).certificate_pem).toBe(chain))
})

describe('an uploaded private key (rules: tls-certificates#private-key)', () => {
  it('comes back under the label of its structure, so that TLS libraries read it', () => {
    const text = fixture('key-rsa2048').replaceAll('PRIVATE KEY', 'RSA PRIVATE KEY')
    const { private_key_pem } = readKey(text)
    expect(private_key_pem).toBe(fixture('key-rsa2048'))
    expect(createPrivateKey(private_key_pem).asymmetricKeyType).toBe('rsa')
  })

  it.each(fixtures('key-').filter((name) => !/encrypted|parameters/.test(name)))(
    '%s is accepted and comes back byte for byte',
    (name) => expect(readKey(fixture(name)).private_key_pem).toBe(fixture(name)),
  )

  it('may come after its EC PARAMETERS, and with certificates', () => {
    const text = fixture('key-p256-parameters')
    const [, ownKey] = blocksOf(text)
    for (const each of [text, leaf + text, text + leaf]) expect(readKey(each).private_key_pem).toBe(ownKey)
  })

  it('is normalised', () => {
    expect(readKey(`# mine\r\n${key.replaceAll('\n', '\r\n')}`).private_key_pem).toBe(key)
  })
})

describe('an upload that cannot be used is rejected, each with its own error', () => {
  const padTo = (bytes: number) =>
    leaf + '€'.repeat(Math.floor((bytes - leaf.length) / 3)) + 'x'.repeat((bytes - leaf.length) % 3)

  it('but not ten certificates, or 64 KiB of UTF-8', () => {
    expect(readChain(third.repeat(10)).certificate_pem).toBe(third.repeat(10))
    expect(readChain(padTo(65_536)).certificate_pem).toBe(leaf)
  })

  /** The error, the case, its text, and a part of the message. */
  it.each<[string, string, string, string]>([
    ['certificate_missing', 'nothing', '', ''],
    ['certificate_missing', 'blanks', ' \r\n\t', ''],
    ['certificate_too_long', 'eleven certificates', third.repeat(10) + block('CERTIFICATE', ''), '11 certificates'],
    ['certificate_too_long', 'a byte more than 64 KiB', padTo(65_537), '65537 bytes'],
    ['certificate_not_pem', 'other text', 'hello', '"-----BEGIN CERTIFICATE-----"'],
    ['certificate_not_pem', 'bare base64', 'aGVsbG8=', '"-----BEGIN CERTIFICATE-----"'],
    ['certificate_not_pem', 'an END line missing', leaf.replace(/-----END.*\n/, ''), 'line 1 '],
    ['certificate_not_pem', 'one of several in lower case', first + second.replaceAll('CERT', 'cert') + third, 'label'],
    ...fixtures('key-').map((name) => ['certificate_is_key', name, fixture(name), ''] as [string, string, string, '']),
    ['certificate_is_key', 'a key after the chain', chain + key, ''],
    ['certificate_is_key', 'a key without END', '-----BEGIN PRIVATE KEY-----\nAAEC\n', ''],
    ['certificate_is_key', 'a DSA key', block('DSA PRIVATE KEY'), ''],
    ['certificate_is_key', 'a key without line breaks', key.replaceAll('\n', ''), ''],
    ['certificate_is_key', 'a key after a damaged block', `${first.slice(0, -20)}\n${key}`, ''],
    ['certificate_is_key', 'an OpenSSH key', block('OPENSSH PRIVATE KEY'), ''],
    ...['X509 CERTIFICATE', 'TRUSTED CERTIFICATE', 'ATTRIBUTE CERTIFICATE', 'NEW CERTIFICATE REQUEST', 'PKCS7', 'CMS']
      .concat(['RSA PUBLIC KEY', 'EC PARAMETERS'])
      .map((type) => ['pem_wrong_type', type, block(type), `type ${type}.`] as [string, string, string, string]),
    ['pem_wrong_type', 'a request', fixture('bad-request'), 'type CERTIFICATE REQUEST.'],
    ['pem_wrong_type', 'a public key', fixture('bad-public-key'), 'type PUBLIC KEY.'],
    ['pem_wrong_type', 'a list after a leaf', leaf + block('X509 CRL'), 'type X509 CRL.'],
    ['pem_wrong_type', 'a label that may be a secret', block('3468BAB5D6E5746E'), 'an unknown type.'],
    ['pem_headers', 'headers', leaf.replace('-----\n', '-----\nProc-Type: 4,MIC-ONLY\n\n'), '"Proc-Type: …"'],
    ['pem_headers', 'headers of the second block', first + block('CERTIFICATE', 'Note: x\n\nAAEC'), ''],
    ['certificate_unparsable', 'damaged base64', block('CERTIFICATE', '%%%%'), 'certificate 1 of'],
    [
      'certificate_unparsable',
      'damaged base64 in the second block',
      first + block('CERTIFICATE', 'AA=A'),
      'certificate 2 of',
    ],
    ['certificate_unparsable', 'an empty block', block('CERTIFICATE', ''), 'certificate 1 of'],
    ['certificate_unparsable', 'damaged DER', block('CERTIFICATE', 'MAECAw=='), 'certificate 1 of'],
    ['certificate_unparsable', 'an unsupported second one', first + fixture('bad-ed448'), 'certificate 2 of'],
    ['certificate_unparsable', 'an unsupported curve', fixture('bad-secp256k1'), 'secp256k1'],
    ['chain_out_of_order', 'root first', third + second + first, 'certificate 1 of the chain ("CN=rsa-sha256 root")'],
    ['chain_out_of_order', 'the intermediate left out', first + third, '"O=Example, CN=rsa-sha256 intermediate"'],
    ['chain_out_of_order', 'the root twice, then a leaf', third + third + first, 'certificate 2 of the chain'],
    ['chain_out_of_order', 'the leaf twice', first + first, 'certificate 1 of the chain ("CN=leaf.example.com")'],
    ['chain_out_of_order', 'another key', fixture('bad-chain-key'), 'the signature does not verify'],
  ])('a chain with %s: %s', (key, _, text, messagePart) => {
    expect(expectRefusal(() => readChain(text))).toEqual({
      key,
      field: 'certificate_pem',
      message: expect.stringContaining(messagePart),
    })
  })

  it.each<[string, string, string, string]>([
    ['key_missing', 'nothing', '', ''],
    ['key_missing', 'blanks', ' \n', ''],
    ['key_missing', 'other text', 'hello', ''],
    ['key_missing', 'EC PARAMETERS alone', blocksOf(fixture('key-p256-parameters'))[0] ?? '', ''],
    ['certificate_too_long', 'more than 64 KiB', key + 'x'.repeat(65_536), 'bytes'],
    ['key_is_certificate', 'a leaf', leaf, ''],
    ['key_is_certificate', 'a chain', fixture('chain-mixed'), ''],
    ['key_encrypted', 'PKCS#8', fixture('key-p256-encrypted'), ''],
    ['key_encrypted', 'PKCS#1', fixture('key-rsa2048-encrypted'), ''],
    ['key_encrypted', 'SEC 1', fixture('key-p256-sec1-encrypted'), ''],
    ['pem_headers', 'headers', key.replace('-----\n', '-----\nDEK-Info: none\n\n'), 'headers'],
    ['pem_wrong_type', 'a public key', fixture('bad-public-key'), 'type PUBLIC KEY.'],
    ['pem_wrong_type', 'a request', fixture('bad-request'), 'type CERTIFICATE REQUEST.'],
    ['pem_wrong_type', 'a public key after a key', key + fixture('bad-public-key'), 'type PUBLIC KEY.'],
    ['pem_wrong_type', 'parameters', block('DH PARAMETERS'), 'type DH PARAMETERS.'],
    ['key_unsupported', 'no END line', key.replace(/-----END.*\n/, ''), 'line 1 '],
    ['key_unsupported', 'line breaks written out', key.replaceAll('\n', '\\n'), '"\\n"'],
    ['key_unsupported', 'line breaks made blanks', key.replaceAll('\n', ' '), 'line 1 '],
    ['key_unsupported', 'an OpenSSH key', block('OPENSSH PRIVATE KEY'), 'type OPENSSH PRIVATE KEY'],
    ['key_unsupported', 'damaged base64', block('PRIVATE KEY', '%%%%'), 'character 1 of line 2'],
    ['key_unsupported', 'a label that may be a secret', block('3468BAB5 PRIVATE KEY'), 'an unknown type'],
    ['key_unsupported', 'a second, damaged key', `${key}x${fixture('key-p384')}`, 'line 6 '],
    ['key_unsupported', 'damaged DER', block('PRIVATE KEY'), 'DER'],
    ['key_unsupported', 'an unsupported kind', fixture('bad-key-ed448'), 'Ed448'],
  ])('a key with %s: %s', (key, _, text, messagePart) => {
    expect(expectRefusal(() => readKey(text))).toEqual({
      key,
      field: 'private_key_pem',
      message: expect.stringContaining(messagePart),
    })
  })
})

describe('the key must match the leaf (rules: tls-certificates#private-key)', () => {
  it.each(['rsa2048', 'p256', 'p384', 'p521', 'ed25519'])('%s does', (kind) => {
    const { leaf } = readChain(fixture(`leaf-${kind}`))
    expect(() => requireMatch(leaf, readKey(fixture(`key-${kind}`)).key)).not.toThrow()
  })

  it('another one is rejected with both kinds', () => {
    const { leaf } = readChain(fixture('leaf-rsa2048'))
    const { key, field, message } = expectRefusal(() => requireMatch(leaf, readKey(fixture('key-p256')).key))
    expect([key, field]).toEqual(['certificate_key_mismatch', 'private_key_pem'])
    expect(message).toMatch(/\(ECDSA P-256\).*\(RSA 2048\)/)
  })
})
