import type * as v from 'valibot'
import { documentationOf } from '../schema/documentation.ts'
import { general } from '../schema/general-errors.ts'
import { errorsIn, partsOf } from '../schema/schema-parts.ts'

/**
 * The keys of the errors of a schema itself, by their numbers: without those of its fields, those of what stands inside it
 * under a name, and `field_invalid`, which any field can meet.
 */
export function refusalsOf(schema: v.GenericSchema): readonly string[] {
  const fields = Object.values(partsOf(schema).entries ?? {})
  const isPart = (inner: v.GenericSchema) => !fields.includes(inner) && documentationOf(inner).name === undefined
  return [...errorsIn(schema, isPart)]
    .filter((error) => error !== general.field_invalid)
    .sort((a, b) => a.number - b.number)
    .map(({ key }) => key)
}
