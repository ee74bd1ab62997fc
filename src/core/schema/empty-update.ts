import type * as v from 'valibot'
import { documentationOf } from './documentation.ts'
import { type CatalogueError, type Entry, entry, refuse } from './errors.ts'
import { marksOf, partsOf } from './schema-parts.ts'

export interface UpdateFields {
  readonly fields: string
}

/** Declares the error for an update without fields. Its message lists the fields that the update's body accepts. */
/* @__NO_SIDE_EFFECTS__ */
export function emptyUpdate(number: number): Entry<UpdateFields> {
  return entry(number, 400, 'The update is empty. Send at least one of {fields}.')
}

/**
 * Throws an error for a body without a field that changes a resource. `extra` lists the fields that exist only in this dialect.
 * @throws Refusal
 */
export function requireUpdate(
  error: CatalogueError<string, UpdateFields>,
  sent: object,
  body: v.GenericSchema,
  extra: readonly string[] = [],
): void {
  const fields = Object.entries(partsOf(body).entries ?? {})
    .filter(([name, schema]) => isOffered(schema) && (!marksOf(schema).extra || extra.includes(name)))
    .map(([name]) => name)
  if (!fields.some((name) => Object.hasOwn(sent, name))) refuse(error, { fields: fields.join(', ') })
}

function isOffered(schema: v.GenericSchema): boolean {
  return !documentationOf(schema).facts.some(({ isUnoffered, type }) => isUnoffered || type === 'never')
}
