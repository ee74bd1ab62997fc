import type { JsonSchema } from '../../gateway/openapi/json-schema.ts'
import { listIdNames, type Service, type ServiceOperation } from '../service.ts'

/** A field in a body, with its path as names. */
export interface Input {
  readonly path: readonly string[]
  readonly schema: JsonSchema
  readonly isRequired: boolean
}

/** Returns the form fields of an operation, also those of objects in its body, without deprecated ones and IDs in the path. */
export function listInputs(service: Service, { path, body }: ServiceOperation): Input[] {
  return listInputsIn(service, body, listIdNames(path), [])
}

function listInputsIn(
  service: Service,
  schema: JsonSchema | undefined,
  hidden: readonly string[],
  at: readonly string[],
): Input[] {
  const { properties = {}, if: other, else: usual, required = [] } = service.resolve(schema)
  return Object.entries(properties).flatMap(([name, each]) => {
    const field = service.resolve(each)
    const path = [...at, name]
    if (field.deprecated || hidden.includes(name) || other?.required?.includes(name)) return []
    return field.properties && at.length === 0
      ? listInputsIn(service, field, ['id', ...hidden], path)
      : [{ path, schema: field, isRequired: [...required, ...(usual?.required ?? [])].includes(name) }]
  })
}

export function listTypes({ type = [], anyOf = [] }: JsonSchema): readonly string[] {
  return [type, anyOf.flatMap(listTypes)].flat().filter((each) => each !== 'null')
}

export function listValues(schema: JsonSchema): string[] | undefined {
  if (listTypes(schema).join() === 'boolean') return ['true', 'false']
  return schema.enum?.flatMap((each) => (each === null || each === '' ? [] : [String(each)]))
}

/** Returns the body for the entered strings: all fields if it replaces a resource, or otherwise only the fields that differ. */
export function buildBody(
  inputs: readonly Input[],
  texts: Readonly<Record<string, string>>,
  current: Readonly<Record<string, unknown>>,
  isWhole: boolean,
): object {
  const body = {}
  for (const { path, schema } of inputs) {
    const old = getText(current, path)
    const text = texts[path.join('.')] ?? old
    if (isWhole ? text !== '' : text !== old) setValue(body, path, parseText(text, schema))
  }
  return body
}

function parseText(text: string, schema: JsonSchema): unknown {
  const types = listTypes(schema)
  if (types.includes('string') && !types.includes('integer')) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function setValue(body: object, [name = '', ...inner]: readonly string[], value: unknown): void {
  if (inner.length === 0) return void Object.assign(body, { [name]: value })
  const part: object = Reflect.get(body, name) ?? {}
  Object.assign(body, { [name]: part })
  setValue(part, inner, value)
}

export function getText(value: unknown, [name, ...inner]: readonly string[]): string {
  if (name !== undefined) return getText(Object(value)[name], inner)
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
