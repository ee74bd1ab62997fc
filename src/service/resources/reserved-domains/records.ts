import * as v from 'valibot'
import { collection } from '../../../core/operation/collection.ts'
import { declareErrors, only, tooLong } from '../../../core/schema/errors.ts'
import { facts } from '../../../core/schema/facts.ts'
import { general } from '../../../core/schema/general-errors.ts'
import { oneOfThese } from '../../../core/schema/options.ts'
import { idOf, recordHead } from '../../../core/schema/record-schema.ts'
import { rule } from '../../../core/schema/rule.ts'
import {
  description,
  limitsAllTexts,
  MAX_METADATA_BYTES,
  METADATA,
  REGIONS,
  textOfBytes,
} from '../../../core/schema/schema.ts'
import type { Frozen } from '../../../core/schema/values.ts'
import { checkManaged, managedFields, policy } from '../../provisioning/managed-domain.ts'
import { domainDialect } from './dialect.ts'
import { errors } from './errors.ts'
import { domainName } from './names.ts'
import { places } from './places.ts'

export const recordErrors = declareErrors({
  domain_description_too_long: only(limitsAllTexts, tooLong(420)),
  domain_metadata_too_long: tooLong(421),
  domain_redirect_too_long: only(
    ({ extraFields }) => Object.values(extraFields).flat().includes('error_redirect_url'),
    tooLong(457),
  ),
})

export const domainMetadata = textOfBytes(MAX_METADATA_BYTES, recordErrors.domain_metadata_too_long, METADATA)

export const REDIRECT = "The URL that visitors are redirected to instead of seeing the service's error pages."

export const errorRedirectUrl = v.pipe(
  v.unwrap(
    textOfBytes(2048, recordErrors.domain_redirect_too_long, `${REDIRECT} An http or https URL; \`""\` removes it.`),
  ),
  rule([], (url, report) => {
    if (url !== '' && !/^https?:\/\/[^\s/?#]+([/?#]\S*)?$/i.test(url))
      report(general.field_invalid, { allowed: 'an http or https URL, or "" for none' })
  }),
  facts({ json: { pattern: '^$|^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#]' }, rules: 'reserved-domains#error-redirect-url' }),
)

/** The certificate authority of a policy, in bodies and records. */
export const dialectAuthority = v.pipe(
  v.optional(v.unknown(), () => undefined), // The rule wouldn't run without a default.
  rule([errors.authority_invalid], (received, report, { dialect }) => {
    const { authority } = domainDialect(dialect)
    if (received !== authority) report(errors.authority_invalid, { authority })
  }),
) as v.GenericSchema<string> // Only a string passes the rule.

/** A certificate management policy in a record. */
export const managementPolicy = v.object({ ...policy.entries, authority: dialectAuthority })

const fields = v.object({
  ...recordHead('rd', { description, metadata: domainMetadata }),
  domain: domainName,
  region: v.nullable(oneOfThese(REGIONS)),
  ...managedFields,
  policy: v.nullable(managementPolicy),
  http_endpoint_configuration_id: v.nullable(idOf('ec')),
  https_endpoint_configuration_id: v.nullable(idOf('ec')),
  /** Absent until set. */
  resolves_to: v.exactOptional(places),
  /** Absent until set; null after it is removed. */
  error_redirect_url: v.exactOptional(v.nullable(errorRedirectUrl)),
  /** True for the dev domain, which the account has from the start. */
  is_dev: v.exactOptional(v.boolean()),
})

/** A reserved domain in the state. */
export type DomainRecord = Frozen<v.InferOutput<typeof fields>>

/**
 * The collection of reserved domains, for lookups: `tx.find(domains, 'domain', 'app.example.com')`.
 *
 * @example
 * ```ts
 * const [domain] = tx.findAll(domains, 'domain', 'app.example.com')
 * ```
 */
export const domains = collection<DomainRecord>({
  name: 'reserved_domains',
  schema: v.pipe(
    fields,
    rule([], (domain: v.InferOutput<typeof fields>, report, { state }) =>
      checkManaged(domain, report, state?.now ?? Number.POSITIVE_INFINITY),
    ),
  ),
  indexes: { domain: (record) => record.domain, certificate: (record) => record.certificate_id },
  due: (record) => record.due,
  isAttached: ({ is_dev = false }) => is_dev,
})
