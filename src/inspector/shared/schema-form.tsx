import { useState } from 'preact/hooks'
import type { JsonSchema } from '../../openapi/json-schema.ts'
import { Refused } from '../connection.ts'
import type { Service } from '../document.ts'
import { Choice, Form, Lines, Send, Text } from './inputs.tsx'
import { Button, Field } from './parts.tsx'

/** One input of a form: the path of its field in the body, and what the schema says of it. */
interface Input {
  readonly path: readonly string[]
  readonly schema: JsonSchema
}

/** A form made from the schema of a body. Refusals of the gateway stand at the fields that they name. */
export function SchemaForm({
  service,
  schema,
  given = {},
  verb,
  send,
  cancel,
}: {
  service: Service
  schema: JsonSchema
  /** What the fields are at the beginning; only what is changed is sent. */
  given?: Readonly<Record<string, unknown>>
  verb: string
  send: (body: object) => Promise<unknown>
  cancel?: () => void
}) {
  const inputs = inputsOf(service, schema)
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const [refused, refuse] = useState<Refused | undefined>(undefined)
  const submit = async () => {
    try {
      const body = {}
      for (const { path, schema: each } of inputs) {
        const text = texts[path.join('.')]
        if (text !== undefined && text !== textAt(given, path)) put(body, path, meant(text, each))
      }
      await send(body)
      refuse(undefined)
      setTexts({})
    } catch (error) {
      refuse(error instanceof Refused ? error : new Refused(0, { msg: String(error) }))
    }
  }
  const known = inputs.map(({ path }) => path.join('.'))
  const fields = refused?.fields ?? {}
  const isNamed = known.some((name) => name in fields)
  return (
    <Form kind="fields" act={() => void submit()}>
      {inputs.map(({ path, schema: each }, index) => {
        const name = known[index] ?? ''
        const text = texts[name] ?? textAt(given, path)
        return (
          <Field key={name} label={name} hint={each.description} error={fields[name]}>
            <Control schema={each} name={name} text={text} change={(to) => setTexts({ ...texts, [name]: to })} />
          </Field>
        )
      })}
      {refused && !isNamed && (
        <p class="error" role="alert">
          {refused.message}
        </p>
      )}
      <div class="row">
        <Send>{verb}</Send>
        {cancel && (
          <Button kind="quiet" onClick={cancel}>
            Cancel
          </Button>
        )}
      </div>
    </Form>
  )
}

function Control({
  schema,
  name,
  text,
  change,
}: {
  schema: JsonSchema
  name: string
  text: string
  change: (text: string) => void
}) {
  const values = valuesOf(schema)
  const usual = schema.default === undefined ? '' : `default: ${JSON.stringify(schema.default)}`
  if (values) return <Choice label={name} value={text} set={change} values={values} none={usual} />
  if (isJson(schema) || name.endsWith('_pem')) {
    return <Lines label={name} rows={3} placeholder={isJson(schema) ? 'JSON' : 'PEM'} value={text} set={change} />
  }
  return <Text label={name} value={text} placeholder={usual} set={change} />
}

/** The inputs of a body; those of an object in it stand beside the others, by their paths. */
function inputsOf(service: Service, schema: JsonSchema, at: readonly string[] = []): Input[] {
  const { properties = {} } = service.resolved(schema)
  return Object.entries(properties).flatMap(([name, each]) => {
    const field = service.resolved(each)
    const path = [...at, name]
    return field.properties && at.length === 0 ? inputsOf(service, field, path) : [{ path, schema: field }]
  })
}

function typesOf({ type, anyOf = [] }: JsonSchema): readonly string[] {
  const own = type === undefined ? [] : typeof type === 'string' ? [type] : type
  return [...own, ...anyOf.flatMap(typesOf)].filter((each) => each !== 'null')
}

function valuesOf(schema: JsonSchema): string[] | undefined {
  if (typesOf(schema).join() === 'boolean') return ['true', 'false']
  return schema.enum?.flatMap((each) => (each === null || each === '' ? [] : [String(each)]))
}

function isJson(schema: JsonSchema): boolean {
  return typesOf(schema).some((type) => type === 'object' || type === 'array')
}

/** What a text in a form means: a number or a boolean where the field is one, JSON where it has parts. */
function meant(text: string, schema: JsonSchema): unknown {
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

function textAt(given: unknown, path: readonly string[]): string {
  const value = path.reduce<unknown>(
    (part, name) => (typeof part === 'object' && part ? Reflect.get(part, name) : undefined),
    given,
  )
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
