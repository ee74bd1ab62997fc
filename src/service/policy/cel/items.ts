import { numberOf, readKey } from './operators.ts'
import { noOverload, typeOf } from './types.ts'
import { EvaluationProblem } from './values.ts'

/** Returns the item at an index of a list, or the value of a key in a map. @throws EvaluationProblem if it does not exist */
export function readItem(owner: unknown, key: unknown): unknown {
  const isList = Array.isArray(owner)
  const at = Number(isList ? numberOf(key) : 0)
  if (Number.isNaN(at) || (!isList && typeOf(owner) !== 'map')) throw noOverload(`${typeOf(owner)}[${typeOf(key)}]`)
  const value = isList ? owner[at] : readKey(owner, key)
  if (value !== undefined) return value
  const problem = isList ? `index out of bounds, index ${key} ${at < 0 ? '< 0' : `>= size ${owner.length}`}` : key
  throw new EvaluationProblem(`No such key: ${problem}`)
}

/** Returns whether a list has an index, or a map has a key. */
export function hasItem(owner: unknown, key: unknown): boolean {
  return (Array.isArray(owner) ? owner[Number(numberOf(key))] : readKey(owner, key)) !== undefined
}

const TYPES_OF_KEYS = ['bool', 'int', 'string', 'uint']

/** Creates a map. It is an object if all keys are strings, as in variables. @throws EvaluationProblem */
export function makeMap(entries: readonly (readonly [unknown, unknown])[]): object {
  const map = new Map<unknown, unknown>()
  for (const [key, value] of entries) {
    if (!TYPES_OF_KEYS.includes(typeOf(key)))
      throw new EvaluationProblem(`map keys cannot have the type ${typeOf(key)}`)
    if (readKey(map, key) !== undefined) throw new EvaluationProblem(`the map contains the key ${key} twice`)
    map.set(key, value)
  }
  return entries.every(([key]) => typeof key === 'string') ? Object.fromEntries(map) : map
}
