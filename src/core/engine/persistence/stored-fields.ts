import type { Collection } from '../../operation/collection.ts'
import type { StoredFields } from '../../operation/store.ts'

/** Returns the fields that the records of these collections may have. */
export function listFields(collections: readonly Collection<object>[]): StoredFields {
  return Object.fromEntries(collections.map(({ name, outline }) => [name, outline()]))
}

/** Returns the first collection or field that is missing from the other list. */
export function findUnknownField(fields: StoredFields, known: StoredFields) {
  for (const [collection, lines] of Object.entries(fields)) {
    const others = known[collection]
    const field = lines.find((line) => !others?.includes(line))
    if (!others || field !== undefined) return { collection, field: others && field }
  }
  return undefined
}

// (rules: stores#versions)
/**
 * Throws an error if a store may contain fields other than `known`. A newer fauxgate, or a gateway with other families, wrote such a store.
 */
export function requireKnownFields(stored: StoredFields, known: StoredFields): void {
  const unknown = findUnknownField(stored, known)
  if (!unknown) return
  const { collection, field } = unknown
  throw field === undefined
    ? createUnknownError(collection)
    : new TypeError(
        `The store may contain "${collection}" records with ${field}, which this version of fauxgate doesn't support. Use the version that wrote the store, or a newer one.`,
      )
}

export function createUnknownError(collection: string): TypeError {
  return new TypeError(
    `This gateway has no family for the store's collection "${collection}". Use the dialect, families, and authorityKeys of the gateway that wrote it, with the same or a newer version of fauxgate.`,
  )
}
