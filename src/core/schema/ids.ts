import type { CommonDialect } from './dialect.ts'
import { type Problem, problem, Refusal } from './errors.ts'
import { general } from './general-errors.ts'
import { formatIdStart, quote } from './text.ts'

/** The digits of IDs, in character code order, so strings of equal length sort like their numbers. */
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export const OPERATION_PREFIX = 'op'

/** The lengths of the two parts of a gateway's own IDs: the sequence number, then random characters. */
export const SEQUENCE_LENGTH = 7
export const RANDOM_LENGTH = 20

/** The maximum number of characters after the prefix: 27 in the service's IDs, but fewer or more in tests. */
const MAX_SUFFIX_LENGTH = 64
/** Matches an ID of any length. Bounds and groups would make the pattern three times slower. */
const ID = /^[a-z][a-z0-9]*_[0-9A-Za-z]+$/

/** Returns the prefix of an ID, or undefined if the string is not an ID. */
export function parsePrefix(text: string): string | undefined {
  if (!ID.test(text)) return undefined
  const end = text.indexOf('_')
  return text.length - end - 1 <= MAX_SUFFIX_LENGTH ? text.slice(0, end) : undefined
}

export function isIdPrefix(text: string): boolean {
  return /^[a-z][a-z0-9]*$/.test(text)
}

/** The value to use as the prefix if a path parameter can be any string, such as an event type. */
export const ANY_TEXT = ''

/** Returns the pattern for IDs with a prefix, or with one of several separated by `|`. */
export function idPattern(prefix: string): string {
  if (prefix === ANY_TEXT) return '^.+$'
  return `^${prefix.includes('|') ? `(${prefix})` : prefix}_[0-9A-Za-z]{1,${MAX_SUFFIX_LENGTH}}$`
}

/** Returns whether a string is an ID with a prefix, such as `wid`, or with the beginning of a prefix. */
export function isIdOf(text: string, prefixStart: string): boolean {
  return parsePrefix(text) !== undefined && text.startsWith(prefixStart)
}

/** Returns the error for a string that is not an ID with a prefix, or with one of several prefixes separated by `|`. */
export function findIdError(
  text: string,
  prefix: string,
): typeof general.id_unparsable | typeof general.id_wrong_prefix | undefined {
  if (prefix === ANY_TEXT) return undefined
  const found = parsePrefix(text)
  if (found === undefined) return general.id_unparsable
  return found === prefix || prefix.split('|').includes(found) ? undefined : general.id_wrong_prefix
}

/** Returns whether a string is an ID with this prefix in the form that a gateway generates (rules: ids#form). */
export function isOwnId(text: string, prefix: string): boolean {
  return text.length === prefix.length + 1 + SEQUENCE_LENGTH + RANDOM_LENGTH && parsePrefix(text) === prefix
}

/** Returns the sequence number in an ID that a gateway generated. */
export function parseSequence(id: string): number {
  const digits = id.slice(-SEQUENCE_LENGTH - RANDOM_LENGTH, -RANDOM_LENGTH)
  return [...digits].reduce((number, digit) => number * BASE62.length + BASE62.indexOf(digit), 0)
}

/**
 * Returns whether a string is an ID with a prefix that a gateway may have generated, given the gateway's next sequence number, `sequence`.
 */
export function wasMade(id: string, prefix: string, sequence: number): boolean {
  return isOwnId(id, prefix) && parseSequence(id) < sequence
}

/** Finds IDs in a path that don't have their kind's form. */
export function findPathIdProblems(
  ids: Readonly<Record<string, string>>,
  prefixes: Readonly<Record<string, string>>,
  { malformedIds }: Pick<CommonDialect, 'malformedIds'>,
): Problem[] {
  const problems: Problem[] = []
  for (const [field, prefix] of Object.entries(prefixes)) {
    const received = ids[field]
    const error = typeof received === 'string' ? findIdError(received, prefix) : general.id_unparsable
    if (!error) continue
    // The direct API may receive a value that isn't a string.
    const shown = received === undefined ? 'undefined' : quote(received)
    if (malformedIds === 'refused') problems.push(problem(error, { field, received: shown, prefix }))
    else {
      const what = `resource with the ${field === 'id' ? 'ID' : field}`
      problems.push(
        problem(general.not_found, { what, received: `${shown}: such an ID starts with ${formatIdStart(prefix)}` }),
      )
    }
  }
  return problems
}

export function requireId(id: string, prefix: string): void {
  const [wrong] = findPathIdProblems({ id }, { id: prefix }, { malformedIds: 'refused' })
  if (wrong) throw new Refusal([wrong])
}
