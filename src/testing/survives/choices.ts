import type { Event } from './arrivals.ts'
import type { IsChosen } from './comparison.ts'

/**
 * Returns a function that tells whether the code itself chose a value: after a failure, it sent a different value in the same request.
 */
export function choicesOf(events: readonly Event[]): IsChosen {
  const chosen = new Set<string>()
  for (const [place, { failure, ...failed }] of events.entries()) {
    const sent = failure && readRequest(failed.description)
    if (!sent) continue
    const values = listValues(sent.body)
    const later = events.slice(place + 1).filter(({ hasChanged }) => hasChanged)
    for (const next of later.map(({ description }) => readRequest(description))) {
      if (next?.name !== sent.name) continue
      for (const value of listValues(next.body)) if (!values.includes(value)) chosen.add(value)
    }
  }
  return (name, value) => chosen.has(formatValue(name, value))
}

const formatValue = (name: string, value: unknown) => `${name} ${JSON.stringify(value)}`

/** Reads a request with a JSON body from its description. */
function readRequest(description: string): { readonly name: string; readonly body: unknown } | undefined {
  const [, name = '', text] = /^((?:PATCH|POST|PUT) \S+) (\{.*\})$/s.exec(description) ?? []
  if (text === undefined) return undefined
  try {
    return { name, body: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** Lists all values in a body, each with its name. */
function listValues(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return []
  return Object.entries(body).flatMap(([name, value]) => [formatValue(name, value), ...listValues(value)])
}
