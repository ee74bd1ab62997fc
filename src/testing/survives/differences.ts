import type { Path } from '../../core/schema/text.ts'
import { isObject } from '../../core/schema/values.ts'

/** A pair of values that differ, with their path. */
export interface Difference {
  readonly path: Path
  readonly found: unknown
  readonly wanted: unknown
}

/** Lists the innermost values in which two JSON values differ. Lists of different lengths count as one difference. */
export function listDifferences(found: unknown, wanted: unknown, path: Path = []): Difference[] {
  if (isObject(found) && isObject(wanted)) {
    const names = new Set([...Object.keys(wanted), ...Object.keys(found)])
    return [...names].flatMap((name) => listDifferences(found[name], wanted[name], [...path, name]))
  }
  if (Array.isArray(found) && Array.isArray(wanted) && found.length === wanted.length)
    return found.flatMap((each, place) => listDifferences(each, wanted[place], [...path, place]))
  return Object.is(found, wanted) || JSON.stringify(found) === JSON.stringify(wanted) ? [] : [{ path, found, wanted }]
}

/** Returns the value at a path, or undefined if it doesn't exist. */
export const valueAt = (values: unknown, path: Path) =>
  path.reduce<unknown>(
    (value, name) => (isObject(value) || Array.isArray(value) ? Reflect.get(value, name) : undefined),
    values,
  )
