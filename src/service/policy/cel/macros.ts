import { ORDERED } from '../functions.ts'
import { LimitProblem, measure } from './limits.ts'
import { order } from './operators.ts'
import { noOverload, typeOf } from './types.ts'
import { EvaluationProblem, entriesOf } from './values.ts'

type OfItem = (item: unknown) => unknown

/** Returns a bool. @throws EvaluationProblem for any other value */
export function requireBool(value: unknown, operator: string): boolean {
  if (typeof value === 'boolean') return value
  throw noOverload(`${operator} of ${typeOf(value)}`)
}

/** Joins two conditions. Either condition can determine the result, even if evaluating the other fails. */
export function join<F>(left: (frame: F) => unknown, right: (frame: F) => unknown, operator: '&&' | '||') {
  const decisive = operator === '||'
  return (frame: F) => {
    let first: unknown
    try {
      first = left(frame)
    } catch (error) {
      if (error instanceof LimitProblem || right(frame) !== decisive) throw error
      return decisive
    }
    if (first === decisive) return decisive
    const second = right(frame)
    if (second === decisive) return decisive
    requireBool(first, operator)
    return requireBool(second, operator)
  }
}

/** Returns the items of a list, or the keys of a map. */
export function listItems(range: unknown, name: string): readonly unknown[] {
  if (Array.isArray(range)) return range
  if (typeOf(range) === 'map') return entriesOf(range).map(([key]) => key)
  throw noOverload(`${typeOf(range)}.${name}`)
}

/** Returns whether the test of any item yields the deciding value, even if other tests fail. */
function decides(items: readonly unknown[], test: OfItem, decisive: boolean): boolean {
  let problem: { readonly error: unknown } | undefined
  for (const item of items) {
    try {
      if (requireBool(test(item), 'the test') === decisive) return true
    } catch (error) {
      if (error instanceof LimitProblem) throw error
      problem ??= { error }
    }
  }
  if (problem) throw problem.error
  return false
}

/** Sorts a list by a key of its items. @throws EvaluationProblem unless all keys have the same, ordered type */
export function sortBy(items: readonly unknown[], keyOf: OfItem): readonly unknown[] {
  const pairs = items.map((item) => [keyOf(item), item] as const)
  measure(pairs.map(([key]) => key))
  const [type = 'int', ...others] = new Set(pairs.map(([key]) => typeOf(key)))
  if (others.length > 0 || !ORDERED.includes(type))
    throw new EvaluationProblem('the items of the list cannot be compared')
  return pairs.sort(([a], [b]) => order(a, b)).map(([, item]) => item)
}

const filter = (items: readonly unknown[], test: OfItem) => items.filter((item) => requireBool(test(item), 'the test'))

/** The macros that take a variable, by name. */
export const MACROS: Readonly<
  Record<string, (items: readonly unknown[], first: OfItem, second: OfItem | undefined) => unknown>
> = {
  all: (items, test) => !decides(items, test, false),
  exists: (items, test) => decides(items, test, true),
  exists_one: (items, test) => filter(items, test).length === 1,
  filter,
  map: (items, first, second) =>
    second
      ? items.flatMap((item) => (requireBool(first(item), 'the test') ? [second(item)] : []))
      : items.map((item) => first(item)),
  sortBy,
}
