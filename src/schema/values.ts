/** Whether a value is a JSON object, from whichever realm: no array, no `Map`, no `Date`. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return Object.prototype.toString.call(value) === '[object Object]'
}

/** The item at a place that the list has, which the type checker cannot know. */
export function itemAt<T>(list: readonly T[], place: number): T {
  return list[place] as T // Whoever asks has looked at its length.
}

/** A value that is frozen with everything in it, as all answers are. */
export type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T

/** Freezes a value and everything in it, however deep, and returns it. */
export function deepFreeze<T>(value: T): T {
  const left: unknown[] = [value]
  while (left.length > 0) {
    const each = left.pop()
    if (typeof each !== 'object' || each === null || Object.isFrozen(each)) continue
    Object.freeze(each)
    for (const inner of Object.values(each)) if (typeof inner === 'object' && inner !== null) left.push(inner)
  }
  return value
}

/** Random bytes: the draw with a number in a stream, as a function that answers `size` more bytes at each call. */
export type Draw = (stream: string, number: number) => (size: number) => Uint8Array
