import * as v from 'valibot'
import { assertNone } from '../../contract/assertion-error.ts'
import { isServiceDomain } from '../../contract/dialect.ts'
import { documented, named } from '../../contract/documentation.ts'
import { refuse } from '../../contract/errors.ts'
import { general } from '../../contract/general-errors.ts'
import { idPattern, requireId } from '../../contract/ids.ts'
import { optionsOf, readCallOptions } from '../../contract/options.ts'
import type { RuleContext } from '../../contract/reading.ts'
import { required } from '../../contract/resource.ts'
import { type Report, rule } from '../../contract/rule.ts'
import type { Transaction } from '../../contract/transaction.ts'
import { timestamp } from '../../contract/view.ts'
import { attempt } from '../../provisioning/attempt.ts'
import { normalName } from '../../provisioning/dns-names.ts'
import { type NameError, nameErrors, nameProblem } from '../../provisioning/domain-names.ts'
import { type DomainRecord, domains, type ProvisioningError } from '../../provisioning/domain-records.ts'
import {
  ANY_DOMAIN,
  dropOutcomes,
  MOST_ON_ORDER,
  OUTCOMES,
  type Outcome,
  orderedOutcomes,
  orderOutcomes,
  pendingOutcomes,
  standingOutcomes,
} from '../../provisioning/outcomes.ts'
import { printedTimeline, type ShownTimelineEntry, shownTimelineEntry } from '../../provisioning/timeline.ts'
import { shownTimeline } from '../../provisioning/transitions.ts'
import { errors } from '../../resources/reserved-domains/errors.ts'
import { reservedDomains, shownDomain } from '../../resources/reserved-domains/reserved-domains.ts'
import type { ReservedDomain } from '../../resources/types/index.ts'
import { moveTo, requireManual } from '../clock.ts'
import { type Control, type ControlHost, controlCall, type Guarded, plainCall } from '../control.ts'
import { errors as controlErrors } from '../errors.ts'
import { expiryAhead, renewalAhead } from './ahead.ts'
import { unusedOutcomes } from './unused-outcomes.ts'

const outcome = v.picklist(OUTCOMES, OUTCOMES.join(', '))

/** The name of a domain that can have a policy, for only such a domain has attempts; left out for any domain. */
const domain = v.optional(
  documented(
    v.pipe(
      v.string(),
      rule([...Object.values<NameError>(nameErrors), errors.policy_on_service_domain], checkManageable),
      v.transform(normalName),
    ),
    'The domain that it is for, which need not exist; any domain without it.',
  ),
)

function checkManageable(received: string, report: Report<NameError>, { dialect }: RuleContext): void {
  const name = normalName(received)
  const error = nameProblem(name)
  if (error) report(error, {})
  else if (isServiceDomain(dialect, name)) report(errors.policy_on_service_domain, {})
}

const id = documented(v.string(), 'The id of a reserved domain.', { json: { pattern: idPattern('rd') } })

const outcomes = v.array(outcome)

const countAllowed = `an integer from 1 to ${MOST_ON_ORDER}`

const count = v.pipe(
  v.number(countAllowed),
  v.integer(countAllowed),
  v.minValue(1, countAllowed),
  v.maxValue(MOST_ON_ORDER, countAllowed),
)

const script = controlCall({
  method: 'POST',
  path: '/provisioning/script',
  summary: 'Order the outcomes of the next attempts',
  from: 'body',
  schema: named(
    v.object({
      outcomes: documented(outcomes, 'What the next attempts come to, in this order.'),
      domain,
      times: v.optional(documented(count, 'How often the outcomes are repeated.'), 1),
      first: v.optional(
        documented(v.boolean(), 'Whether they go before what is on order already, instead of behind it.'),
        false,
      ),
      always: v.optional(documented(outcome, 'What all attempts after the scripted ones come to.')),
    }),
    'ProvisioningScript',
    'Outcomes to order.',
  ),
  run(host, { outcomes: sent, times, domain: name = ANY_DOMAIN, first, always }) {
    host.transact((tx) => {
      requireRoom(tx, sent.length * times)
      orderOutcomes(tx, name, Array.from({ length: times }, () => sent).flat(), first)
      if (always) putStanding(tx, name, always)
    })
  },
})

const clear = controlCall({
  method: 'DELETE',
  path: '/provisioning/script',
  summary: 'Drop the outcomes on order for a domain, or all',
  from: 'query',
  schema: v.object({ domain }),
  run: (host, sent) => host.transact((tx) => dropOutcomes(tx, sent.domain)),
})

const pending = plainCall({
  method: 'GET',
  path: '/provisioning/script',
  summary: 'The outcomes that no attempt has used',
  answer: v.array(
    named(
      v.object({
        domain: documented(v.nullable(v.string()), 'The domain that it is for; null for any.'),
        outcome: documented(outcome, 'What the attempt will come to.'),
      }),
      'PendingOutcome',
      'An outcome that no attempt has used.',
    ),
  ),
  run: (host) => host.transact(pendingOutcomes),
})

const OF_A_DOMAIN = [general.id_unparsable, general.id_wrong_prefix, general.not_found]

const OF_A_MOVE = [
  ...OF_A_DOMAIN,
  controlErrors.nothing_ahead,
  controlErrors.clock_not_manual,
  controlErrors.clock_move_stopped,
]

const SHOWN = reservedDomains.operations.get.response as v.GenericSchema

const attemptCall = controlCall({
  method: 'POST',
  path: '/provisioning/attempt',
  summary: "Run the attempt of a domain's job now",
  from: 'body',
  schema: v.object({ id }),
  errors: OF_A_DOMAIN,
  answer: SHOWN,
  run: (host, sent) => host.transact((tx) => shownDomain(tx, attempted(tx, sent.id))),
})

const renew = controlCall({
  method: 'POST',
  path: '/provisioning/renew',
  summary: "Move a manual clock to the renewal of a domain's certificate",
  from: 'body',
  schema: v.object({ id }),
  errors: OF_A_MOVE,
  answer: SHOWN,
  run: (host, sent) => movedTo(host, sent.id, (_tx, domain) => renewalAhead(domain)),
})

const expire = controlCall({
  method: 'POST',
  path: '/provisioning/expire',
  summary: "Move a manual clock to the expiry of a domain's certificate",
  from: 'body',
  schema: v.object({ id }),
  errors: OF_A_MOVE,
  answer: SHOWN,
  run: (host, sent) => movedTo(host, sent.id, expiryAhead),
})

const timeline = controlCall({
  method: 'GET',
  path: '/provisioning/timeline',
  summary: "What a domain's provisioning did",
  from: 'query',
  schema: v.object({ id }),
  errors: OF_A_DOMAIN,
  answer: v.array(shownTimelineEntry),
  run: (host, sent) => host.transact((tx) => shownTimeline(requiredDomain(tx, sent.id).timeline, tx.rules)),
})

/** Moves a manual clock to an event of a domain, and answers the domain as it is then. */
function movedTo(host: ControlHost, id: string, aheadOf: (tx: Transaction, domain: DomainRecord) => number) {
  const clock = requireManual(host.clock)
  moveTo(
    clock,
    host.transact((tx) => aheadOf(tx, requiredDomain(tx, id))),
  )
  return host.transact((tx) => shownDomain(tx, requiredDomain(tx, id)))
}

/** The domain of an id, or the refusal that it is none or that there is none. */
function requiredDomain(tx: Transaction, id: string): DomainRecord {
  requireId(id, 'rd')
  return required(tx, domains, id, 'reserved domain')
}

function attempted(tx: Transaction, id: string): DomainRecord {
  const domain = requiredDomain(tx, id)
  if (!domain.job) refuse(general.not_found, { what: 'provisioning job of', received: id }, { id })
  return tx.put(domains, attempt(tx, domain))
}

function requireRoom(tx: Transaction, asked: number): void {
  const before = tx.count(orderedOutcomes)
  if (before + asked <= MOST_ON_ORDER) return
  const received = `${asked} outcomes, with ${before} on order already`
  refuse(general.field_invalid, { field: 'outcomes', received, allowed: `at most ${MOST_ON_ORDER} on order in all` })
}

function putStanding(tx: Transaction, domain: string, always: (typeof OUTCOMES)[number]): void {
  if (!tx.get(standingOutcomes, domain) && tx.count(standingOutcomes) >= MOST_ON_ORDER) {
    const received = `for one domain more than the ${MOST_ON_ORDER} that have one already`
    refuse(general.field_invalid, { field: 'always', received, allowed: `at most ${MOST_ON_ORDER} domains` })
  }
  tx.put(standingOutcomes, { domain, outcome: always })
}

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
   * Waits for the outcome of the next attempt of a domain's job, and answers the domain. A manual clock is moved there
   * at once; on the system clock the promise resolves when the time has come. Without a job, or where the attempt would
   * be due after the year 9999, it answers at once.
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
export const provisioning: Control<ProvisioningMember> = {
  calls: { script, clear, pending, attempt: attemptCall, renew, expire, timeline },
  state: () => ({ collections: [orderedOutcomes, standingOutcomes] }),
  members: (host, guarded) => ({ provisioning: direct(host, guarded) }),
}

/** The options of the direct calls by name; what they can be says the call that they go to. */
const forDomain = optionsOf({ domain: v.optional(v.unknown()) })
const forTimes = optionsOf({ domain: v.optional(v.unknown()), times: v.optional(v.unknown()) })

function direct(host: ControlHost, guarded: Guarded): Provisioning {
  const order = (sent: object, schema: v.GenericSchema<object, object>, options: unknown) =>
    guarded(() => script.run(host, { ...readCallOptions(schema, options), ...sent }))
  const timelineOf = (id: string) => guarded(() => timeline.run(host, { id }))
  return {
    script: (outcomes, options = {}) => order({ outcomes }, forDomain, options),
    failNext: (error, options = {}) => order({ outcomes: [error], first: true }, forTimes, options),
    failAlways: (error, options = {}) => order({ outcomes: [], always: error }, forDomain, options),
    clear: (options = {}) => guarded(() => clear.run(host, readCallOptions(forDomain, options))),
    pendingOutcomes: () => guarded(() => pending.run(host, {})),
    assertNoPendingOutcomes: () => guarded(() => assertNone(host.transact(unusedOutcomes))),
    attempt: (id) => guarded(() => attemptCall.run(host, { id })),
    renewNow: (id) => guarded(() => renew.run(host, { id })),
    expireNow: (id) => guarded(() => expire.run(host, { id })),
    timeline: timelineOf,
    printTimeline: (id) => printedTimeline(timelineOf(id)),
    settled: async (id) => afterNextAttempt(host, id, guarded),
  }
}

async function afterNextAttempt(host: ControlHost, id: string, guarded: Guarded): Promise<ReservedDomain> {
  const read = () => guarded(() => host.transact((tx) => requiredDomain(tx, id)))
  const { job, due } = read()
  if (job && due) {
    if (!host.clock.waitUntil && host.now() < due.at) throw new Error(cannotWait(due.at))
    while (host.now() < due.at) await host.clock.waitUntil?.(due.at)
  }
  return guarded(() => host.transact((tx) => shownDomain(tx, requiredDomain(tx, id))))
}

function cannotWait(at: number): string {
  return `The next attempt is due at ${timestamp(at)}, and this clock cannot be waited for. Move it there and ask again.`
}
