/** The filters of event sources: expressions of CEL over `ev`, the object of an event. */
import { Environment } from '@marcbachmann/cel-js'
import * as parts from '../parts/index.ts'
import { fieldsOf } from './event-types.ts'

type Schema = { [name: string]: string | Schema }

/** Returns a function that tells whether an event object matches a filter. An expression that fails is not fulfilled. */
export function compileFilter(type: string, filter: string): (object: object) => boolean {
  const { filterable = {} } = fieldsOf(type) ?? {}
  const evaluate = createEnvironment(filterable).parse(filter)
  return (object) => {
    const ev: Record<string, unknown> = {}
    for (const [path, kind] of Object.entries(filterable)) {
      const value = readPath(object, path)
      writePath(ev, path, kind === 'int' && typeof value === 'number' ? BigInt(value) : value)
    }
    try {
      return evaluate({ ev }) === true
    } catch {
      return false
    }
  }
}

/** Returns the reason why a text is no filter of a type; undefined if it is one. */
export function filterProblem(type: string, filter: string): string | undefined {
  const { filterable = {} } = fieldsOf(type) ?? {}
  const { valid, type: found, error } = createEnvironment(filterable).check(filter)
  if (!valid) return error?.message.split('\n')[0] ?? 'it is not valid CEL'
  return found === 'bool' || found === 'dyn' ? undefined : `its value is ${found}, and must be bool`
}

function createEnvironment(filterable: Readonly<Record<string, string>>): Environment {
  const schema: Schema = {}
  for (const [path, kind] of Object.entries(filterable)) writePath(schema, path, kind)
  return new Environment().registerVariable('ev', { schema })
}

/** Returns the object of an event with the selected fields alone. */
export function selectFields(object: object, fields: readonly string[]): object {
  const selected: Record<string, unknown> = {}
  for (const path of fields) {
    const value = readPath(object, path)
    if (value !== undefined) writePath(selected, path, value)
  }
  return selected
}

function readPath(object: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((owner, name) => (parts.isObject(owner) ? Reflect.get(owner, name) : undefined), object)
}

function writePath<T>(object: Record<string, unknown>, path: string, value: T): void {
  const names = path.split('.')
  const last = names.pop() ?? ''
  let owner = object
  for (const name of names) {
    const inner = owner[name]
    const next = parts.isObject(inner) ? inner : {}
    owner[name] = next
    owner = next
  }
  owner[last] = value
}
