import { isManual } from '../core/engine/clock.ts'
import { atCaller } from '../core/schema/caller-stack.ts'
import { quote } from '../core/schema/text.ts'
import type { Gateway } from '../gateway/types.ts'
import type { ReservedDomain, ReservedDomainCertJob } from '../generated/resources.ts'

/** The domain that a matcher checks, and its gateway if the matcher received one. */
export interface CheckedDomain {
  readonly domain: ReservedDomain
  readonly gateway: Gateway | undefined
}

/** Returns the domain that a matcher checks. `names` contains the name argument, if any; `undefined` as the name is a mistake. */
export function readCheckedDomain(
  matcher: string,
  received: unknown,
  names: readonly (string | undefined)[],
): CheckedDomain {
  const [name] = names
  if (names.length > 0 && typeof name !== 'string') {
    throw atCaller(
      new TypeError(
        `${matcher} received ${name === undefined ? 'undefined' : quote(name)} as the name. Allowed: the name or ID of a domain.`,
      ),
    )
  }
  if (isGateway(received)) return { domain: findDomain(received, matcher, name), gateway: received }
  if (!isDomain(received)) {
    throw atCaller(
      new TypeError(`${matcher} received ${describeReceived(received)}. Allowed: a gateway, or a reserved domain.`),
    )
  }
  if (name !== undefined)
    throw atCaller(new TypeError(`${matcher} doesn't take a domain name when it receives a domain.`))
  return { domain: received, gateway: undefined }
}

/** Describes a value that a matcher does not accept, most likely a promise that was not awaited. */
function describeReceived(received: unknown): string {
  return received instanceof Promise ? 'a promise: await it first' : quote(received)
}

/** @throws TypeError if a value is not a gateway. `what` says where the value comes from, such as `create returned`. */
export function requireGateway(what: string, value: unknown): asserts value is Gateway {
  if (!isGateway(value)) throw atCaller(new TypeError(`${what} ${describeReceived(value)}. Allowed: a gateway.`))
}

/** Returns true for a gateway from any bundle. */
function isGateway(value: unknown): value is Gateway {
  // Checked below. `requests` is not read because, in a fixture, reading it lets requests arrive.
  const { reservedDomains, provisioning, report }: { readonly [Name in keyof Gateway]?: unknown } = Object(value)
  return typeof report === 'function' && reservedDomains !== undefined && provisioning !== undefined
}

function isDomain(value: unknown): value is ReservedDomain {
  return typeof value === 'object' && value !== null && 'domain' in value && 'certificate_management_status' in value
}

function findDomain({ reservedDomains }: Gateway, matcher: string, name: string | undefined): ReservedDomain {
  const all = allDomains(reservedDomains)
  if (name === undefined) {
    if (all.length === 1 && all[0]) return all[0]
    throw atCaller(new TypeError(`${matcher} needs the name or ID of a domain: ${describeDomains(all)}.`))
  }
  const hostname = name.toLowerCase().replace(/\.$/, '')
  const domain = all.find(({ id, domain }) => id === name || domain === hostname)
  if (!domain) throw atCaller(new Error(`${matcher} found no domain ${quote(name)}: ${describeDomains(all)}.`))
  return domain
}

function allDomains({ list }: Gateway['reservedDomains']): ReservedDomain[] {
  const all: ReservedDomain[] = []
  for (let page = list(); ; page = list({ before_id: all.at(-1)?.id ?? '' })) {
    all.push(...page.reserved_domains)
    if (page.next_page_uri === null) return all
  }
}

const MAX_NAMED = 10

function describeDomains(all: readonly ReservedDomain[]): string {
  if (all.length === 0) return 'the gateway has none'
  const names = all.slice(0, MAX_NAMED).map(({ domain }) => domain)
  const more = all.length > MAX_NAMED ? ` and ${all.length - MAX_NAMED} more` : ''
  return `the gateway has ${names.join(', ')}${more}`
}

export function jobOf({ certificate_management_status: status }: ReservedDomain) {
  return status?.provisioning_job ?? null
}

export function describeProvisioning(domain: ReservedDomain, gateway: Gateway | undefined): string {
  const job = jobOf(domain)
  if (job) {
    const { error_code, msg, started_at } = job
    const failed = error_code ? ` and failed with ${error_code}` : ''
    return `Its provisioning job started at ${started_at}${failed}: ${msg}${describeNextAttempt(job, gateway)}`
  }
  const renews = domain.certificate_management_status?.renews_at
  if (renews) return `No provisioning job is running. The next renewal is at ${renews}.`
  return domain.certificate ? 'Its certificate was uploaded.' : 'It has neither an uploaded certificate nor a policy.'
}

/** Describes the next attempt. If no attempt has run, the most likely reason is a manual clock that was not advanced. */
function describeNextAttempt({ retries_at }: ReservedDomainCertJob, gateway: Gateway | undefined): string {
  if (retries_at !== null) return ` The next attempt is at ${retries_at}.`
  return gateway && isManual(gateway.clock)
    ? ' Its first attempt has not run yet. gateway.clock.advanceToNext() runs it.'
    : ''
}
