import * as v from 'valibot'
import { MANAGED_KEY_TYPES } from '../../contract/authority.ts'
import { isServiceDomain } from '../../contract/dialect.ts'
import { documented, type JsonFacts, named } from '../../contract/documentation.ts'
import { problem, Refusal, refuse } from '../../contract/errors.ts'
import { general } from '../../contract/general-errors.ts'
import { operation } from '../../contract/operation.ts'
import { quote } from '../../contract/quote.ts'
import { described, descriptionOf, required, resource } from '../../contract/resource.ts'
import { rule } from '../../contract/rule.ts'
import {
  blankIsAbsent,
  description,
  extra,
  oneOf,
  ref,
  reference,
  region,
  resourceHead,
  time,
} from '../../contract/schema.ts'
import type { Transaction } from '../../contract/transaction.ts'
import { type Frozen, refTo, timestamp, type View, type Wire } from '../../contract/view.ts'
import { attempt } from '../../provisioning/attempt.ts'
import { certificates } from '../../provisioning/certificate-records.ts'
import { domainName, nameErrors } from '../../provisioning/domain-names.ts'
import {
  type DomainRecord,
  domainMetadata,
  domains,
  type Job,
  PROVISIONING_ERRORS,
  recordErrors,
  resolvesTo,
} from '../../provisioning/domain-records.ts'
import { withoutPolicy, withPolicy, withRenewal, withUploadedCertificate } from '../../provisioning/management.ts'
import { errors as declarationErrors, endpointConfiguration } from '../declarations.ts'
import type { ReservedDomain } from '../types/reserved-domains.ts'
import { errors } from './errors.ts'

const PATH = '/reserved_domains'
const WHAT = 'reserved domain'

const AUTHORITY = 'The public ACME certificate authority that issues the certificates.'
const KEY_TYPE = 'The type of the keys of the certificates.'

const authority = documented(
  v.pipe(
    v.optional(v.unknown(), ''),
    rule([errors.authority_invalid], (received, report, { dialect }) => {
      if (received !== dialect.authority) report(errors.authority_invalid, { authority: dialect.authority })
    }),
  ) as v.GenericSchema<string>,
  AUTHORITY,
  { json: (dialect) => ({ type: 'string', enum: [dialect.authority] }), isRequired: true },
)

const policyBody = named(
  v.object({
    authority,
    private_key_type: v.optional(
      documented(oneOf(MANAGED_KEY_TYPES, errors.private_key_type_invalid), KEY_TYPE, {
        json: (dialect) => ({ default: dialect.defaultPrivateKeyType }),
      }),
    ),
  }),
  'ReservedDomainCertPolicyBody',
  'The policy to put in force.',
)

const DOMAIN = 'The hostname, exact or with one leading `*.`; it is kept in lower case, and can be reserved once.'
const REGION = 'A datacenter region; deprecated, as traffic for domains is handled globally.'
const DEPRECATED: JsonFacts = { deprecated: true }

const certificateId = reference('cert', 'The id of the uploaded TLS certificate to use; not together with a policy.')
const managementPolicy = documented(
  v.optional(policyBody),
  'How certificates are issued automatically; not together with a certificate.',
)
const httpEndpointConfigurationId = reference('ec', 'The id of the endpoint configuration to link for HTTP.')
const httpsEndpointConfigurationId = reference('ec', 'The id of the endpoint configuration to link for HTTPS.')

const createBody = named(
  v.object({
    domain: documented(domainName, DOMAIN),
    region: region(errors.domain_region_invalid, REGION, DEPRECATED),
    description,
    metadata: domainMetadata,
    certificate_id: certificateId,
    certificate_management_policy: managementPolicy,
    http_endpoint_configuration_id: extra(httpEndpointConfigurationId),
    https_endpoint_configuration_id: extra(httpsEndpointConfigurationId),
    resolves_to: extra(v.optional(resolvesTo)),
  }),
  'ReservedDomainCreate',
  'What a reserved domain is created with.',
)

/** A domain's own name, which says nothing new: it is read where the dialect has it, and not offered by the types. */
const ownName = extra(
  v.optional(
    documented(v.pipe(v.string(), blankIsAbsent()), "The domain's own name, which cannot be changed.", {
      isUnoffered: true,
    }),
  ),
) as unknown as v.OptionalSchema<v.GenericSchema<never, string>, undefined>

const updateBody = named(
  v.object({
    description,
    metadata: domainMetadata,
    certificate_id: certificateId,
    certificate_management_policy: managementPolicy,
    http_endpoint_configuration_id: httpEndpointConfigurationId,
    https_endpoint_configuration_id: httpsEndpointConfigurationId,
    resolves_to: extra(v.optional(resolvesTo)),
    domain: ownName,
  }),
  'ReservedDomainUpdate',
  'What is changed of a reserved domain: at least one field.',
)

const job = named(
  v.object({
    error_code: documented(
      v.nullable(v.picklist(PROVISIONING_ERRORS)),
      'Why the last attempt failed: `INTERNAL_ERROR` passes by itself, `DNS_ERROR` is for the user to correct; else null.',
    ),
    msg: documented(v.string(), 'How it stands, in words for people: what is awaited, or what was wrong.'),
    started_at: documented(time, 'When the job was started.'),
    retries_at: documented(v.nullable(time), 'When the next attempt is made; null before the first.'),
  }),
  'ReservedDomainCertJob',
  'A job that gets a certificate for a domain.',
)

const status = named(
  v.object({
    renews_at: documented(v.nullable(time), 'When the next renewal starts; null until a certificate was issued.'),
    provisioning_job: documented(
      v.nullable(job),
      'The job that gets the first certificate or a new one; null while none is wanted.',
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

const shape = named(
  v.object({
    ...resourceHead,
    domain: documented(v.string(), DOMAIN),
    region: documented(v.nullable(v.string()), REGION, { json: DEPRECATED }),
    cname_target: documented(
      v.nullable(v.string()),
      "What the name's CNAME record must name; null for a domain that the service owns.",
    ),
    certificate: documented(
      v.nullable(ref),
      'The TLS certificate in use: the uploaded one, or the last that was issued automatically; else null.',
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
  ...(record.resolves_to && { resolves_to: record.resolves_to }),
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

const bothNames = errors.domain_name_and_domain

/** What is refused of the certificate, the policy and the links in a body. */
const tlsErrors = [
  errors.certificate_and_policy,
  errors.policy_on_service_domain,
  errors.certificate_on_service_domain,
  errors.certificate_not_found,
  errors.certificate_not_uploaded,
  declarationErrors.endpoint_configuration_not_found,
]

/** Reserved domains (rules: reserved-domains#resource). */
export const reservedDomains = resource({
  name: 'reserved_domains',
  path: PATH,
  items: 'reserved_domains',
  prefix: 'rd',
  what: WHAT,
  errors: { ...nameErrors, ...recordErrors, ...errors },
  collection: domains,
  shape,
  view,
  create: { body: createBody, errors: [errors.domain_taken, ...tlsErrors], bothNames, run: create },
  update: { body: updateBody, errors: [errors.domain_update_empty, ...tlsErrors], bothNames, run: update },
  delete: { before: withoutPolicy },
  relations({ id, domain, policy, certificate_id }, others, report) {
    if (others.find(domains, 'domain', domain)?.id !== id) report(['domain'], domain, 'a name that no other domain has')
    if (certificate_id === null) return
    const certificate = others.get(certificates, certificate_id)
    const isRight = policy ? certificate?.order?.domain === domain : certificate?.upload
    const allowed = policy
      ? 'an automatic certificate for the domain, with a policy'
      : 'an uploaded certificate, without a policy'
    if (!isRight) report(['certificate_id'], certificate_id, allowed)
  },
  onDue: (tx, domain) => tx.put(domains, domain.job ? attempt(tx, domain) : withRenewal(tx, domain)),
  more: {
    detachCertificate: operation({
      name: 'reserved_domains.detach_certificate',
      method: 'DELETE',
      path: `${PATH}/{id}/certificate`,
      status: 204,
      summary: 'Detach the uploaded certificate from a reserved domain',
      ids: { id: 'rd' },
      errors: [general.not_found, errors.certificate_managed],
      run(tx, { id }) {
        const domain = required(tx, domains, id, WHAT)
        if (domain.policy) refuse(errors.certificate_managed, { id })
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
      errors: [general.not_found],
      run(tx, { id }) {
        const domain = required(tx, domains, id, WHAT)
        if (domain.policy) tx.put(domains, withoutPolicy(tx, domain))
      },
    }),
  },
})

/** Shows a reserved domain as its operations do. */
export function shownDomain(tx: Transaction, domain: DomainRecord): ReservedDomain {
  return tx.show(view, domain)
}

const LABEL_LENGTH = 17

function create(tx: Transaction, body: v.InferOutput<typeof createBody>): DomainRecord {
  const isOwned = isServiceDomain(tx.dialect, body.domain)
  const taken = tx.find(domains, 'domain', body.domain)
  if (taken) refuse(errors.domain_taken, { field: 'domain', domain: quote(body.domain), id: taken.id })
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
    ...linked(tx, body),
    ...(body.resolves_to && { resolves_to: body.resolves_to }),
  }
  const isUnmanaged = !isOwned && !body.certificate_id && !body.certificate_management_policy
  const policy = isUnmanaged && tx.dialect.policyByDefault ? { authority: tx.dialect.authority } : undefined
  return tx.put(domains, withTls(tx, domain, policy ? { certificate_management_policy: policy } : body))
}

function update(tx: Transaction, domain: DomainRecord, sent: v.InferOutput<typeof updateBody>): DomainRecord {
  const { domain: name, ...body } = sent
  if (name !== undefined && name.toLowerCase() !== domain.domain) {
    const allowed = `${quote(domain.domain)}, the domain's own name, which cannot be changed`
    refuse(general.field_invalid, { field: 'domain', received: quote(name), allowed })
  }
  if (Object.keys(body).length === 0) refuse(errors.domain_update_empty, {})
  const changed = {
    ...domain,
    ...described(body, domain),
    ...linked(tx, body, domain),
    ...(body.resolves_to && { resolves_to: body.resolves_to }),
  }
  return tx.put(domains, withTls(tx, changed, body))
}

type Links = Pick<DomainRecord, 'http_endpoint_configuration_id' | 'https_endpoint_configuration_id'>

const UNLINKED: Links = { http_endpoint_configuration_id: null, https_endpoint_configuration_id: null }

/** The endpoint configurations of a domain after a request: the given ones, else the domain's. */
function linked(
  tx: Transaction,
  body: { readonly [K in keyof Links]?: string | undefined },
  domain: Links = UNLINKED,
): Links {
  const http = endpointConfiguration(tx, 'http_endpoint_configuration_id', body.http_endpoint_configuration_id)
  const https = endpointConfiguration(tx, 'https_endpoint_configuration_id', body.https_endpoint_configuration_id)
  return {
    http_endpoint_configuration_id: http ?? domain.http_endpoint_configuration_id,
    https_endpoint_configuration_id: https ?? domain.https_endpoint_configuration_id,
  }
}

interface TlsBody {
  certificate_id?: string | undefined
  certificate_management_policy?: v.InferOutput<typeof policyBody> | undefined
}

/** Applies the certificate or the policy of a body (rules: domain-certificates#one-or-the-other). */
function withTls(tx: Transaction, domain: DomainRecord, body: TlsBody): DomainRecord {
  const policy = body.certificate_management_policy
  // The automatic certificate in use counts as not given: the Terraform provider sends it back beside the policy.
  const isOwnAutomatic = domain.policy !== null && body.certificate_id === domain.certificate_id
  const certificate = isOwnAutomatic ? undefined : body.certificate_id
  const isOwned = isServiceDomain(tx.dialect, domain.domain)
  const received = quote(domain.domain)
  if (certificate && policy) throw certificateAndPolicy(certificate)
  if (policy && isOwned) refuse(errors.policy_on_service_domain, { field: 'certificate_management_policy', received })
  if (certificate && isOwned) refuse(errors.certificate_on_service_domain, { field: 'certificate_id', received })
  if (certificate) return withUploadedCertificate(tx, domain, uploaded(tx, certificate))
  if (!policy) return domain
  const inForce = domain.policy?.private_key_type ?? tx.dialect.defaultPrivateKeyType
  const { authority, private_key_type = inForce } = policy
  return withPolicy(tx, domain, { authority, private_key_type })
}

/** The refusal of a certificate and a policy in one request: a problem of both fields. */
function certificateAndPolicy(certificate: string): Refusal {
  const found = (field: string) => problem(errors.certificate_and_policy, { field, received: quote(certificate) })
  return new Refusal([found('certificate_id'), found('certificate_management_policy')])
}

/** The id of an uploaded certificate, or the refusal that it is none. */
function uploaded(tx: Transaction, id: string): string {
  const named = { field: 'certificate_id', received: quote(id) }
  const certificate = tx.get(certificates, id) ?? refuse(errors.certificate_not_found, named)
  if (certificate.issued_at !== null) refuse(errors.certificate_not_uploaded, named)
  return id
}
