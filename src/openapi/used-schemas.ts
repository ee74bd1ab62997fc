import type { JsonSchema } from './json-schema.ts'

type Schemas = Readonly<Record<string, JsonSchema>>

/** The schemas that a part of the document refers to, and those that these refer to: a dialect may leave out a whole field. */
export function usedFrom(part: unknown, schemas: Schemas): Schemas {
  const used = new Set<string>()
  const left = namesIn(part)
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (used.has(name)) continue
    used.add(name)
    left.push(...namesIn(schemas[name]))
  }
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)))
}

function namesIn(part: unknown): string[] {
  const references = (JSON.stringify(part) ?? '').matchAll(/"#\/components\/schemas\/(\w+)"/g)
  return [...references].map(([, name = '']) => name)
}
