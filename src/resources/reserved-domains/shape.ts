import * as v from 'valibot'
import { descriptionOf } from '../../operation/resource.ts'
import type { Transaction } from '../../operation/transaction.ts'
import { refTo, type View, type Wire } from '../../operation/view.ts'
import { type DomainRecord, type Job, PROVISIONING_ERRORS, resolvesTo } from '../../provisioning/domain-records.ts'
import { documented, named } from '../../schema/documentation.ts'
import { extra, ref, resourceHead, time } from '../../schema/schema.ts'
import { timestamp } from '../../schema/time.ts'
import type { Frozen } from '../../schema/values.ts'
import { MANAGED_KEY_TYPES } from '../../x509/order.ts'
import type { ReservedDomain } from '../types/reserved-domains.ts'
import { domainDialect } from './dialect.ts'
import { AUTHORITY, DEPRECATED, DOMAIN, KEY_TYPE, PATH, REGION } from './fields.ts'

const job = named(
  v.object({
    error_code: documented(
      v.nullable(v.picklist(PROVISIONING_ERRORS)),
      'Why the last attempt failed: `INTERNAL_ERROR` passes by itself, `DNS_ERROR` is for the user to correct; else null.',
      { rules: 'provisioning-jobs#failure' },
    ),
    msg: documented(v.string(), 'How it stands, in words for people: what is awaited, or what was wrong.'),
    started_at: documented(time, 'When the job was started.', { rules: 'provisioning-jobs#start' }),
    retries_at: documented(v.nullable(time), 'When the next attempt is made; null before the first.', {
      rules: 'provisioning-jobs#failure',
    }),
  }),
  'ReservedDomainCertJob',
  'A job that gets a certificate for a domain.',
)

const status = named(
  v.object({
    renews_at: documented(v.nullable(time), 'When the next renewal starts; null until a certificate was issued.', {
      rules: 'provisioning-jobs#renewal',
    }),
    provisioning_job: documented(
      v.nullable(job),
      'The job that gets the first certificate or a new one; null while none is wanted.',
      { rules: 'provisioning-jobs#state' },
    ),
  }),
  'ReservedDomainCertStatus',
  'What automatic issuance does for a domain.',
)

const policy = named(
  v.object({
    authority: documented(v.string(), AUTHORITY),
    private_key_type: documented(v.picklist(MANAGED_KEY_TYPES), KEY_TYPE),
  }),
  'ReservedDomainCertPolicy',
  'The policy in force.',
)

/** A reserved domain in an answer. */
export const shape = named(
  v.object({
    ...resourceHead,
    domain: documented(v.string(), DOMAIN, { rules: 'domain-names#once' }),
    region: documented(v.nullable(v.string()), REGION, { json: DEPRECATED }),
    cname_target: documented(
      v.nullable(v.string()),
      "What the name's CNAME record must name; null for a domain that the service owns.",
      { rules: 'reserved-domains#cname-targets' },
    ),
    certificate: documented(
      v.nullable(ref),
      'The TLS certificate in use: the uploaded one, or the last that was issued automatically; else null.',
      { rules: 'domain-certificates#which-certificates' },
    ),
    certificate_management_policy: documented(
      v.nullable(policy),
      'How certificates are issued automatically; null where they are not.',
    ),
    certificate_management_status: documented(
      v.nullable(status),
      'What automatic issuance does; null where there is none.',
    ),
    acme_challenge_cname_target: documented(
      v.nullable(v.string()),
      'What the CNAME record of `_acme-challenge.` and the name below the wildcard must name; null for what is no wildcard, or is owned by the service.',
    ),
    http_endpoint_configuration: documented(
      v.nullable(ref),
      'The endpoint configuration that is linked for HTTP, or null.',
    ),
    https_endpoint_configuration: documented(
      v.nullable(ref),
      'The endpoint configuration that is linked for HTTPS, or null.',
    ),
    resolves_to: extra(v.exactOptional(resolvesTo)),
  }),
  'ReservedDomain',
  'A hostname that is held for the account.',
)

/** Shows a record as a reserved domain. */
export const view: View<DomainRecord, Frozen<v.InferOutput<typeof shape>>> = (record, wire) => ({
  id: record.id,
  uri: `${wire.url}${PATH}/${record.id}`,
  created_at: timestamp(record.created_at),
  ...descriptionOf(record),
  domain: record.domain,
  region: shownRegion(record, wire),
  cname_target: record.cname_target,
  certificate: refTo(wire, '/tls_certificates', record.certificate_id),
  certificate_management_policy: record.policy && { ...record.policy },
  certificate_management_status: record.policy && {
    renews_at: timestampOrNull(record.renews_at),
    provisioning_job: record.job && shownJob(record.job),
  },
  acme_challenge_cname_target: record.acme_challenge_cname_target,
  http_endpoint_configuration: refTo(wire, '/endpoint_configurations', record.http_endpoint_configuration_id),
  https_endpoint_configuration: refTo(wire, '/endpoint_configurations', record.https_endpoint_configuration_id),
  ...(record.resolves_to && { resolves_to: record.resolves_to }),
})

function shownRegion(record: DomainRecord, { dialect }: Wire): string | null {
  const { domainRegion } = domainDialect(dialect)
  return domainRegion === 'as set' ? record.region : domainRegion.always
}

function shownJob({ error_code, msg, started_at, retries_at }: Job) {
  return { error_code, msg, started_at: timestamp(started_at), retries_at: timestampOrNull(retries_at) }
}

function timestampOrNull(ms: number | null): string | null {
  return ms === null ? null : timestamp(ms)
}
/** Shows a reserved domain as its operations do. */
export function shownDomain(tx: Transaction, domain: DomainRecord): ReservedDomain {
  return tx.show(view, domain)
}
