/** A value of a statement. */
export type SqlValue = string | number | null

/**
 * Runs one SQL statement with its values, and answers its rows, each an object by the names of its columns. Synchronous:
 * when it returns, the statement has been carried out.
 */
export type RunSql = (sql: string, ...values: SqlValue[]) => Iterable<object>
