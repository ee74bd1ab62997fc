import type { Transaction } from './transaction.ts'
import type { View } from './view.ts'

/** A function that returns the fields of a response that follow from other records. It runs for each response. */
export type Related<R, Shown> = (tx: Transaction, record: R) => Partial<Shown>

/** Returns how a record is shown: by its view, with the fields that follow from other records. */
export function shownBy<R extends object, Shown extends object>(
  view: View<R, Shown>,
  related: Related<R, Shown> | undefined,
): (tx: Transaction, record: R) => Shown {
  if (!related) return (tx, record) => tx.show(view, record)
  return (tx, record) => Object.freeze({ ...tx.show(view, record), ...related(tx, record) })
}
