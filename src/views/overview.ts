import * as v from 'valibot'
import { type Control, type ControlHost, controlCall } from '../control/control.ts'
import { armedFaults, isPending } from '../control/faults/fault.ts'
import { isManual } from '../engine/clock.ts'
import type { NextDue, Overview } from '../generated/controls.ts'
import type { Transaction } from '../operation/transaction.ts'
import { provisioningRules } from '../provisioning/managed-domain.ts'
import { pendingOutcomes } from '../provisioning/outcomes.ts'
import { families } from '../resources/index.ts'
import { domains } from '../resources/reserved-domains/records.ts'
import { documented, named } from '../schema/documentation.ts'
import { count } from '../schema/record-schema.ts'
import { time } from '../schema/schema.ts'
import { timestamp } from '../schema/time.ts'

export type { NextDue, Overview }

const nextDue = named(
  v.object({
    at: documented(time, 'When it is due, as a timestamp.'),
    collection: documented(v.string(), 'The collection of the record, such as `reserved_domains`.'),
    key: documented(v.string(), "The record's id."),
    domain: documented(v.nullable(v.string()), "The hostname, where it is a reserved domain's; else null."),
    event: documented(
      v.nullable(v.picklist(['attempt', 'renewal'])),
      'What of a reserved domain is due; null for a record of another family.',
    ),
  }),
  'NextDue',
  'What is due next.',
)

const shown = named(
  v.object({
    now: documented(time, "The gateway's time, as a timestamp."),
    manual: documented(v.boolean(), 'Whether its clock can be moved.'),
    dns: documented(
      v.string(),
      'What decides attempts that nobody scripted: `simulated` for the DNS zone, `off` for success.',
    ),
    next: documented(v.nullable(nextDue), 'What is due next; null where nothing is.'),
    counts: documented(v.record(v.string(), count), 'How many resources there are, by the name of their collection.'),
    outcomes: documented(count, 'How many outcomes no attempt has used.'),
    faults: documented(count, 'How many faults wait for requests.'),
    requests: documented(count, 'How many entries the journal has.'),
  }),
  'Overview',
  'What the gateway holds, in numbers, and what happens next.',
)

const read = controlCall({
  method: 'GET',
  path: '/overview',
  summary: 'What the gateway holds, in numbers, and what is due next',
  answer: shown,
  run: overviewOf,
})

/** What the inspector asks of a gateway. */
export interface OverviewMember {
  /** What the gateway holds, in numbers, and what is due next. What is due by now happens first. */
  overview(): Overview
}

/** What the gateway holds, in numbers. The types of a gateway leave it to those of `inspected`. */
export const overview: Control = {
  calls: { read },
  members: (host): OverviewMember => ({ overview: () => overviewOf(host) }),
}

function overviewOf(host: ControlHost): Overview {
  const collections = Object.values({ ...families, ...host.families }).flatMap(({ collections }) => collections)
  return host.transact((tx) => ({
    now: timestamp(tx.now),
    manual: isManual(host.clock),
    dns: provisioningRules(tx.rules).dns,
    next: nextOf(host, tx),
    counts: Object.fromEntries(collections.map((each) => [each.name, tx.count(each)])),
    outcomes: pendingOutcomes(tx).length,
    faults: armedFaults(tx).filter(isPending).length,
    requests: host.journal.size,
  }))
}

function nextOf(host: ControlHost, tx: Transaction): NextDue | null {
  const next = host.nextDue()
  if (!next) return null
  const { at, collection, key } = next
  const domain = collection === domains.name ? tx.get(domains, key) : undefined
  return {
    at: timestamp(at),
    collection,
    key,
    domain: domain?.domain ?? null,
    event: domain ? (domain.job ? 'attempt' : 'renewal') : null,
  }
}
