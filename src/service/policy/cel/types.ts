import { UnsignedInt } from '@marcbachmann/cel-js/evaluator'
import { Duration, Timestamp } from './time.ts'
import { EvaluationProblem } from './values.ts'

/** A type as a value, such as the result of `type(1)`. */
class CelType {
  constructor(readonly name: string) {}

  toString(): string {
    return this.name
  }
}

const OF_PRIMITIVES: Readonly<Record<string, string>> = {
  bigint: 'int',
  boolean: 'bool',
  number: 'double',
  string: 'string',
}
const TIMESTAMP = 'google.protobuf.Timestamp'
const DURATION = 'google.protobuf.Duration'

/** Returns the name of the type of a value. */
export function typeOf(value: unknown): string {
  const primitive = OF_PRIMITIVES[typeof value]
  if (primitive !== undefined) return primitive
  if (value === null) return 'null_type'
  if (Array.isArray(value)) return 'list'
  if (value instanceof UnsignedInt) return 'uint'
  if (value instanceof Uint8Array) return 'bytes'
  if (value instanceof Timestamp) return TIMESTAMP
  if (value instanceof Duration) return DURATION
  return value instanceof CelType ? 'type' : 'map'
}

/** The types, by their names in expressions. */
export const TYPES: ReadonlyMap<string, CelType> = new Map(
  [...Object.values(OF_PRIMITIVES), 'bytes', 'list', 'map', 'null_type', 'type', 'uint', TIMESTAMP, DURATION].map(
    (name) => [name, new CelType(name)],
  ),
)

/**
 * Converts a JSON value to CEL. Whole numbers are converted to integers unless JavaScript has rounded them. CEL values are returned
 * unchanged.
 */
export function toCelValue(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value
  if (Array.isArray(value)) return value.map(toCelValue)
  if (typeof value !== 'object' || value === null || typeOf(value) !== 'map') return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toCelValue(each)]))
}

/** The beginning of the message for types that an operator or function does not accept. */
export const NO_OVERLOAD = 'no such overload'

/** Returns the message for types that an operator or function does not accept. */
export function noOverload(call: string): EvaluationProblem {
  return new EvaluationProblem(`${NO_OVERLOAD}: ${call.replaceAll('google.protobuf.', '')}`)
}
