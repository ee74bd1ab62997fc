import { type Problem, problem, Refusal } from './errors.ts'
import { general } from './general-errors.ts'
import { quote } from './text.ts'

/** The digits of ids, in the order of their codes, so that texts of equal length sort like the numbers they stand for. */
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** How many characters of an id of ours say its number in the sequence, and how many are random. */
export const SEQUENCE_LENGTH = 7
export const RANDOM_LENGTH = 20

/** Ids of this service have 27 characters; test ids may be shorter, and none is so long that messages suffer. */
const MOST_CHARACTERS = 64
/** Without bounds and groups of its own, which would make it three times as slow. */
const ID = /^[a-z]+_[0-9A-Za-z]+$/

/** How long the prefix of an id is; -1 for a text that is none. */
function prefixLength(text: string): number {
  if (!ID.test(text)) return -1
  const length = text.indexOf('_')
  return text.length - length - 1 <= MOST_CHARACTERS ? length : -1
}

/** Whether a text can be the prefix of ids. */
export function isIdPrefix(text: string): boolean {
  return /^[a-z]+$/.test(text)
}

/** What JSON Schema says of an id of a prefix. */
export function idPattern(prefix: string): string {
  return `^${prefix}_[0-9A-Za-z]{1,${MOST_CHARACTERS}}$`
}

/** Whether a text is an id of a type whose prefix begins like this. */
export function isIdOf(text: string, prefixStart: string): boolean {
  return prefixLength(text) !== -1 && text.startsWith(prefixStart)
}

/** What is wrong with a text as an id of the given prefix, or undefined. */
export function idProblem(
  text: string,
  prefix: string,
): typeof general.id_unparsable | typeof general.id_wrong_prefix | undefined {
  const length = prefixLength(text)
  if (length === -1) return general.id_unparsable
  return length === prefix.length && text.startsWith(prefix) ? undefined : general.id_wrong_prefix
}

/** Whether a text is an id of this prefix as a gateway makes them (rules: ids#form). */
export function isOwnId(text: string, prefix: string): boolean {
  return text.length === prefix.length + 1 + SEQUENCE_LENGTH + RANDOM_LENGTH && idProblem(text, prefix) === undefined
}

/** The number in the sequence that an id of our own was made from. */
export function ownIdSequence(id: string): number {
  let number = 0
  for (const digit of id.slice(-SEQUENCE_LENGTH - RANDOM_LENGTH, -RANDOM_LENGTH)) {
    number = number * BASE62.length + BASE62.indexOf(digit)
  }
  return number
}

/** The problems of a path's ids, each named by its parameter. */
export function pathIdProblems(
  ids: Readonly<Record<string, string>>,
  prefixes: Readonly<Record<string, string>>,
): Problem[] {
  const problems: Problem[] = []
  for (const field in prefixes) {
    const prefix = prefixes[field] as string // Its own name.
    const received = ids[field]
    const error = typeof received === 'string' ? idProblem(received, prefix) : general.id_unparsable
    if (error) problems.push(problem(error, { field, received: quote(received), prefix }))
  }
  return problems
}

/**
 * Refuses what is no id of the given prefix, for calls whose id is no path's.
 * @throws Refusal `id_unparsable` or `id_wrong_prefix`.
 */
export function requireId(id: string, prefix: string): void {
  const [wrong] = pathIdProblems({ id }, { id: prefix })
  if (wrong) throw new Refusal([wrong])
}
