/** The number of leading characters used to find values. Shorter values are not searched for because they occur in too many words. */
export const MIN_VALUE_LENGTH = 4

/** The start and end of part of a string. */
export type TextRange = readonly [from: number, to: number]

/** The number of first characters that are looked up. Values that share more characters are compared one at a time. */
const MAX_BEGINNING = 32

/**
 * Finds many values in strings in one pass. It does not combine the values into one pattern, because platforms limit the length of
 * patterns.
 */
export class ValueSearch {
  /** The values by prefix, longest first. */
  readonly #values = new Map<string, string[]>()
  /** The lengths of the prefixes, longest first, by the first characters. */
  readonly #lengths = new Map<string, number[]>()

  constructor(values: Iterable<string>) {
    for (const value of [...values].sort((one, other) => other.length - one.length)) {
      const beginning = value.slice(0, MAX_BEGINNING)
      const lengths = listAt(this.#lengths, value.slice(0, MIN_VALUE_LENGTH))
      if (lengths.at(-1) !== beginning.length) lengths.push(beginning.length)
      listAt(this.#values, beginning).push(value)
    }
  }

  /** Returns the range of the longest accepted value at each position in a string. Omits values within other values. */
  findIn(text: string, isAccepted: (value: string, at: number) => boolean): TextRange[] {
    const spans: TextRange[] = []
    let end = 0
    for (let at = 0; at + MIN_VALUE_LENGTH <= text.length; at++) {
      const found = this.#candidatesAt(text, at).find(
        (value) => at + value.length > end && text.startsWith(value, at) && isAccepted(value, at),
      )
      if (found === undefined) continue
      end = at + found.length
      spans.push([at, end])
    }
    return spans
  }

  #candidatesAt(text: string, at: number): readonly string[] {
    const lengths = this.#lengths.get(text.slice(at, at + MIN_VALUE_LENGTH)) ?? []
    return lengths.flatMap((length) => this.#values.get(text.slice(at, at + length)) ?? [])
  }
}

function listAt<T>(lists: Map<string, T[]>, key: string): T[] {
  const list = lists.get(key) ?? []
  lists.set(key, list)
  return list
}

/** Replaces parts of a string. Merges overlapping parts. */
export function replaceSpans(text: string, spans: readonly TextRange[], replacement: (part: string) => string): string {
  const joined: [from: number, to: number][] = []
  for (const [from, to] of [...spans].sort(([one], [other]) => one - other)) {
    const last = joined.at(-1)
    if (last && from < last[1]) last[1] = Math.max(last[1], to)
    else joined.push([from, to])
  }
  const parts = joined.map(
    ([from, to], index) => text.slice(joined[index - 1]?.[1] ?? 0, from) + replacement(text.slice(from, to)),
  )
  return parts.join('') + text.slice(joined.at(-1)?.[1] ?? 0)
}
