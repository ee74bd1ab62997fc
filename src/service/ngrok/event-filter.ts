import * as parts from '../parts/index.ts'
import { conditionProblem, type FieldTypes } from '../policy/plain-condition.ts'
import { FILTERABLE } from './event-types.ts'

/** Returns a sentence that says why a string is not a valid filter (a CEL expression over `ev`), or undefined if it is valid. */
export function filterProblem(filter: string): string | undefined {
  const schema: FieldTypes = {}
  for (const [path, kind] of Object.entries(FILTERABLE)) parts.writePath(schema, path.split('.'), kind)
  return conditionProblem(filter, 'ev', schema)
}
