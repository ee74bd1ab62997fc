import type { JsonSchema } from '../../openapi/json-schema.ts'
import { idsIn, type Service, type ServiceOperation } from '../service.ts'

/** A field of a body, with the names that lead to it. */
export interface Input {
  readonly path: readonly string[]
  readonly schema: JsonSchema
}

/**
 * Returns the fields that a form for an operation shows, with the fields of objects in the body. It omits deprecated fields,
 * ids that are in the path, and alternative spellings of the same body.
 */
export function inputsOf(service: Service, { path, body }: ServiceOperation): Input[] {
  return inputsIn(service, body, idsIn(path), [])
}

function inputsIn(
  service: Service,
  schema: JsonSchema | undefined,
  hidden: readonly string[],
  at: readonly string[],
): Input[] {
  const { properties = {}, if: other } = service.resolved(schema)
  return Object.entries(properties).flatMap(([name, each]) => {
    const field = service.resolved(each)
    const path = [...at, name]
    if (field.deprecated || hidden.includes(name) || other?.required?.includes(name)) return []
    return field.properties && at.length === 0
      ? inputsIn(service, field, ['id', ...hidden], path)
      : [{ path, schema: field }]
  })
}

export function typesOf({ type = [], anyOf = [] }: JsonSchema): readonly string[] {
  return [type, anyOf.flatMap(typesOf)].flat().filter((each) => each !== 'null')
}

export function valuesOf(schema: JsonSchema): string[] | undefined {
  if (typesOf(schema).join() === 'boolean') return ['true', 'false']
  return schema.enum?.flatMap((each) => (each === null || each === '' ? [] : [String(each)]))
}

/** Returns the body for the entered texts: all fields if it replaces a resource, otherwise only those that differ. */
export function bodyOf(
  inputs: readonly Input[],
  texts: Readonly<Record<string, string>>,
  current: Readonly<Record<string, unknown>>,
  isWhole: boolean,
): object {
  const body = {}
  for (const { path, schema } of inputs) {
    const old = textAt(current, path)
    const text = texts[path.join('.')] ?? old
    if (isWhole ? text !== '' : text !== old) put(body, path, parsed(text, schema))
  }
  return body
}

function parsed(text: string, schema: JsonSchema): unknown {
  const types = typesOf(schema)
  if (types.includes('string') && !types.includes('integer')) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function put(body: object, [name = '', ...inner]: readonly string[], value: unknown): void {
  if (inner.length === 0) return void Object.assign(body, { [name]: value })
  const part: object = Reflect.get(body, name) ?? {}
  Object.assign(body, { [name]: part })
  put(part, inner, value)
}

export function textAt(value: unknown, [name, ...inner]: readonly string[]): string {
  if (name !== undefined) return textAt(Object(value)[name], inner)
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
