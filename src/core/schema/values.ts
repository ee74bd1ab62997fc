import { atCaller } from './caller-stack.ts'

/** Returns whether a value is a plain object from any realm: not an array, `Map`, or `Date`. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return Object.prototype.toString.call(value) === '[object Object]'
}

/**
 * @throws TypeError if `Object.prototype` has an enumerable property, because valibot would treat it as a field of every schema and value.
 */
export function requirePlainPrototype(): void {
  for (const name in {}) {
    throw atCaller(
      new TypeError(
        `Object.prototype has the enumerable property ${JSON.stringify(name)}, so every object seems to have a field with that ` +
          'name. Remove it, or define it with Object.defineProperty, which makes it non-enumerable.',
      ),
    )
  }
}

/** Returns whether a function runs without throwing. */
export function tries(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}

/** Returns whether a string is valid JSON. */
export function isJson(text: string): boolean {
  return tries(() => JSON.parse(text))
}

/**
 * Returns the value for a name in a table, or undefined if there is none. Use it for strings from callers, which may name a property of
 * every object, such as `constructor`.
 */
export function lookUp<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

/** Returns the item at an index. The caller must have checked the index. */
export function itemAt<T>(list: readonly T[], index: number): T {
  return list[index] as T // The caller has checked the length.
}

/** Returns an object's keys. The object's type must list all of them. */
export function keysOf<T extends object>(values: T): (keyof T & string)[] {
  return Object.keys(values) as (keyof T & string)[] // TypeScript allows objects with additional properties.
}

/** Returns an object with the same keys, and the values that `change` returns. */
export function mapValues<T, U>(
  values: Readonly<Record<string, T>>,
  change: (value: T, name: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]))
}

/** Returns an object with the entries for which `isWanted` is true. */
export function pick<T>(
  values: Readonly<Record<string, T>>,
  isWanted: (name: string, value: T) => unknown,
): Record<string, T> {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => isWanted(name, value)))
}

/** Returns an object without the given entries. */
export function omit<T>(values: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> {
  return pick(values, (name) => !names.includes(name))
}

/** Sets a field at a path of names, and creates any missing objects along the path. */
export function writePath(object: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...below] = path
  const inner = object[name]
  const next = isObject(inner) ? inner : {}
  if (below.length > 0) writePath(next, below, value)
  object[name] = below.length > 0 ? next : value
}

/** The type of a deeply frozen value. All responses are deeply frozen. */
export type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T

/** Freezes a value and everything in it, however deep, and returns it. It does not freeze functions, because they belong to the caller. */
export function deepFreeze<T>(value: T): T {
  const isOpen = (each: unknown): each is object => typeof each === 'object' && !Object.isFrozen(each)
  const open: object[] = isOpen(value) ? [value] : []
  for (let each = open.pop(); each; each = open.pop()) {
    Object.freeze(each)
    for (const inner of Object.values(each)) if (isOpen(inner)) open.push(inner)
  }
  return value
}

/** A source of random bytes. For a number in a stream, it returns a function that draws `size` more bytes with each call. */
export type Draw = (stream: string, number: number) => (size: number) => Uint8Array

/** Returns a function that computes a value on its first call, and returns the same value on each later call. */
/* @__NO_SIDE_EFFECTS__ */
export function lazy<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Returns a function that computes a value for each object once, and caches it for the lifetime of the object. */
/* @__NO_SIDE_EFFECTS__ */
export function once<Key extends object, T>(make: (key: Key) => T): (key: Key) => T {
  const made = new WeakMap<Key, { readonly value: T }>()
  return (key) => {
    const known = made.get(key) ?? { value: make(key) }
    made.set(key, known)
    return known.value
  }
}

/** Returns true if two lists have the same items in the same order. */
export function haveSameItems<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index])
}
