import { timeMs } from '../core/schema/time.ts'
import type { Variable, Variables } from '../service/policy/action.ts'
import { parseTimestamp, Timestamp } from '../service/policy/cel/time.ts'
import { toCelValue } from '../service/policy/cel/types.ts'
import { MissingFact, type Roots } from '../service/policy/cel/values.ts'
import { TEXT } from '../service/policy/environment.ts'
import { isVariable } from '../service/policy/variables.ts'
import { KNOWN, type Surroundings } from './known-variables.ts'

/** Creates a scope's variables, each computed when an expression uses it. */
export function createRoots(table: Variables, surroundings: Surroundings): Roots {
  return new LazyGroup(table, '', surroundings)
}

/**
 * The variables below a name, as a map that computes each value when it is first read. It appears empty when enumerated, because facts that
 * no expression uses may be missing.
 */
class LazyGroup extends Map<string, unknown> {
  readonly #table: Variables
  readonly #path: string
  readonly #surroundings: Surroundings

  constructor(table: Variables, path: string, surroundings: Surroundings) {
    super()
    this.#table = table
    this.#path = path
    this.#surroundings = surroundings
  }

  override get(name: string): unknown {
    if (super.has(name)) return super.get(name)
    const below = Object.hasOwn(this.#table, name) ? this.#table[name] : undefined
    if (!below) return undefined
    const path = name === TEXT ? this.#path : this.#path === '' ? name : `${this.#path}.${name}`
    const value = isVariable(below)
      ? readVariable(path, below, this.#surroundings)
      : new LazyGroup(below, path, this.#surroundings)
    if (path !== 'vars') super.set(name, value)
    return value
  }

  override has(name: string): boolean {
    return Object.hasOwn(this.#table, name)
  }
}

function readVariable(path: string, variable: Variable, surroundings: Surroundings): unknown {
  const { type } = variable
  const given = surroundings.facts.get(path)
  if (given !== undefined) return toCel(given, type)
  // The values are already CEL values, and an action's later variables may read its earlier ones.
  if (path === 'vars') return surroundings.vars()
  if (path.startsWith('actions.ngrok.')) return readResult(path, variable, surroundings)
  const known = Object.hasOwn(KNOWN, path) ? KNOWN[path] : undefined
  const value = known?.(surroundings)
  if (value === undefined) throw new MissingFact(path)
  return toCel(value, type)
}

/** The variables of `terminate-tls` that have the values of those below `conn.tls`. */
const OF_CONNECTION = /^actions\.ngrok\.terminate_tls\.(?!error|warnings)/

/** Returns a variable of an action. @throws MissingFact if the caller does not supply it */
function readResult(path: string, variable: Variable, surroundings: Surroundings): unknown {
  const { type } = variable
  const [, , action = '', ...names] = path.split('.')
  const result = surroundings.results.get(action)
  let value: unknown = result?.sets
  for (const name of names) value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  // A text that has nested variables is not one of the values that the caller supplies.
  if (type === 'string' && typeof value === 'object') value = undefined
  if (value === undefined && result) {
    if (OF_CONNECTION.test(path)) return readVariable(path.replace(OF_CONNECTION, 'conn.tls.'), variable, surroundings)
    if (result.isStated && names[0] !== 'error' && type !== 'bool') throw new MissingFact(path)
  }
  return toCel(value ?? emptyOf(type), type)
}

/** Returns the value of a variable that no action has set. */
function emptyOf(type: string): unknown {
  if (type === 'string') return ''
  if (type === 'int') return 0
  if (type === 'bool') return false
  if (type.startsWith('list')) return []
  if (type === 'google.protobuf.Timestamp') return parseTimestamp('0001-01-01T00:00:00Z')
  return {}
}

/** Converts a value to CEL. Values of type `int` are converted to bigints, and times to timestamps. */
function toCel(value: unknown, type: string): unknown {
  if (type === 'int' && typeof value === 'number') return BigInt(Math.trunc(value))
  const ms = type === 'google.protobuf.Timestamp' ? timeMs(value) : undefined
  if (ms !== undefined) return Timestamp.fromMs(ms)
  return /^list|^map|^dyn/.test(type) ? toCelValue(value) : value
}
