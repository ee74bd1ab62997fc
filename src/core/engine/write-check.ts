import type { Collection } from '../operation/collection.ts'
import { storedReader } from '../schema/body.ts'
import { Refusal } from '../schema/errors.ts'
import type { RuleContext } from '../schema/rule.ts'
import { quote } from '../schema/text.ts'
import { isObject } from '../schema/values.ts'
import type { RecordChange, Records } from './records.ts'

/**
 * The property of `globalThis` that makes each new gateway check what its transactions write. Only fauxgate's tests and fuzzer set it,
 * because creating a resource then takes up to 1.4 times as long, and a clock move takes 4 times as long.
 */
const SWITCH = Symbol.for('fauxgate.checksWrites')

/**
 * The number of a collection's first records that are all checked, and the share of later ones. Moves that span years write thousands of
 * similar records.
 */
const ALL_OF = 100
const ONE_OF = 50

/** Checks the records that a transaction has written. `now` is the time in ms. */
export type WriteCheck = (changes: readonly RecordChange[], records: Records, now: number) => void

/**
 * Creates the check of the records that transactions write, or returns undefined if the check is off. Reads each record with its
 * collection's schema, as if from a store. If reading changes or rejects the record, the store couldn't be reopened.
 */
export function createWriteCheck(context: RuleContext): WriteCheck | undefined {
  if (!Reflect.has(globalThis, SWITCH)) return undefined
  const readers = new Map<Collection<object>, ReturnType<typeof storedReader>>()
  const counts = new Map<Collection<object>, number>()
  const isDrawn = (collection: Collection<object>) => {
    const count = counts.get(collection) ?? 0
    counts.set(collection, count + 1)
    return count < ALL_OF || count % ONE_OF === 0
  }
  return (changes, records, now) => {
    const state = { sequence: records.sequence, now }
    for (const { collection, key, after } of changes) {
      const stored = after && after === records.get(collection, key) && collection.toStored(after)
      // Records that are due by now change again in the same call, before a store receives them.
      const isDue = after && (collection.due?.(after)?.at ?? Number.POSITIVE_INFINITY) <= now
      if (!stored || isDue || !isDrawn(collection)) continue
      const reader = readers.get(collection) ?? storedReader(collection.schema, 'the record')
      readers.set(collection, reader)
      const problem = findProblem(collection, key, stored, () => reader(stored, { ...context, state }))
      if (problem)
        throw new TypeError(`${collection.name} wrote a record that cannot be read back from a store: ${problem}`)
    }
  }
}

/** Formats a record as JSON with its fields in alphabetical order, because a schema returns fields in its own order. */
function printSorted(record: unknown): string {
  return JSON.stringify(record, (_, value) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  )
}

function findProblem(collection: Collection<object>, key: string, stored: object, read: () => unknown) {
  try {
    const again = read() as object // A record's schema contains objects.
    if (collection.key(again) !== key)
      return `its key is ${quote(key)}, but its fields give the key ${quote(collection.key(again))}`
    const [before, after] = [stored, collection.toStored(again)].map(printSorted)
    return before === after ? undefined : `it was ${before}, but reads back as ${after}`
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}
