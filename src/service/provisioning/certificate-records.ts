import * as v from 'valibot'
import { collection } from '../../core/operation/collection.ts'
import type { ResourceRecord } from '../../core/operation/resource-head.ts'
import { declareErrors, Refusal, tooLong } from '../../core/schema/errors.ts'
import { general } from '../../core/schema/general-errors.ts'
import { oneOfThese } from '../../core/schema/options.ts'
import { instant, made, recordHead, scheduledTime, sequenceNumber } from '../../core/schema/record-schema.ts'
import { readBy, rule } from '../../core/schema/rule.ts'
import {
  DESCRIPTION,
  MAX_DESCRIPTION_BYTES,
  MAX_METADATA_BYTES,
  METADATA,
  secret,
  textOfBytes,
} from '../../core/schema/schema.ts'
import { type CertificateFields, type CertificateOrder, MANAGED_KEY_TYPES } from '../x509/order.ts'
import { readChain, readKey, requireMatch } from '../x509/uploads.ts'
import { isDnsName } from './dns.ts'

export const recordErrors = declareErrors({
  certificate_description_too_long: tooLong(1914),
  certificate_metadata_too_long: tooLong(1915),
})

interface Upload {
  readonly certificate_pem: string
  /** Absent if the record came from a snapshot without private keys. */
  readonly private_key_pem?: string
  /** Not included in snapshots, because it is read from `certificate_pem`. */
  readonly leaf: CertificateFields
  /** The earliest expiry of a certificate in the chain, in ms. Read like `leaf`. */
  readonly not_after: number
}

/** The record of a TLS certificate: either an upload, or an order from which the authority can issue the certificate at any time. */
export type CertificateRecord = ResourceRecord &
  (
    | { readonly issued_at: null; readonly upload: Upload; readonly order: null }
    | { readonly issued_at: number; readonly upload: null; readonly order: CertificateOrder }
  )

export const certificateDescription = textOfBytes(
  MAX_DESCRIPTION_BYTES,
  recordErrors.certificate_description_too_long,
  DESCRIPTION,
)
export const certificateMetadata = textOfBytes(MAX_METADATA_BYTES, recordErrors.certificate_metadata_too_long, METADATA)

/** A field that is derived from the PEM text on each read. */
const derived = v.exactOptional(v.pipe(v.unknown(), v.metadata({ isDerived: true })))

const uploadFields = v.object({
  certificate_pem: v.string(),
  private_key_pem: v.exactOptional(v.pipe(v.string(), secret)),
  // Stores from fauxgate 0.1.0 include the leaf.
  leaf: derived,
  not_after: derived,
})

/** Rereads an upload under the rules for uploads. */
const upload = v.pipe(
  uploadFields,
  readBy([], (sent: v.InferOutput<typeof uploadFields>, report): Upload | undefined => {
    let field: keyof typeof sent = 'certificate_pem'
    try {
      const { certificate_pem, leaf, not_after } = readChain(sent.certificate_pem)
      const read = { certificate_pem, leaf: leaf.fields, not_after }
      if (sent.private_key_pem === undefined) return read
      field = 'private_key_pem'
      const { key, private_key_pem } = readKey(sent.private_key_pem)
      requireMatch(leaf, key)
      return { ...read, private_key_pem }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const allowed = `a chain or a key that can be uploaded. ${error.message}`
      return report(general.field_invalid, { allowed }, { path: [field], value: undefined })
    }
  }),
)

const order = v.object({
  domain: v.pipe(
    v.string(),
    v.check((name) => isDnsName(name), 'a lowercase DNS name'),
  ),
  private_key_type: oneOfThese(MANAGED_KEY_TYPES),
  not_before: scheduledTime,
  not_after: instant,
  number: sequenceNumber,
}) satisfies v.GenericSchema<unknown, CertificateOrder>

const fields = v.object({
  ...recordHead('cert', { description: certificateDescription, metadata: certificateMetadata }),
  issued_at: v.nullable(scheduledTime),
  upload: v.nullable(upload),
  order: v.nullable(made(order)),
})

const uploadOrOrder = rule([], ({ issued_at, upload, order }: v.InferOutput<typeof fields>, report) => {
  const wrong = (path: string[], value: unknown, allowed: string) =>
    report(general.field_invalid, { allowed }, { path, value })
  if ((upload === null) === (order === null)) wrong(['order'], order, upload ? 'null, with an upload' : 'an order')
  if (order && order.not_after < order.not_before) {
    wrong(['order', 'not_after'], order.not_after, `a time in ms from ${order.not_before}, the not_before, on`)
  }
  const expected = order ? order.not_before : null
  if (issued_at !== expected)
    wrong(['issued_at'], issued_at, order ? `${expected}, the value of order.not_before` : 'null')
})

export const certificates = collection<CertificateRecord>({
  name: 'tls_certificates',
  schema: v.pipe(
    fields,
    uploadOrOrder,
    v.transform((record) => record as CertificateRecord), // `uploadOrOrder` has checked the record.
  ),
  isAttached: (record) => record.issued_at !== null,
})
