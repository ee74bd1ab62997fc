/** The keys that lead to a value. */
export type Path = readonly (string | number)[]

/** A mark that removes a value instead of replacing it. */
export const REMOVED = Symbol('nothing')

// biome-ignore lint/suspicious/noExplicitAny: a test knows what it damages
export type Json = any

/** The path of every value in a JSON value, the outermost left out. */
export function* listPaths(value: Json, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path
  if (typeof value !== 'object' || value === null) return
  for (const key of Array.isArray(value) ? value.keys() : Object.keys(value))
    yield* listPaths(value[key], [...path, key])
}

export function valueAt(value: Json, path: Path): Json {
  return path.reduce((inner, key) => inner[key], value)
}

/** A copy with another value, or none, in one place. What is missing on the way there is made. */
export function replaceAt(value: Json, [key, ...rest]: Path, to: unknown): Json {
  const copy = Array.isArray(value) ? [...value] : { ...value }
  if (rest.length > 0) copy[key as string] = replaceAt(copy[key as string], rest, to)
  else if (to !== REMOVED) copy[key as string] = to
  else if (Array.isArray(copy)) copy.splice(key as number, 1)
  else delete copy[key as string]
  return copy
}
