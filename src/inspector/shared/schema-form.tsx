import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { JsonSchema } from '../../gateway/openapi/json-schema.ts'
import type { ListedRecord } from '../../generated/controls.ts'
import { ResponseError } from '../connection.ts'
import { useLive } from '../live.ts'
import { inState, type Live } from '../live-value.ts'
import { page } from '../page.ts'
import type { Service, ServiceOperation } from '../service.ts'
import { Button, Choice, Field, Form, Problem, Text } from './controls.tsx'
import { formatLabel } from './format.ts'
import { Known } from './known.tsx'
import { PolicyInput } from './policy.tsx'
import { buildBody, getText, type Input, listInputs, listTypes, listValues } from './schema-inputs.ts'

/** If a body contains more objects than this, their fields are initially folded. */
const MAX_OPEN_OBJECTS = 2

type Texts = Readonly<Record<string, string>>

interface FormOptions {
  /** The fields to show, in order. Default: all. */
  fields?: readonly string[]
  labels?: Texts
  /** The initial strings. */
  initial?: Texts
  /** The choices for fields whose schemas do not list any. */
  choices?: Readonly<Record<string, readonly string[]>>
  verb: string
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
  const {
    service,
    operation,
    current = {},
    verb,
    send,
    cancel,
    fields,
    labels = {},
    initial = {},
    choices = {},
  } = props
  const all = listInputs(service, operation)
  const inputs = fields ? fields.flatMap((name) => all.find(({ path }) => path[0] === name) ?? []) : all
  const [texts, setTexts] = useState(initial)
  const submit = async () => {
    await send(buildBody(inputs, texts, current, operation.method === 'PUT'))
    setTexts(initial)
  }
  const field = ({ path, schema, isRequired }: Input, error: string | undefined) => {
    const name = path.join('.')
    const label = labels[name] ?? formatLabel(path.at(-1) ?? '')
    return (
      <Field
        key={name}
        label={isRequired ? `${label} (required)` : label}
        hint={`${name}: ${schema.description ?? ''}`}
        error={error}
      >
        <Control
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
    <Form kind={fields ? 'fields grid' : 'fields'} act={submit}>
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
            <div class="row">
              <button type="submit" class="main">
                {verb}
              </button>
              {cancel && (
                <Button kind="quiet" onClick={cancel}>
                  Cancel
                </Button>
              )}
            </div>
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

interface InputControlProps {
  'aria-required': boolean
  label: string
  value: string
  set: (text: string) => void
}

interface ControlProps extends InputControlProps {
  service: Service
  schema: JsonSchema
  name: string
  values: readonly string[] | undefined
}

/** Matches the description of a field that is a traffic policy. */
export const POLICY = /^(The|A) traffic policy\b/

/** The input for a field. It depends on the field's schema, name, and description. */
function Control({ service, schema, name, values, ...input }: ControlProps) {
  const types = listTypes(schema)
  const isJson = types.includes('object') || types.includes('array')
  const [, id, isList] = /([a-z_]+)_id(s?)$/.exec(name) ?? []
  if (POLICY.test(schema.description ?? '')) return <PolicyInput {...input} />
  if (values) return <Choice values={values} none="" {...input} />
  if (id && isList && types.includes('array'))
    return <IdsInput families={listReferredFamilies(service, id, schema)} {...input} />
  if (id && !isJson) return <IdInput families={listReferredFamilies(service, id, schema)} {...input} />
  const isLong = isJson || /YAML|PEM|pem$|csr$/.test(schema.description + name)
  return <Text {...(isLong && { rows: 3 })} placeholder={isJson ? 'JSON' : ''} {...input} />
}

/** Returns the families that a field such as `certificate_id` can refer to, based on the field's name and description. */
function listReferredFamilies({ families }: Service, field: string, { description = '' }: JsonSchema): string[] {
  const found = families.filter(({ name }) => {
    const one = name.replace(/ies$/, 'y').replace(/s$/, '')
    return one.endsWith(field) || field.endsWith(one)
  })
  const named = found.filter(({ name }) => {
    const { one, many } = page.getNouns(name)
    return description.includes(one) || description.includes(many)
  })
  return (named.length > 0 ? named : found).map(({ name }) => name)
}

type IdInputProps = InputControlProps & { families: readonly string[] }

function useRecords(families: readonly string[]): Live<readonly ListedRecord[]> {
  const load = (family: string) => page.control<ListedRecord[]>('GET', `/records?collection=${family}`)
  return useLive(async () => (await Promise.all(families.map(load))).flat(), [families.join()])
}

/** The text of a menu whose entries could not be loaded. */
const NOT_LOADED = 'The fields could not be loaded.'

/** An input for an ID, with a menu of the resources that the ID can refer to. */
function IdInput({ families, ...input }: IdInputProps) {
  const list = `ids-${input.label}`
  const records = useRecords(families)
  const option = ({ key, name }: ListedRecord) => (
    <option key={key} value={key}>
      {name}
    </option>
  )
  return (
    <>
      <Text list={list} placeholder={inState(records, 'Loading…', NOT_LOADED, () => '')} {...input} />
      <datalist id={list}>
        {inState<readonly ListedRecord[], ComponentChildren>(records, '', '', (all) => all.map(option))}
      </datalist>
    </>
  )
}

/** An input for several IDs, with the selected ones and a menu of the other resources. */
function IdsInput({ families, value, set, label, ...input }: IdInputProps) {
  const live = useRecords(families)
  const { records, none } = inState(
    live,
    { records: [], none: 'Loading…' },
    { records: [], none: NOT_LOADED },
    (all) => ({ records: all, none: all.length > 0 ? 'Add' : 'Nothing to add.' }),
  )
  const chosen: readonly string[] = JSON.parse(value || '[]')
  const show = (id: string) => [records.find(({ key }) => key === id)?.name, id].filter(Boolean).join(' · ')
  const choose = (ids: readonly string[]) => set(JSON.stringify(ids))
  return (
    <>
      <div class="row">
        {chosen.map((id) => (
          <Button key={id} label={`Remove ${id}`} onClick={() => choose(chosen.filter((each) => each !== id))}>
            {show(id)} ×
          </Button>
        ))}
      </div>
      <Choice
        label={label}
        none={none}
        value=""
        values={records.flatMap(({ key }) => (chosen.includes(key) ? [] : [key]))}
        show={show}
        set={(id) => id && choose([...chosen, id])}
        {...input}
      />
    </>
  )
}
