import { requireSync } from '../schema/arguments.ts'
import { quote } from '../schema/text.ts'

/** A value bound to a statement. */
export type SqlValue = string | number | null

/**
 * Runs one SQL statement with its values, and returns its rows, each an object keyed by column name. It is synchronous: the statement has
 * been executed when it returns.
 */
export type RunSql = (sql: string, ...values: SqlValue[]) => Iterable<object>

/** Runs a statement, and returns its rows. @throws TypeError if the function returns no rows. */
export function selectRows<R>(run: RunSql, statement: string, ...values: SqlValue[]): R[] {
  const rows: Iterable<object> | undefined = requireSync('`run`', run(statement, ...values))
  if (!rows?.[Symbol.iterator]) throw new TypeError(`\`run\` returned ${quote(rows)}. Allowed: an iterable of rows`)
  return [...rows] as R[] // R lists the statement's columns. Checksums detect wrong values.
}

/** Returns the error for a damaged store. */
export function damagedError(what: string): Error {
  return new Error(`it is damaged: ${what}. Restore a backup, or start with an empty store.`)
}
