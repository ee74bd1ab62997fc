import { pem, upload } from '../../support/pem.ts'
import { type ErrorCase, wrong } from './error-case.ts'

const CERTIFICATES = '/tls_certificates'
const { certificate_pem, private_key_pem } = upload()
/** A piece of the key's base64 that must never come back. */
const SECRET = (private_key_pem.split('\n')[1] as string).slice(0, 24)

/** The error of an upload that cannot be. */
function ofUpload(
  key: ErrorCase['key'],
  body: Readonly<Record<string, string>>,
  field: string,
  ...says: string[]
): ErrorCase {
  return {
    key,
    send: () => ['POST', CERTIFICATES, { json: body }],
    direct: (gateway) => gateway.tlsCertificates.create(wrong(body)),
    says: [field, ...says],
    hides: [SECRET],
    field,
  }
}

const [leaf, , root] = pem('chain-ed25519').split(/(?<=-----END CERTIFICATE-----\n)/) as [string, string, string]

/** Errors of TLS certificates. */
export const certificateCases: readonly ErrorCase[] = [
  ofUpload('key_missing', { certificate_pem }, 'private_key_pem'),
  ofUpload(
    'key_encrypted',
    { certificate_pem, private_key_pem: pem('key-p256-encrypted') },
    'private_key_pem',
    'encrypted',
  ),
  ofUpload(
    'key_unsupported',
    { certificate_pem, private_key_pem: pem('bad-key-ed448') },
    'private_key_pem',
    'RSA',
    'Ed25519',
  ),
  ofUpload(
    'certificate_unparsable',
    {
      certificate_pem: `${certificate_pem}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
      private_key_pem,
    },
    'certificate_pem',
    'certificate 2',
  ),
  ofUpload(
    'pem_headers',
    { certificate_pem, private_key_pem: private_key_pem.replace('-----\n', '-----\nX-Note: of the office\n\n') },
    'private_key_pem',
    'headers',
  ),
  ofUpload(
    'pem_wrong_type',
    { certificate_pem: pem('bad-request'), private_key_pem },
    'certificate_pem',
    'CERTIFICATE REQUEST',
  ),
  ofUpload(
    'certificate_description_too_long',
    { certificate_pem, private_key_pem, description: 'x'.repeat(256) },
    'description',
    '256',
    '255',
  ),
  ofUpload(
    'certificate_metadata_too_long',
    { certificate_pem, private_key_pem, metadata: 'x'.repeat(4097) },
    'metadata',
    '4097',
    '4096',
  ),
  ofUpload('certificate_missing', { private_key_pem }, 'certificate_pem'),
  ofUpload('certificate_not_pem', { certificate_pem: 'MIIB', private_key_pem }, 'certificate_pem', 'BEGIN CERTIFICATE'),
  ofUpload(
    'certificate_too_long',
    { certificate_pem: 'x'.repeat(65_537), private_key_pem },
    'certificate_pem',
    '65537',
    '65536',
  ),
  ofUpload(
    'certificate_key_mismatch',
    { certificate_pem: pem('leaf-rsa2048'), private_key_pem },
    'private_key_pem',
    'RSA',
    'P-256',
  ),
  ofUpload('key_is_certificate', { certificate_pem, private_key_pem: certificate_pem }, 'private_key_pem'),
  ofUpload('certificate_is_key', { certificate_pem: private_key_pem, private_key_pem }, 'certificate_pem'),
  ofUpload('chain_out_of_order', { certificate_pem: leaf + root, private_key_pem }, 'certificate_pem', 'certificate 1'),
  {
    key: 'certificate_in_use',
    setUp(gateway) {
      const { id } = gateway.tlsCertificates.create(upload())
      gateway.reservedDomains.create({ domain: 'app.example.com', certificate_id: id })
      return id
    },
    send: (id) => ['DELETE', `${CERTIFICATES}/${id}`],
    direct: (gateway, id) => gateway.tlsCertificates.delete(id),
    says: (id) => [id, 'app.example.com'],
  },
  {
    key: 'certificate_automatic',
    options: { provisioningDelay: 0 },
    setUp: (gateway) =>
      gateway.reservedDomains.create({
        domain: 'auto.example.com',
        certificate_management_policy: { authority: 'letsencrypt' },
      }).certificate?.id ?? 'cert_none',
    send: (id) => ['DELETE', `${CERTIFICATES}/${id}`],
    direct: (gateway, id) => gateway.tlsCertificates.delete(id),
    says: (id) => [id, 'auto.example.com'],
  },
]
