import type * as v from 'valibot'
import { createRecordForm } from '../schema/record-form.ts'
import { outlineRecord } from '../schema/record-outline.ts'
import { lazy } from '../schema/values.ts'

/** The next event of a record: `at` in ms; `order` breaks ties, with the first scheduled event first. */
export interface Due {
  /** The time, in ms since the Unix epoch. */
  readonly at: number
  /** A position in the scheduling order: `tx.nextOrder()`. */
  readonly order: number
}

/** The values under which an index lists a record: one, several, or null for none. */
export type Indexed = string | readonly string[] | null

/** An index of a collection. Its methods are bivariant, so collections of any record type are assignable to `Collection<object>`. */
export type Index<R> = { of(record: R): Indexed }['of']

/** The functions of a collection that are derived from its schema. */
type Form = 'toStored' | 'toPublic' | 'toComparable' | 'outline'

/** A set of records of the same kind. A record is an immutable object. */
export interface Collection<R extends object> {
  /** The name in snapshots, commits, and stores, for example `reserved_domains`. */
  readonly name: string
  /** Returns the key of a record; keys sort in creation order. */
  key(record: R): string
  /** The schema of a record, in the state and in snapshots. */
  readonly schema: v.GenericSchema<unknown, R>
  /** The maximum number of records. Default: no maximum. */
  readonly most?: number
  /** The indexes for finding records, by name. */
  readonly indexes: Readonly<Record<string, Index<R>>>
  /** Returns whether a record is created and removed together with another record. */
  isAttached?(record: R): boolean
  /** Returns a record in its stored form, including secrets, or null if it isn't stored. Derived from the schema. */
  toStored(record: R): object | null
  /** Returns a record as commits and snapshots show it, without secrets, or null if they omit it. Derived from the schema. */
  toPublic(record: R): object | null
  /**
   * Returns the part of a record that must be identical after two equivalent runs: its fields and secrets, except values that depend on
   * time, chance, or call order. Derived from the schema.
   */
  toComparable(record: R): object | null
  /** Returns the fields of a record with their value types, such as `size: number`. Derived from the schema. */
  outline(): readonly string[]
  /** Returns a record's next event, or null. The agenda is an index of these events. */
  due?(record: R): Due | null
  /** Returns the time at which a record expires, in ms since the Unix epoch. Default: never. */
  notAfter?(record: R): number
}

type Declared<R extends object> = Omit<Collection<R>, 'indexes' | 'key' | 'schema' | Form> &
  Partial<Pick<Collection<R>, 'indexes'>> &
  ([R] extends [{ readonly id: string }] ? Partial<Pick<Collection<R>, 'key'>> : Pick<Collection<R>, 'key'>)

type RecordsSchema = v.GenericSchema<unknown, object>

// Valibot's own helper would not accept a schema from another copy of its types, such as the CommonJS one.
type RecordsOf<Schema extends RecordsSchema> = NonNullable<Schema['~types']>['output']

/**
 * Declares a collection of records. The type of a record is inferred from the schema unless you pass a type argument. The
 * key of a record is its `id`, unless you pass `key`. Commits and snapshots show `[redacted]` for a field that is marked
 * with `secret`, or omit the field if the schema makes it optional without a default. The schema must accept a snapshot without secrets.
 *
 * @example
 * ```ts
 * const records = collection({
 *   name: 'widgets',
 *   schema: v.object({ ...recordHead('wid', { description, metadata }), size: count }),
 *   indexes: { size: ({ size }) => String(size) }, // for tx.find(records, 'size', '3')
 * })
 * ```
 */
export function collection<Schema extends RecordsSchema>(
  definition: { readonly schema: Schema } & Declared<RecordsOf<Schema>>,
): Collection<RecordsOf<Schema>>
export function collection<R extends object>(definition: Pick<Collection<R>, 'schema'> & Declared<R>): Collection<R>
export function collection(
  definition: Omit<Collection<object>, 'indexes' | 'key' | Form> & Partial<Collection<object>>,
): Collection<object> {
  // Collections of records without ids set `key`.
  const key = (record: object) => (record as { readonly id: string }).id
  // Reading every schema would take longer than creating a gateway.
  const stored = lazy(() => createRecordForm(definition.schema, { withSecrets: true, withMade: true }))
  const shown = lazy(() => createRecordForm(definition.schema, { withSecrets: false, withMade: true }))
  const comparable = lazy(() => createRecordForm(definition.schema, { withSecrets: true, withMade: false }))
  return {
    key,
    indexes: {},
    ...definition,
    toStored: (record) => stored()(record),
    toPublic: (record) => shown()(record),
    toComparable: (record) => comparable()(record),
    outline: lazy(() => outlineRecord(definition.schema)),
  }
}

/** The change to one record. */
export interface Change {
  /** The collection, such as `reserved_domains`. */
  readonly collection: string
  /** The record's ID; for a route module, the edge ID and the route ID, separated by a slash. */
  readonly key: string
  /** The record before the change, or undefined if it was created. */
  readonly before: object | undefined
  /** The record after the change, or undefined if it was removed. */
  readonly after: object | undefined
}

/** The suffix of a due event's operation, which follows the name of the collection. */
export const DUE = '.due'

/** The changes made by one operation, control call, or due event. Records are frozen and don't contain secrets. */
export interface Commit {
  /** The operation, such as `reserved_domains.create`; the due event, such as `reserved_domains.due`; or `control`. */
  readonly operation: string
  /** The gateway's time, as a timestamp. */
  readonly at: string
  /** The changes, in order; at least one. They are formatted when first read, but show the state at the time of the commit. */
  readonly changes: readonly Change[]
}
