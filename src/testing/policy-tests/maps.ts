import * as v from 'valibot'

/** The names that valibot would omit from a map, so their values would not be compared. */
const UNREADABLE = ['__proto__', 'prototype', 'constructor']

/** Creates the schema of a map with names as keys. */
export function mapOf<K extends v.GenericSchema<string>, V extends v.GenericSchema>(
  name: K,
  value: V,
  allowed: string,
) {
  return v.pipe(
    v.custom<Record<string, v.InferInput<V>>>(
      (map) => !UNREADABLE.some((each) => Object.hasOwn(Object(map), each)),
      `names other than ${UNREADABLE.join(', ')}`,
    ),
    v.record(name, value, allowed),
  )
}
