/** The settings of event sources: filters are expressions of CEL over `ev`, the object of an event. */
import { Environment } from '@marcbachmann/cel-js'
import * as parts from '../parts/index.ts'
import { FILTERABLE } from './event-types.ts'

type Schema = { [name: string]: string | Schema }

/** Returns a function that returns the selected fields of an object; undefined for an object that does not match the filter. */
export function compileSource({ filter, fields }: parts.EventSource): (object: object) => object | undefined {
  const select = (object: object) => (fields ? selectFields(object, fields) : object)
  if (filter === undefined) return select
  const evaluate = createEnvironment().parse(filter)
  return (object) => {
    const ev = selectFields(object, Object.keys(FILTERABLE), (value) =>
      typeof value === 'number' ? BigInt(value) : value,
    )
    try {
      return evaluate({ ev }) === true ? select(object) : undefined
    } catch {
      // An expression that fails is not fulfilled.
      return undefined
    }
  }
}

/** Returns the reason why a string is not a filter, as a sentence, or undefined if it is one. */
export function filterProblem(filter: string): string | undefined {
  const { valid, type, error } = createEnvironment().check(filter)
  // The library's messages begin in lower or upper case.
  if (!valid)
    return error?.message.split('\n')[0]?.replace(/^./, (letter) => letter.toUpperCase()) ?? 'It is not valid CEL'
  return type === 'bool' || type === 'dyn' ? undefined : `Its value is ${type}, and must be bool`
}

function createEnvironment(): Environment {
  const schema: Schema = {}
  for (const [path, kind] of Object.entries(FILTERABLE)) parts.writePath(schema, path.split('.'), kind)
  return new Environment().registerVariable('ev', { schema })
}

function selectFields(object: object, fields: readonly string[], convert = (value: unknown) => value): object {
  const selected = {}
  for (const path of fields) {
    const names = path.split('.')
    const value = names.reduce<unknown>((owner, name) => (parts.isObject(owner) ? owner[name] : undefined), object)
    if (value !== undefined) parts.writePath(selected, names, convert(value))
  }
  return selected
}
