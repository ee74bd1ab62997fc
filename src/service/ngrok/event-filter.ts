/** The settings of event sources: filters are expressions of CEL over `ev`, the object of an event. */
import * as parts from '../parts/index.ts'
import { conditionProblem, type FieldTypes } from '../policy/plain-condition.ts'
import { FILTERABLE } from './event-types.ts'

/** Returns what a source includes of an event's object; undefined if its filter does not match. */
export function selectOf(
  { filter, fields }: parts.EventSource,
  object: object,
  matches: parts.FilterMatcher,
): object | undefined {
  if (filter !== undefined && !matches(filter, selectFields(object, Object.keys(FILTERABLE)))) return undefined
  return fields ? selectFields(object, fields) : object
}

/** Returns the reason why a string is not a filter, as a sentence, or undefined if it is one. */
export function filterProblem(filter: string): string | undefined {
  const schema: FieldTypes = {}
  for (const [path, kind] of Object.entries(FILTERABLE)) parts.writePath(schema, path.split('.'), kind)
  return conditionProblem(filter, 'ev', schema)
}

function selectFields(object: object, fields: readonly string[]): object {
  const selected = {}
  for (const path of fields) {
    const names = path.split('.')
    const value = names.reduce<unknown>((owner, name) => (parts.isObject(owner) ? owner[name] : undefined), object)
    if (value !== undefined) parts.writePath(selected, names, value)
  }
  return selected
}
