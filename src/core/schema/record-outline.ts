import type * as v from 'valibot'
import { isSchema, marksOf, partsOf } from './schema-parts.ts'

const OPTIONAL = ['optional', 'exact_optional', 'nullish', 'undefinedable']
const NULLABLE = ['nullable', 'nullish']

/**
 * Returns the outline of a schema's records: a line for each field and each type of value that it can have, in alphabetical order, such as
 * `size: number`, `region: null`, `policy.key_type: "rsa"` and `names[]: string`. A schema whose outline includes all lines of another
 * outline knows every field of the other schema's records. The order, documentation, and bounds of fields make no difference.
 */
export function outlineRecord(schema: v.GenericSchema): string[] {
  return [...new Set(listLines(schema, ''))].sort()
}

function listLines(schema: v.GenericSchema, path: string): string[] {
  const { type, wrapped, entries, item, items = [], rest, value, options = [] } = partsOf(schema)
  // Stores do not have derived fields.
  if (marksOf(schema).isDerived) return []
  const line = (kind: unknown) => `${path}: ${kind}`
  const literal = (each: unknown) => line(JSON.stringify(each))
  const absent = [
    ...(NULLABLE.includes(type) ? [line('null')] : []),
    ...(OPTIONAL.includes(type) ? [line('nothing')] : []),
  ]
  if (wrapped) return [...absent, ...listLines(wrapped, path)]
  if (entries)
    return Object.entries(entries).flatMap(([name, each]) => listLines(each, path ? `${path}.${name}` : name))
  const inner = [item, ...items, rest, value].filter(isSchema)
  if (inner.length > 0) return inner.flatMap((each) => listLines(each, `${path}[]`))
  if (options.some(isSchema)) return options.filter(isSchema).flatMap((each) => listLines(each, path))
  if (options.length > 0) return options.map(literal)
  return [type === 'literal' ? literal(Reflect.get(schema, 'literal')) : line(type)]
}
