import { patternProblem } from '../pattern.ts'

/** Numbers too large for an integer, by length. */
const LARGE_NUMBERS: readonly string[] = [19, 20, 25, 40, 80].map((length) => '9'.repeat(length))

const FLAGS = /^(\^?)\(\?([ims]+)\)/
/** The RE2 syntax that JavaScript writes differently. */
const WRITTEN: readonly (readonly [RegExp, string])[] = [
  [/\[:digit:\]/g, '0-9'],
  [/\\A/g, '^'],
  [/\\z/g, '$'],
  [/\(\?P</g, '(?<'],
  [FLAGS, '$1'],
]

/** Returns whether an RE2 pattern matches a number that is too large for an integer. */
export function matchesLarge(pattern: string): boolean {
  const compiled = toRegExp(pattern, 4)
  return LARGE_NUMBERS.some((number) => compiled?.test(number))
}

/**
 * Returns an RE2 pattern as a regular expression of JavaScript. Returns undefined for a pattern that cannot be tried, because a warning
 * must be certain. RE2 itself is loaded only when there are visitors.
 */
export function toRegExp(pattern: string, maxRepetitions: number): RegExp | undefined {
  if (patternProblem(pattern) !== undefined || isSlow(pattern, maxRepetitions)) return undefined
  const written = WRITTEN.reduce((text, [from, to]) => text.replace(from, to), pattern)
  try {
    return new RegExp(written, FLAGS.exec(pattern)?.[2])
  } catch {
    return undefined
  }
}

/** Returns whether a pattern could be slow here because it repeats a repetition or contains many unbounded repetitions. */
function isSlow(pattern: string, maxRepetitions: number): boolean {
  const first = pattern.search(/[*+?{]/)
  const isNested = first >= 0 && /\)[*+{]/.test(pattern.slice(first))
  return isNested || (pattern.match(/[*+]|\{\d+,\}/g) ?? []).length > maxRepetitions
}
