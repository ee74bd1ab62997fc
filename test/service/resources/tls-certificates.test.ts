import { X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { client, expectError } from '../../support/client.ts'
import { CERTIFICATE_FIELDS, HEAD_FIELDS } from '../../support/fields.ts'
import { open } from '../../support/gateway.ts'
import { pem, upload } from '../../support/pem.ts'

const PATH = '/tls_certificates'
const KEYS = [...HEAD_FIELDS, ...CERTIFICATE_FIELDS]

/** Returns the lines of a PEM key that contain its secret. */
function listSecretLines(key: string): string[] {
  return key.split('\n').filter((line) => line !== '' && !line.startsWith('-----'))
}

describe('Uploading a TLS certificate (rules: tls-certificates#resource)', () => {
  test('returns 201 with every field in the order of the table, read from the leaf', async () => {
    const { status, body } = await client(open())('POST', PATH, { json: upload() })
    const leaf = new X509Certificate(pem('leaf-p256'))
    expect(status).toBe(201)
    expect(Object.keys(body)).toEqual(KEYS)
    expect(body).toEqual({
      id: expect.stringMatching(/^cert_[0-9A-Za-z]{27}$/),
      uri: `https://api.gateway.test/tls_certificates/${body.id}`,
      created_at: '2025-09-04T10:11:14Z',
      certificate_pem: pem('leaf-p256'),
      subject_common_name: 'app.example.com',
      subject_alternative_names: {
        dns_names: ['app.example.com', '*.example.com'],
        ips: expect.arrayContaining(['192.0.2.7']),
      },
      issued_at: null,
      not_before: `${new Date(leaf.validFrom).toISOString().slice(0, 19)}Z`,
      not_after: `${new Date(leaf.validTo).toISOString().slice(0, 19)}Z`,
      key_usages: ['digitalSignature', 'keyEncipherment'],
      extended_key_usages: ['serverAuth', 'clientAuth', '1.3.6.1.4.1.99999.7'],
      private_key_type: 'ecdsa',
      issuer_common_name: 'app.example.com',
      serial_number: leaf.serialNumber.toLowerCase(),
      subject_organization: 'Größe & Söhne, "GmbH"',
      subject_organizational_unit: 'First unit',
      subject_locality: 'Zürich 東京',
      subject_province: 'Baden-Württemberg',
      subject_country: 'DE',
    })
    expect(Object.keys(body.subject_alternative_names)).toEqual(['dns_names', 'ips'])
  })

  test.each([
    ['p256', 'ecdsa'],
    ['p384', 'ecdsa'],
    ['p521', 'ecdsa'],
    ['rsa2048', 'rsa'],
    ['ed25519', 'ed25519'],
  ] as const)('takes a %s key, and returns its type %s', (kind, type) => {
    expect(open().tlsCertificates.create(upload(kind)).private_key_type).toBe(type)
  })

  test('can be done twice with the same certificate, which creates two resources', () => {
    const gateway = open()
    const [one, two] = [gateway.tlsCertificates.create(upload()), gateway.tlsCertificates.create(upload())]
    expect(one.id).not.toBe(two.id)
    expect(gateway.tlsCertificates.list().tls_certificates).toEqual([two, one])
  })
})

describe('The private key (rules: secrets#private-keys)', () => {
  test('is in no response of any operation', async () => {
    const api = client(open())
    const sent = upload()
    const created = await api('POST', PATH, { json: sent })
    const responses = [
      created,
      await api('GET', `${PATH}/${created.body.id}`),
      await api('GET', PATH),
      await api('PATCH', `${PATH}/${created.body.id}`, { json: { metadata: 'x' } }),
    ]
    for (const { text } of responses) {
      expect(text).not.toContain('private_key_pem')
      for (const line of listSecretLines(sent.private_key_pem)) expect(text).not.toContain(line)
    }
  })

  test.each([
    ['damaged', (key: string) => key.replace('-----END', 'x-----END')],
    ['without line breaks', (key: string) => key.replaceAll('\n', '')],
    ['of another certificate', () => pem('key-p384')],
    ['as a number in the same body', (key: string) => key],
  ])('is in no error: one %s', async (what, damage) => {
    const private_key_pem = damage(pem('key-p256'))
    const sent = { ...upload(), private_key_pem, ...(what.startsWith('as') && { colour: private_key_pem }) }
    const { status, text } = await client(open())('POST', PATH, { json: sent })
    expect(status).toBe(400)
    for (const line of listSecretLines(pem('key-p256'))) expect(text).not.toContain(line.slice(0, 20))
    for (const line of listSecretLines(pem('key-p384'))) expect(text).not.toContain(line.slice(0, 20))
  })

  test.each<[string, (key: string, base64: string, hex: string) => Record<string, unknown>]>([
    ['as the certificate', (key) => ({ certificate_pem: key })],
    ['labelled as a certificate', (key) => ({ certificate_pem: key.replaceAll('PRIVATE KEY', 'CERTIFICATE') })],
    ['labelled as something else', (key) => ({ certificate_pem: key.replaceAll('PRIVATE KEY', 'X509 CRL') })],
    ['after the chain, without a line break', (key) => ({ certificate_pem: upload().certificate_pem.trimEnd() + key })],
    [
      'in the headers of a certificate',
      (_, base64) => ({ certificate_pem: `-----BEGIN CERTIFICATE-----\na: ${base64}` }),
    ],
    ['in a label', (_, base64) => ({ certificate_pem: `-----BEGIN ${base64}-----\nAAAA\n-----END ${base64}-----\n` })],
    [
      'in a label, in capitals',
      (_, __, hex) => ({ certificate_pem: `-----BEGIN ${hex}-----\nAAAA\n-----END ${hex}-----\n` }),
    ],
    [
      'in the label of a key',
      (_, __, hex) => ({
        private_key_pem: `-----BEGIN ${hex} PRIVATE KEY-----\nAAAA\n-----END ${hex} PRIVATE KEY-----\n`,
      }),
    ],
    [
      'in a label that ends otherwise',
      (_, __, hex) => ({ private_key_pem: `-----BEGIN ${hex}-----\nAAAA\n-----END A-----\n` }),
    ],
    ['without a line break after its BEGIN line', (key) => ({ private_key_pem: key.replace('-----\n', '-----') })],
    ['with lone carriage returns', (key) => ({ private_key_pem: key.replaceAll('\n', '\r') })],
    ['without a BEGIN line', (_, base64) => ({ private_key_pem: base64 })],
    ['with a character that is not base64', (key) => ({ private_key_pem: key.replace('\n', '\n%') })],
    ['of the wrong type', (key) => ({ private_key_pem: key.replaceAll('PRIVATE KEY', 'DSA PRIVATE KEY') })],
    ['in a description that is too long', (key) => ({ description: key.repeat(2) })],
    ['in metadata that are too long', (key) => ({ metadata: key.repeat(99) })],
  ])('is in no error if it is %s', async (_, createFields) => {
    const key = pem('key-p256')
    const base64 = listSecretLines(key).join('')
    const hex = Buffer.from(base64, 'base64').toString('hex').toUpperCase()
    const json = { ...upload(), ...createFields(key, base64, hex) }
    const gateway = open()
    const { status, text } = await client(gateway)('POST', PATH, { json })
    expect(status).toBe(400)
    const messages = text + expectError(() => gateway.tlsCertificates.create(json)).message
    for (const secret of [base64, hex]) {
      for (let at = 0; at + 8 <= secret.length; at++) expect(messages).not.toContain(secret.slice(at, at + 8))
    }
  })

  test('is in a snapshot only on request', () => {
    const gateway = open()
    gateway.tlsCertificates.create(upload())
    const [line] = listSecretLines(upload().private_key_pem) as [string]
    expect(JSON.stringify(gateway.snapshot())).not.toContain(line)
    expect(JSON.stringify(gateway.snapshot({ privateKeys: true }))).toContain(line)
  })
})

describe('Reading a private key by an id (rules: secrets#private-keys)', () => {
  test.each([
    ['no id', pem('key-p256'), 'id_unparsable'],
    ['an id of another type', 'rd_1', 'id_wrong_prefix'],
    ['an id of no certificate', 'cert_1', 'not_found'],
  ])('with %s is rejected, and repeats no key', (_what, id, key) => {
    const error = expectError(() => open().authority.privateKeyPem(id))
    expect(error.key).toBe(key)
    expect(error.message).not.toContain('PRIVATE KEY')
  })
})
