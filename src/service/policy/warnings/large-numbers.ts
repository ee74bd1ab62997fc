import { patternProblem } from '../pattern.ts'

/** Numbers too large for an integer, by length. */
const LARGE_NUMBERS: readonly string[] = [19, 20, 25, 40, 80].map((length) => '9'.repeat(length))

/** The RE2 syntax that JavaScript writes differently. */
const WRITTEN: readonly (readonly [RegExp, string])[] = [
  [/\[:digit:\]/g, '0-9'],
  [/\\A/g, '^'],
  [/\\z/g, '$'],
  [/\(\?P</g, '(?<'],
  [/^\(\?[ims]+\)/, ''],
]

/**
 * Returns whether an RE2 pattern matches a number that is too large for an integer. Returns false for a pattern that cannot be tried,
 * because warnings state only certain facts. RE2 itself is loaded only when there are visitors.
 */
export function matchesLarge(pattern: string): boolean {
  if (patternProblem(pattern) !== undefined || isSlow(pattern)) return false
  const written = WRITTEN.reduce((text, [from, to]) => text.replace(from, to), pattern)
  try {
    const compiled = new RegExp(written)
    return LARGE_NUMBERS.some((number) => compiled.test(number))
  } catch {
    return false
  }
}

/** Returns whether a pattern could be slow here because it repeats a repetition or contains more than four unbounded repetitions. */
function isSlow(pattern: string): boolean {
  const first = pattern.search(/[*+?{]/)
  const isNested = first >= 0 && /\)[*+{]/.test(pattern.slice(first))
  return isNested || (pattern.match(/[*+]|\{\d+,\}/g) ?? []).length > 4
}
