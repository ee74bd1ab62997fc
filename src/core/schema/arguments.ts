import { atCaller } from './caller-stack.ts'
import { describeReceived, refuse } from './errors.ts'
import { general } from './general-errors.ts'
import { quote } from './text.ts'
import { isObject } from './values.ts'

/**
 * @throws TypeError if a parameter is not a function. Otherwise, it would fail only when it is called, far from the mistake.
 */
export function requireFunction(name: string, value: unknown): void {
  if (typeof value !== 'function')
    throw atCaller(new TypeError(`${name} is ${describeReceived(quote(value))}. Allowed: a function.`))
}

/** @throws TypeError if a parameter is not a string. */
export function requireText(name: string, value: unknown): void {
  if (typeof value !== 'string')
    throw atCaller(new TypeError(`${name} is ${describeReceived(quote(value))}. Allowed: a string.`))
}

/** Returns the result of a caller's predicate. @throws TypeError for a promise or an error, because both would count as true. */
export function readPredicateResult(predicate: string, result: unknown): boolean {
  if (result instanceof Error) {
    throw atCaller(
      new TypeError(
        `${predicate} returned an error instead of true or false. To match an error class, use instanceof.`,
      ),
    )
  }
  if (!(result instanceof Promise)) return Boolean(result)
  throw atCaller(
    new TypeError(`${predicate} returned a promise. Allowed: true or false, from a function that is not async.`),
  )
}

/**
 * Returns the result of a caller's function that must be synchronous.
 * @throws TypeError for a promise, because its work could later fail unnoticed.
 */
export function requireSync<T>(name: string, result: T | Promise<T>): T {
  if (!(result instanceof Promise)) return result
  // The error below suffices. An unhandled rejection would end the process.
  result.catch(() => undefined)
  throw atCaller(new TypeError(`${name} returned a promise. Allowed: a function that is not async.`))
}

/** @throws TypeError if a parameter is not an object. Spreading it would ignore null and arrays. */
export function requireObject(name: string, value: unknown): void {
  if (!isObject(value))
    throw atCaller(new TypeError(`${name} is ${describeReceived(quote(value))}. Allowed: an object.`))
}

/** Values that count as omitted when a body is read. */
export const NO_VALUES: readonly unknown[] = [undefined, null]

/**
 * Throws an error for a condition without a value, such as an `undefined` variable. An omitted condition would match everything. `absent`
 * lists the values that count as missing.
 */
export function requireValues(
  conditions: unknown,
  names: readonly string[],
  absent: readonly unknown[] = [undefined],
): void {
  if (!isObject(conditions)) return
  const name = names.find((each) => Object.hasOwn(conditions, each) && absent.includes(conditions[each]))
  if (name === undefined) return
  const received = String(conditions[name])
  refuse(general.field_invalid, { field: name, received, allowed: 'a value, or omit it' })
}
