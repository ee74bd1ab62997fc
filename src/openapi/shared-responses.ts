import { type PathItem, type Reference, type ResponseItem, refTo } from './document.ts'

type Paths = Readonly<Record<string, PathItem>>

/** Paths whose responses that occur more than once are references, and these responses by name. */
export function withSharedResponses(paths: Paths): {
  readonly paths: Paths
  readonly responses: Readonly<Record<string, ResponseItem>>
} {
  const repeated = repeatedIn(paths)
  const shared = (item: ResponseItem | Reference) => {
    const name = repeated.get(JSON.stringify(item))
    return name === undefined ? item : refTo('responses', name)
  }
  return {
    paths: mapValues(paths, (path) =>
      mapValues(path, (operation) => ({ ...operation, responses: mapValues(operation.responses, shared) })),
    ),
    responses: Object.fromEntries([...repeated].map(([json, name]) => [name, JSON.parse(json)])),
  }
}

/** The names of the responses that occur more than once, by their JSON: the status, and a number from the second on. */
function repeatedIn(paths: Paths): ReadonlyMap<string, string> {
  const times = new Map<string, { readonly status: string; count: number }>()
  for (const { responses } of Object.values(paths).flatMap((path) => Object.values(path))) {
    for (const [status, item] of Object.entries(responses)) {
      const seen = times.get(JSON.stringify(item)) ?? { status, count: 0 }
      seen.count++
      times.set(JSON.stringify(item), seen)
    }
  }
  const names = new Map<string, string>()
  const numbers = new Map<string, number>()
  for (const [json, { status, count }] of times) {
    if (count === 1) continue
    const number = (numbers.get(status) ?? 0) + 1
    numbers.set(status, number)
    names.set(json, number === 1 ? `Status${status}` : `Status${status}_${number}`)
  }
  return names
}

function mapValues<T, U>(values: Readonly<Record<string, T>>, change: (value: T) => U): Readonly<Record<string, U>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
}
