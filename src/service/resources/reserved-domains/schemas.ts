import * as v from 'valibot'
import { viewHead } from '../../../core/operation/resource-head.ts'
import type { Transaction } from '../../../core/operation/transaction.ts'
import { refTo, type View } from '../../../core/operation/view.ts'
import { documented, named } from '../../../core/schema/documentation.ts'
import type { FieldError } from '../../../core/schema/errors.ts'
import type { JsonFacts } from '../../../core/schema/facts.ts'
import { readBy, rule } from '../../../core/schema/rule.ts'
import {
  blankIsAbsent,
  descriptionWith,
  extra,
  oneOf,
  ref,
  reference,
  region,
  resourceHead,
  time,
} from '../../../core/schema/schema.ts'
import { timestamp } from '../../../core/schema/time.ts'
import type { Frozen } from '../../../core/schema/values.ts'
import type { ReservedDomain } from '../../../generated/resources.ts'
import type { Job, ManagedDomain } from '../../provisioning/managed-domain.ts'
import { PROVISIONING_ERRORS } from '../../provisioning/outcomes.ts'
import { MANAGED_KEY_TYPES } from '../../x509/order.ts'
import { domainDialect, findRefusal, type RefusedDomainKey, tidyName } from './dialect.ts'
import { errors } from './errors.ts'
import { describeName, domainName, nameErrors } from './names.ts'
import { places, sentPlaces } from './places.ts'
import {
  type DomainRecord,
  dialectAuthority,
  domainMetadata,
  errorRedirectUrl,
  REDIRECT,
  recordErrors,
} from './records.ts'

export const NAME = 'reserved_domains'
export const PATH = `/${NAME}`

const AUTHORITY = 'The public ACME certificate authority to issue the certificates.'
const KEY_TYPE = 'The key type of the certificates.'
const DOMAIN = 'The hostname, exact or with one leading `*.`. It is stored in lowercase, and can be reserved only once.'
const GRAMMAR =
  'At least two labels of 1 to 63 letters, digits, and inner hyphens, separated by dots, at most 253 characters in total; ' +
  'internationalized names as Punycode.'
const REGION = 'A datacenter region; deprecated, because traffic for domains is handled globally.'
const DEPRECATED: JsonFacts = { deprecated: true }

const authority = documented(dialectAuthority, AUTHORITY, {
  json: (dialect) => ({ type: 'string', enum: [domainDialect(dialect).authority] }),
  isRequired: true,
})

export const policyBody = named(
  v.object({
    authority,
    private_key_type: v.optional(
      documented(oneOf(MANAGED_KEY_TYPES, errors.private_key_type_invalid), KEY_TYPE, {
        json: (dialect) => ({ default: domainDialect(dialect).defaultPrivateKeyType }),
        rules: 'domain-certificates#same-policy',
      }),
    ),
  }),
  'ReservedDomainCertPolicyBody',
  'The new certificate management policy.',
)

/** The fields of both bodies, in the order used in the documentation's tables. */
const tlsFields = {
  certificate_id: reference('cert', 'The ID of the uploaded TLS certificate to use. Cannot be combined with a policy.'),
  certificate_management_policy: documented(
    v.optional(policyBody),
    'The policy for issuing certificates automatically. Cannot be combined with a certificate.',
    { rules: 'domain-certificates#one-or-the-other' },
  ),
}
const httpConfiguration = reference('ec', 'The ID of the endpoint configuration to link for HTTP.')
const httpsConfiguration = reference('ec', 'The ID of the endpoint configuration to link for HTTPS.')

const { domain_of_company, domain_of_service } = errors
const REFUSALS: Readonly<Record<RefusedDomainKey, FieldError<string, { also: string }>>> = {
  domain_of_company,
  domain_of_service,
  domain_suffix_unreachable: nameErrors.domain_suffix_unreachable,
  domain_wildcard_suffix: nameErrors.domain_wildcard_suffix,
}

/** A name that can be reserved (rules: domain-names#rejected). Records may contain names that the dialect now rejects. */
const reservableName = v.pipe(
  v.string(),
  readBy([], (name: string, _report, { dialect }) => tidyName(dialect, name)),
  domainName,
  rule(Object.values(REFUSALS), (name, report, { dialect }) => {
    const refused = findRefusal(dialect, name)
    if (refused) report(REFUSALS[refused.key], { also: refused.entry.replace('*.', '') })
  }),
)

const domainDescription = descriptionWith(recordErrors.domain_description_too_long)

export const createBody = named(
  v.object({
    domain: documented(reservableName, `${DOMAIN} ${GRAMMAR}`, { json: describeName, rules: 'domain-names#grammar' }),
    region: region(errors.domain_region_invalid, REGION, DEPRECATED),
    description: domainDescription,
    metadata: domainMetadata,
    ...tlsFields,
    http_endpoint_configuration_id: extra(httpConfiguration),
    https_endpoint_configuration_id: extra(httpsConfiguration),
    resolves_to: extra(v.optional(sentPlaces)),
    error_redirect_url: extra(v.optional(errorRedirectUrl)),
  }),
  'ReservedDomainCreate',
  'The body that creates a reserved domain.',
  {
    json: {
      examples: [{ domain: 'app.example.com', certificate_management_policy: { authority: 'letsencrypt' } }],
    },
  },
)

/** The domain's current name, which some clients send back. The type is `never` to hide the field from the types. */
const unchangedName = extra(
  v.optional(
    documented(v.pipe(v.string(), blankIsAbsent()), "The domain's own name, which cannot be changed.", {
      isUnoffered: true,
    }),
  ),
) as unknown as v.OptionalSchema<v.GenericSchema<never, string>, undefined> // `never`, as the docstring says.

export const updateBody = named(
  v.object({
    description: domainDescription,
    metadata: domainMetadata,
    ...tlsFields,
    http_endpoint_configuration_id: httpConfiguration,
    https_endpoint_configuration_id: httpsConfiguration,
    resolves_to: extra(v.optional(sentPlaces)),
    error_redirect_url: extra(v.optional(errorRedirectUrl)),
    domain: unchangedName,
  }),
  'ReservedDomainUpdate',
  'The body that updates a reserved domain; at least one field is required.',
)

const job = named(
  v.object({
    error_code: documented(
      v.nullable(v.string()),
      'The error of the last attempt: `INTERNAL_ERROR` is temporary, and the user must fix a `DNS_ERROR`; null ' +
        'if there was none.',
      { json: { listed: PROVISIONING_ERRORS }, rules: 'provisioning-jobs#failure' },
    ),
    msg: documented(v.string(), 'The state of the job, as text.'),
    started_at: documented(time, 'The time at which the job started.', { rules: 'provisioning-jobs#start' }),
    retries_at: documented(v.nullable(time), 'The time of the next attempt; null before the first.', {
      rules: 'provisioning-jobs#failure',
    }),
  }),
  'ReservedDomainCertJob',
  'A job that obtains a certificate for a domain.',
)

export const status = named(
  v.object({
    renews_at: documented(
      v.nullable(time),
      'The time at which the next renewal starts; null until a certificate has been issued.',
      {
        rules: 'provisioning-jobs#renewal',
      },
    ),
    provisioning_job: documented(
      v.nullable(job),
      'The job that obtains the first certificate or a new one; null if none is running.',
      { rules: 'provisioning-jobs#state' },
    ),
  }),
  'ReservedDomainCertStatus',
  'The state of automatic issuance for a domain.',
)

export const policy = named(
  v.object({
    authority: documented(v.string(), AUTHORITY, {
      json: (dialect) => ({ listed: [domainDialect(dialect).authority] }),
    }),
    private_key_type: documented(v.picklist(MANAGED_KEY_TYPES), KEY_TYPE),
  }),
  'ReservedDomainCertPolicy',
  'The policy in force.',
)

export const shape = named(
  v.object({
    ...resourceHead,
    domain: documented(v.string(), DOMAIN, { rules: 'domain-names#once' }),
    region: documented(v.nullable(v.string()), REGION, { json: DEPRECATED }),
    cname_target: documented(
      v.nullable(v.string()),
      "The target of the name's CNAME record; null for a domain that the service owns.",
      { rules: 'reserved-domains#cname-targets' },
    ),
    certificate: documented(
      v.nullable(ref),
      'The TLS certificate in use: the uploaded one or the last one issued automatically; null if there is none.',
      { rules: 'domain-certificates#accepted-certificates' },
    ),
    certificate_management_policy: documented(
      v.nullable(policy),
      'The policy for issuing certificates automatically; null if there is none.',
    ),
    certificate_management_status: documented(
      v.nullable(status),
      'The state of automatic issuance; null if there is no policy.',
    ),
    acme_challenge_cname_target: documented(
      v.nullable(v.string()),
      "The target of the CNAME record that the wildcard's `_acme-challenge.` name needs; null for exact names and " +
        'for names that the service owns.',
    ),
    http_endpoint_configuration: documented(
      v.nullable(ref),
      'The endpoint configuration that is linked for HTTP, or null.',
    ),
    https_endpoint_configuration: documented(
      v.nullable(ref),
      'The endpoint configuration that is linked for HTTPS, or null.',
    ),
    error_redirect_url: extra(
      v.exactOptional(documented(v.nullable(v.string()), `${REDIRECT} Null if there is none.`)),
    ),
    is_dev: extra(
      v.exactOptional(
        documented(v.boolean(), "True for the account's dev domain, which cannot be deleted.", {
          rules: 'reserved-domains#dev-domain',
        }),
      ),
    ),
    resolves_to: extra(v.exactOptional(places)),
  }),
  'ReservedDomain',
  'A hostname reserved for the account.',
)

export const view: View<DomainRecord, Frozen<v.InferOutput<typeof shape>>> = (record, wire) => {
  const { domainRegion } = domainDialect(wire.dialect)
  const has = (field: string) => wire.dialect.extraFields[NAME]?.includes(field)
  return {
    ...viewHead(record, wire, PATH),
    domain: record.domain,
    region: domainRegion === 'as set' ? record.region : domainRegion.always,
    cname_target: record.cname_target,
    certificate: refTo(wire, '/tls_certificates', record.certificate_id),
    ...managementView(record),
    acme_challenge_cname_target: record.acme_challenge_cname_target,
    http_endpoint_configuration: refTo(wire, '/endpoint_configurations', record.http_endpoint_configuration_id),
    https_endpoint_configuration: refTo(wire, '/endpoint_configurations', record.https_endpoint_configuration_id),
    ...(has('error_redirect_url') && { error_redirect_url: record.error_redirect_url ?? null }),
    ...(has('is_dev') && { is_dev: record.is_dev ?? false }),
    ...(record.resolves_to && { resolves_to: record.resolves_to }),
  }
}

/** Returns the response fields about automatic issuance. */
export function managementView({ policy, renews_at, job }: Pick<ManagedDomain, 'policy' | 'renews_at' | 'job'>) {
  return {
    certificate_management_policy: policy && { ...policy },
    certificate_management_status: policy && {
      renews_at: timestampOrNull(renews_at),
      provisioning_job: job && jobView(job),
    },
  }
}

function jobView({ error_code, msg, started_at, retries_at }: Job) {
  return { error_code, msg, started_at: timestamp(started_at), retries_at: timestampOrNull(retries_at) }
}

function timestampOrNull(ms: number | null): string | null {
  return ms === null ? null : timestamp(ms)
}

export function domainView(tx: Transaction, domain: DomainRecord): ReservedDomain {
  return tx.show(view, domain)
}
