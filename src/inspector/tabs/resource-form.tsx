import type { ComponentChildren } from 'preact'
import type { JsonSchema } from '../../gateway/openapi/json-schema.ts'
import type { ListedRecord } from '../../generated/controls.ts'
import { useLive } from '../live.ts'
import { inState, type Live } from '../live-value.ts'
import { page } from '../page.ts'
import type { Service } from '../service.ts'
import { Button, Choice, Text } from '../shared/controls.tsx'
import { type FieldInputProps, type InputProps, isJson, PlainInput, SchemaForm } from '../shared/schema-form.tsx'
import { listTypes } from '../shared/schema-inputs.ts'
import { PolicyInput } from './policy.tsx'

/** A form for the fields of a resource. */
export function ResourceForm(props: Parameters<typeof SchemaForm>[0]) {
  return <SchemaForm inputs={ResourceInput} {...props} />
}

/** Matches the description of a field that contains a traffic policy. */
export const POLICY = /^(The|A) traffic policy\b/

/** The input for a field of a resource: a policy, the IDs of other resources, or anything else. */
function ResourceInput(props: FieldInputProps) {
  const { service, schema, name, values, ...input } = props
  const [, id, isList] = /([a-z_]+)_id(s?)$/.exec(name) ?? []
  if (POLICY.test(schema.description ?? '')) return <PolicyInput {...input} />
  if (!values && id && isList && listTypes(schema).includes('array'))
    return <IdsInput families={listReferredFamilies(service, id, schema)} {...input} />
  if (!values && id && !isJson(schema))
    return <IdInput families={listReferredFamilies(service, id, schema)} {...input} />
  return <PlainInput {...props} />
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

type IdInputProps = InputProps & { families: readonly string[] }

function useRecords(families: readonly string[]): Live<readonly ListedRecord[]> {
  const load = (family: string) => page.control<ListedRecord[]>('GET', `/records?collection=${family}`)
  return useLive(`families ${families}`, async () => (await Promise.all(families.map(load))).flat())
}

/** The text of a menu whose entries could not be loaded. */
const NOT_LOADED = 'The resources could not be loaded.'

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
