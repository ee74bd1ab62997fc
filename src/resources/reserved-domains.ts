import * as v from 'valibot'
import { isServiceDomain } from '../contract/dialect.ts'
import { refuse } from '../contract/errors.ts'
import { operation } from '../contract/operation.ts'
import { quote } from '../contract/quote.ts'
import { described, descriptionOf, required, resource } from '../contract/resource.ts'
import { oneOf, ref, reference, region, resourceHead, rule, text, textOfBytes, time } from '../contract/schema.ts'
import type { Transaction } from '../contract/transaction.ts'
import { type Frozen, refTo, timestamp, type View, type Wire } from '../contract/view.ts'
import { attempt } from '../provisioning/attempt.ts'
import { certificates } from '../provisioning/certificate-records.ts'
import { type DomainRecord, domains, type Job } from '../provisioning/domain-records.ts'
import { withoutPolicy, withPolicy, withRenewal, withUploadedCertificate } from '../provisioning/management.ts'
import { endpointConfiguration } from './declarations.ts'
import { nameProblem } from './domain-names.ts'

const PATH = '/reserved_domains'
const WHAT = 'reserved domain'

const name = v.pipe(
  v.string(),
  rule<string>((domain, report) => {
    const key = nameProblem(domain)
    if (key) report(key, {})
  }),
  v.toLowerCase(),
)

const authority = v.pipe(
  v.optional(v.unknown(), ''),
  rule<unknown>((received, report, { dialect }) => {
    if (received !== dialect.authority) report('authority_invalid', { authority: dialect.authority })
  }),
) as v.GenericSchema<string>

const keyTypes = ['rsa', 'ecdsa'] as const

const policyBody = v.object({
  authority,
  private_key_type: v.optional(oneOf(keyTypes, 'private_key_type_invalid')),
})

const metadata = textOfBytes(4096, 'domain_metadata_too_long')

const createBody = v.object({
  domain: name,
  region: region('domain_region_invalid'),
  description: text,
  metadata,
  certificate_id: reference('cert'),
  certificate_management_policy: v.optional(policyBody),
})

const updateBody = v.object({
  description: text,
  metadata,
  certificate_id: reference('cert'),
  certificate_management_policy: v.optional(policyBody),
  http_endpoint_configuration_id: reference('ec'),
  https_endpoint_configuration_id: reference('ec'),
})

const job = v.object({
  error_code: v.nullable(v.picklist(['INTERNAL_ERROR', 'DNS_ERROR'])),
  msg: v.string(),
  started_at: time,
  retries_at: v.nullable(time),
})

const shape = v.object({
  ...resourceHead,
  domain: v.string(),
  region: v.nullable(v.string()),
  cname_target: v.nullable(v.string()),
  certificate: v.nullable(ref),
  certificate_management_policy: v.nullable(
    v.object({ authority: v.string(), private_key_type: v.picklist(keyTypes) }),
  ),
  certificate_management_status: v.nullable(
    v.object({ renews_at: v.nullable(time), provisioning_job: v.nullable(job) }),
  ),
  acme_challenge_cname_target: v.nullable(v.string()),
  http_endpoint_configuration: v.nullable(ref),
  https_endpoint_configuration: v.nullable(ref),
})

const view: View<DomainRecord, Frozen<v.InferOutput<typeof shape>>> = (record, wire) => ({
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
})

function shownRegion(record: DomainRecord, { dialect }: Wire): string | null {
  return dialect.domainRegion === 'as set' ? record.region : dialect.domainRegion.always
}

function shownJob({ error_code, msg, started_at, retries_at }: Job) {
  return { error_code, msg, started_at: timestamp(started_at), retries_at: timestampOrNull(retries_at) }
}

function timestampOrNull(ms: number | null): string | null {
  return ms === null ? null : timestamp(ms)
}

/** Reserved domains: service document, "Reserved domain"; decisions, "Reserved domains". */
export const reservedDomains = resource({
  name: 'reserved_domains',
  path: PATH,
  items: 'reserved_domains',
  prefix: 'rd',
  what: WHAT,
  collection: domains,
  shape,
  view,
  create: { body: createBody, run: create },
  update: { body: updateBody, run: update },
  beforeDelete: withoutPolicy,
  onDue: (tx, domain) => tx.put(domains, domain.job ? attempt(tx, domain) : withRenewal(tx, domain)),
  more: {
    detachCertificate: operation({
      name: 'reserved_domains.detach_certificate',
      method: 'DELETE',
      path: `${PATH}/{id}/certificate`,
      status: 204,
      summary: 'Detach the uploaded certificate from a reserved domain',
      ids: { id: 'rd' },
      run(tx, { id }) {
        const domain = required(tx, domains, id, WHAT)
        if (domain.policy) refuse('certificate_managed', { id })
        if (domain.certificate_id) tx.put(domains, { ...domain, certificate_id: null })
      },
    }),
    detachCertificateManagementPolicy: operation({
      name: 'reserved_domains.detach_certificate_management_policy',
      method: 'DELETE',
      path: `${PATH}/{id}/certificate_management_policy`,
      status: 204,
      summary: 'Detach the certificate management policy from a reserved domain',
      ids: { id: 'rd' },
      run(tx, { id }) {
        const domain = required(tx, domains, id, WHAT)
        if (domain.policy) tx.put(domains, withoutPolicy(tx, domain))
      },
    }),
  },
})

/** A reserved domain as its operations answer it. */
export type ReservedDomain = Frozen<v.InferOutput<typeof shape>>

/** Shows a reserved domain as its operations do. */
export function shownDomain(tx: Transaction, domain: DomainRecord): ReservedDomain {
  return tx.show(view, domain)
}

const LABEL_LENGTH = 17

function create(tx: Transaction, body: v.InferOutput<typeof createBody>): DomainRecord {
  const isOwned = isServiceDomain(tx.dialect, body.domain)
  const taken = tx.find(domains, 'domain', body.domain)
  if (taken) refuse('domain_taken', { received: quote(body.domain), id: taken.id })
  const target = () =>
    [tx.randomLabel(LABEL_LENGTH), tx.randomLabel(LABEL_LENGTH), tx.dialect.cnameTargetBase].join('.')
  const domain: DomainRecord = {
    id: tx.newId('rd'),
    created_at: tx.now,
    ...described(body),
    domain: body.domain,
    region: body.region ?? null,
    cname_target: isOwned ? null : target(),
    acme_challenge_cname_target: !isOwned && body.domain.startsWith('*.') ? target() : null,
    certificate_id: null,
    policy: null,
    renews_at: null,
    job: null,
    due: null,
    timeline: [],
    http_endpoint_configuration_id: null,
    https_endpoint_configuration_id: null,
  }
  return tx.put(domains, withTls(tx, domain, body))
}

function update(tx: Transaction, domain: DomainRecord, body: v.InferOutput<typeof updateBody>): DomainRecord {
  if (Object.keys(body).length === 0) refuse('domain_update_empty', {})
  const http = endpointConfiguration(tx, 'http_endpoint_configuration_id', body.http_endpoint_configuration_id)
  const https = endpointConfiguration(tx, 'https_endpoint_configuration_id', body.https_endpoint_configuration_id)
  const changed = {
    ...domain,
    ...described(body, domain),
    http_endpoint_configuration_id: http ?? domain.http_endpoint_configuration_id,
    https_endpoint_configuration_id: https ?? domain.https_endpoint_configuration_id,
  }
  return tx.put(domains, withTls(tx, changed, body))
}

interface TlsBody {
  certificate_id?: string | undefined
  certificate_management_policy?: v.InferOutput<typeof policyBody> | undefined
}

/** Applies the certificate or the policy of a body (decisions, "Reserved domains"). */
function withTls(tx: Transaction, domain: DomainRecord, body: TlsBody): DomainRecord {
  const policy = body.certificate_management_policy
  // The automatic certificate in use counts as not given: the Terraform provider sends it back beside the policy.
  const isOwnAutomatic = domain.policy !== null && body.certificate_id === domain.certificate_id
  const certificate = isOwnAutomatic ? undefined : body.certificate_id
  const received = quote(domain.domain)
  const isOwned = isServiceDomain(tx.dialect, domain.domain)
  if (certificate && policy) refuse('certificate_and_policy', { certificate: quote(certificate) })
  if (policy && isOwned) refuse('policy_on_service_domain', { received })
  if (certificate && isOwned) refuse('certificate_on_service_domain', { received })
  if (certificate) return withUploadedCertificate(tx, domain, uploaded(tx, certificate))
  if (!policy) return domain
  const { authority, private_key_type = tx.dialect.defaultPrivateKeyType } = policy
  return withPolicy(tx, domain, { authority, private_key_type })
}

/** The id of an uploaded certificate, or the refusal that it is none. */
function uploaded(tx: Transaction, id: string): string {
  const certificate = tx.get(certificates, id) ?? refuse('certificate_not_found', { received: quote(id) })
  if (certificate.issued_at !== null) refuse('certificate_not_uploaded', { received: quote(id) })
  return id
}
