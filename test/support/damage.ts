/** The keys that lead to a value. */
export type Path = readonly (string | number)[]

/** A mark that removes a value instead of replacing it. */
export const REMOVED = Symbol('nothing')

// biome-ignore lint/suspicious/noExplicitAny: a test knows what it damages
export type Json = any

/** Lists the path of every value inside a JSON value. */
export function* listPaths(value: Json, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path
  if (typeof value !== 'object' || value === null) return
  for (const key of Array.isArray(value) ? value.keys() : Object.keys(value))
    yield* listPaths(value[key], [...path, key])
}

export function valueAt(value: Json, path: Path): Json {
  return path.reduce((inner, key) => inner[key], value)
}

/** Returns a copy with another value, or none, at a path. Creates missing objects on the way. */
export function replaceAt(value: Json, [key, ...rest]: Path, to: unknown): Json {
  const copy = Array.isArray(value) ? [...value] : { ...value }
  if (rest.length > 0) copy[key as string] = replaceAt(copy[key as string], rest, to)
  else if (to !== REMOVED) copy[key as string] = to
  else if (Array.isArray(copy)) copy.splice(key as number, 1)
  else delete copy[key as string]
  return copy
}
