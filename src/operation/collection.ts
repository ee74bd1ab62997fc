import type * as v from 'valibot'

/** When a record wants to be looked at again: `at` in ms; `order` breaks ties, first scheduled first. */
export interface Due {
  /** When, in ms since 1970. */
  readonly at: number
  /** A number of the scheduling order: `tx.nextOrder()`. */
  readonly order: number
}

/** What an index finds a record by: one value, several, or null for none. */
export type Indexed = string | readonly string[] | null

/** What a record is found by in one index. It is a method's type, so that collections of all records can stand together. */
export type Index<R> = { of(record: R): Indexed }['of']

/** How stores have the records of a collection. */
export interface Stored<R extends object> {
  /** A record as it is given to a store. */
  of(record: R): object
  /** The record that a store has given back. */
  from(stored: object): R
}

/**
 * Names a set of records of one kind and what the engine must know of them. A record is an immutable object; its key
 * sorts in creation order. An index maps a record to the value it is found by, to several, or to null to leave it out.
 */
export interface Collection<R extends object> {
  /** Its name in snapshots, commits and stores, for example `reserved_domains`. */
  readonly name: string
  /** What a record is found by; keys sort in creation order. */
  key(record: R): string
  /** What a record is. A snapshot's records are read by it, with a `RecordContext`. */
  readonly schema: v.GenericSchema<unknown, R>
  /** How many records there can be; as many as memory has room for where this is left out. */
  readonly most?: number
  /** What records are found by besides, by the name of the index. */
  readonly indexes: Readonly<Record<string, Index<R>>>
  /** Whether a record comes and goes with another one. */
  isAttached?(record: R): boolean
  /** What leaves the gateway of a record, with secrets only where they are asked for; null for none of it. */
  exported?(record: R, withSecrets: boolean): object | null
  /** How stores have a record, where that is not as it is kept. */
  readonly stored?: Stored<R>
  /** The next event of a record, or null. The agenda is an index over this. */
  due?(record: R): Due | null
}

/** A collection as it is declared: its indexes can be left out. */
type Declared<R extends object> = Omit<Collection<R>, 'indexes' | 'schema'> & Partial<Pick<Collection<R>, 'indexes'>>

/** A schema of records, which are objects. */
type OfRecords = v.GenericSchema<unknown, object>

/** What the records of a schema are. */
type Recorded<Schema extends OfRecords> = NonNullable<Schema['~types']>['output']

/**
 * Declares a collection. What its records are follows from the schema, also where that is of another copy of valibot's
 * types, as a module and CommonJS have; or it is said.
 */
export function collection<Schema extends OfRecords>(
  definition: { readonly schema: Schema } & Declared<Recorded<Schema>>,
): Collection<Recorded<Schema>>
export function collection<R extends object>(definition: Pick<Collection<R>, 'schema'> & Declared<R>): Collection<R>
export function collection(definition: Pick<Collection<object>, 'schema'> & Declared<object>): Collection<object> {
  return { indexes: {}, ...definition }
}

/** One record's change: absent before when it was created, absent after when it was removed. */
export interface Change {
  /** The collection, such as `reserved_domains`. */
  readonly collection: string
  /** The record's id; for a route module the ids of edge and route, with a slash between. */
  readonly key: string
  /** The record before; undefined for one that was created. */
  readonly before: object | undefined
  /** The record after; undefined for one that was removed. */
  readonly after: object | undefined
}

/** What one operation, one control or one due event changed, as a value. Records are frozen and without secrets. */
export interface Commit {
  /** The operation, such as `reserved_domains.create`, or `provisioning` for what became due, or `control`. */
  readonly operation: string
  /** The gateway's time, as a timestamp. */
  readonly at: string
  /** What changed, in order; at least one record. */
  readonly changes: readonly Change[]
}
