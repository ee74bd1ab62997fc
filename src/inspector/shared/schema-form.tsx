import type { ComponentType } from 'preact'
import { useState } from 'preact/hooks'
import type { JsonSchema } from '../../gateway/openapi/json-schema.ts'
import { ResponseError } from '../connection.ts'
import { page } from '../page.ts'
import type { Service, ServiceOperation } from '../service.ts'
import { Button, Choice, Field, Form, Problem, Text } from './controls.tsx'
import { formatLabel } from './format.ts'
import { Known } from './known.tsx'
import { buildBody, getText, type Input, listInputs, listTypes, listValues } from './schema-inputs.ts'

/** If a body contains more objects than this, their fields are initially folded. */
const MAX_OPEN_OBJECTS = 2

type Texts = Readonly<Record<string, string>>

interface FormOptions {
  /** The fields to show, in order. Default: all. */
  fields?: readonly string[]
  /** The initial strings. */
  initial?: Texts
  /** The choices for fields whose schemas do not list any. */
  choices?: Readonly<Record<string, readonly string[]>>
  verb: string
  /** The input for a field. Default: a menu or a text input. */
  inputs?: ComponentType<FieldInputProps>
}

interface SchemaFormProps extends FormOptions {
  service: Service
  operation: ServiceOperation
  /** The values before the change. Only changed fields are sent. */
  current?: Readonly<Record<string, unknown>>
  send: (body: object) => Promise<unknown>
  cancel?: () => void
}

/** A form generated from the schema of a body. Errors that name a field are shown next to the field. */
export function SchemaForm(props: SchemaFormProps) {
  const { service, operation, current = {}, verb, send, cancel, fields, initial = {}, choices = {} } = props
  const { inputs: FieldInput = PlainInput } = props
  const all = listInputs(service, operation)
  const inputs = fields ? fields.flatMap((name) => all.find(({ path }) => path[0] === name) ?? []) : all
  const [texts, setTexts] = useState(initial)
  const submit = async () => {
    await send(buildBody(inputs, texts, current, operation.method === 'PUT'))
    // The user may have typed the next ones.
    setTexts((now) => (now === texts ? initial : now))
  }
  const field = ({ path, schema, isRequired }: Input, error: string | undefined) => {
    const name = path.join('.')
    const label = formatLabel(path.at(-1) ?? '')
    return (
      <Field
        key={name}
        label={isRequired ? `${label} (required)` : label}
        hint={`${name}: ${schema.description ?? ''}`}
        error={error}
      >
        <FieldInput
          service={service}
          aria-required={isRequired}
          schema={schema}
          label={path.length > 1 ? `${label} (${path.slice(0, -1).join(' ').replaceAll('_', ' ')})` : label}
          name={name}
          values={choices[name] ?? listValues(schema)}
          value={texts[name] ?? getText(current, path)}
          set={(to) => setTexts((all) => ({ ...all, [name]: to }))}
        />
      </Field>
    )
  }
  const objects = [...new Set(inputs.flatMap(({ path }) => (path.length > 1 ? path.slice(0, 1) : [])))]
  return (
    <Form
      kind={fields ? 'fields grid' : 'fields'}
      act={submit}
      verb={verb}
      after={
        cancel && (
          <Button kind="quiet" onClick={cancel}>
            Cancel
          </Button>
        )
      }
    >
      {(error) => {
        const refused = Object.entries(error instanceof ResponseError ? error.fields : {})
        const errorAt = (at: string) => refused.find(([name]) => name === at || name.startsWith(`${at}.`))?.[1]
        const show = (each: Input) => field(each, errorAt(each.path.join('.')))
        return (
          <>
            {inputs.filter(({ path }) => path.length === 1).map(show)}
            {objects.map((name) => (
              <details key={name} open={objects.length <= MAX_OPEN_OBJECTS || errorAt(name) !== undefined}>
                <summary>{formatLabel(name)}</summary>
                <div class="fields">{inputs.filter(({ path }) => path.length > 1 && path[0] === name).map(show)}</div>
              </details>
            ))}
            {!inputs.some(({ path }) => errorAt(path.join('.'))) && <Problem text={error?.message} />}
          </>
        )
      }}
    </Form>
  )
}

interface ControlFormProps extends FormOptions {
  method: string
  path: string
  /** Default: calls the control. */
  send?: (body: object) => Promise<unknown>
}

/** A form for a control. */
export function ControlForm({ method, path, send, ...more }: ControlFormProps) {
  const { controls } = page
  const call = (body: object) => page.control(method, path, body)
  return (
    <Known of={controls}>
      {(service) => {
        const isIt = (each: ServiceOperation) => each.method === method && each.path === `/_fauxgate${path}`
        const operation = service.operations.find(isIt)
        return operation && <SchemaForm service={service} operation={operation} send={send ?? call} {...more} />
      }}
    </Known>
  )
}

export interface InputProps {
  'aria-required': boolean
  label: string
  value: string
  set: (text: string) => void
}

export interface FieldInputProps extends InputProps {
  service: Service
  schema: JsonSchema
  name: string
  values: readonly string[] | undefined
}

/** A menu if the schema lists the values, or otherwise a text input. */
export function PlainInput({ service: _service, schema, name, values, ...input }: FieldInputProps) {
  if (values) return <Choice values={values} none="" {...input} />
  const isLong = isJson(schema) || /YAML|PEM|pem$|csr$/.test(schema.description + name)
  return <Text {...(isLong && { rows: 3 })} placeholder={isJson(schema) ? 'JSON' : ''} {...input} />
}

/** Returns whether the text of a field is JSON. */
export function isJson(schema: JsonSchema): boolean {
  return listTypes(schema).some((type) => type === 'object' || type === 'array')
}
