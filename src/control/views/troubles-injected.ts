import { isManual } from '../../core/engine/clock.ts'
import type { Transaction } from '../../core/operation/transaction.ts'
import { formatCount } from '../../core/schema/text.ts'
import { timestamp } from '../../core/schema/time.ts'
import { isObject } from '../../core/schema/values.ts'
import type { ArmedFault, JournalEntry, ListedOutcome, Trouble } from '../../generated/controls.ts'
import { nameOutcome } from '../../service/provisioning/certificate-errors.ts'
import { listUnusedLasting } from '../../service/provisioning/outcomes.ts'
import { domains } from '../../service/resources/reserved-domains/records.ts'
import type { ControlHost } from '../control.ts'
import { faultsIn, getFaultState } from '../faults/fault.ts'
import { findMissed, lastRequests } from '../faults/matching.ts'
import { delayedResponses, timeOfStep } from '../waiting-requests.ts'
import { describeShortMove, findNextEvent } from './overview.ts'
import { groupPendingByDomain } from './timelines.ts'

/** The maximum number of places to list per problem. */
export const MAX_PLACES = 8

/** The maximum number of calls to list per fix. */
export const MAX_CALLS = 100

export type Fix = NonNullable<Trouble['fix']>

export function removeOutcome({ id }: ListedOutcome): Fix {
  return [{ method: 'DELETE', path: '/provisioning/script', body: { id } }]
}

export function removeFault(id: string): Fix {
  return [{ method: 'DELETE', path: '/faults', body: { id } }]
}

export function advanceClock(body: object): Fix {
  return [{ method: 'POST', path: '/clock', body: { ...body, remember: true } }]
}

export function describeLasting({ domain, ...rest }: Pick<ListedOutcome, 'domain' | 'outcome' | 'error'>): string {
  return `Every attempt${domain === null ? '' : ` for ${domain}`} ends in ${nameOutcome(rest)}, because it was set for all attempts.`
}

/** Lists the faults that are waiting for requests, and those that apply to all requests. An agent that is down counts as a fault. */
export function listFaults(host: ControlHost, tx: Transaction): Trouble[] {
  const requests = lastRequests(host.journal)
  const down: Trouble = {
    kind: 'injected',
    count: 1,
    cause: 'The agent is down: connections to it are rejected.',
    about: [{ collection: 'agent', key: 'agent', name: 'the agent' }],
    id: 'agent',
    fix: [{ method: 'PUT', path: '/agent', body: { down: false } }],
  }
  const found = faultsIn(tx).flatMap((fault): Trouble[] => {
    const state = getFaultState(fault)
    if (state === 'used up') return []
    return [
      {
        kind: state === 'active' ? 'injected' : 'unused',
        cause: state === 'active' ? describeActive(fault) : describeWaiting(fault, requests, host, tx),
        count: 1,
        about: [{ collection: 'faults', key: fault.id, name: describeInWords(fault) }],
        id: fault.id,
        fix: removeFault(fault.id),
      },
    ]
  })
  return host.agent.isDown ? [down, ...found] : found
}

function describeActive({ hits }: ArmedFault): string {
  return `A fault has applied to ${formatCount(hits, 'request')}, and applies to every matching request until you remove it.`
}

/** States how many requests a fault waits for, and why it did not apply to the last request, if that is newer than its hits. */
function describeWaiting(
  fault: ArmedFault,
  requests: readonly JournalEntry[],
  host: ControlHost,
  tx: Transaction,
): string {
  const { hits, times = 0, agent, traffic, resource } = fault
  const cause =
    hits === 0
      ? 'A fault is waiting for a request.'
      : `A fault has applied to ${hits} of ${formatCount(times, 'request')}, and is waiting for ${times - hits} more.`
  // The journal doesn't contain requests to the agent's API.
  if (agent !== undefined) return cause
  if (traffic !== undefined) {
    const [visit] = host.traffic.journal.newestFirst()
    if (!visit) return `${cause} There are none in the traffic journal.`
    if (visit.upstream === traffic) return cause
    const went = visit.upstream === null ? 'it reached no upstream' : `its upstream is ${visit.upstream}`
    return `${cause} The last visitor request, ${visit.method} ${visit.url}: ${went}, not ${traffic}.`
  }
  const last = requests.at(-1)
  if (!last) return `${cause} There are none in the journal.`
  const missed = findMissed(fault, requests, host)
  const near = missed.findLast(({ reason }) => reason.startsWith('matched'))
  if (!near && resource !== undefined && !host.collections.some((each) => tx.get(each, resource)))
    return `${cause} Nothing has the ID ${resource}.`
  const miss = near ?? missed.find(({ operationId }) => operationId === last.operationId)
  const which = miss?.operationId === last.operationId ? 'The last one' : 'The nearest one'
  return miss ? `${cause} ${which}, ${miss.request}: ${miss.reason}.` : cause
}

export function describeInWords({
  id: _id,
  hits: _hits,
  passed: _passed,
  operation,
  when,
  ...spec
}: ArmedFault): string {
  const rest = Object.entries(spec).map(([name, value]) => `${name} ${isObject(value) ? '…' : value}`)
  const others = spec.agent === undefined ? 'every operation' : "requests to the agent's API"
  const what = operation ?? (spec.traffic === undefined ? others : 'visitor requests')
  return `${what} ${[...rest, ...(when ? ['with a predicate'] : [])].join(', ')}`
}

/** Lists the scripted outcomes that no attempt has used, by domain, and the outcomes of all attempts. */
export function listOutcomes(tx: Transaction, maxCalls: number): Trouble[] {
  const unused = new Set(listUnusedLasting(tx).map(({ domain }) => domain))
  return [...groupPendingByDomain(tx)].flatMap(([scope, all]) => {
    const scripted = all.filter(({ always }) => !always)
    const lasting = all.filter(({ always }) => always)
    const wait = formatCount(scripted.length, 'outcome is waiting for an attempt', 'outcomes are waiting for attempts')
    const { why, ...next } = describeNextAttempt(tx, all[0]?.domain ?? null)
    const cause = `${wait}.${why}`
    return [
      ...(scripted.length > 0
        ? [{ ...describeOutcomes(scripted, maxCalls), kind: 'unused' as const, cause, ...next }]
        : []),
      ...lasting.map((each) => {
        const kind = unused.has(scope) ? ('unused' as const) : ('injected' as const)
        return { ...describeOutcomes([each], maxCalls), kind, cause: describeLasting(each) }
      }),
    ]
  })
}

/** States why no attempt of a domain is due soon, and when the next one is. */
function describeNextAttempt(tx: Transaction, name: string | null): { readonly why: string } & Pick<Trouble, 'due'> {
  if (name === null) return { why: '' }
  const domain = tx.find(domains, 'domain', name)
  if (!domain) return { why: ` No domain is named ${name}.` }
  const { due, job } = domain
  if (!domain.policy || !due) return { why: ` ${name} has no automatic certificate, so it has no attempts.` }
  return { why: job ? '' : ' The next attempt is the renewal.', due: timestamp(due.at) }
}

function describeOutcomes(all: readonly ListedOutcome[], maxCalls: number): Omit<Trouble, 'kind' | 'cause'> {
  const about = all.slice(0, MAX_PLACES).map(({ id, domain, ...rest }) => {
    return { collection: 'provisioning/script', key: id, name: `${nameOutcome(rest)} for ${domain ?? 'any domain'}` }
  })
  const [{ domain, always } = {}] = all
  const id = `${always ? 'every outcome' : 'outcomes'} for ${domain ?? 'any domain'}`
  return { count: all.length, about, id, fix: all.slice(0, maxCalls).flatMap(removeOutcome) }
}

/** Lists what is waiting for the clock: responses delayed by a fault, and the next event if a manual clock does not move. */
export function listDelays(host: ControlHost, tx: Transaction): Trouble[] {
  const advance = (id: string, body: object) => (isManual(host.clock) ? { id, fix: advanceClock(body) } : {})
  const waiting = delayedResponses(host)
  const requests = new Map(
    waiting.length > 0 ? [...host.journal.newestRequests()].map((each) => [each.operationId, each]) : [],
  )
  const delays = new Map<string, Trouble>()
  for (const { key, until } of waiting) {
    const to = timeOfStep(until)
    const { method = '', path = key } = requests.get(key) ?? {}
    const about = [{ collection: 'requests', key, name: `${method} ${path}`.trim() }]
    const count = 1 + (delays.get(to)?.count ?? 0)
    const who = count === 1 ? 'A client is waiting' : `${count} clients are waiting`
    const cause = `${who} until ${to}, because of a fault.`
    delays.set(to, { kind: 'waiting', count, cause, about, ...advance(`waiting until ${to}`, { to }) })
  }
  return [...delays.values(), ...describeStillClock(host, tx, advance('clock', { next: true }))]
}

/** The number of identical requests at the same time that counts as polling. */
const MIN_POLLS = 3

/** Returns a request that a client has repeated since the clock last moved. */
function findPolled({ journal }: ControlHost, now: number): string | undefined {
  const counts = new Map<string, number>()
  for (const { now: at, operation, method, path, query } of journal.newestRequests()) {
    if (at < now) break
    // An unknown path stays unknown.
    if (operation === null) continue
    const request = `${method} ${path}${query && `?${query}`}`
    const count = (counts.get(request) ?? 0) + 1
    if (count === MIN_POLLS && method === 'GET') return request
    counts.set(request, count)
  }
  return undefined
}

/** Describes the next due event if a manual clock does not move while clients poll, because they would then wait forever. */
function describeStillClock(host: ControlHost, tx: Transaction, fix: Pick<Trouble, 'id' | 'fix'>): Trouble[] {
  const next = findNextEvent(host, tx)
  // Clients don't wait for a renewal that is two months away.
  if (!next || next.event === 'renewal' || !isManual(host.clock)) return []
  const { oldestTime = 0 } = host.journal
  const move = describeShortMove(tx.now - oldestTime)
  const polled = move === undefined ? findPolled(host, tx.now) : undefined
  if (move === undefined && polled === undefined) return []
  const name = next.domain ?? next.key
  const since =
    polled === undefined ? `has ${move} since the oldest request` : `does not move, and clients repeat ${polled}`
  const cause = `The clock ${since}: it is ${timestamp(tx.now)}, and the ${next.event ?? 'event'} of ${name} is due at ${next.at}.`
  return [
    {
      kind: 'waiting',
      count: 1,
      cause,
      about: [{ collection: next.collection, key: next.key, name }],
      due: next.at,
      ...fix,
    },
  ]
}
