import type { CatalogueError } from '../schema/errors.ts'
import type { Collection } from './collection.ts'
import type { Operation } from './operation.ts'
import type { Transaction } from './transaction.ts'

/** Families by their names in the direct API. */
export type Families = Readonly<Record<string, Family>>

/** A resource family: its operations and errors, the collections it keeps, and what it does when a record is due. */
export interface Family<Operations = Readonly<Record<string, Operation>>, Errors = ErrorsByKey> {
  /** The operations, by their names in the direct API. */
  readonly operations: Operations
  /** The errors that are this family's own, or of what it is made of. */
  readonly errors: Errors
  /** What the ids of its resources begin with. */
  readonly prefix?: string
  /** What it keeps; each family knows its own records. */
  readonly collections: readonly Collection<object>[]
  /** Handles a due record, at its due time (rules: provisioning-jobs#renewal). */
  onDue?(tx: Transaction, record: object): void
  /** What must hold between a record and the others; a snapshot in which it does not is damaged. */
  relations?(record: object, others: OtherRecords, report: ReportRelation): void
}

/** Errors by their keys, as `declareErrors` makes them. */
export type ErrorsByKey = Readonly<Record<string, CatalogueError>>

/** The records of a state, to look one up. */
export type OtherRecords = Pick<Transaction, 'get' | 'find'>

/** Reports what does not hold: in which field of the record, what stands there, and what is allowed. */
export type ReportRelation = (path: readonly string[], received: unknown, allowed: string) => void

/** Puts a family together; the types of its records stay inside. */
export function familyOf<Operations, Errors extends ErrorsByKey>(
  family: Family<Operations, Errors>,
): Family<Operations, Errors> {
  return family
}

/**
 * How a family reads what is its own in something that all families share: the dialect, the rules of a gateway, or what
 * answers are shown with.
 *
 * @example
 * ```ts
 * const widgetRules = ownPart<{ readonly widgetsPerRegion: number }>()
 * const most = widgetRules(tx.rules).widgetsPerRegion
 * ```
 */
export function ownPart<Own extends object>(): (shared: object) => Own {
  // What is shared is made where all families are known, and its type there has the parts of all.
  return (shared) => shared as Own
}
