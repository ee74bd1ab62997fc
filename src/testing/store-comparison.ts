import type { StoredCommit, StoredState } from '../core/operation/store.ts'
import { cut } from '../core/schema/text.ts'

/** @throws Error unless the records match the changes, in any order */
export function requireRecords(records: StoredState['records'], changes: StoredCommit['changes']): void {
  const expected = changes.map(({ collection, key, after }) => ({ collection, key, record: after }))
  requireSame(ordered(records), ordered(expected))
}

const ordered = (rows: Iterable<object>) => [...rows].map(sorted).sort()

/** Returns the entries of an object as text, in a fixed order. */
export const sorted = (row: object) =>
  Object.entries(row)
    .map((part) => JSON.stringify(part))
    .sort()
    .join(', ')

/** Returns a state with its records in an array, so that it can be compared as JSON. */
export const withArray = (state: StoredState) => ({ ...state, records: [...state.records] })

/** @throws Error unless the two values are equal as JSON */
export function requireSame(received: unknown, expected: unknown): void {
  const [one, other] = [JSON.stringify(received), JSON.stringify(expected)]
  if (one !== other) throw new Error(`The store has ${shortened(one)}. Expected: ${shortened(other)}.`)
}

const shortened = (text: string | undefined) => cut(text ?? 'nothing', 2000)
