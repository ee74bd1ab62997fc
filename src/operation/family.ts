import type { CatalogueError } from '../schema/errors.ts'
import type { Collection } from './collection.ts'
import type { Operation } from './operation.ts'
import type { Transaction } from './transaction.ts'

/** Families by their names in the direct API. */
export type Families = Readonly<Record<string, Family>>

/** A resource family: its operations, errors and collections, and its work on due records. */
export interface Family<Operations = Readonly<Record<string, Operation>>, Errors = ErrorsByKey> {
  /** The operations, by their names in the direct API. */
  readonly operations: Operations
  /** The errors of this family. */
  readonly errors: Errors
  /** The prefix of its resources' ids. */
  readonly prefix?: string
  /** The collections; each family knows its own records. */
  readonly collections: readonly Collection<object>[]
  /** Handles a due record, at its due time (rules: provisioning-jobs#renewal). */
  onDue?(tx: Transaction, record: object): void
  /** Reports relations between a record and the others that do not hold, as in a damaged snapshot. */
  relations?(record: object, others: OtherRecords, report: ReportRelation): void
}

/** Errors by their keys, as `declareErrors` returns them. */
export type ErrorsByKey = Readonly<Record<string, CatalogueError>>

/** The records of a state, to look one up. */
export type OtherRecords = Pick<Transaction, 'get' | 'find'>

/** Reports a relation that does not hold: the field of the record, its value, and the allowed values. */
export type ReportRelation = (path: readonly string[], received: unknown, allowed: string) => void

/** Declares a family. The types of its records stay inside. */
export function familyOf<Operations, Errors extends ErrorsByKey>(
  family: Family<Operations, Errors>,
): Family<Operations, Errors> {
  return family
}

/**
 * Returns a typed view of something that all families share: the dialect, the rules of a gateway, or the surroundings of a
 * view. Each family declares the fields that it reads.
 *
 * @example
 * ```ts
 * const widgetRules = ownPart<{ readonly widgetsPerRegion: number }>()
 * const most = widgetRules(tx.rules).widgetsPerRegion
 * ```
 */
export function ownPart<Own extends object>(): (shared: object) => Own {
  // The shared object is made by code that knows all families, with the fields of all.
  return (shared) => shared as Own
}
