import type { Gateway } from '../gateway/gateway.ts'
import type { ReservedDomain, ReservedDomainCertJob } from '../generated/resources.ts'
import { quote } from '../schema/text.ts'

/** What a matcher looks at: a reserved domain and, where it was asked at one, the gateway that has it. */
export interface Subject {
  readonly domain: ReservedDomain
  readonly gateway: Gateway | undefined
}

/** The domain that a matcher was asked about: the received one itself, or the one of a name or id at a gateway. */
export function subjectOf(matcher: string, received: unknown, name: string | undefined): Subject {
  if (name !== undefined && typeof name !== 'string') {
    throw new TypeError(`${matcher} was asked about ${quote(name)}. Allowed: the name or the id of a domain.`)
  }
  if (isGateway(received)) return { domain: domainAt(received, matcher, name), gateway: received }
  if (!isDomain(received)) {
    throw new TypeError(`${matcher} received ${what(received)}. Allowed: a gateway, or a reserved domain.`)
  }
  if (name !== undefined) throw new TypeError(`${matcher} takes no name of a domain where it received a domain.`)
  return { domain: received, gateway: undefined }
}

/** What somebody looks at that a matcher cannot look at. A promise is the likeliest: one that was not waited for. */
export function what(received: unknown): string {
  return received instanceof Promise ? 'a promise, which is to be awaited first' : quote(received)
}

/** Whether a value is a gateway, from whichever bundle. */
export function isGateway(value: unknown): value is Gateway {
  // What a gateway has is looked for below.
  const { reservedDomains, requests, report } = (value ?? {}) as Partial<Gateway>
  return typeof report === 'function' && reservedDomains !== undefined && requests !== undefined
}

function isDomain(value: unknown): value is ReservedDomain {
  return typeof value === 'object' && value !== null && 'domain' in value && 'certificate_management_status' in value
}

function domainAt({ reservedDomains }: Gateway, matcher: string, name: string | undefined): ReservedDomain {
  const all = pagesOf(reservedDomains)
  if (name === undefined) {
    if (all.length === 1 && all[0]) return all[0]
    throw new TypeError(`${matcher} needs the name or the id of a domain: ${existing(all)}.`)
  }
  const wanted = name.toLowerCase().replace(/\.$/, '')
  const domain = all.find(({ id, domain }) => id === name || domain === wanted)
  if (!domain) throw new Error(`${matcher} was asked about ${quote(name)}, and ${existing(all)}.`)
  return domain
}

/** All domains, the newest first. */
function pagesOf({ list }: Gateway['reservedDomains']): ReservedDomain[] {
  const all: ReservedDomain[] = []
  for (let page = list(); ; page = list({ before_id: all.at(-1)?.id ?? '' })) {
    all.push(...page.reserved_domains)
    if (page.next_page_uri === null) return all
  }
}

const MOST_NAMED = 10

function existing(all: readonly ReservedDomain[]): string {
  if (all.length === 0) return 'the gateway has none'
  const more = all.length > MOST_NAMED ? ` and ${all.length - MOST_NAMED} more` : ''
  return `the gateway has ${all
    .slice(0, MOST_NAMED)
    .map(({ domain }) => domain)
    .join(', ')}${more}`
}

/** The provisioning job of a domain, or null. */
export function jobOf({ certificate_management_status: status }: ReservedDomain) {
  return status?.provisioning_job ?? null
}

/** How the provisioning of a domain stands, in a few sentences. */
export function provisioningOf(domain: ReservedDomain, gateway: Gateway | undefined): string {
  const job = jobOf(domain)
  if (job) {
    const { error_code, msg, started_at } = job
    const failed = error_code ? ` and failed with ${error_code}` : ''
    return `Its provisioning job was started at ${started_at}${failed}: ${msg}${aheadOf(job, gateway)}`
  }
  const renews = domain.certificate_management_status?.renews_at
  if (renews) return `No provisioning job is running; it is renewed at ${renews}.`
  return domain.certificate ? 'Its certificate was uploaded.' : 'It has neither an uploaded certificate nor a policy.'
}

/** What a job waits for. A manual clock that nobody moved is the likeliest reason for a first attempt to be missing. */
function aheadOf({ retries_at }: ReservedDomainCertJob, gateway: Gateway | undefined): string {
  if (retries_at !== null) return ` It is tried again at ${retries_at}.`
  const isManual = gateway !== undefined && 'advanceToNext' in gateway.clock
  return isManual ? ' Its first attempt is ahead: gateway.clock.advanceToNext() goes there.' : ''
}
