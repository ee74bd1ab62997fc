import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { type EndpointPlace, parseUrl } from './endpoint-records.ts'

const notOnPlan = (number: number, what: string) =>
  kit.ofField(
    number,
    400,
    `{field} is {received}, ${what}. The {plan} plan does not include these. Omit the URL, or set a different account.plan.`,
  )

/** The errors for URLs at which an agent's account may not start an endpoint (rules: agent#urls-of-the-account). */
export const ownPlaceErrors = kit.declareErrors({
  agent_address_not_reserved: kit.field(307, 400, 'the addr of a reserved address, or a URL without a host'),
  agent_subdomain_not_on_plan: notOnPlan(313, 'a custom subdomain'),
  agent_hostname_not_on_plan: notOnPlan(314, 'a custom hostname'),
  agent_wildcard_not_on_plan: notOnPlan(315, 'a wildcard domain'),
  agent_wildcard_not_reserved: kit.field(318, 400, 'a wildcard domain that is reserved. Reserve it first'),
  agent_domain_not_reserved: kit.field(
    319,
    400,
    'a host that is a reserved domain or a subdomain of one. Reserve it first',
  ),
  agent_domain_of_other: kit.ofField(
    320,
    400,
    '{field} is {received}, but another account has {taken} (option takenDomains). Send your own host.',
  ),
  agent_wildcard_not_exact: kit.ofField(
    321,
    400,
    '{field} is {received}, but the account has {own}. Reserve the wildcard domain itself.',
  ),
  agent_domain_nested: kit.ofField(
    354,
    400,
    '{field} is {received}, more than one label under {base}. Reserve the domain first, or send {suggested}.',
  ),
})

/** The error for TCP endpoints if the account has no card on file, shared by cloud endpoints, agents, and edges. */
export const cardErrors = kit.declareErrors({
  endpoint_card_missing: kit.ofField(
    8013,
    400,
    '{field} is {received}. On the free plan, TCP endpoints need a verified card: set the account.card option.',
  ),
})

const accountOf = (tx: kit.Transaction) => accountOptions(tx.options).account ?? {}

const accountOptions = kit.sectionReader<{
  readonly account?: { readonly plan?: parts.Plan | undefined; readonly card?: boolean | undefined } | undefined
  readonly unknownActions: unknown
}>('unknownActions')

/** Returns whether an account is on the free plan. */
export const isOnPlanFree = (tx: kit.Transaction): boolean => accountOf(tx).plan === 'free'

/** The reason that an account may not use a place. `taken` is the name of another account. */
interface Lack {
  readonly what: 'card' | 'address' | 'domain' | 'name of another account'
  readonly taken?: string
}

const withoutWildcard = (name: string): string => name.replace(/^\*\./, '')

/**
 * Returns why the account may not use the place of a public URL, or undefined if it may. Cloud endpoints, agent endpoints, and
 * edge endpoints share this rule, but each has its own error codes (rules: ngrok-families#endpoints, agent#urls-of-the-account).
 */
export function findLack(
  tx: kit.Transaction,
  { url, binding, domain_id, tcp_addr_id }: EndpointPlace,
): Lack | undefined {
  if (binding !== 'public') return undefined
  const { scheme, host = '' } = parseUrl(url) ?? {}
  if (scheme === 'tcp' && domain_id === null) {
    if (hasNoCard(tx)) return { what: 'card' }
    return tcp_addr_id === null ? { what: 'address' } : undefined
  }
  const domain = domain_id === null ? undefined : tx.get(kit.domains, domain_id)
  // A dev domain has no subdomains.
  const isCovered = domain?.domain === host || !domain?.is_dev
  const own = isCovered ? withoutWildcard(domain?.domain ?? '') : ''
  const taken = parts.findTakenName(tx, host)
  if (taken !== undefined && withoutWildcard(taken).length > own.length)
    return { what: 'name of another account', taken }
  return own === '' ? { what: 'domain' } : undefined
}

/** Returns whether an account on the free plan lacks the card on file that TCP endpoints require. */
function hasNoCard(tx: kit.Transaction): boolean {
  return isOnPlanFree(tx) && !accountOf(tx).card
}

/** Throws an error for a place that an agent's account may not use. A random place is a place that the service chooses. */
export function requireOwnPlace(tx: kit.Transaction, place: EndpointPlace, isRandom: boolean): void {
  const lack = findLack(tx, place)
  const at = { field: 'url', received: kit.quote(place.url) }
  if (lack?.what === 'card') kit.refuse(cardErrors.endpoint_card_missing, at)
  if (isRandom) return
  if (lack?.what === 'address') kit.refuse(ownPlaceErrors.agent_address_not_reserved, at)
  const { host = '' } = parseUrl(place.url) ?? {}
  const own = place.domain_id === null ? undefined : tx.get(kit.domains, place.domain_id)?.domain
  if (own !== undefined && host.startsWith('*.') && own !== host)
    kit.refuse(ownPlaceErrors.agent_wildcard_not_exact, { ...at, own: kit.quote(own) })
  if (!lack) return
  if (own === undefined || lack.what === 'domain') requireOnPlan(tx, host, at)
  if (lack.taken !== undefined)
    kit.refuse(ownPlaceErrors.agent_domain_of_other, { ...at, taken: kit.quote(lack.taken) })
  if (host.startsWith('*.')) kit.refuse(ownPlaceErrors.agent_wildcard_not_reserved, at)
  const base = findBase(tx, host) ?? kit.refuse(ownPlaceErrors.agent_domain_not_reserved, at)
  const label = host.slice(0, -base.length - 1)
  // An agent may use a free name that is directly below a domain of the service.
  if (label.includes('.')) {
    const suggested = kit.quote(`${label.replaceAll('.', '-')}.${base}`)
    kit.refuse(ownPlaceErrors.agent_domain_nested, { ...at, base, suggested })
  }
}

/** Returns whether an agent's account may use the place that the agent requested when it started. */
export function isOwnPlace(tx: kit.Transaction, place: EndpointPlace): boolean {
  try {
    requireOwnPlace(tx, place, false)
    return true
  } catch (error) {
    if (error instanceof parts.Refusal) return false
    throw error
  }
}

/** Returns the service domain of which a host is a subdomain. */
function findBase({ dialect }: kit.Transaction, host: string): string | undefined {
  return parts.domainDialect(dialect).serviceDomains.find((each) => host.endsWith(`.${each}`))
}

/** Rejects a host that is not reserved and that the plan does not allow (rules: account#order). */
function requireOnPlan(tx: kit.Transaction, host: string, at: parts.FieldFacts): void {
  const { plan } = accountOf(tx)
  if (plan === undefined || plan === 'paygo') return
  const facts = { ...at, plan }
  if (host.startsWith('*.')) kit.refuse(ownPlaceErrors.agent_wildcard_not_on_plan, facts)
  if (plan !== 'free') return
  const { agent_subdomain_not_on_plan: ofService, agent_hostname_not_on_plan: custom } = ownPlaceErrors
  kit.refuse(findBase(tx, host) === undefined ? custom : ofService, facts)
}

/**
 * Returns the host for an endpoint whose agent doesn't request a host: the dev domain on the free plan, otherwise undefined, that is, a
 * random host.
 */
export function findHostByDefault(tx: kit.Transaction, scheme: string): string | undefined {
  return scheme !== 'tcp' && isOnPlanFree(tx) ? parts.provideDevDomain(tx) : undefined
}
