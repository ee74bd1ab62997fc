import { describe, expect, it } from 'vitest'
import { readCertificate } from '../../../src/service/x509/certificate.ts'
import { sliceElements } from '../../../src/service/x509/der.ts'
import { getAttribute, quoteName, readName } from '../../../src/service/x509/name.ts'
import { derOf, element, findUnreadable, fixture } from './support.ts'

const SERIAL = 1
const ISSUER = 3
const VALIDITY = 4
const SUBJECT = 5
const KEY = 6
const EXTENSIONS = 7

const original = derOf(fixture('leaf-p256'))

const listMembers = (der: Uint8Array) => sliceElements(der, 'test')

/** Returns the leaf with some members of its signed part replaced, or left out if undefined. */
function alter(changes: Record<number, Uint8Array | undefined>): Uint8Array {
  const [tbs = new Uint8Array(), ...rest] = sliceElements(original, 'test')
  const members = sliceElements(tbs, 'test').map((member, i) => (i in changes ? changes[i] : member))
  return element(0x30, element(0x30, ...members.filter((member) => member !== undefined)), ...rest)
}

/** Returns the leaf with a signed part of these members. */
function withSignedPart(...members: Uint8Array[]): Uint8Array {
  return element(0x30, element(0x30, ...members), ...listMembers(original).slice(1))
}

function withName(member: number, tag: number, text: string) {
  const attribute = element(0x30, element(0x06, '\x55\x04\x03'), element(tag, text))
  return alter({ [member]: element(0x30, element(0x31, attribute)) })
}

function withValidity(tag: number, text: string) {
  return alter({ [VALIDITY]: element(0x30, element(tag, text), element(0x17, '300101000000Z')) })
}

function withExtensions(...extensions: [oid: string, value: Uint8Array][]) {
  const list = extensions.map(([oid, value]) => element(0x30, element(0x06, oid), element(0x04, value)))
  return alter({ [EXTENSIONS]: element(0xa3, element(0x30, ...list)) })
}

const findProblem = (der: Uint8Array) => findUnreadable(() => readCertificate(der))

describe('an error names the problem of a malformed certificate (RFC 5280, 4.1)', () => {
  it.each<[string, Uint8Array, string]>([
    ['nothing', new Uint8Array(), 'its outer structure is missing or malformed'],
    ['another element', element(0x04, 'abc'), 'its outer structure is missing or malformed'],
    ['a cut', original.slice(0, -1), 'its DER ends too early'],
    ['bytes after it', Uint8Array.from([...original, 0]), 'there are bytes after the end of its DER'],
    ['an indefinite length', Uint8Array.from([0x30, 0x80, 0, 0]), 'its DER is damaged'],
    ['a length of 2^32', Uint8Array.from([0x30, 0x85, 1, 0, 0, 0, 0]), 'its DER is damaged'],
    [
      'a member too many',
      element(0x30, ...sliceElements(original, 'test'), element(5)),
      'its outer structure is missing or malformed',
    ],
    ...[0, 1, 2].map((count): [string, Uint8Array, string] => [
      `${count} members`,
      element(0x30, ...listMembers(original).slice(0, count)),
      'its outer structure is missing or malformed',
    ]),
    ...[0, 1, 2, 3, 4, 5, 6].map((count): [string, Uint8Array, string] => [
      `a signed part of ${count} members`,
      withSignedPart(...listMembers(listMembers(original)[0] ?? original).slice(0, count)),
      'its signed part is missing or malformed',
    ]),
    ...[element(0x05), element(0xa3, element(0x30)), element(0x82, '\0a')].map(
      (member): [string, Uint8Array, string] => [
        `a signed part with a member of the tag ${member[0]} after its extensions`,
        withSignedPart(...listMembers(listMembers(original)[0] ?? original), member),
        'its signed part is missing or malformed',
      ],
    ),
    [
      'a signed part that is a text',
      element(0x30, element(4, 'abc'), ...listMembers(original).slice(1)),
      'its signed part is missing or malformed',
    ],
    [
      'algorithms without identifier',
      element(0x30, ...listMembers(alter({ 2: element(0x30) })).slice(0, 1), element(0x30), element(3, '\0abc')),
      'its signature algorithm is missing or malformed',
    ],
    [
      'a signature that is a text',
      element(0x30, ...listMembers(original).slice(0, 2), element(4, 'abc')),
      'its signature is missing or malformed',
    ],
    [
      'an issuer that is no name',
      alter({ [ISSUER]: element(0x30, element(2, '\x01')) }),
      'its issuer is missing or malformed',
    ],
    ['an unknown version', alter({ 0: element(0xa0, element(2, '\x03')) }), 'its version is not 1, 2 or 3'],
    ['a negative version', alter({ 0: element(0xa0, element(2, '\xff')) }), 'its version is missing or malformed'],
    ['an empty version', alter({ 0: element(0xa0) }), 'its version is missing or malformed'],
    ['version 1 with extensions', alter({ 0: undefined }), 'it has extensions, which version 1 does not allow'],
    ['an empty serial', alter({ [SERIAL]: element(2) }), 'its serial number is missing or malformed'],
    ['a padded serial', alter({ [SERIAL]: element(2, '\x00\x01') }), 'its serial number is missing or malformed'],
    [
      'another inner algorithm',
      alter({ 2: element(0x30, element(6, '\x2a\x03')) }),
      'it names two different signature algorithms',
    ],
    [
      'a subject that is no name',
      alter({ [SUBJECT]: element(0x30, element(2, '\x01')) }),
      'its subject is missing or malformed',
    ],
    ['no key', alter({ [KEY]: element(0x30) }), 'its public key is missing or malformed'],
    ['empty extensions', alter({ [EXTENSIONS]: element(0xa3) }), 'its list of extensions is missing or malformed'],
  ])('%s', (_, der, problem) => expect(findProblem(der)).toBe(problem))
})

it('unique identifiers may be before the extensions (RFC 5280, 4.1.2.8)', () => {
  const members = listMembers(listMembers(original)[0] ?? original)
  const identifiers = [element(0x81, '\0a'), element(0x82, '\0b')]
  const certificate = withSignedPart(...members.slice(0, EXTENSIONS), ...identifiers, ...members.slice(EXTENSIONS))
  expect(readCertificate(certificate).fields).toEqual(readCertificate(original).fields)
})

describe('names (RFC 5280, 4.1.2.4)', () => {
  it.each([
    ['UTF8String', 0x0c, '\xc3\xbc\xf0\x9f\x98\x80', 'ü😀'],
    ['UTF8String with a byte order mark', 0x0c, '\xef\xbb\xbfa', '\ufeffa'],
    ['PrintableString', 0x13, 'abc', 'abc'],
    ['NumericString', 0x12, '123', '123'],
    ['T61String, as Latin-1', 0x14, 'Gr\xf6\xdfe', 'Größe'],
    ['IA5String', 0x16, 'a@b', 'a@b'],
    ['BMPString', 0x1e, '\x67\x71\xd8\x3d\xde\x00', '東😀'],
    ['UniversalString', 0x1c, '\x00\x00\x67\x71\x00\x01\xf6\x00', '東😀'],
    ['the last character of Unicode', 0x1c, '\x00\x10\xff\xff', '\u{10ffff}'],
    ['an empty text', 0x0c, '', ''],
  ])('%s is read', (_, tag, content, text) => {
    expect(readCertificate(withName(SUBJECT, tag, content)).fields.subject_common_name).toBe(text)
    expect(readCertificate(withName(ISSUER, tag, content)).fields.issuer_common_name).toBe(text)
  })

  it.each([
    ['invalid UTF-8', 0x0c, '\xff', "its subject's text is missing or malformed"],
    ['half a surrogate pair', 0x1e, '\xd8\x3d', "its subject's text is missing or malformed"],
    ['half a character', 0x1e, 'abc', 'its DER is damaged'],
    ['a character beyond Unicode', 0x1c, '\x00\x11\x00\x00', "its subject's text is missing or malformed"],
    ['a number of four bytes', 0x02, '\x00\x00\x00\x61', "its subject's text is missing or malformed"],
    ...[0x12, 0x13, 0x16, 0x1a].map((tag): [string, number, string, string] => [
      `a byte of more than 7 bits in a string of ASCII, with the tag ${tag}`,
      tag,
      'a\xfc',
      "its subject's text is missing or malformed",
    ]),
    ['a number', 0x02, '\x01', "its subject's text is missing or malformed"],
  ])('%s is an error', (_, tag, content, problem) => expect(findProblem(withName(SUBJECT, tag, content))).toBe(problem))
})

describe('validity times (RFC 5280, 4.1.2.5)', () => {
  it.each([
    ['the last moment of a day', 0x17, '261231235959Z', '2026-12-31T23:59:59.000Z'],
    ['the first moment of a day', 0x17, '260101000000Z', '2026-01-01T00:00:00.000Z'],
    ['31 March', 0x17, '260331000000Z', '2026-03-31T00:00:00.000Z'],
    ['a leap day of a century', 0x18, '20000229000000Z', '2000-02-29T00:00:00.000Z'],
    ['the year 0', 0x18, '00000229000000Z', '0000-02-29T00:00:00.000Z'],
    ['the year 99', 0x18, '00991231235959Z', '0099-12-31T23:59:59.000Z'],
    ['the first year of UTCTime', 0x17, '500101000000Z', '1950-01-01T00:00:00.000Z'],
    ['the last year of UTCTime', 0x17, '491231235959Z', '2049-12-31T23:59:59.000Z'],
    ['a leap day', 0x17, '240229120000Z', '2024-02-29T12:00:00.000Z'],
    ['GeneralizedTime', 0x18, '20500101000000Z', '2050-01-01T00:00:00.000Z'],
    ['"no expiry"', 0x18, '99991231235959Z', '9999-12-31T23:59:59.000Z'],
    ['the year 1', 0x18, '00010101000000Z', '0001-01-01T00:00:00.000Z'],
  ])('%s is read', (_, tag, text, iso) => {
    expect(new Date(readCertificate(withValidity(tag, text)).fields.not_before).toISOString()).toBe(iso)
  })

  it.each([
    ['29 February of no leap year', 0x17, '230229120000Z'],
    ['29 February of a century that is no leap year', 0x18, '19000229000000Z'],
    ['31 April', 0x17, '230431120000Z'],
    ['day 32', 0x17, '230132120000Z'],
    ['month 0', 0x17, '230001120000Z'],
    ['minute 60', 0x17, '230101236000Z'],
    ['letters', 0x17, '23010112000aZ'],
    ['text before', 0x18, '020230101120000Z'],
    ['month 13', 0x17, '231301120000Z'],
    ['day 0', 0x17, '230100120000Z'],
    ['hour 24', 0x17, '230101240000Z'],
    ['second 60', 0x17, '230101235960Z'],
    ['no seconds', 0x17, '2301012359Z'],
    ['a zone', 0x17, '230101235959+0100'],
    ['no zone', 0x17, '230101235959'],
    ['a fraction', 0x18, '20230101235959.5Z'],
    ['a line break', 0x17, '230101235959Z\n'],
    ['another type', 0x0c, '230101235959Z'],
  ])('%s is an error', (_, tag, text) => {
    expect(findProblem(withValidity(tag, text))).toBe(
      'its not-before time is not a valid UTC time in the form of RFC 5280',
    )
  })
})

describe('a validity', () => {
  const time = (text: string) => element(0x17, text)
  const validity = (...members: Uint8Array[]) => alter({ [VALIDITY]: element(0x30, ...members) })
  const problem = (which: string) => `its ${which} time is not a valid UTC time in the form of RFC 5280`

  it('has two times, and errors name the wrong one', () => {
    expect(findProblem(validity())).toBe(problem('not-before'))
    expect(findProblem(validity(time('260101000000Z')))).toBe(problem('not-after'))
    expect(findProblem(validity(time('260101000000Z'), time('x')))).toBe(problem('not-after'))
    expect(findProblem(alter({ [VALIDITY]: time('260101000000Z') }))).toBe('its validity is missing or malformed')
    const { not_before, not_after } = readCertificate(validity(time('260101000000Z'), time('270101000000Z'))).fields
    expect([not_before, not_after]).toEqual([Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)])
  })
})

describe('extensions (RFC 5280, 4.2)', () => {
  const alternativeName = '\x55\x1d\x11'
  const usage = '\x55\x1d\x0f'

  it('that occur twice are an error', () => {
    const names = element(0x30, element(0x82, 'a.example.com'))
    expect(findProblem(withExtensions([alternativeName, names], [alternativeName, names]))).toBe(
      'it has the extension 2.5.29.17 twice',
    )
  })

  it('with an IP address of 5 bytes are an error', () => {
    expect(findProblem(withExtensions([alternativeName, element(0x30, element(0x87, 'abcde'))]))).toBe(
      'an IP address among its subject alternative names is malformed',
    )
  })

  it('with key usages that are not bits are an error, and without set bits there are no usages', () => {
    expect(findProblem(withExtensions([usage, element(3)]))).toBe('its key usage is missing or malformed')
    expect(readCertificate(withExtensions([usage, element(3, '\x00')])).fields.key_usages).toEqual([])
  })

  it('with more unused bits than a byte has are an error', () => {
    expect(findProblem(withExtensions([usage, element(3, '\x08\x80')]))).toBe('its key usage is missing or malformed')
    expect(readCertificate(withExtensions([usage, element(3, '\x07\x80')])).fields.key_usages).toEqual([
      'digitalSignature',
    ])
  })

  it.each<[string, Uint8Array[], string]>([
    ['a list of another type', [element(4)], 'list of extensions'],
    ['an extension of another type', [element(0x30, element(4))], 'list of extensions'],
    ['an extension without identifier', [element(0x30, element(0x30))], 'list of extensions'],
    ['an extension without value', [element(0x30, element(0x30, element(6, usage)))], 'extension 2.5.29.15'],
    [
      'a critical extension without value',
      [element(0x30, element(0x30, element(6, usage), element(1, '\xff')))],
      'extension 2.5.29.15',
    ],
    ['no list', [], 'list of extensions'],
  ])('that are malformed are an error: %s', (_, list, what) => {
    expect(findProblem(alter({ [EXTENSIONS]: element(0xa3, ...list) }))).toBe(`its ${what} is missing or malformed`)
  })

  it.each([
    ['subject alternative name', alternativeName, element(4)],
    ['key usage', usage, element(4)],
    ['extended key usage', '\x55\x1d\x25', element(4)],
    ['extended key usage', '\x55\x1d\x25', element(0x30, element(4))],
  ])('whose value is malformed are an error: %s', (what, oid, value) => {
    expect(findProblem(withExtensions([oid, value]))).toBe(`its ${what} is missing or malformed`)
  })

  it('are found after the unique identifiers of issuer and subject', () => {
    const list = element(0xa3, element(0x30, element(0x30, element(6, usage), element(4, element(3, '\x07\x80')))))
    const members = listMembers(listMembers(original)[0] ?? original).slice(0, EXTENSIONS)
    const der = withSignedPart(...members, element(0x81, '\0a'), element(0x82, '\0b'), list)
    expect(readCertificate(der).fields.key_usages).toEqual(['digitalSignature'])
  })

  it('without a field are ignored', () => {
    expect(readCertificate(withExtensions(['\x2a\x03', Uint8Array.of(1)])).fields.key_usages).toEqual([])
  })
})

describe('serial numbers', () => {
  it.each([
    ['\xff', '-01'],
    ['\x80', '-80'],
    ['\xfe\xff', '-0101'],
    ['\x00\x80', '80'],
    ['\x01'.repeat(40), '01'.repeat(40)],
  ])('%j is printed as openssl does', (content, text) => {
    expect(readCertificate(alter({ [SERIAL]: element(2, content) })).fields.serial_number).toBe(text)
  })
})

describe('public keys are RSA, ECDSA on three curves or Ed25519 (rules: tls-certificates#accepted)', () => {
  it.each([
    ['bad-dsa', 'its key is of type DSA, which is not supported'],
    ['bad-ed448', 'its key is of type Ed448, which is not supported'],
    ['bad-rsa-pss', 'its key is of type RSASSA-PSS, which is not supported'],
    ['bad-p224', 'its key is on the curve P-224, which is not supported'],
    ['bad-secp256k1', 'its key is on the curve secp256k1, which is not supported'],
    ['bad-explicit', 'its EC key does not name its curve'],
  ])('%s is rejected', (name, problem) => expect(findProblem(derOf(fixture(name)))).toBe(problem))
})

describe('names in messages', () => {
  const name = (...attributes: [oid: string, value: string][]) =>
    readName(
      element(
        0x30,
        ...attributes.map(([oid, value]) => element(0x31, element(0x30, element(6, oid), element(0x0c, value)))),
      ),
      'subject',
    )

  it('have their known attributes in the order of the name, and are cut to a line', () => {
    const all = name(
      ['\x55\x04\x06', 'DE'],
      ['\x55\x04\x08', 'BW'],
      ['\x55\x04\x07', 'Ulm'],
      ['\x55\x04\x0a', 'Org'],
      ['\x55\x04\x0b', 'Unit'],
      ['\x2a\x03', 'passed over'],
      ['\x55\x04\x03', 'a "b"'],
      ['\x2a\x86\x48\x86\xf7\x0d\x01\x09\x01', 'a@b'],
    )
    expect(quoteName(all)).toBe('"C=DE, ST=BW, L=Ulm, O=Org, OU=Unit, CN=a \\"b\\", E=a@b"')
    expect(quoteName(name())).toBe('""')
    expect(quoteName(name(['\x55\x04\x03', 'x'.repeat(10_000)])).length).toBeLessThan(90)
  })

  it('have the first value of an attribute', () => {
    const doubled = name(['\x55\x04\x03', 'first'], ['\x55\x04\x03', 'second'])
    expect([getAttribute(doubled, 'CN'), getAttribute(doubled, 'O')]).toEqual(['first', ''])
  })

  it.each([
    ['an attribute without value', element(0x30, element(0x31, element(0x30, element(6, '\x55\x04\x03'))))],
    ['an attribute without type', element(0x30, element(0x31, element(0x30)))],
    ['a SEQUENCE instead of the SET', element(0x30, element(0x30))],
    ['a SET instead of the SEQUENCE', element(0x31)],
  ])('%s is an error', (_, der) => {
    expect(findUnreadable(() => readName(der, 'subject'))).toBe('its subject is missing or malformed')
  })
})
