import type * as v from 'valibot'

/** When a record wants to be looked at again: `at` in ms; `order` breaks ties, first scheduled first. */
export interface Due {
  readonly at: number
  readonly order: number
}

/** What a record is found by in one index. */
export type Indexed = string | readonly string[] | null

/**
 * Names a set of records of one kind and what the engine must know of them. A record is an immutable object; its key
 * sorts in creation order. An index maps a record to the value it is found by, to several, or to null to leave it out.
 */
export interface Collection<R extends object> {
  readonly name: string
  readonly key: (record: R) => string
  /** What a record is. A snapshot's records are read by it, with a `RecordContext`. */
  readonly schema: v.GenericSchema<unknown, R>
  /** How many records there can be; as many as memory has room for where this is left out. */
  readonly most?: number
  readonly indexes: Readonly<Record<string, (record: R) => Indexed>>
  /** Whether a record comes and goes with another one. */
  readonly isAttached?: (record: R) => boolean
  /** What leaves the gateway of a record, with secrets only where they are asked for; null for none of it. */
  readonly exported?: (record: R, withSecrets: boolean) => object | null
  /** The next event of a record, or null. The agenda is an index over this. */
  readonly due?: (record: R) => Due | null
}

/** Declares a collection. */
export function collection<R extends object>(
  definition: Omit<Collection<R>, 'indexes'> & Partial<Pick<Collection<R>, 'indexes'>>,
): Collection<R> {
  return { indexes: {}, ...definition }
}
