import { typeOf } from './types.ts'
import { EvaluationProblem, entriesOf } from './values.ts'

/** The maximum number of items in a list or a map, including those in nested lists and maps. */
const MAX_ITEMS = 100_000
/** The maximum number of characters or bytes in a string, and in all strings of a list or a map combined. */
const MAX_CHARACTERS = 1024 * 1024
/** The maximum nesting depth of lists and maps. */
const MAX_DEPTH = 128
/** The maximum number of steps that the macros and patterns of one evaluation may take. */
const MAX_STEPS = 1_000_000

/**
 * Thrown if an evaluation reaches a limit. The evaluation fails regardless of its other operands, because evaluating these could take just
 * as much work.
 */
export class LimitProblem extends EvaluationProblem {}

/** Counts the steps of an evaluation. */
export class Steps {
  #left = MAX_STEPS

  /** Counts the steps of macros and patterns. Each iteration is one step. @throws LimitProblem if the maximum is exceeded */
  step(count: number): void {
    this.#left -= count
    if (this.#left < 0) throw new LimitProblem(`the macros and patterns take more than ${MAX_STEPS} steps`)
  }
}

/** Throws a LimitProblem if a list of this length is not allowed. */
export function requireItems(length: number): void {
  if (length > MAX_ITEMS)
    throw new LimitProblem(`a list contains more than ${MAX_ITEMS} items, including items of nested lists`)
}

/** Throws a LimitProblem if a string of this length is not allowed. */
export function requireCharacters(length: number): void {
  if (length > MAX_CHARACTERS)
    throw new LimitProblem(`a string or a list contains more than ${MAX_CHARACTERS} characters`)
}

/** Returns a new value unless it is too long, regardless of the size of nested values. @throws LimitProblem */
export function limit(value: unknown): unknown {
  if (typeof value === 'string' || value instanceof Uint8Array) requireCharacters(value.length)
  else if (Array.isArray(value)) requireItems(value.length)
  return value
}

/**
 * Returns the number of characters and items of values. A list that another list contains twice counts twice, because formatting and
 * comparing read it twice.
 *
 * @throws LimitProblem if one of the values is too large
 */
export function measure(...values: readonly unknown[]): number {
  let sum = 0
  for (const value of values) {
    if (typeof value === 'string') sum += value.length
    else if (typeof value === 'object' && value !== null) sum += measureDeep(value)
  }
  return sum
}

function measureDeep(root: object): number {
  let [items, characters] = [0, 0]
  const visit = (value: unknown, depth: number): void => {
    if (typeof value === 'string' || value instanceof Uint8Array) {
      characters += value.length
      requireCharacters(characters)
    } else if (Array.isArray(value)) visitAll(value, depth)
    else if (typeof value === 'object' && typeOf(value) === 'map') visitAll(entriesOf(value).flat(), depth)
  }
  const visitAll = (values: readonly unknown[], depth: number): void => {
    items += values.length
    requireItems(items)
    if (depth > MAX_DEPTH) throw new LimitProblem(`a value contains lists nested more than ${MAX_DEPTH} levels deep`)
    for (const each of values) visit(each, depth + 1)
  }
  visit(root, 1)
  return items + characters
}
