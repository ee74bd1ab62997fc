import { timestamp } from '../contract/view.ts'
import type { ControlHost } from '../control/control-operation.ts'
import { provisioningControls, readOrderOptions, requiredDomain } from '../control/provisioning.ts'
import type { ProvisioningError } from '../provisioning/domain-records.ts'
import type { Outcome } from '../provisioning/outcomes.ts'
import { printedTimeline, type ShownTimelineEntry } from '../provisioning/timeline.ts'
import { type ReservedDomain, shownDomain } from '../resources/reserved-domains.ts'

/** Which domain an order is for: any domain where it is left out. */
export interface ForDomain {
  /** A name that can have a policy, existing or not; case and a trailing dot do not matter. */
  readonly domain?: string
}

/** What the test decides about provisioning, and what it can see of it (decisions, "Provisioning jobs"). */
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
  /** Throws an Error that lists the scripted outcomes that no attempt has used, if there are any. */
  assertNoPendingOutcomes(): void
  /** Runs the attempt of a domain's job now, before it is due, and answers the domain. */
  attempt(id: string): ReservedDomain
  /** What the provisioning of a domain did, oldest first: the last 100 transitions. */
  timeline(id: string): readonly ShownTimelineEntry[]
  /** The timeline as text for people, one line per transition. */
  printTimeline(id: string): string
  /**
   * Waits for the outcome of the next attempt of a domain's job, and answers the domain. A manual clock is moved there
   * at once; on the system clock the promise resolves when the time has come. Without a job, or where the attempt would
   * be due after the year 9999, it answers at once.
   * @throws Error on a clock that can neither be moved nor waited for.
   */
  settled(id: string): Promise<ReservedDomain>
}

/** Runs a piece of a direct call: a refusal becomes a `GatewayError`. */
export type Guarded = <T>(work: () => T, input?: unknown) => T

/** Makes the provisioning controls of a gateway. */
export function provisioningApi(host: ControlHost, guarded: Guarded): Provisioning {
  const { script, clear, pending, attempt, timeline } = provisioningControls
  const { forDomain, forTimes } = readOrderOptions
  const order = (sent: object, read: typeof forTimes, options: unknown) =>
    guarded(() => script.run(host, { ...read(options, {}, host.context), ...sent }))
  const pendingOutcomes = () => guarded(() => pending.run(host, {}))
  const timelineOf = (id: string) => guarded(() => timeline.run(host, { id }))
  return {
    script: (outcomes, options = {}) => order({ outcomes }, forDomain, options),
    failNext: (error, options = {}) => order({ outcomes: [error], first: true }, forTimes, options),
    failAlways: (error, options = {}) => order({ outcomes: [], always: error }, forDomain, options),
    clear: (options = {}) => guarded(() => clear.run(host, options)),
    pendingOutcomes,
    assertNoPendingOutcomes() {
      const left = pendingOutcomes()
      if (left.length > 0) throw new Error(unused(left))
    },
    attempt: (id) => guarded(() => attempt.run(host, { id })),
    timeline: timelineOf,
    printTimeline: (id) => printedTimeline(timelineOf(id)),
    settled: async (id) => settled(host, id, guarded),
  }
}

/** How many unused outcomes a message names. */
const MOST_NAMED = 20

function unused(left: ReturnType<Provisioning['pendingOutcomes']>): string {
  const named = left.slice(0, MOST_NAMED).map(({ domain, outcome }) => `${outcome} for ${domain ?? 'any domain'}`)
  const more = left.length > MOST_NAMED ? ` and ${left.length - MOST_NAMED} more` : ''
  return `No attempt used these outcomes: ${named.join(', ')}${more}.`
}

async function settled(host: ControlHost, id: string, guarded: Guarded): Promise<ReservedDomain> {
  const read = () => guarded(() => host.control((tx) => requiredDomain(tx, id)))
  const { job, due } = read()
  if (job && due) {
    if (!host.clock.waitUntil && host.now() < due.at) throw new Error(cannotWait(due.at))
    while (host.now() < due.at) await host.clock.waitUntil?.(due.at)
  }
  return guarded(() => host.control((tx) => shownDomain(tx, requiredDomain(tx, id))))
}

function cannotWait(at: number): string {
  return `The next attempt is due at ${timestamp(at)}, and this clock cannot be waited for. Move it there and ask again.`
}
