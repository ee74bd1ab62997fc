import type { PolicyPath } from './problem.ts'

/** A value in a JSON text: its place, and the values in it. */
interface JsonPlace {
  readonly start: number
  readonly end: number
  readonly below?: ReadonlyMap<string | number, JsonPlace>
}

/** Returns a function that returns the place of the value of a path in a valid JSON text. For an object or a list, it is the bracket. */
export function locateInJson(text: string): (path: PolicyPath) => { start: number; end: number } {
  let root: JsonPlace | undefined
  return (path) => {
    root ??= new JsonReader(text).read()
    let found = root
    for (const step of path) {
      const below = found.below?.get(step)
      if (!below) break
      found = below
    }
    return { start: found.start, end: found.below ? found.start + 1 : found.end }
  }
}

class JsonReader {
  #at = 0

  constructor(readonly text: string) {}

  read(): JsonPlace {
    this.#skipSpace()
    const start = this.#at
    const bracket = this.text.charAt(start)
    if (bracket === '"') this.#skipText()
    else if (bracket !== '{' && bracket !== '[')
      while (this.#at < this.text.length && !/[\s,\]}]/.test(this.text.charAt(this.#at))) this.#at++
    else return { start, below: this.#readMembers(bracket === '{'), end: this.#at }
    return { start, end: this.#at }
  }

  #readMembers(isObject: boolean): ReadonlyMap<string | number, JsonPlace> {
    const below = new Map<string | number, JsonPlace>()
    this.#at++
    this.#skipSpace()
    while (!/[\]}]/.test(this.text.charAt(this.#at))) {
      const key: string | number = isObject ? this.#readKey() : below.size
      below.set(key, this.read())
      this.#skipSpace()
      if (this.text.charAt(this.#at) === ',') this.#at++
      this.#skipSpace()
    }
    this.#at++
    return below
  }

  #readKey(): string {
    const start = this.#at
    this.#skipText()
    const key: string = JSON.parse(this.text.slice(start, this.#at))
    this.#at = this.text.indexOf(':', this.#at) + 1
    return key
  }

  #skipText(): void {
    while (this.text.charAt(++this.#at) !== '"') if (this.text.charAt(this.#at) === '\\') this.#at++
    this.#at++
  }

  #skipSpace(): void {
    while (' \t\r\n'.includes(this.text.charAt(this.#at) || '-')) this.#at++
  }
}

const MAX_DEPTH = 1_000

/** Returns whether a text would be nested more than 1,000 levels deep as JSON. */
export function isDeepJson(text: string): boolean {
  let [depth, isQuoted] = [0, false]
  for (let at = 0; at < text.length && depth <= MAX_DEPTH; at++) {
    const letter = text.charCodeAt(at)
    if (letter === 0x22) isQuoted = !isQuoted
    else if (isQuoted) at += letter === 0x5c ? 1 : 0
    else if (letter === 0x5b || letter === 0x7b) depth++
    else if (letter === 0x5d || letter === 0x7d) depth--
  }
  return depth > MAX_DEPTH
}
