/** Returns the name that a caller probably misspelt, or undefined if no name is similar. */
export function nearest(received: string, names: Iterable<string>): string | undefined {
  const word = received.toLowerCase()
  let best: { readonly name: string; readonly distance: number } | undefined
  for (const name of names) {
    const lower = name.toLowerCase()
    const max = Math.max(1, Math.floor(name.length / 3))
    // Strings of very different lengths cannot be similar, and comparing long strings is slow.
    const isFar = Math.abs(word.length - name.length) > max
    const distance = isPartOf(word, lower) ? 1 : isFar ? Number.POSITIVE_INFINITY : measureDistance(word, lower)
    if (distance <= max && !(best && best.distance <= distance)) best = { name, distance }
  }
  return best?.name
}

/**
 * Returns ` Did you mean …?`, or an empty string if no name is similar. `write` formats the name as the caller would type it.
 *
 * @example
 * ```ts
 * suggestion('widgts', ['widgets', 'gadgets']) // ' Did you mean widgets?'
 * ```
 */
export function suggestion(
  received: string,
  names: Iterable<string>,
  write: (name: string) => string = (name) => name,
): string {
  const name = nearest(received, names)
  return name === undefined ? '' : ` Did you mean ${write(name)}?`
}

/** The maximum number of names that a message lists. */
export const MAX_LISTED = 12
const MAX_LIKELY = 6

/**
 * Lists the allowed names for a message. If there are many names, lists only the similar name and the names in its group, such as
 * `reserved_domains`.
 */
export function listNames(received: string, names: readonly string[]): string {
  if (names.length <= MAX_LISTED) return names.join(', ')
  const near = nearest(received, names) ?? []
  const group = names.filter((name) => name.startsWith(`${received.split('.', 1)[0]}.`))
  const likely = [...new Set([near, group].flat())].slice(0, MAX_LIKELY)
  const listed = likely.length > 0 ? likely : names.slice(0, 3)
  return `${listed.join(', ')}, and ${names.length - listed.length} others`
}

function isPartOf(word: string, name: string): boolean {
  const [parts, all] = [word.split(/[-_.]/), name.split(/[-_.]/)]
  return word.length > 2 && (name.startsWith(word) || (parts.length > 1 && parts.every((part) => all.includes(part))))
}

/** Returns the edit distance between two strings: the number of letters to insert, remove, replace, or swap with a neighbor. */
function measureDistance(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1]
      const isSwap = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      const swap = isSwap ? at(beforeLast, j - 2) + 1 : Number.POSITIVE_INFINITY
      row.push(Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (isSame ? 0 : 1), swap))
    }
    ;[beforeLast, last] = [last, row]
  }
  return at(last, to.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY
}
