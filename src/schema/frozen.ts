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
