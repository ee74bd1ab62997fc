import { UnsignedInt } from '@marcbachmann/cel-js/evaluator'
import { ORDERED } from '../functions.ts'
import { measure, requireCharacters, requireItems } from './limits.ts'
import { Duration, Time, Timestamp } from './time.ts'
import { noOverload, typeOf } from './types.ts'
import { EvaluationProblem, entriesOf, readField } from './values.ts'

type Operator = (a: unknown, b: unknown) => unknown

/** Returns an integer. @throws EvaluationProblem if it needs more than 64 bits */
export function toInt(value: bigint): bigint {
  if (BigInt.asIntN(64, value) === value) return value
  throw new EvaluationProblem('integer overflow')
}

/** Returns an unsigned integer. @throws EvaluationProblem if it needs more than 64 bits */
export function toUint(value: bigint): UnsignedInt {
  if (BigInt.asUintN(64, value) === value) return new UnsignedInt(value)
  throw new EvaluationProblem('unsigned integer overflow')
}

/** Returns a numeric value as a number, or undefined for other values. */
export function numberOf(value: unknown): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value
  return value instanceof UnsignedInt ? value.value : undefined
}

/** Returns whether two values are equal. Numbers of different types can be equal, but other values of different types cannot. */
export function areEqual(a: unknown, b: unknown): boolean {
  if (typeof a === 'object' && typeof b === 'object') measure(a, b)
  return isSame(a, b)
}

/** Returns whether two values are equal. Their size must be within the limits. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a === 'string' || typeof b === 'string') return false
  const [x, y] = [numberOf(a), numberOf(b)]
  if (x !== undefined && y !== undefined) return orderNumbers(x, y) === 0
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((each, at) => isSame(each, b[at]))
  const type = typeOf(a)
  if (type !== typeOf(b)) return false
  if (type !== 'map') return ORDERED.includes(type) && order(a, b) === 0
  const [entries, others] = [entriesOf(a), entriesOf(b)]
  return entries.length === others.length && entries.every(([key, value]) => isSame(value, readKey(b, key)))
}

/** Returns a negative number, zero, or a positive number, or NaN if either value is NaN. @throws EvaluationProblem */
export function order(a: unknown, b: unknown, sign = '<'): number {
  const [x, y] = [numberOf(a), numberOf(b)]
  if (x !== undefined && y !== undefined) return orderNumbers(x, y)
  if (typeof a === 'string' && typeof b === 'string') return orderTexts(a, b)
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b)
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    const at = a.findIndex((byte, at) => byte !== b[at])
    return at < 0 ? a.length - b.length : (a[at] ?? -1) - (b[at] ?? -1)
  }
  if (a instanceof Time && b instanceof Time && a.constructor === b.constructor)
    return orderNumbers(a.nanoseconds, b.nanoseconds)
  throw noOverload(`${typeOf(a)} ${sign} ${typeOf(b)}`)
}

/** Integers are compared with doubles as doubles, which loses precision for large integers. */
function orderNumbers(a: bigint | number, b: bigint | number): number {
  if (typeof a !== typeof b) return orderNumbers(Number(a), Number(b))
  if (a < b) return -1
  return a > b ? 1 : a >= b ? 0 : Number.NaN
}

/** Compares strings by their code points: JavaScript compares code units, which puts U+10000 before U+FFFF. */
function orderTexts(a: string, b: string): number {
  let at = 0
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1)
}

/** Returns the value of a key, or undefined if the map does not have the key. */
export function readKey(map: unknown, key: unknown): unknown {
  if (typeof key === 'string') return readField(map, key)
  return map instanceof Map ? [...map].find(([each]) => isSame(each, key))?.[1] : undefined
}

/** Returns whether a list contains an item, or a map contains a key. */
function isIn(value: unknown, owner: unknown): boolean {
  if (Array.isArray(owner)) {
    measure(value, owner)
    return owner.some((each) => isSame(value, each))
  }
  if (typeOf(owner) === 'map') return readKey(owner, value) !== undefined
  throw noOverload(`${typeOf(value)} in ${typeOf(owner)}`)
}

const OF_INTEGERS: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
}
const OF_DOUBLES: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
}
const OF_OTHERS: Readonly<Record<string, Operator>> = { '+': add, '-': subtract }

/** Creates an arithmetic operator. */
function calculate(sign: string, ofIntegers: (a: bigint, b: bigint) => bigint): Operator {
  return (a, b) => {
    if (typeof a === 'bigint' && typeof b === 'bigint') return toInt(ofIntegers(a, b))
    if (a instanceof UnsignedInt && b instanceof UnsignedInt) return toUint(ofIntegers(a.value, b.value))
    const areDoubles = typeof a === 'number' && typeof b === 'number'
    const result = areDoubles ? OF_DOUBLES[sign]?.(a, b) : OF_OTHERS[sign]?.(a, b)
    if (result === undefined) throw noOverload(`${typeOf(a)} ${sign} ${typeOf(b)}`)
    return result
  }
}

function add(a: unknown, b: unknown): unknown {
  if (typeof a === 'string' && typeof b === 'string') {
    requireCharacters(a.length + b.length)
    return a + b
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    requireItems(a.length + b.length)
    return [...a, ...b]
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    requireCharacters(a.length + b.length)
    return Uint8Array.from([...a, ...b])
  }
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.nanoseconds + b.nanoseconds)
  const areTimes = a instanceof Time && b instanceof Time && (a instanceof Duration || b instanceof Duration)
  return areTimes ? new Timestamp(a.nanoseconds + b.nanoseconds) : undefined
}

function subtract(a: unknown, b: unknown): unknown {
  if (a instanceof Timestamp && b instanceof Duration) return new Timestamp(a.nanoseconds - b.nanoseconds)
  const areTimes = a instanceof Time && b instanceof Time && a.constructor === b.constructor
  return areTimes ? new Duration(a.nanoseconds - b.nanoseconds) : undefined
}

/** The binary operators, by symbol. */
export const OPERATORS: Readonly<Record<string, Operator>> = {
  '==': areEqual,
  '!=': (a, b) => !areEqual(a, b),
  '<': (a, b) => order(a, b, '<') < 0,
  '<=': (a, b) => order(a, b, '<=') <= 0,
  '>': (a, b) => order(a, b, '>') > 0,
  '>=': (a, b) => order(a, b, '>=') >= 0,
  ...Object.fromEntries(Object.entries(OF_INTEGERS).map(([sign, each]) => [sign, calculate(sign, each)])),
  in: isIn,
}

/** Returns a number with the opposite sign. */
export function negate(value: unknown): unknown {
  if (typeof value === 'bigint') return toInt(-value)
  if (typeof value === 'number') return -value
  throw noOverload(`-${typeOf(value)}`)
}
