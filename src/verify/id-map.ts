/** Which id of one side is which id of the other. Both sides have each thing once. */
export class IdMap {
  readonly #received = new Map<string, string>()
  readonly #expected = new Map<string, string>()
  /** Values that never change, by the id of the thing and the name of the field, each with what came first. */
  readonly #fixed = new Map<string, string>()
  #latest = ''

  /** Links two ids, and returns whether they can be the same thing. */
  link(expected: string, received: string): boolean {
    const known = this.#received.get(expected)
    if (known !== undefined || this.#expected.has(received)) return known === received
    this.#received.set(expected, received)
    this.#expected.set(received, expected)
    return true
  }

  /** Returns the id on the received side of an expected one. */
  receivedFor(expected: string): string | undefined {
    return this.#received.get(expected)
  }

  /** Returns the id on the expected side of a received one. */
  expectedFor(received: string): string | undefined {
    return this.#expected.get(received)
  }

  /** Notes a time on the received side, and returns the latest one. A frozen clock gives the same time again and again. */
  latest(time: string): string {
    if (time > this.#latest) this.#latest = time
    return this.#latest
  }

  /** Returns what a field of a thing had when it was first seen, and remembers it. */
  firstOf(id: string, field: string, value: string): string {
    const key = `${id}.${field}`
    const first = this.#fixed.get(key) ?? value
    this.#fixed.set(key, first)
    return first
  }
}
