/** An ID from the service inside a string. */
export const ID_IN_TEXT = /(?<![0-9A-Za-z_])[a-z][a-z0-9]*_[0-9A-Za-z]{20,64}(?![0-9A-Za-z_])/g

/** Returns all IDs in a string. */
export function idsIn(text: string): readonly string[] {
  return [...text.matchAll(ID_IN_TEXT)].map(([id]) => id)
}

/** Returns true for a string that consists of one ID. */
export function isId(text: string): boolean {
  return idsIn(text)[0] === text
}

/**
 * Pairs the IDs in two strings that are otherwise equal. Paired IDs must be of the same kind. Returns undefined if the strings differ
 * elsewhere.
 */
export function pairIds(expected: string, received: string): (readonly [string, string])[] | undefined {
  const ids = idsIn(expected)
  const pairs: (readonly [string, string])[] = []
  const idAt = /[a-z][a-z0-9]*_[0-9A-Za-z]+/y
  let at = 0
  for (const [index, part] of expected.split(ID_IN_TEXT).entries()) {
    if (!received.startsWith(part, at)) return undefined
    at += part.length
    const id = ids[index]
    if (id === undefined) break
    idAt.lastIndex = at
    const other = idAt.exec(received)?.[0] ?? ''
    if (!other.startsWith(id.slice(0, id.indexOf('_') + 1))) return undefined
    at += other.length
    pairs.push([id, other])
  }
  return at === received.length ? pairs : undefined
}

/** Maps the IDs of one side to the IDs of the other side. Each resource occurs once on each side. */
export class IdMap {
  readonly #received = new Map<string, string>()
  readonly #expected = new Map<string, string>()
  /** The first values of fields that never change, by resource ID and field name. */
  readonly #fixed = new Map<string, string>()
  #latest = ''

  /** Links two IDs, and returns whether they can identify the same resource. */
  link(expected: string, received: string): boolean {
    const known = this.#received.get(expected)
    if (known !== undefined || this.#expected.has(received)) return known === received
    this.#received.set(expected, received)
    this.#expected.set(received, expected)
    return true
  }

  /** Returns the ID on the received side that corresponds to an expected ID. */
  receivedFor(expected: string): string | undefined {
    return this.#received.get(expected)
  }

  /** Returns the ID on the expected side that corresponds to a received ID. */
  expectedFor(received: string): string | undefined {
    return this.#expected.get(received)
  }

  /** Records a time on the received side, and returns the latest time. A frozen clock always returns the same time. */
  noteTime(time: string): string {
    if (time > this.#latest) this.#latest = time
    return this.#latest
  }

  /** Returns the first value of a resource's field. Stores this value if there was none. */
  keepFirst(id: string, field: string, value: string): string {
    const key = `${id}.${field}`
    const first = this.#fixed.get(key) ?? value
    this.#fixed.set(key, first)
    return first
  }
}
