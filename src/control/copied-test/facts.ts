/** A member of a response that has another value than before. */
interface Change {
  readonly place: readonly string[]
  /** The new value; undefined for a text that is gone; an object for one that was null; a list for one that has another length. */
  readonly value: unknown
}

/** The maximum number of changes of one response that a test checks. */
const MAX_CHANGES = 6

/** Matches a code such as `DNS_ERROR`. Other texts that a gateway makes up have ids, times or names in them. */
const CODE = /^[A-Z][A-Z_]+$/

/** Returns what changed in a resource and is the same each time. `isSent` tells which texts came from a client. */
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
  // A response has no empty text.
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
