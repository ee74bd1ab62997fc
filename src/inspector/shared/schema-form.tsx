import { useState } from 'preact/hooks'
import type { JsonSchema } from '../../openapi/json-schema.ts'
import { ErrorAnswer } from '../connection.ts'
import type { Service } from '../service.ts'
import { Button, Choice, Field, Form, Lines, Problem, Submit, Text } from './controls.tsx'
import { formatLabel } from './format.ts'

interface Input {
  readonly path: readonly string[]
  readonly schema: JsonSchema
}

interface SchemaFormProps {
  service: Service
  schema: JsonSchema
  /** The values before the change; only fields with other values are sent. */
  current?: Readonly<Record<string, unknown>>
  verb: string
  send: (body: object) => Promise<unknown>
  cancel?: () => void
}

/** A form made from the schema of a body. Errors that name a field are shown at the field. */
export function SchemaForm({ service, schema, current = {}, verb, send, cancel }: SchemaFormProps) {
  const inputs = inputsOf(service, schema)
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const [error, setError] = useState<{ message: string; fields?: Readonly<Record<string, string>> } | undefined>()
  const submit = async () => {
    try {
      const body = {}
      for (const { path, schema: each } of inputs) {
        const text = texts[path.join('.')]
        if (text !== undefined && text !== textAt(current, path)) put(body, path, parsed(text, each))
      }
      await send(body)
      setError(undefined)
      setTexts({})
    } catch (thrown) {
      setError(thrown instanceof ErrorAnswer ? thrown : { message: String(thrown) })
    }
  }
  const fields = error?.fields ?? {}
  const isAtField = inputs.some(({ path }) => path.join('.') in fields)
  return (
    <Form kind="fields" act={() => void submit()}>
      {inputs.map(({ path, schema: each }) => {
        const name = path.join('.')
        const text = texts[name] ?? textAt(current, path)
        return (
          <Field
            key={name}
            label={labelOf(path, each)}
            hint={`${name}: ${each.description ?? ''}`}
            error={fields[name]}
          >
            <Control
              schema={each}
              name={labelOf(path, each)}
              isLong={/YAML|PEM|pem$|csr$/.test(each.description + name)}
              value={text}
              set={(to) => setTexts((all) => ({ ...all, [name]: to }))}
            />
          </Field>
        )
      })}
      {!isAtField && <Problem text={error?.message} />}
      <div class="row">
        <Submit>{verb}</Submit>
        {cancel && (
          <Button kind="quiet" onClick={cancel}>
            Cancel
          </Button>
        )}
      </div>
    </Form>
  )
}

/** `Private key type (certificate management policy)`: the title of the schema, or its name in words. */
function labelOf(path: readonly string[], { title }: JsonSchema): string {
  const outer = path.length > 1 ? ` (${path.slice(0, -1).join(' ').replaceAll('_', ' ')})` : ''
  return (title ?? formatLabel(path.at(-1) ?? '')) + outer
}

interface ControlProps {
  schema: JsonSchema
  name: string
  isLong: boolean
  value: string
  set: (text: string) => void
}

function Control({ schema, name, isLong, ...input }: ControlProps) {
  const values = valuesOf(schema)
  const isJson = typesOf(schema).some((type) => type === 'object' || type === 'array')
  if (values) return <Choice label={name} values={values} none="" {...input} />
  if (!isJson && !isLong) return <Text label={name} {...input} />
  return <Lines label={name} rows={3} placeholder={isJson ? 'JSON' : ''} {...input} />
}

function inputsOf(service: Service, schema: JsonSchema, at: readonly string[] = []): Input[] {
  const { properties = {} } = service.resolved(schema)
  return Object.entries(properties).flatMap(([name, each]) => {
    const field = service.resolved(each)
    const path = [...at, name]
    return field.properties && at.length === 0 ? inputsOf(service, field, path) : [{ path, schema: field }]
  })
}

function typesOf({ type = [], anyOf = [] }: JsonSchema): readonly string[] {
  return [type, anyOf.flatMap(typesOf)].flat().filter((each) => each !== 'null')
}

function valuesOf(schema: JsonSchema): string[] | undefined {
  if (typesOf(schema).join() === 'boolean') return ['true', 'false']
  return schema.enum?.flatMap((each) => (each === null || each === '' ? [] : [String(each)]))
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

function textAt(value: unknown, [name, ...inner]: readonly string[]): string {
  if (name !== undefined) return textAt(Object(value)[name], inner)
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
