import * as v from 'valibot'
import { isManual } from '../../core/engine/clock.ts'
import type { Transaction } from '../../core/operation/transaction.ts'
import { documented, named } from '../../core/schema/documentation.ts'
import { count } from '../../core/schema/record-schema.ts'
import { time } from '../../core/schema/schema.ts'
import { timestamp } from '../../core/schema/time.ts'
import type { NextDue, Overview } from '../../generated/controls.ts'
import { provisioningOptions } from '../../service/provisioning/managed-domain.ts'
import { countPendingOutcomes } from '../../service/provisioning/outcomes.ts'
import { domains } from '../../service/resources/reserved-domains/records.ts'
import { type Control, type ControlHost, controlCall } from '../control.ts'
import { faultsIn, isPending } from '../faults/fault.ts'
import { timeOfStep, waitingRequest, waitingRequests } from '../waiting-requests.ts'
import { countElsewhere } from './troubles-elsewhere.ts'

const nextDue = named(
  v.object({
    at: documented(time, 'The due time, as a timestamp.'),
    collection: documented(
      v.string(),
      'The collection of the record, such as `reserved_domains`; `requests` for a delayed response; `event_destinations` for a delivery.',
    ),
    key: documented(v.string(), "The record's ID, or the operation ID of the request."),
    domain: documented(v.nullable(v.string()), 'The hostname of a reserved domain; null for other records.'),
    event: documented(
      v.nullable(v.picklist(['attempt', 'renewal', 'response', 'delivery'])),
      'The event of a reserved domain; `response` for a delayed response; `delivery` for the next attempt to deliver account events; null for a record of another family.',
    ),
  }),
  'NextDue',
  'The next due event.',
)

const overviewSchema = named(
  v.object({
    now: documented(time, "The gateway's time, as a timestamp."),
    manual: documented(v.boolean(), 'True if the clock is manual.'),
    dns: documented(
      v.string(),
      'How attempts without a scripted outcome end: with `simulated`, the DNS zone determines the outcome; with `off`, they succeed.',
    ),
    next: documented(v.nullable(nextDue), 'The next due event; null if nothing is due.'),
    counts: documented(v.record(v.string(), count), 'The number of resources, by collection.'),
    outcomes: documented(count, 'The number of pending outcomes, including those for all attempts.'),
    faults: documented(count, 'The number of pending faults.'),
    requests: documented(count, 'The number of entries in the journal.'),
    dropped: documented(count, 'The number of requests that the journal has dropped since it was cleared.'),
    traffic: documented(count, 'The number of visitor requests since the traffic journal was cleared.'),
    rejected: documented(
      count,
      'The number of errors that no journal contains: requests to other hosts through the global `fetch`, and ' +
        'agent tunnels that failed to start.',
    ),
    agentDown: v.exactOptional(
      documented(v.literal(true), 'True while connections to the agent are rejected. Absent otherwise.'),
    ),
    waiting: documented(
      v.array(waitingRequest),
      'The requests whose responses a fault delays, earliest response first: at most 100.',
    ),
    keys: documented(v.boolean(), 'True if requests need one of the keys that were set when the gateway was started.'),
    undo: documented(
      v.nullable(time),
      "The gateway's time in the state that `POST /_fauxgate/undo` restores; null if there is none.",
    ),
    happened: v.exactOptional(
      documented(
        v.record(v.string(), count),
        'The counts for the last clock move with `remember`: those of each domain transition, and of delayed ' +
          '`responses`. Absent if there was no such move.',
      ),
    ),
    since: v.exactOptional(
      documented(
        time,
        "The gateway's time when it resumed from a store: earlier visitors and control calls are not in the " +
          'journals. Absent if the gateway started empty, and after a `reset`.',
      ),
    ),
  }),
  'Overview',
  'The number of resources, requests, and faults, and the next due event.',
)

const read = controlCall({
  method: 'GET',
  path: '/overview',
  summary: 'Count the resources, requests, and faults, and show the next due event',
  commands: [{ name: 'overview' }],
  response: overviewSchema,
  run: createOverview,
})

export interface OverviewMember {
  /** Runs everything that is due. Then returns counts of the gateway's state, and the next due event. */
  overview(): Overview
}

/** The type of a gateway omits this member: see `inspected`. */
export const overview: Control = {
  calls: [read],
  members: (host): OverviewMember => ({
    overview: () => createOverview(host),
  }),
}

function createOverview(host: ControlHost): Overview {
  const { state: undo, happened } = host.snapshots.remembered
  const since = host.continuedAt()
  return host.transact((tx) => ({
    now: timestamp(tx.now),
    manual: isManual(host.clock),
    dns: provisioningOptions(tx.options).dns,
    next: findNextDue(host, tx),
    counts: Object.fromEntries(host.collections.map((each) => [each.name, tx.count(each)])),
    outcomes: countPendingOutcomes(tx),
    faults: faultsIn(tx).filter(isPending).length,
    requests: host.journal.size,
    dropped: host.journal.dropped,
    traffic: host.traffic.journal.count,
    rejected: countElsewhere(host),
    ...(host.agent.isDown && { agentDown: true as const }),
    waiting: waitingRequests(host),
    keys: host.hasKeys,
    undo: undo ? timestamp(undo.now) : null,
    ...(Object.keys(happened).length > 0 && { happened }),
    ...(since !== undefined && { since }),
  }))
}

/** Returns what happens next in a gateway: a due event, a delayed response, or a delivery of events. Returns null if nothing is pending. */
export function findNextDue(host: ControlHost, tx: Transaction): NextDue | null {
  const next = host.engine.nextDue
  const [waiting] = host.engine.clock.waiting
  if (waiting && waiting.until < (next?.due.at ?? Number.POSITIVE_INFINITY)) {
    const { event, key, until } = waiting
    const collection = event === 'response' ? 'requests' : 'event_destinations'
    return { at: timeOfStep(until), collection, key, domain: null, event }
  }
  return findNextEvent(host, tx)
}

/** Returns the next due event of a record, or null if there is none. */
export function findNextEvent({ engine }: ControlHost, tx: Transaction): NextDue | null {
  const next = engine.nextDue
  if (!next) return null
  const { due, table, key } = next
  const { name } = table.collection
  const domain = name === domains.name ? tx.get(domains, key) : undefined
  return {
    at: timestamp(due.at),
    collection: name,
    key,
    domain: domain?.domain ?? null,
    event: domain ? (domain.job ? 'attempt' : 'renewal') : null,
  }
}

/**
 * Describes a clock move of less than a second, as made by code that confuses milliseconds with seconds. Returns undefined for longer
 * moves.
 */
export function describeShortMove(ms: number): string | undefined {
  if (Math.abs(ms) >= 1000) return undefined
  return ms === 0 ? 'not moved' : `moved only ${ms} ms`
}
