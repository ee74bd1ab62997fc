/** What is used of Node's own SQLite, `node:sqlite`. */
export interface Database {
  exec(sql: string): void
  prepare(sql: string): { all(...values: (string | number | null)[]): object[] }
  close(): void
}

/** Opens a file with SQLite. */
export type OpenDatabase = (file: string, options?: { readonly readOnly: boolean }) => Database

/** The class of open files. */
type Opened = new (...given: Parameters<OpenDatabase>) => Database

/**
 * Node's own SQLite.
 * @throws Error where this Node has none.
 */
export function nodeSqlite(): OpenDatabase {
  // An import would fail at once on a Node that has none, for those too who never use it.
  const module = process.getBuiltinModule?.('node:sqlite') as { DatabaseSync: Opened } | undefined
  if (!module) {
    throw new Error(
      `A SQLite file needs Node 22.13 or newer, which has SQLite built in. This is Node ${process.version}.`,
    )
  }
  const { DatabaseSync } = module
  // It takes no options, or some; undefined is neither.
  return (file, options) => (options ? new DatabaseSync(file, options) : new DatabaseSync(file))
}
