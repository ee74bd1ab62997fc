import * as v from 'valibot'
import { collection } from '../operation/collection.ts'
import type { Transaction } from '../operation/transaction.ts'
import { general } from '../schema/general-errors.ts'
import { oneOfThese, recordRule } from '../schema/record-schema.ts'
import { rule } from '../schema/rule.ts'
import type { Frozen } from '../schema/values.ts'
import { type NameError, nameErrors, nameProblem } from './domain-names.ts'

/** What an attempt can come to. */
export const OUTCOMES = ['success', 'INTERNAL_ERROR', 'DNS_ERROR'] as const

/** What an attempt can come to. */
export type Outcome = (typeof OUTCOMES)[number]

/** The key of what is on order for any domain. */
export const ANY_DOMAIN = ''

/** The domain's name, or "" for any domain. */
const domain = v.pipe(
  v.string(),
  rule(Object.values<NameError>(nameErrors), (name, report) => {
    const error = name === ANY_DOMAIN ? undefined : nameProblem(name)
    if (error) report(error, {})
  }),
  v.toLowerCase(),
)

const outcome = oneOfThese(OUTCOMES)

/** Where the first outcome stands: places before and behind it have as many digits, so keys sort like places. */
const MIDDLE = 2 ** 52

const ordered = v.object({
  domain,
  /** Where it stands among those of its domain: the highest is taken first. */
  place: v.pipe(
    v.number(),
    recordRule((place, report, { sequence }) => {
      if (!(Number.isInteger(place) && Math.abs(place - MIDDLE) < sequence)) {
        report(general.field_invalid, {
          allowed: `an integer less than ${sequence}, the sequence, away from ${MIDDLE}`,
        })
      }
    }),
  ),
  outcome,
})

/** One outcome on order. The next attempt that it is for takes it. */
export type OrderedOutcome = Frozen<v.InferOutput<typeof ordered>>

const standing = v.object({ domain, outcome })

/** What all attempts come to that find nothing on order, until told otherwise. */
export type StandingOutcome = Frozen<v.InferOutput<typeof standing>>

/** How many outcomes can be on order, over all domains; and how many domains can have a standing one. */
export const MOST_ON_ORDER = 10_000

/** Keyed so that the next one of a domain is the last before the domain's own end. */
export const orderedOutcomes = collection<OrderedOutcome>({
  name: 'ordered_outcomes',
  key: ({ domain, place }) => `${domain} ${place}`,
  schema: ordered,
  most: MOST_ON_ORDER,
})

export const standingOutcomes = collection<StandingOutcome>({
  name: 'standing_outcomes',
  key: (record) => record.domain,
  schema: standing,
  most: MOST_ON_ORDER,
})

/** Orders outcomes for a domain, or any: behind what is on order for it already, or before that. */
export function orderOutcomes(tx: Transaction, domain: string, outcomes: readonly Outcome[], isFirst: boolean): void {
  for (const outcome of isFirst ? [...outcomes].reverse() : outcomes) {
    const number = tx.nextOrder()
    tx.put(orderedOutcomes, { domain, place: MIDDLE + (isFirst ? number : -number), outcome })
  }
}

/** Takes the outcome that was ordered for a domain's next attempt: its own first, then one for any domain. */
export function takeOutcome(tx: Transaction, domain: string): Outcome | undefined {
  return taken(tx, domain) ?? taken(tx, ANY_DOMAIN)
}

function taken(tx: Transaction, domain: string): Outcome | undefined {
  const [next] = outcomesFor(tx, domain)
  if (!next) return tx.get(standingOutcomes, domain)?.outcome
  tx.remove(orderedOutcomes, next)
  return next.outcome
}

/** What is on order for a domain, or any, the next one first. */
function* outcomesFor(tx: Transaction, domain: string): Generator<OrderedOutcome> {
  if (tx.count(orderedOutcomes) === 0) return
  // "!" comes right after the space in the keys.
  for (const each of tx.newestFirst(orderedOutcomes, `${domain}!`)) {
    if (each.domain !== domain) return
    yield each
  }
}

/** Drops what is on order for a domain, or everything. */
export function dropOutcomes(tx: Transaction, domain?: string): void {
  const ordered = domain === undefined ? tx.newestFirst(orderedOutcomes) : outcomesFor(tx, domain)
  for (const each of [...ordered]) tx.remove(orderedOutcomes, each)
  const standing = domain === undefined ? tx.newestFirst(standingOutcomes) : [tx.get(standingOutcomes, domain)]
  for (const each of [...standing]) if (each) tx.remove(standingOutcomes, each)
}

/** All outcomes that no attempt has used: those of named domains by name, those for any domain last. */
export function pendingOutcomes(tx: Transaction): { domain: string | null; outcome: Outcome }[] {
  const byDomain = new Map<string, Outcome[]>()
  for (const { domain, outcome } of tx.newestFirst(orderedOutcomes)) {
    const outcomes = byDomain.get(domain)
    if (outcomes) outcomes.push(outcome)
    else byDomain.set(domain, [outcome])
  }
  const named = [...byDomain.keys()].filter((domain) => domain !== ANY_DOMAIN).sort()
  return [...named, ANY_DOMAIN].flatMap((domain) =>
    (byDomain.get(domain) ?? []).map((outcome) => ({ domain: domain === ANY_DOMAIN ? null : domain, outcome })),
  )
}
