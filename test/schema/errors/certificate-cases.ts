import { pem, upload } from '../../support/pem.ts'
import { bodiesOf, type ErrorCase } from './error-case.ts'

const CERTIFICATES = '/tls_certificates'
const { certificate_pem, private_key_pem } = upload()
/** A piece of the key's base64 that must never come back. */
const SECRET = (private_key_pem.split('\n')[1] as string).slice(0, 24)

const ofUpload = bodiesOf('POST', CERTIFICATES, ({ tlsCertificates }, body) => tlsCertificates.create(body))

/** The error of the first of the fields that are other than those of a good upload. */
function caseOfChangedUpload(key: ErrorCase['key'], changed: object, ...says: string[]): ErrorCase {
  const [field = ''] = Object.keys(changed)
  return { ...ofUpload(key, { certificate_pem, private_key_pem, ...changed }, field, ...says), hides: [SECRET] }
}

const [leaf, , root] = pem('chain-ed25519').split(/(?<=-----END CERTIFICATE-----\n)/) as [string, string, string]
const UNREADABLE = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
const WITH_HEADER = private_key_pem.replace('-----\n', '-----\nX-Note: of the office\n\n')

/** Errors of TLS certificates. */
export const certificateCases: readonly ErrorCase[] = [
  caseOfChangedUpload('key_missing', { private_key_pem: undefined }),
  caseOfChangedUpload('key_encrypted', { private_key_pem: pem('key-p256-encrypted') }, 'encrypted'),
  caseOfChangedUpload('key_unsupported', { private_key_pem: pem('bad-key-ed448') }, 'RSA', 'Ed25519'),
  caseOfChangedUpload('certificate_unparsable', { certificate_pem: certificate_pem + UNREADABLE }, 'certificate 2'),
  caseOfChangedUpload('pem_headers', { private_key_pem: WITH_HEADER }, 'headers'),
  caseOfChangedUpload('pem_wrong_type', { certificate_pem: pem('bad-request') }, 'CERTIFICATE REQUEST'),
  caseOfChangedUpload('certificate_description_too_long', { description: 'x'.repeat(256) }, '256', '255'),
  caseOfChangedUpload('certificate_metadata_too_long', { metadata: 'x'.repeat(4097) }, '4097', '4096'),
  caseOfChangedUpload('certificate_missing', { certificate_pem: undefined }),
  caseOfChangedUpload('certificate_not_pem', { certificate_pem: 'MIIB' }, 'BEGIN CERTIFICATE'),
  caseOfChangedUpload('certificate_too_long', { certificate_pem: 'x'.repeat(65_537) }, '65537', '65536'),
  caseOfChangedUpload(
    'certificate_key_mismatch',
    { private_key_pem, certificate_pem: pem('leaf-rsa2048') },
    'RSA',
    'P-256',
  ),
  caseOfChangedUpload('key_is_certificate', { private_key_pem: certificate_pem }),
  caseOfChangedUpload('certificate_is_key', { certificate_pem: private_key_pem }),
  caseOfChangedUpload('chain_out_of_order', { certificate_pem: leaf + root }, 'certificate 1'),
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
