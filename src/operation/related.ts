import type { Transaction } from './transaction.ts'
import type { View } from './view.ts'

/** A function that returns the fields of a response that follow from other records. It runs for each response. */
export type Related<R, Resource> = (tx: Transaction, record: R) => Partial<Resource>

/** Returns how a record is shown: by its view, with the fields that follow from other records. */
export function viewWithRelated<R extends object, Resource extends object>(
  view: View<R, Resource>,
  related: Related<R, Resource> | undefined,
): (tx: Transaction, record: R) => Resource {
  if (!related) return (tx, record) => tx.show(view, record)
  return (tx, record) => Object.freeze({ ...tx.show(view, record), ...related(tx, record) })
}
