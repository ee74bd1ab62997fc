import type * as v from 'valibot'
import { documentationOf } from '../schema/documentation.ts'
import { isSchema, partsOf } from '../schema/schema-parts.ts'

type AnySchema = v.GenericSchema

/**
 * The schemas that have names, in these and below them, by name.
 * @throws Error where two have the same name.
 */
export function definitionsIn(schemas: readonly AnySchema[]): Record<string, AnySchema> {
  const found = new Map<string, AnySchema>()
  const seen = new Set<unknown>()
  const open = [...schemas].reverse()
  for (let schema = open.pop(); schema; schema = open.pop()) {
    if (seen.has(schema)) continue
    seen.add(schema)
    note(schema, found)
    open.push(...partsIn(schema).reverse())
  }
  return Object.fromEntries(found)
}

function note(schema: AnySchema, found: Map<string, AnySchema>): void {
  const { name } = documentationOf(schema)
  if (name === undefined) return
  const other = found.get(name)
  if (other && other !== schema) throw new Error(`Two schemas have the name ${name}.`)
  found.set(name, schema)
}

function partsIn(schema: AnySchema): AnySchema[] {
  const { wrapped, item, value, entries = {}, options = [] } = partsOf(schema)
  return [wrapped, item, value, ...Object.values(entries), ...options].filter(isSchema)
}
