import { timeMs } from '../core/schema/time.ts'
import type { Variable, Variables } from '../service/policy/action.ts'
import { Timestamp } from '../service/policy/cel/time.ts'
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

function readVariable(path: string, { type }: Variable, surroundings: Surroundings): unknown {
  const given = surroundings.facts.get(path)
  if (given !== undefined) return toCel(given, type)
  // The values are already CEL values, and an action's later variables may read its earlier ones.
  if (path === 'vars') return surroundings.vars()
  if (path.startsWith('actions.ngrok.')) return toCel(readResult(path, type, surroundings), type)
  const known = Object.hasOwn(KNOWN, path) ? KNOWN[path] : undefined
  const value = known?.(surroundings)
  if (value === undefined) throw new MissingFact(path)
  return toCel(value, type)
}

/** Returns a variable of an action. @throws MissingFact if the caller does not supply it */
function readResult(path: string, type: string, { results }: Surroundings): unknown {
  const [, , action = '', ...names] = path.split('.')
  const result = results.get(action)
  let value: unknown = result?.sets
  for (const name of names) value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  if (value === undefined && result?.isStated && names[0] !== 'error' && type !== 'bool') throw new MissingFact(path)
  return value ?? emptyOf(type)
}

/** Returns the value of a variable that no action has set. */
function emptyOf(type: string): unknown {
  if (type === 'string') return ''
  if (type === 'int') return 0
  if (type === 'bool') return false
  if (type.startsWith('list')) return []
  return {}
}

/** Converts a value to CEL. Values of type `int` are converted to bigints, and times to timestamps. */
function toCel(value: unknown, type: string): unknown {
  if (type === 'int' && typeof value === 'number') return BigInt(Math.trunc(value))
  const ms = type === 'google.protobuf.Timestamp' ? timeMs(value) : undefined
  if (ms !== undefined) return Timestamp.fromMs(ms)
  return /^list|^map|^dyn/.test(type) ? toCelValue(value) : value
}
