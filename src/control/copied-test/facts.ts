/** A response member whose value has changed. */
interface Change {
  readonly place: readonly string[]
  /** The new value: undefined for a removed string, an object if the field was null, or a list whose length has changed. */
  readonly value: unknown
}

/** The maximum number of changes per response that a test checks. */
const MAX_CHANGES = 6

/** Matches a code such as `DNS_ERROR`. Other strings that a gateway generates contain IDs, times, or names. */
const CODE = /^[A-Z][A-Z_]+$/

/** Returns the reproducible changes to a resource. `isSent` returns whether a string came from a client. */
export function findChanges(before: unknown, after: unknown, isSent: (text: string) => boolean): readonly Change[] {
  return listChanges(before, after, [], isSent).slice(0, MAX_CHANGES)
}

function listChanges(
  before: unknown,
  after: unknown,
  place: readonly string[],
  isSent: (text: string) => boolean,
): readonly Change[] {
  if (before === after) return []
  // Responses don't contain empty strings.
  if (after === undefined) return typeof before === 'string' ? [{ place, value: after }] : []
  if (typeof after === 'string' && !CODE.test(after) && !isSent(after)) return []
  if (typeof after !== 'object' || after === null) return [{ place, value: after }]
  if (Array.isArray(after) && Array.isArray(before) && after.length !== before.length) return [{ place, value: after }]
  const isNew = typeof before !== 'object' || before === null
  if (isNew) return [{ place, value: after }]
  return Object.keys({ ...before, ...after }).flatMap((name) =>
    listChanges(Reflect.get(before, name), Reflect.get(after, name), [...place, name], isSent),
  )
}
