import { describe, expect, it } from 'vitest'
import { readChain } from '../../src/x509/chain.ts'
import { blocksOf, fixture, fixtures, refusal } from './support.ts'

const leaf = fixture('leaf-p256')
const chain = fixture('chain-rsa-sha256')
const [first = '', second = '', third = ''] = blocksOf(chain)

const DAMAGED_SECOND = `character 4 of line ${first.split('\n').length + 1} stands behind the "=" that ends the base64`
const LABEL = `line ${first.split('\n').length} has a label that is not of capital letters and digits, with one blank before each word`

const block = (type: string, body = 'AAEC') => `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`

describe('an uploaded chain (rules: tls-certificates#accepted)', () => {
  it.each([...fixtures('leaf-'), ...fixtures('chain-'), ...fixtures('odd-')])(
    '%s is accepted, and normalisation is byte-identical for already normal PEM',
    (name) => expect(readChain(fixture(name)).certificate_pem).toBe(fixture(name)),
  )

  it('gives the fields of the leaf, which comes first', () => {
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
  ])('comes back normal from %s', (_, text) => expect(readChain(text).certificate_pem).toBe(chain))
})

describe('a chain that cannot be used is told what is wrong, each with its own error', () => {
  it.each([
    ['nothing', ''],
    ['a missing field', undefined],
    ['blanks', ' \r\n\t'],
  ])('%s: certificate_missing', (_, text) =>
    expect(refusal(() => readChain(text))).toMatchObject({ key: 'certificate_missing', field: 'certificate_pem' }),
  )

  it('an unknown type of block: pem_wrong_type, which does not repeat the label', () => {
    expect(refusal(() => readChain(block('3468BAB5D6E5746E'))).message).toBe(
      'certificate_pem: received a PEM block of an unknown type. Allowed: CERTIFICATE.',
    )
  })

  it('more than ten certificates: certificate_too_long', () => {
    const root = third.repeat(10)
    expect(readChain(root).certificate_pem).toBe(root)
    expect(refusal(() => readChain(root + block('CERTIFICATE', '')))).toEqual({
      key: 'certificate_too_long',
      field: 'certificate_pem',
      message: 'certificate_pem has 11 certificates. Allowed are at most 10.',
    })
  })

  it('more than 64 KiB of UTF-8: certificate_too_long', () => {
    const fill = (bytes: number) =>
      leaf + '€'.repeat(Math.floor((bytes - leaf.length) / 3)) + 'x'.repeat((bytes - leaf.length) % 3)
    expect(readChain(fill(65_536)).certificate_pem).toBe(leaf)
    expect(refusal(() => readChain(fill(65_537)))).toEqual({
      key: 'certificate_too_long',
      field: 'certificate_pem',
      message: 'certificate_pem has 65537 bytes. Allowed are at most 65536.',
    })
  })

  it.each([
    ['other text', 'hello', 'it has no "-----BEGIN CERTIFICATE-----" line'],
    ['bare base64', Buffer.from('hello').toString('base64'), 'it has no "-----BEGIN CERTIFICATE-----" line'],
    ['an END line missing', leaf.replace(/-----END.*\n/, ''), 'the block that line 1 begins has no END line'],
    ['one certificate of several lower case', first + second.replaceAll('CERT', 'cert') + third, LABEL],
  ])('%s: certificate_not_pem', (_, text, problem) => {
    const found = refusal(() => readChain(text))
    expect(found.field).toBe('certificate_pem')
    expect(found.key).toBe('certificate_not_pem')
    expect(found.message).toContain(`certificate_pem is not PEM: ${problem}.`)
  })

  it.each([
    ...fixtures('key-').map((name): [string, string] => [name, fixture(name)]),
    ['a key behind the chain', chain + fixture('key-p256')],
    ['a key without END', '-----BEGIN PRIVATE KEY-----\nAAEC\n'],
    ['a DSA key', block('DSA PRIVATE KEY')],
    ['a key without line breaks', fixture('key-p256').replaceAll('\n', '')],
    ['a key behind a damaged block', `${first.slice(0, -20)}\n${fixture('key-p256')}`],
    ['an OpenSSH key', block('OPENSSH PRIVATE KEY')],
  ])('%s: certificate_is_key', (_, text) =>
    expect(refusal(() => readChain(text))).toMatchObject({ key: 'certificate_is_key', field: 'certificate_pem' }),
  )

  it.each([
    ...['X509 CERTIFICATE', 'TRUSTED CERTIFICATE', 'ATTRIBUTE CERTIFICATE', 'NEW CERTIFICATE REQUEST', 'PKCS7', 'CMS']
      .concat(['RSA PUBLIC KEY', 'EC PARAMETERS'])
      .map((type): [string, string] => [type, block(type)]),
    ['CERTIFICATE REQUEST', fixture('bad-request')],
    ['PUBLIC KEY', fixture('bad-public-key')],
    ['X509 CRL', leaf + block('X509 CRL')],
  ])('%s: pem_wrong_type', (type, text) => {
    expect(refusal(() => readChain(text))).toEqual({
      key: 'pem_wrong_type',
      field: 'certificate_pem',
      message: `certificate_pem: received a PEM block of type ${type}. Allowed: CERTIFICATE.`,
    })
  })

  it.each([
    ['damaged base64', block('CERTIFICATE', '%%%%'), 1, 'character 1 of line 2 is not base64'],
    ['damaged base64 of the second one', first + block('CERTIFICATE', 'AA=A'), 2, DAMAGED_SECOND],
    [
      'an empty block',
      '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n',
      1,
      'the block that line 1 begins is empty',
    ],
    ['damaged DER', block('CERTIFICATE', 'MAECAw=='), 1, 'there are bytes behind the end of its DER'],
    [
      'an unsupported second one',
      first + fixture('bad-ed448'),
      2,
      'its key is of the type Ed448, which is not supported',
    ],
    ['an unsupported curve', fixture('bad-secp256k1'), 1, 'its key is on the curve secp256k1, which is not supported'],
  ])('%s: certificate_unparsable', (_, text, position, problem) => {
    const found = refusal(() => readChain(text))
    expect(found.field).toBe('certificate_pem')
    expect(found.key).toBe('certificate_unparsable')
    expect(found.message).toContain(`certificate ${position} of the chain cannot be read: ${problem}.`)
  })

  it.each([
    ['root first', third + second + first, 1, 'CN=rsa-sha256 root', 'its issuer is "CN=rsa-sha256 root"'],
    [
      'the intermediate left out',
      first + third,
      1,
      'CN=leaf.example.com',
      'its issuer is "O=Example, CN=rsa-sha256 intermediate"',
    ],
    ['the root twice, then a leaf', third + third + first, 2, 'CN=rsa-sha256 root', 'its issuer is'],
    ['the leaf twice', first + first, 1, 'CN=leaf.example.com', 'its issuer is'],
    ['another key', fixture('bad-chain-key'), 1, 'CN=leaf.example.com', 'the signature does not verify'],
  ])('%s: chain_out_of_order', (_, text, position, subject, problem) => {
    const found = refusal(() => readChain(text))
    expect(found.field).toBe('certificate_pem')
    expect(found.key).toBe('chain_out_of_order')
    expect(found.message).toContain(
      `certificate ${position} of the chain ("${subject}") is not signed by the next one:`,
    )
    expect(found.message).toContain(problem)
  })
})
