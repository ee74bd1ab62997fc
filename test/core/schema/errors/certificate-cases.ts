import { pem, upload } from '../../../support/pem.ts'
import { bodyCases, type ErrorCase } from './error-case.ts'

const CERTIFICATES = '/tls_certificates'
const { certificate_pem, private_key_pem } = upload()
/** A part of the key's base64 that no response may have. */
const SECRET = (private_key_pem.split('\n')[1] as string).slice(0, 24)

const uploadCase = bodyCases('POST', CERTIFICATES, ({ tlsCertificates }, body) => tlsCertificates.create(body))

/** Returns the case of a valid upload with changed fields, of which the first one is rejected. */
function changedUploadCase(key: ErrorCase['key'], changes: object, ...texts: string[]): ErrorCase {
  const [field = ''] = Object.keys(changes)
  return { ...uploadCase(key, { certificate_pem, private_key_pem, ...changes }, field, ...texts), secrets: [SECRET] }
}

const [leaf, , root] = pem('chain-ed25519').split(/(?<=-----END CERTIFICATE-----\n)/) as [string, string, string]
const UNREADABLE = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
const WITH_HEADER = private_key_pem.replace('-----\n', '-----\nX-Note: of the office\n\n')

/** Errors of TLS certificates. */
export const certificateCases: readonly ErrorCase[] = [
  changedUploadCase('key_missing', { private_key_pem: undefined }),
  changedUploadCase('key_encrypted', { private_key_pem: pem('key-p256-encrypted') }, 'encrypted'),
  changedUploadCase('key_unsupported', { private_key_pem: pem('bad-key-ed448') }, 'RSA', 'Ed25519'),
  changedUploadCase('certificate_unparsable', { certificate_pem: certificate_pem + UNREADABLE }, 'certificate 2'),
  changedUploadCase('pem_headers', { private_key_pem: WITH_HEADER }, 'headers'),
  changedUploadCase('pem_wrong_type', { certificate_pem: pem('bad-request') }, 'CERTIFICATE REQUEST'),
  changedUploadCase('certificate_description_too_long', { description: 'x'.repeat(256) }, '256', '255'),
  changedUploadCase('certificate_metadata_too_long', { metadata: 'x'.repeat(4097) }, '4097', '4096'),
  changedUploadCase('certificate_missing', { certificate_pem: undefined }),
  changedUploadCase('certificate_not_pem', { certificate_pem: 'MIIB' }, 'BEGIN CERTIFICATE'),
  changedUploadCase('certificate_too_long', { certificate_pem: 'x'.repeat(65_537) }, '65537', '65536'),
  changedUploadCase(
    'certificate_key_mismatch',
    { private_key_pem, certificate_pem: pem('leaf-rsa2048') },
    'RSA',
    'P-256',
  ),
  changedUploadCase('key_is_certificate', { private_key_pem: certificate_pem }),
  changedUploadCase('certificate_is_key', { certificate_pem: private_key_pem }),
  changedUploadCase('chain_out_of_order', { certificate_pem: leaf + root }, 'certificate 1'),
  {
    key: 'certificate_in_use',
    setUp(gateway) {
      const { id } = gateway.tlsCertificates.create(upload())
      gateway.reservedDomains.create({ domain: 'app.example.com', certificate_id: id })
      return id
    },
    send: (id) => ['DELETE', `${CERTIFICATES}/${id}`],
    direct: (gateway, id) => gateway.tlsCertificates.delete(id),
    texts: (id) => [id, 'app.example.com'],
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
    texts: (id) => [id, 'auto.example.com'],
  },
]
