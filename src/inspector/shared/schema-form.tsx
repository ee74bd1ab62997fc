import { useState } from 'preact/hooks'
import type { ListedRecord } from '../../core/generated/controls.ts'
import type { JsonSchema } from '../../gateway/openapi/json-schema.ts'
import { ResponseError } from '../connection.ts'
import { useLive } from '../live.ts'
import { page } from '../page.ts'
import type { Service, ServiceOperation } from '../service.ts'
import { Button, Choice, Field, Form, Lines, Problem, Submit, Text } from './controls.tsx'
import { formatLabel } from './format.ts'
import { PolicyInput } from './policy.tsx'
import { buildBody, getText, type Input, listInputs, listTypes, listValues } from './schema-inputs.ts'

/** With more objects in a body, their fields are folded at first. */
const MAX_OPEN_OBJECTS = 2

interface SchemaFormProps {
  service: Service
  operation: ServiceOperation
  /** The values before the change; only fields with other values are sent. */
  current?: Readonly<Record<string, unknown>>
  verb: string
  send: (body: object) => Promise<unknown>
  cancel?: () => void
}

/** A form made from the schema of a body. Errors that name a field are shown at the field. */
export function SchemaForm({ service, operation, current = {}, verb, send, cancel }: SchemaFormProps) {
  const inputs = listInputs(service, operation)
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const [error, setError] = useState<{ message: string; fields?: Readonly<Record<string, string>> } | undefined>()
  const submit = async () => {
    try {
      await send(buildBody(inputs, texts, current, operation.method === 'PUT'))
      setError(undefined)
      setTexts({})
    } catch (thrown) {
      setError(thrown instanceof ResponseError ? thrown : { message: String(thrown) })
    }
  }
  const errorAt = (at: string) =>
    Object.entries(error?.fields ?? {}).find(([name]) => name === at || name.startsWith(`${at}.`))?.[1]
  const field = ({ path, schema, isRequired }: Input) => {
    const name = path.join('.')
    const label = formatLabel(path.at(-1) ?? '')
    return (
      <Field
        key={name}
        label={isRequired ? `${label} (required)` : label}
        hint={`${name}: ${schema.description ?? ''}`}
        error={errorAt(name)}
      >
        <Control
          service={service}
          aria-required={isRequired}
          schema={schema}
          name={path.length > 1 ? `${label} (${path.slice(0, -1).join(' ').replaceAll('_', ' ')})` : label}
          id={/^(.+)_id$/.exec(path.at(-1) ?? '')?.[1]}
          isLong={/YAML|PEM|pem$|csr$/.test(schema.description + name)}
          value={texts[name] ?? getText(current, path)}
          set={(to) => setTexts((all) => ({ ...all, [name]: to }))}
        />
      </Field>
    )
  }
  const objects = [...new Set(inputs.flatMap(({ path }) => (path.length > 1 ? path.slice(0, 1) : [])))]
  return (
    <Form kind="fields" act={() => submit()}>
      {inputs.filter(({ path }) => path.length === 1).map(field)}
      {objects.map((name) => (
        <details key={name} open={objects.length <= MAX_OPEN_OBJECTS || errorAt(name) !== undefined}>
          <summary>{formatLabel(name)}</summary>
          <div class="fields">{inputs.filter(({ path }) => path.length > 1 && path[0] === name).map(field)}</div>
        </details>
      ))}
      {!inputs.some(({ path }) => errorAt(path.join('.'))) && <Problem text={error?.message} />}
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

interface ControlProps {
  service: Service
  'aria-required': boolean
  schema: JsonSchema
  name: string
  /** The name of a field for an id, without `_id`. */
  id: string | undefined
  isLong: boolean
  value: string
  set: (text: string) => void
}

/** Matches the description of a field that is a traffic policy. */
export const POLICY = /^(The|A) traffic policy\b/

function Control({ service, schema, name, id, isLong, ...input }: ControlProps) {
  const values = listValues(schema)
  const isJson = listTypes(schema).some((type) => type === 'object' || type === 'array')
  if (POLICY.test(schema.description ?? '')) return <PolicyInput label={name} {...input} />
  if (values) return <Choice label={name} values={values} none="" {...input} />
  if (id && !isJson) return <IdInput label={name} families={listReferredFamilies(service, id, schema)} {...input} />
  if (!isJson && !isLong) return <Text label={name} {...input} />
  return <Lines label={name} rows={3} placeholder={isJson ? 'JSON' : ''} {...input} />
}

/** Returns the families that a field such as `certificate_id` can refer to, by its name and its description. */
function listReferredFamilies({ families }: Service, field: string, { description = '' }: JsonSchema): string[] {
  const found = families.filter(({ name }) => {
    const one = name.replace(/ies$/, 'y').replace(/s$/, '')
    return one.endsWith(field) || field.endsWith(one)
  })
  const named = found.filter(({ one }) => description.includes(one))
  return (named.length > 0 ? named : found).map(({ name }) => name)
}

interface IdInputProps {
  label: string
  families: readonly string[]
  value: string
  set: (id: string) => void
}

/** An input for an id, with a menu of the resources that it can be of. */
function IdInput({ families, label, ...input }: IdInputProps) {
  const list = `ids-${label}`
  const load = (family: string) => page.control<ListedRecord[]>('GET', `/records?collection=${family}`)
  const records = useLive(async () => (await Promise.all(families.map(load))).flat(), [list])
  return (
    <>
      <Text label={label} list={list} {...input} />
      <datalist id={list}>
        {records?.map(({ key, name }) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </datalist>
    </>
  )
}
