import * as parts from '../parts/index.ts'
import { conditionProblem, type FieldTypes } from '../policy/plain-condition.ts'
import { FILTERABLE } from './event-types.ts'

/** Returns the reason why a string is no filter, an expression of CEL over `ev`, as a sentence; undefined if it is one. */
export function filterProblem(filter: string): string | undefined {
  const schema: FieldTypes = {}
  for (const [path, kind] of Object.entries(FILTERABLE)) parts.writePath(schema, path.split('.'), kind)
  return conditionProblem(filter, 'ev', schema)
}
