import type * as v from 'valibot'
import type { OtherNames } from '../../../core/operation/dialect-body.ts'
import { sectionReader } from '../../../core/operation/family.ts'
import { type Operation, operation } from '../../../core/operation/operation.ts'
import { required, resource } from '../../../core/operation/resource.ts'
import { described, newHead } from '../../../core/operation/resource-head.ts'
import type { Transaction } from '../../../core/operation/transaction.ts'
import { requireUpdate } from '../../../core/schema/empty-update.ts'
import { refuse } from '../../../core/schema/errors.ts'
import { general } from '../../../core/schema/general-errors.ts'
import { quote } from '../../../core/schema/text.ts'
import { certificates } from '../../provisioning/certificate-records.ts'
import { provisioningOptions } from '../../provisioning/managed-domain.ts'
import { runAttempt, withoutPolicy, withRenewal } from '../../provisioning/management.ts'
import { requireEndpointConfiguration } from '../declarations.ts'
import { domainDialect, isBelow, isServiceDomain, tidyName } from './dialect.ts'
import { errors } from './errors.ts'
import { domainLimits, limitErrors } from './limits.ts'
import { nameErrors } from './names.ts'
import { placeErrors } from './places.ts'
import { type DomainRecord, domains, recordErrors } from './records.ts'
import { createBody, NAME, PATH, shape, updateBody, view } from './schemas.ts'
import { type TlsBody, tlsErrors, withTls } from './tls.ts'

const WHAT = 'reserved domain'

/** The aliases of `domain`. A bare label means a subdomain of the service's first domain. */
const otherNames: OtherNames = {
  both: errors.domain_name_and_domain,
  labelsBelow: (dialect) => String(domainDialect(dialect).serviceDomains[0]),
}

/** The errors of {@link requireFreeDomain}. */
export const takenErrors = [errors.domain_taken, errors.domain_taken_elsewhere, errors.domain_conflicts_elsewhere]

/**
 * Creates an operation that detaches something from a domain. `part` is the last segment of the operation's path. `without` returns the
 * domain without this part, or undefined if the part isn't set.
 */
function defineDetach<const Part extends string>(
  part: Part,
  what: string,
  without: (tx: Transaction, domain: DomainRecord) => DomainRecord | undefined,
  more: Pick<Operation, 'errors' | 'isExtra'> = {},
) {
  return operation({
    name: `${NAME}.detach_${part}`,
    method: 'DELETE',
    path: `${PATH}/{id}/${part}`,
    status: 204,
    summary: `Detach the ${what} from a reserved domain`,
    ids: { id: 'rd' },
    ...more,
    errors: [general.not_found, ...(more.errors ?? [])],
    run(tx, { id }) {
      const changed = without(tx, required(tx, domains, id, WHAT))
      if (changed) tx.put(domains, changed)
    },
  })
}

/** Creates the operation that unlinks the endpoint configuration of a protocol. */
function defineDetachConfiguration<Protocol extends 'http' | 'https'>(protocol: Protocol) {
  const part = `${protocol}_endpoint_configuration` as const
  const what = `${protocol.toUpperCase()} endpoint configuration`
  const without = (_tx: Transaction, domain: DomainRecord) =>
    domain[`${part}_id`] === null ? undefined : { ...domain, [`${part}_id`]: null }
  return defineDetach(part, what, without, { isExtra: true })
}

/** Reserved domains (rules: reserved-domains#resource). */
export const reservedDomains = resource(
  {
    name: NAME,
    prefix: 'rd',
    what: WHAT,
    tableFields: ['domain', 'cname_target'],
    errors: { ...nameErrors, ...recordErrors, ...placeErrors, ...errors, ...limitErrors },
    limits: domainLimits,
    collection: domains,
    filterable: [
      'id',
      'created_at',
      'description',
      'metadata',
      'domain',
      'region',
      'cname_target',
      'certificate.id',
      'acme_challenge_cname_target',
    ],
    shape,
    createBody,
    updateBody,
    more: {
      detachCertificate: defineDetach(
        'certificate',
        'uploaded certificate',
        (_tx, domain) => {
          if (domain.policy) refuse(errors.certificate_managed, { id: domain.id })
          return domain.certificate_id === null ? undefined : { ...domain, certificate_id: null }
        },
        { errors: [errors.certificate_managed] },
      ),
      detachCertificateManagementPolicy: defineDetach(
        'certificate_management_policy',
        'certificate management policy',
        (tx, domain) => (domain.policy ? withoutPolicy(tx, domain) : undefined),
      ),
      detachHttpEndpointConfiguration: defineDetachConfiguration('http'),
      detachHttpsEndpointConfiguration: defineDetachConfiguration('https'),
    },
  },
  {
    view,
    create: { errors: [...takenErrors, ...tlsErrors], otherNames, run: create },
    update: { errors: [errors.domain_update_empty, ...tlsErrors], otherNames, run: update, once: lateStatus },
    delete: {
      errors: [errors.domain_dev],
      before(tx, domain) {
        if (domain.is_dev) refuse(errors.domain_dev, { id: domain.id, domain: quote(domain.domain) })
        withoutPolicy(tx, domain)
      },
    },
    relations({ id, domain, policy, certificate_id }, others, report) {
      if (others.find(domains, 'domain', domain)?.id !== id)
        report(['domain'], domain, 'a name that no other domain has')
      if (certificate_id === null) return
      const certificate = others.get(certificates, certificate_id)
      if (!certificate) return
      const isValid = policy ? certificate.order?.domain === domain : certificate.upload
      const allowed = policy
        ? 'with a policy, an automatic certificate for the domain'
        : 'without a policy, an uploaded certificate'
      if (!isValid) report(['certificate_id'], certificate_id, allowed)
    },
    onDue: (tx, domain) => tx.put(domains, domain.job ? runAttempt(tx, domain) : withRenewal(tx, domain)),
  },
)

/** Hides the status in the response to the PATCH that sets a policy, as observed on the service (rules: provisioning-jobs#late-status). */
function lateStatus(tx: Transaction, { policy }: DomainRecord, before: DomainRecord) {
  const isNew = policy !== null && policy !== before.policy
  return isNew && provisioningOptions(tx.options).quirks.lateStatus ? { certificate_management_status: null } : {}
}

const LABEL_LENGTH = 17
const CHALLENGE_LABEL_LENGTH = 8

function create(tx: Transaction, body: v.InferOutput<typeof createBody>): DomainRecord {
  const { authority, policyByDefault } = domainDialect(tx.dialect)
  requireFreeDomain(tx, body.domain)
  const domain = newDomain(tx, body)
  const isOwned = isServiceDomain(tx.dialect, body.domain)
  const isUnmanaged = !isOwned && !body.certificate_id && !body.certificate_management_policy
  const policy = isUnmanaged && policyByDefault ? { authority } : undefined
  return tx.put(domains, withTls(tx, domain, policy ? { certificate_management_policy: policy } : body))
}

const domainOptions = sectionReader<{ readonly takenDomains: readonly string[] }>('takenDomains')

/**
 * Throws an error for a name that is already reserved, by this account or another (rules: domain-names#once, domain-names#other-accounts).
 */
export function requireFreeDomain(tx: Transaction, domain: string, field = 'domain'): void {
  const own = tx.find(domains, 'domain', domain)
  if (own) refuse(errors.domain_taken, { field, domain: quote(domain), id: own.id })
  const other = findTakenName(tx, domain)
  if (other === domain) refuse(errors.domain_taken_elsewhere, { field, received: quote(domain) })
  if (other === undefined) return
  refuse(errors.domain_conflicts_elsewhere, { field, received: quote(domain), taken: quote(other) })
}

/**
 * Returns another account's name that equals a domain, is its parent, or is covered by it (if the domain is a wildcard). Returns undefined
 * if there is none.
 */
export function findTakenName({ options }: Transaction, domain: string): string | undefined {
  const { takenDomains } = domainOptions(options)
  if (takenDomains.includes(domain)) return domain
  return takenDomains.find((taken) => isAbove(taken, domain) || isBelow(taken, domain))
}

/** Returns true if a name, or the name that a wildcard covers, is a parent of a domain. */
function isAbove(name: string, domain: string): boolean {
  return domain.endsWith(`.${name.replace(/^\*\./, '')}`)
}

/** Returns the record of a new domain, without a certificate or a policy. */
export function newDomain(tx: Transaction, body: Omit<v.InferOutput<typeof createBody>, keyof TlsBody>): DomainRecord {
  const { cnameTargetBase, acmeChallengeTargetBase: challengeBase } = domainDialect(tx.dialect)
  const isOwned = isServiceDomain(tx.dialect, body.domain)
  const newTarget = () => [tx.randomLabel(LABEL_LENGTH), tx.randomLabel(LABEL_LENGTH), cnameTargetBase].join('.')
  const newChallengeTarget = () =>
    challengeBase === null ? newTarget() : `${tx.randomLabel(CHALLENGE_LABEL_LENGTH)}.${challengeBase}`
  return {
    ...newHead(tx, 'rd', body),
    domain: body.domain,
    region: body.region ?? null,
    cname_target: isOwned ? null : newTarget(),
    acme_challenge_cname_target: !isOwned && body.domain.startsWith('*.') ? newChallengeTarget() : null,
    certificate_id: null,
    policy: null,
    renews_at: null,
    job: null,
    due: null,
    timeline: [],
    ...resolveLinks(tx, body),
    ...dialectFields(body),
  }
}

/** Returns the body fields that exist only in some dialects. */
function dialectFields({
  resolves_to,
  error_redirect_url,
}: Pick<v.InferOutput<typeof updateBody>, 'resolves_to' | 'error_redirect_url'>) {
  return {
    ...(resolves_to && { resolves_to }),
    ...(error_redirect_url !== undefined && { error_redirect_url: error_redirect_url || null }),
  }
}

function update(tx: Transaction, domain: DomainRecord, sent: v.InferOutput<typeof updateBody>): DomainRecord {
  const { domain: name, ...body } = sent
  if (name !== undefined && tidyName(tx.dialect, name).toLowerCase() !== domain.domain) {
    const allowed = `${quote(domain.domain)}, the domain's own name, which cannot be changed`
    refuse(general.field_invalid, { field: 'domain', received: quote(name), allowed })
  }
  requireUpdate(errors.domain_update_empty, body, updateBody, tx.dialect.extraFields[`${NAME}.update`])
  const changed = {
    ...domain,
    ...described(body, domain),
    ...resolveLinks(tx, body, domain),
    ...dialectFields(body),
  }
  return tx.put(domains, withTls(tx, changed, body))
}

type Links = Pick<DomainRecord, 'http_endpoint_configuration_id' | 'https_endpoint_configuration_id'>

const UNLINKED: Links = { http_endpoint_configuration_id: null, https_endpoint_configuration_id: null }

/** Returns a domain's endpoint configurations after a request: those in the body, or else the domain's own. */
function resolveLinks(
  tx: Transaction,
  body: { readonly [K in keyof Links]?: string | undefined },
  domain: Links = UNLINKED,
): Links {
  const resolveLink = (field: keyof Links) => requireEndpointConfiguration(tx, field, body[field]) ?? domain[field]
  return {
    http_endpoint_configuration_id: resolveLink('http_endpoint_configuration_id'),
    https_endpoint_configuration_id: resolveLink('https_endpoint_configuration_id'),
  }
}
