import * as v from 'valibot'
import type { FailedAttempt, PendingOutcome, TimelineEntry } from '../../core/generated/controls.ts'
import type { ReservedDomain } from '../../core/generated/resources.ts'
import { assertNoProblem } from '../../core/schema/assertion-error.ts'
import { refuse } from '../../core/schema/errors.ts'
import { general } from '../../core/schema/general-errors.ts'
import { NO_VALUES, optionsOf, readCallOptions, requireValues } from '../../core/schema/options.ts'
import { quote } from '../../core/schema/text.ts'
import { timestamp } from '../../core/schema/time.ts'
import {
  lastingOutcomes,
  type Outcome,
  type ProvisioningError,
  scriptedOutcomes,
} from '../../service/provisioning/outcomes.ts'
import { formatTimeline } from '../../service/provisioning/timeline-text.ts'
import { domainView } from '../../service/resources/reserved-domains/schemas.ts'
import type { Control, ControlHost } from '../control.ts'
import { attempt, errors, expire, renew, requireDomain, timeline } from './domain-calls.ts'
import { clear, describeUnusedOutcomes, failedOutcome, pending, script } from './script.ts'

/** The domain that a scripted outcome is for. Default: any domain. */
export interface ForDomain {
  /** A name that can have a policy, existing or not, or the id of a domain. Case and a trailing dot of a name do not matter. */
  readonly domain?: string
}

/**
 * Scripted outcomes of provisioning attempts, and a view of what provisioning did. Each call that takes a domain takes its
 * name or its id.
 */
export interface Provisioning {
  /**
   * Scripts the outcomes of the next attempts, one outcome for each attempt, after the outcomes that are already scripted.
   * Outcomes for one domain come before outcomes for any domain. At most 10,000 outcomes can be pending.
   * @throws GatewayError `field_invalid` for an outcome that is not allowed, `policy_on_service_domain` for a domain of the
   * service, `not_found` for an unknown id.
   *
   * @example
   * ```ts
   * gateway.provisioning.script(['DNS_ERROR', 'INTERNAL_ERROR', 'success'], { domain: 'app.example.com' })
   * gateway.provisioning.script([{ outcome: 'DNS_ERROR', message: 'No such host.', retriesAfter: '5m' }])
   * ```
   */
  script(outcomes: readonly Outcome[], options?: ForDomain): void
  /**
   * Makes the next attempt fail, or the next `times` attempts. Outcomes that are already scripted for the same domain
   * follow. Without `domain`, it applies to any domain that has no scripted outcomes. Throws like `script`.
   *
   * @example
   * ```ts
   * gateway.provisioning.failNext('DNS_ERROR', { domain: 'app.example.com', times: 2 })
   * ```
   */
  failNext(error: ProvisioningError | FailedAttempt, options?: ForDomain & { readonly times?: number }): void
  /**
   * Makes every attempt fail until you call `clear`. Outcomes that are scripted for the same domain come first. With
   * `domain`, scripts for any domain no longer apply to that domain. Throws like `script`.
   *
   * @example
   * ```ts
   * gateway.provisioning.failAlways('DNS_ERROR', { domain: 'broken.example.com' })
   * gateway.provisioning.script(['success']) // for the other domains
   * ```
   */
  failAlways(error: ProvisioningError | FailedAttempt, options?: ForDomain): void
  /** Drops all pending outcomes, or with `domain` only those that are scripted for that domain. */
  clear(options?: ForDomain): void
  /** Returns the scripted outcomes that no attempt has used, without those of `failAlways`; `domain` is null for any domain. */
  pendingOutcomes(): readonly PendingOutcome[]
  /**
   * Throws if there are scripted outcomes that no attempt has used, or a `failAlways` that made no attempt fail. The error lists
   * them and says why.
   */
  assertNoPendingOutcomes(): void
  /**
   * Runs the next attempt of a domain's job now, instead of when it is due, and returns the domain. The clock does not move.
   * @throws GatewayError `not_found` if there is no such domain, or it has no provisioning job.
   */
  attempt(domain: string): ReservedDomain
  /**
   * Advances a manual clock to the renewal of a domain's certificate, and returns the domain with the job that has just
   * started. Everything that falls due on the way happens.
   * @throws GatewayError `nothing_ahead` if no renewal is due, `clock_not_manual` on any other clock.
   */
  renewNow(domain: string): ReservedDomain
  /**
   * Advances a manual clock to the first second at which the certificate that a domain uses now is expired, and returns
   * the domain. Everything that falls due on the way happens, including a renewal. Call `failAlways` first to keep the
   * certificate in use.
   * @throws GatewayError `nothing_ahead` if no certificate expires, `clock_not_manual` on any other clock.
   */
  expireNow(domain: string): ReservedDomain
  /** Returns the last 100 transitions of a domain's provisioning, oldest first. */
  timeline(domain: string): readonly TimelineEntry[]
  /** Returns the timeline as readable text, one line per transition. */
  printTimeline(domain: string): string
  /**
   * Waits for the next attempt of a domain's job, and resolves with the domain. A manual clock advances to the attempt at
   * once. On the system clock the promise resolves at the time of the attempt. Without a job it resolves at once.
   * @throws Error if the clock can neither advance nor wait.
   */
  settled(domain: string): Promise<ReservedDomain>
}

export interface ProvisioningMember {
  /** Controls provisioning, and shows what it did. */
  readonly provisioning: Provisioning
}

export const provisioning: Control<ProvisioningMember, typeof errors> = {
  errors,
  calls: [script, clear, pending, attempt, renew, expire, timeline],
  state: () => ({ collections: [scriptedOutcomes, lastingOutcomes] }),
  members: (host) => ({ provisioning: createProvisioning(host) }),
}

/** The names of the options. The calls check their values. */
const forDomain = optionsOf({ domain: v.optional(v.unknown()) })
const forTimes = optionsOf({ domain: v.optional(v.unknown()), times: v.optional(v.unknown()) })

function createProvisioning(host: ControlHost): Provisioning {
  const runScript = (sent: object, schema: v.GenericSchema<object, object>, options: unknown) => {
    requireValues(options, ['domain', 'times'], NO_VALUES)
    script.run(host, { ...readCallOptions(schema, options), ...sent })
  }
  const timelineOf = (id: string) => timeline.run(host, { id })
  return {
    script: (outcomes, options = {}) => runScript({ outcomes }, forDomain, options),
    failNext(error, options = {}) {
      requireFailure(error)
      runScript({ outcomes: [error], first: true }, forTimes, options)
    },
    failAlways(error, options = {}) {
      requireFailure(error)
      runScript({ outcomes: [], always: error }, forDomain, options)
    },
    clear(options = {}) {
      requireValues(options, ['domain'], NO_VALUES)
      clear.run(host, readCallOptions(forDomain, options))
    },
    pendingOutcomes: () => pending.run(host, {}).flatMap(({ id: _, always, ...rest }) => (always ? [] : rest)),
    assertNoPendingOutcomes: () => assertNoProblem(host.transact(describeUnusedOutcomes)),
    attempt: (id) => attempt.run(host, { id }),
    renewNow: (id) => renew.run(host, { id }),
    expireNow: (id) => expire.run(host, { id }),
    timeline: timelineOf,
    printTimeline: (id) => formatTimeline(timelineOf(id)),
    settled: async (id) => afterNextAttempt(host, id),
  }
}

/** Refuses what scripts no failure. `failNext('success')` would make a test pass that waits for a failure in vain. */
function requireFailure(error: unknown): void {
  readCallOptions(failedOutcome, error, { whole: 'error' })
}

async function afterNextAttempt(host: ControlHost, id: string): Promise<ReservedDomain> {
  if (typeof id !== 'string') {
    refuse(general.field_invalid, {
      field: 'id',
      received: quote(id),
      allowed: 'the name or the id of a reserved domain',
    })
  }
  const read = () => host.transact((tx) => requireDomain(tx, id))
  const { job, due } = read()
  if (job && due) {
    if (!host.clock.waitUntil && host.engine.now < due.at) throw new Error(cannotWait(due.at))
    while (host.engine.now < due.at) await host.clock.waitUntil?.(due.at)
  }
  const domain = host.transact((tx) => domainView(tx, requireDomain(tx, id)))
  await host.flushed()
  return domain
}

function cannotWait(at: number): string {
  return `The next attempt is due at ${timestamp(at)}, and this clock cannot be waited for. Advance it there and try again.`
}
