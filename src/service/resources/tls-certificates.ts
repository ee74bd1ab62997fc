import * as v from 'valibot'
import { accountLimits, tooMany } from '../../core/operation/limit.ts'
import { referenceOf, refused, targetOf } from '../../core/operation/reference.ts'
import { resource } from '../../core/operation/resource.ts'
import { described, newHead, viewHead } from '../../core/operation/resource-head.ts'
import type { View } from '../../core/operation/view.ts'
import { documented, named } from '../../core/schema/documentation.ts'
import { type CatalogueError, declareErrors, entry } from '../../core/schema/errors.ts'
import { readBy } from '../../core/schema/rule.ts'
import { resourceHead, secret, time } from '../../core/schema/schema.ts'
import { timestamp } from '../../core/schema/time.ts'
import type { Frozen } from '../../core/schema/values.ts'
import {
  type CertificateRecord,
  certificateDescription,
  certificateMetadata,
  certificates,
  recordErrors,
} from '../provisioning/certificate-records.ts'
import { chainErrors, keyErrors, errors as uploadErrors } from '../x509/errors.ts'
import { issuing } from '../x509/order.ts'
import { readChain, readKey, requireMatch } from '../x509/uploads.ts'
import { errors as domainErrors } from './reserved-domains/errors.ts'
import { type DomainRecord, domains } from './reserved-domains/records.ts'

const errors = declareErrors({
  certificate_limit_none: tooMany(1904),
  certificate_automatic: entry(
    1966,
    409,
    "{id} was issued automatically and is in use by {domain}. Detach the domain's certificate management policy instead.",
  ),
  certificate_in_use: entry(90409, 409, '{id} is in use by {domain}. Detach it there before you delete it.'),
})

const certificateOfDomain = {
  field: 'certificate_id',
  sent: 'certificate_id',
  shown: 'certificate',
  to: targetOf('a TLS certificate', certificates),
  index: 'certificate',
  missing: domainErrors.certificate_not_found,
  rules: 'tls-certificates#deletion',
} as const

/** Creates the schema of a PEM text. It reads the text, so problems are reported along with those of other fields. */
function pemField<T>(
  errors: readonly CatalogueError[],
  read: (text: string) => T,
  text: v.GenericSchema<string> = v.string(),
) {
  return v.pipe(v.optional(text, ''), readBy(errors, read))
}

const shape = named(
  v.object({
    ...resourceHead,
    certificate_pem: documented(
      v.string(),
      'The chain, leaf first: PEM, wrapped at 64 columns, with a trailing line break.',
      { rules: 'tls-certificates#normalized' },
    ),
    subject_common_name: leafText("common name of the leaf's subject"),
    subject_alternative_names: documented(
      named(
        v.object({
          dns_names: documented(v.array(v.string()), 'The DNS names that the leaf is valid for, including wildcards.'),
          ips: documented(v.array(v.string()), 'The IP addresses that the leaf is valid for.'),
        }),
        'TLSCertificateSANs',
        'The alternative names that a leaf is valid for.',
      ),
      'The alternative names that the leaf is valid for.',
    ),
    issued_at: documented(
      v.nullable(time),
      'The time at which the certificate was issued automatically; null for an uploaded certificate.',
    ),
    not_before: documented(time, "The start of the leaf's validity period."),
    not_after: documented(time, "The end of the leaf's validity period."),
    key_usages: documented(
      v.array(v.string()),
      "The leaf's key usages, named as in RFC 5280, such as `digitalSignature`.",
    ),
    extended_key_usages: documented(
      v.array(v.string()),
      'The extended key usages, such as `serverAuth`; a dotted OID if RFC 5280 has no name for one.',
    ),
    private_key_type: documented(v.picklist(['rsa', 'ecdsa', 'ed25519']), "The type of the leaf's key."),
    issuer_common_name: leafText("common name of the leaf's issuer"),
    serial_number: documented(
      v.string(),
      "The leaf's serial number in lowercase hexadecimal, in whole bytes, including leading zeros.",
      { rules: 'tls-certificates#fields' },
    ),
    subject_organization: leafText("organization of the leaf's subject"),
    subject_organizational_unit: leafText("organizational unit of the leaf's subject"),
    subject_locality: leafText("locality of the leaf's subject"),
    subject_province: leafText("province of the leaf's subject"),
    subject_country: leafText("country of the leaf's subject"),
  }),
  'TLSCertificate',
  'A certificate chain, with the fields of its leaf.',
)

function leafText(what: string) {
  return documented(v.string(), `The ${what}; "" if there is none.`)
}

const view: View<CertificateRecord, Frozen<v.InferOutput<typeof shape>>> = (record, wire) => {
  const content = record.upload ?? issuing(wire.authority).issue(record.order)
  const { subject_common_name, subject_alternative_names, not_before, not_after, ...others } = content.leaf
  return {
    ...viewHead(record, wire, '/tls_certificates'),
    certificate_pem: content.certificate_pem,
    subject_common_name,
    subject_alternative_names,
    issued_at: record.issued_at === null ? null : timestamp(record.issued_at),
    not_before: timestamp(not_before),
    not_after: timestamp(not_after),
    ...others,
  }
}

const createBody = named(
  v.object({
    description: certificateDescription,
    metadata: certificateMetadata,
    certificate_pem: documented(
      pemField(chainErrors, readChain),
      'The chain of X.509 certificates, leaf first, each signed by the next: PEM of at most 64 KiB.',
      { json: { minLength: 1, maxLength: 65_536 }, isRequired: true, rules: 'tls-certificates#accepted' },
    ),
    private_key_pem: documented(
      pemField(keyErrors, readKey, v.pipe(v.string(), secret)),
      "The leaf's own private key, RSA, ECDSA, or Ed25519: PEM of PKCS#8, PKCS#1, or SEC1 without a passphrase.",
      { json: { minLength: 1, writeOnly: true }, isRequired: true, rules: 'tls-certificates#private-key' },
    ),
  }),
  'TLSCertificateCreate',
  'The chain and the key to upload.',
)

const updateBody = named(
  v.object({ description: certificateDescription, metadata: certificateMetadata }),
  'TLSCertificateUpdate',
  'The body that updates a TLS certificate.',
)

/** TLS certificates (rules: tls-certificates#resource). */
export const tlsCertificates = resource(
  {
    name: 'tls_certificates',
    prefix: 'cert',
    what: 'TLS certificate',
    tableFields: ['subject_common_name', 'not_after'],
    errors: { ...recordErrors, ...uploadErrors, ...errors },
    limits: accountLimits({
      tls_certificates: {
        what: 'uploaded TLS certificates',
        counts: ({ order }) => !order,
        none: errors.certificate_limit_none,
        plans: { free: 0, hobbyist: 0 },
      },
    }),
    collection: certificates,
    filterable: [
      'id',
      'created_at',
      'description',
      'metadata',
      'subject_common_name',
      'not_before',
      'not_after',
      'serial_number',
    ],
    shape,
    createBody,
    updateBody,
  },
  {
    view,
    create: {
      errors: [uploadErrors.certificate_key_mismatch],
      run(tx, { certificate_pem: { leaf, ...chain }, private_key_pem: { key, private_key_pem }, ...rest }) {
        requireMatch(leaf, key)
        return tx.put(certificates, {
          ...newHead(tx, 'cert', rest),
          issued_at: null,
          upload: { ...chain, private_key_pem, leaf: leaf.fields },
          order: null,
        })
      },
    },
    update: {
      run: (tx, record, body) => tx.put(certificates, { ...record, ...described(body, record) }),
    },
    relations({ id, order }, others, report) {
      const isUsed = others.find(domains, 'certificate', id) !== undefined
      if (order && !isUsed) report(['id'], id, 'an automatic certificate that a domain uses')
    },
    references: [
      referenceOf(domains, {
        ...certificateOfDomain,
        only: { what: 'domains without a policy', has: ({ policy }) => policy === null },
        deletion: refused(errors.certificate_in_use, (id, { domain }: DomainRecord) => ({ id, domain })),
      }),
      referenceOf(domains, {
        ...certificateOfDomain,
        only: { what: 'those with a certificate management policy', has: ({ policy }) => policy !== null },
        deletion: refused(errors.certificate_automatic, (id, { domain }: DomainRecord) => ({ id, domain })),
      }),
    ],
  },
)
