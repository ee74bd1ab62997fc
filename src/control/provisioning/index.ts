import * as v from 'valibot'
import type { ReservedDomain } from '../../generated/resources.ts'
import type { ProvisioningError } from '../../provisioning/managed-domain.ts'
import { lastingOutcomes, type Outcome, scriptedOutcomes } from '../../provisioning/outcomes.ts'
import { printedTimeline, type ShownTimelineEntry } from '../../provisioning/timeline.ts'
import { shownDomain } from '../../resources/reserved-domains/schemas.ts'
import { assertNone } from '../../schema/errors.ts'
import { optionsOf, readCallOptions } from '../../schema/options.ts'
import { timestamp } from '../../schema/time.ts'
import type { Control, ControlHost } from '../control.ts'
import { attempt, errors, expire, renew, requiredDomain, timeline } from './domain-calls.ts'
import { clear, pending, script, unusedOutcomes } from './script.ts'

/** Which domain an order is for: any domain where it is left out. */
export interface ForDomain {
  /** A name that can have a policy, existing or not; case and a trailing dot do not matter. */
  readonly domain?: string
}

/** What the test decides about provisioning, and what it can see of it (rules: provisioning-jobs#outcomes). */
export interface Provisioning {
  /**
   * Orders the outcomes of the next attempts, behind those that are on order already. A domain's own script goes
   * before the one for any domain. At most 10,000 can be on order in all.
   *
   * @example
   * ```ts
   * gateway.provisioning.script(['DNS_ERROR', 'INTERNAL_ERROR', 'success'], { domain: 'app.example.com' })
   * ```
   */
  script(outcomes: readonly Outcome[], options?: ForDomain): void
  /**
   * Makes the next attempt fail, or the next `times`; before anything else that is on order in the same scope: for the
   * domain, or for any.
   */
  failNext(error: ProvisioningError, options?: ForDomain & { readonly times?: number }): void
  /** Makes every attempt fail, once the scripted outcomes are used, until {@link clear}. */
  failAlways(error: ProvisioningError, options?: ForDomain): void
  /** Drops what is on order for a domain, or all orders. */
  clear(options?: ForDomain): void
  /** The outcomes that no attempt has used; `domain` is null for any domain. */
  pendingOutcomes(): readonly { readonly domain: string | null; readonly outcome: Outcome }[]
  /** Throws an error that lists the scripted outcomes that no attempt has used, and says why, if there are any. */
  assertNoPendingOutcomes(): void
  /** Runs the attempt of a domain's job now, before it is due, and answers the domain. */
  attempt(id: string): ReservedDomain
  /**
   * Moves a manual clock to the time at which the renewal of a domain's certificate is due, and answers the domain: with
   * the job that has just started. What is due on the way happens.
   * @throws GatewayError `nothing_ahead` where none is due, `clock_not_manual` on any other clock.
   */
  renewNow(id: string): ReservedDomain
  /**
   * Moves a manual clock to the first second at which the certificate that a domain uses now is expired, and answers the
   * domain. What is due on the way happens, a renewal too: order {@link failAlways} first where it is to stay in use.
   * @throws GatewayError `nothing_ahead` where none expires, `clock_not_manual` on any other clock.
   */
  expireNow(id: string): ReservedDomain
  /** What the provisioning of a domain did, oldest first: the last 100 transitions. */
  timeline(id: string): readonly ShownTimelineEntry[]
  /** The timeline as text for people, one line per transition. */
  printTimeline(id: string): string
  /**
   * Waits for the outcome of the next attempt of a domain's job, and answers the domain: a manual clock is moved there at
   * once; on the system clock the promise resolves when the time has come. Without a job, or where the attempt is due after
   * the year 9999, it answers at once.
   * @throws Error on a clock that can neither be moved nor waited for.
   */
  settled(id: string): Promise<ReservedDomain>
}

/** What a gateway has as `provisioning`. */
export interface ProvisioningMember {
  /** What the test decides about provisioning, and what it sees of it. */
  readonly provisioning: Provisioning
}

/** The attempts of provisioning jobs. */
export const provisioning: Control<ProvisioningMember, typeof errors> = {
  errors,
  calls: { script, clear, pending, attempt, renew, expire, timeline },
  state: () => ({ collections: [scriptedOutcomes, lastingOutcomes] }),
  members: (host) => ({ provisioning: direct(host) }),
}

/** The options of the direct calls by name; what they can be says the call that they go to. */
const forDomain = optionsOf({ domain: v.optional(v.unknown()) })
const forTimes = optionsOf({ domain: v.optional(v.unknown()), times: v.optional(v.unknown()) })

function direct(host: ControlHost): Provisioning {
  const order = (sent: object, schema: v.GenericSchema<object, object>, options: unknown) =>
    script.run(host, { ...readCallOptions(schema, options), ...sent })
  const timelineOf = (id: string) => timeline.run(host, { id })
  return {
    script: (outcomes, options = {}) => order({ outcomes }, forDomain, options),
    failNext: (error, options = {}) => order({ outcomes: [error], first: true }, forTimes, options),
    failAlways: (error, options = {}) => order({ outcomes: [], always: error }, forDomain, options),
    clear: (options = {}) => clear.run(host, readCallOptions(forDomain, options)),
    pendingOutcomes: () => pending.run(host, {}),
    assertNoPendingOutcomes: () => assertNone(host.transact(unusedOutcomes)),
    attempt: (id) => attempt.run(host, { id }),
    renewNow: (id) => renew.run(host, { id }),
    expireNow: (id) => expire.run(host, { id }),
    timeline: timelineOf,
    printTimeline: (id) => printedTimeline(timelineOf(id)),
    settled: async (id) => afterNextAttempt(host, id),
  }
}

async function afterNextAttempt(host: ControlHost, id: string): Promise<ReservedDomain> {
  const read = () => host.transact((tx) => requiredDomain(tx, id))
  const { job, due } = read()
  if (job && due) {
    if (!host.clock.waitUntil && host.now() < due.at) throw new Error(cannotWait(due.at))
    while (host.now() < due.at) await host.clock.waitUntil?.(due.at)
  }
  const domain = host.transact((tx) => shownDomain(tx, requiredDomain(tx, id)))
  await host.safe()
  return domain
}

function cannotWait(at: number): string {
  return `The next attempt is due at ${timestamp(at)}, and this clock cannot be waited for. Move it there and ask again.`
}
