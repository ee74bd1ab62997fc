import type * as v from 'valibot'
import { documentationOf } from '../contract/documentation.ts'

type AnySchema = v.GenericSchema

interface Parts {
  readonly wrapped?: AnySchema
  readonly item?: AnySchema
  readonly value?: AnySchema
  readonly entries?: Readonly<Record<string, AnySchema>>
  readonly options?: readonly unknown[]
}

/**
 * The schemas that have names, in these and below them, by name.
 * @throws Error where two have the same name.
 */
export function definitionsIn(schemas: readonly AnySchema[]): Record<string, AnySchema> {
  const found = new Map<string, AnySchema>()
  const seen = new Set<unknown>()
  const open: unknown[] = [...schemas].reverse()
  while (open.length > 0) {
    const schema = open.pop() as AnySchema
    if (seen.has(schema)) continue
    seen.add(schema)
    note(schema, found)
    open.push(...partsOf(schema).reverse())
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

function partsOf(schema: AnySchema): AnySchema[] {
  const { wrapped, item, value, entries = {}, options = [] } = schema as Parts
  const parts = [wrapped, item, value, ...Object.values(entries), ...options]
  return parts.filter((part): part is AnySchema => typeof part === 'object' && part !== null && 'kind' in part)
}
