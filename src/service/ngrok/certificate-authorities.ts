import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { descriptionAndMetadata, FILTERABLE } from './shared.ts'

const errors = kit.declareErrors({
  authority_several: kit.entry(1912, 400, '{field} has {count} certificates. Send exactly one.'),
  authority_not_a_ca: kit.entry(
    1913,
    400,
    '{field}: {subject} is not a certificate authority. Its basic constraints must be CA:TRUE (RFC 5280, 4.2.1.9).',
  ),
  authority_description_too_long: parts.tooLong(1916),
  authority_metadata_too_long: parts.tooLong(1917),
  authority_limit_none: kit.tooMany(1918),
  authority_limit_reached: kit.tooMany(1954),
})

const FIELD = 'ca_pem'

/** Reads the certificate of an authority, and wraps its PEM at 64 columns. */
function readAuthority(text: string) {
  const [certificate, ...others] = parts.readCertificates(text, FIELD)
  if (others.length > 0) kit.refuse(errors.authority_several, { field: FIELD, count: others.length + 1 })
  const subject = kit.quote(certificate.fields.subject_common_name)
  if (!certificate.isAuthority) kit.refuse(errors.authority_not_a_ca, { field: FIELD, subject })
  return certificate
}

const readErrors = [
  ...parts.chainErrors.filter((error) => error !== parts.uploadErrors.chain_out_of_order),
  errors.authority_several,
  errors.authority_not_a_ca,
]

const pem = v.pipe(
  v.string(),
  parts.readBy(readErrors, (text: string) => readAuthority(text).pem),
)

const CA_PEM = 'The CA certificate: PEM, wrapped at 64 columns, with a trailing line break.'
const usages = (sentence: string) => kit.documented(v.array(v.string()), sentence)

const table = parts.columns(
  {
    name: 'certificate_authorities',
    prefix: 'ca',
    what: 'certificate authority',
    tableFields: ['subject_common_name', 'not_after'],
    plural: 'certificate authorities',
    filterable: [...FILTERABLE, 'subject_common_name', 'not_before', 'not_after'],
    errors: { ...errors, ...parts.uploadErrors },
    limit: {
      none: errors.authority_limit_none,
      reached: errors.authority_limit_reached,
      plans: { free: 0, hobbyist: 0 },
    },
    texts: descriptionAndMetadata({
      description: errors.authority_description_too_long,
      metadata: errors.authority_metadata_too_long,
    }),
    title: 'CertificateAuthority',
    sentence: "A certificate authority for the certificates that an endpoint's clients present.",
  },
  {
    ca_pem: parts.column({
      create: kit.documented(v.optional(pem, ''), CA_PEM, { isRequired: true, json: { minLength: 1 } }),
      kept: pem,
      shown: kit.documented(v.string(), CA_PEM),
    }),
    subject_common_name: parts.column({
      shown: kit.documented(v.string(), 'The common name in the subject; "" if there is none.'),
    }),
    not_before: parts.column({ shown: kit.documented(kit.time, "The start of the certificate's validity period.") }),
    not_after: parts.column({ shown: kit.documented(kit.time, "The end of the certificate's validity period.") }),
    key_usages: parts.column({
      shown: usages('The key usages, named as in RFC 5280, such as `keyCertSign`.'),
    }),
    extended_key_usages: parts.column({ shown: usages('The extended key usages, such as `clientAuth`.') }),
  },
  { notAfter: ({ ca_pem }) => readAuthority(ca_pem).fields.not_after },
)

/** The records of certificate authorities. */
export const authorities = table.records

/** Certificate authorities, as targets of references. */
export const authorityTarget = parts.targetOf('a certificate authority', table.records)

/** Certificate authorities, for mutual TLS. */
export const certificateAuthorities = kit.resource(table.kind, {
  ...table.rules,
  view(authority, wire) {
    const { subject_common_name, not_before, not_after, key_usages, extended_key_usages } = readAuthority(
      authority.ca_pem,
    ).fields
    return {
      ...table.rules.view(authority, wire),
      subject_common_name,
      not_before: kit.timestamp(not_before),
      not_after: kit.timestamp(not_after),
      key_usages,
      extended_key_usages,
    }
  },
})
