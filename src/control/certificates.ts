import { bytesToHex } from '@noble/hashes/utils.js'
import * as v from 'valibot'
import { documented, named } from '../core/schema/documentation.ts'
import { readBy } from '../core/schema/rule.ts'
import { time } from '../core/schema/schema.ts'
import { timestamp } from '../core/schema/time.ts'
import { chainErrors } from '../service/x509/errors.ts'
import { hashes } from '../service/x509/hashes.ts'
import { keyName } from '../service/x509/keys.ts'
import { formatName } from '../service/x509/name.ts'
import { type PemCertificate, readCertificates } from '../service/x509/uploads.ts'
import { type Control, controlCall } from './control.ts'

const certificate = named(
  v.object({
    subject: documented(v.string(), 'The subject, such as `CN=app.example.com, O=Example`.'),
    issuer: documented(v.string(), 'The issuer, in the same form.'),
    serial_number: documented(v.string(), 'The serial number in lowercase hex, in whole bytes.'),
    not_before: documented(time, 'The start of its validity period.'),
    not_after: documented(time, 'The end of its validity period.'),
    key: documented(v.string(), 'Its public key, such as `RSA 2048`, `ECDSA P-256`, or `Ed25519`.'),
    names: documented(v.array(v.string()), 'The DNS names and IP addresses that it covers.'),
    key_usages: documented(v.array(v.string()), 'The key usages and extended key usages.'),
    sha256: documented(v.string(), 'The SHA-256 fingerprint of its DER encoding, in lowercase hex.'),
  }),
  'ReadCertificate',
  'The content of one certificate in a chain.',
)

const read = controlCall({
  method: 'POST',
  path: '/certificates',
  summary: 'Decode PEM certificates without storing them',
  from: 'body',
  schema: v.object({
    certificate_pem: documented(
      v.pipe(
        v.optional(v.string(), ''),
        readBy(chainErrors, (text: string) => readCertificates(text)),
      ),
      'One to ten X.509 certificates, at most 64 KiB of PEM.',
      { json: { minLength: 1, maxLength: 65_536 }, isRequired: true },
    ),
  }),
  response: v.array(certificate),
  run: (_host, { certificate_pem }) => certificate_pem.map(describeCertificate),
})

function describeCertificate({
  subject,
  issuer,
  publicKey,
  fields,
  der,
}: PemCertificate): v.InferOutput<typeof certificate> {
  const { subject_alternative_names, key_usages, extended_key_usages } = fields
  return {
    subject: formatName(subject),
    issuer: formatName(issuer),
    serial_number: fields.serial_number,
    not_before: timestamp(fields.not_before),
    not_after: timestamp(fields.not_after),
    key: keyName(publicKey),
    names: [...subject_alternative_names.dns_names, ...subject_alternative_names.ips],
    key_usages: [...key_usages, ...extended_key_usages],
    sha256: bytesToHex(hashes.sha256.digest(der)),
  }
}

/** Reads certificates for clients that cannot parse X.509 themselves, such as a web page. */
export const certificates: Control = { calls: [read] }
