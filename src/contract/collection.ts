/** When a record wants to be looked at again: `at` in ms; `order` breaks ties, first scheduled first. */
export interface Due {
  readonly at: number
  readonly order: number
}

/**
 * Names a set of records of one kind and what the engine must know of them. A record is an immutable object; its key
 * sorts in creation order. An index maps a record to the value it is found by, or to null to leave it out.
 */
export interface Collection<R extends object> {
  readonly name: string
  readonly key: (record: R) => string
  readonly indexes: Readonly<Record<string, (record: R) => string | null>>
  /** A record without what must not leave the gateway; absent where all of it may. */
  readonly withoutSecrets?: (record: R) => object
  /** The next event of a record, or null. The agenda is an index over this. */
  readonly due?: (record: R) => Due | null
}

/** Declares a collection. */
export function collection<R extends object>(
  definition: Omit<Collection<R>, 'indexes'> & Partial<Pick<Collection<R>, 'indexes'>>,
): Collection<R> {
  return { indexes: {}, ...definition }
}
