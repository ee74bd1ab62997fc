import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { JsonSchema } from '../../gateway/openapi/json-schema.ts'
import type { ListedRecord } from '../../generated/controls.ts'
import { useLive } from '../live.ts'
import { inState, type Live, LOADING, settle } from '../live-value.ts'
import { page } from '../page.ts'
import { matchIds, type Service, type ServiceFamily, type ServiceOperation } from '../service.ts'
import { Button } from '../shared/controls.tsx'
import { formatLabel, formatTime } from '../shared/format.ts'
import { Json } from '../shared/json.tsx'
import { Known } from '../shared/known.tsx'
import { Chip, DefinitionList, IdLink, RecordList, Side } from '../shared/layout.tsx'
import { listInputs } from '../shared/schema-inputs.ts'
import { RelatedRequests } from './entry.tsx'
import { PendingFaults } from './faults.tsx'
import { POLICY, ResourceForm } from './resource-form.tsx'
import { fillPath, listFamiliesBelow } from './resource-paths.ts'

export interface ResourceProps {
  service: Service
  family: ServiceFamily
  /** The IDs in the resource's path, in order. Empty if no resource is selected. */
  ids: readonly string[]
}

/** The field of a domain with managed certificates. */
const POLICY_FIELD = 'certificate_management_policy'

type Resource = Readonly<Record<string, unknown>>

/** Returns the name by which people recognize a resource: its first table field, or its ID. */
function getDisplayName(family: string, resource: Resource): string {
  const [title = ''] = page.gateway?.nouns[family]?.tableFields ?? []
  return String(resource[title] || resource.id || '')
}

export function ResourceDetails(props: ResourceProps) {
  const { family, ids } = props
  const path = fillPath(family.itemPath, ids)
  const live = useLive(path, () => page.findResource<Resource>(path))
  const title = inState(live, '', '', (resource) => (resource ? getDisplayName(family.name, resource) : ''))
  return (
    <Side title={title || ids.join(' ')} back={`#resources/${family.name}`}>
      <Known of={live}>{(resource) => <Details {...props} loaded={resource} />}</Known>
    </Side>
  )
}

/** The fields of a resource, and the actions on it. `loaded` is null if it does not exist. */
function Details({ service, family, ids, loaded }: ResourceProps & { loaded: Resource | null }) {
  const [form, setForm] = useState<ServiceOperation | undefined>(undefined)
  const { name, update, remove, actions } = family
  const { one } = page.getNouns(name)
  const id = ids.at(-1) ?? ''
  const resource = loaded ?? {}
  const call = ({ method, path: to }: ServiceOperation, body?: object) =>
    page.connection.service<Resource>(method, fillPath(to, ids), body)
  const below = listFamiliesBelow(service, family)
  const modules = below.filter((each) => !each.create)
  const inner = below.flatMap(({ create }) => create ?? [])
  // Only attached parts can be detached. A policy's certificate cannot be detached.
  const isPossible = ({ method, path: to }: ServiceOperation) => {
    const field = to.split('/').pop() ?? ''
    return method !== 'DELETE' || (resource[field] !== null && !(field === 'certificate' && resource[POLICY_FIELD]))
  }
  const toggle = (each: ServiceOperation) => setForm(form === each ? undefined : each)
  const isSet = update?.method === 'PUT'
  // A module that is not set can be set. Any other resource that does not exist cannot be changed.
  const canUpdate = loaded !== null || isSet
  const send = async (operation: ServiceOperation, body: object) => {
    const response = await call(operation, body)
    setForm(undefined)
    const made = below.find(({ create }) => create === operation)
    if (made) page.goTo(`resources/${made.name}/${[...ids, response.id].join('/')}`)
  }
  const operationButton = (each: ServiceOperation) => {
    const hasForm = listInputs(service, each).length > 0
    return (
      <Button
        key={each.name}
        asking={!hasForm && `${each.summary}?`}
        onClick={() => (hasForm ? toggle(each) : call(each))}
      >
        {each.summary.replace(` from a ${one}`, '')}
      </Button>
    )
  }
  return (
    <>
      {loaded === null && <p class="dim">No resource has this ID.</p>}
      <div class="row">
        {update && canUpdate && <Button onClick={() => toggle(update)}>{isSet ? 'Set' : 'Change'}</Button>}
        {loaded && [...inner, ...actions.filter(isPossible)].map(operationButton)}
        {loaded && remove && (
          <Button kind="danger" asking={`Delete this ${one}?`} onClick={() => call(remove)}>
            Delete
          </Button>
        )}
        {resource[POLICY_FIELD] ? <a href={`#jobs/${id}`}>Certificate job</a> : null}
      </div>
      {form && canUpdate && (
        <ResourceForm
          key={form.name}
          service={service}
          operation={form}
          current={form === update ? resource : {}}
          verb={form === update ? 'Save' : 'Send'}
          cancel={() => setForm(undefined)}
          send={(body) => send(form, body)}
        />
      )}
      <Fields of={resource} known={family.fields} />
      {modules.length > 0 && <h3>Modules</h3>}
      <div class="row">
        {modules.map((each) => {
          const field = each.itemPath.split('/').pop() ?? ''
          return (
            <a key={each.name} href={`#resources/${each.name}/${ids.join('/')}`}>
              {formatLabel(field)} {resource[field] ? <Chip tone="good">set</Chip> : null}
            </a>
          )
        })}
      </div>
      {loaded && (
        <>
          <UsedBy ids={ids} resource={resource} />
          <PendingFaults family={name} id={id} />
        </>
      )}
      <RelatedRequests text={id} />
    </>
  )
}

/** The records that use a resource, with links. */
function UsedBy({ ids, resource }: { ids: readonly string[]; resource: Resource }) {
  const id = ids.at(-1) ?? ''
  const texts = [id, resource.domain, resource.addr].filter((each) => typeof each === 'string' && each !== '')
  const load = (using: unknown) => page.control<ListedRecord[]>('GET', `/records?using=${using}`)
  const found = useLive(`using ${texts}`, () => Promise.all(texts.map(load)))
  return (
    <>
      <h3>Used by</h3>
      <Known of={found}>
        {(all) => {
          const others = all.flat().filter(({ key }) => key !== id && key !== ids.join('/'))
          if (others.length === 0) return <p class="dim">No other resources.</p>
          return <RecordLinks of={others} above={ids} />
        }}
      </Known>
    </>
  )
}

/** Links to records. `above` contains the IDs of the resource that may contain them. */
export function RecordLinks({ of, above = [] }: { of: readonly ListedRecord[]; above?: readonly string[] }) {
  const { service } = page
  return (
    <RecordList of={of} keyOf={({ collection, key }) => collection + key}>
      {({ collection, key, name }) => {
        const place = service?.linkToRecord(collection, key, above)
        return (
          <>
            <span class="dim">{page.getNouns(collection).one}</span>
            {place ? <a href={place}>{name || key}</a> : name || key}
            {name && <small class="dim">{key}</small>}
          </>
        )
      }}
    </RecordList>
  )
}

/** The fields in a schema. */
type FieldSchemas = Readonly<Record<string, JsonSchema>> | undefined

/** Fields below their labels. Names that are not in a known schema are unchanged. Objects and long strings come last. */
function Fields({ of, known }: { of: object; known?: FieldSchemas }) {
  const fields = Object.entries(of).map(([name, value]) => {
    const isPast = name === 'not_after' && Date.parse(value) <= page.now
    const label = <span title={name}>{known && !known[name] ? name : formatLabel(name)}</span>
    return { name, value, label, schema: known?.[name], mark: isPast && <Chip tone="bad">expired</Chip> }
  })
  const short = fields.filter(({ value }) => !isLong(value) && !isEmpty(value))
  const unset = fields.filter(({ value }) => isEmpty(value)).flatMap(({ label }, at) => [at > 0 && ', ', label])
  return (
    <>
      <DefinitionList
        of={[
          ...short.map(({ value, label, mark }) => [label, [<Value value={value} />, ' ', mark]] as const),
          ['Not set', unset.length > 0 ? <span class="dim">{unset}</span> : undefined],
        ]}
      />
      {fields
        .filter(({ value }) => isLong(value))
        .map(({ name, value, label, schema }) => (
          <LongField key={name} value={value} label={label} schema={schema} />
        ))}
    </>
  )
}

function LongField({
  value,
  label,
  schema,
}: {
  value: unknown
  label: ComponentChildren
  schema: JsonSchema | undefined
}) {
  if (String(value).startsWith('-----BEGIN CERT')) return <CertificateChain pem={String(value)} />
  if (typeof value === 'string' && POLICY.test(schema?.description ?? ''))
    return <Json value={value} title={label} isYaml />
  if (typeof value === 'string' || Array.isArray(value)) return <Json value={value} title={label} />
  return (
    <section>
      <h3>{label}</h3>
      <Fields of={Object(value)} known={schema && (page.service?.resolve(schema).properties ?? {})} />
    </section>
  )
}

const isEmpty = (value: unknown) => `${value ?? ''}` === ''

/** Returns whether a value needs more than one line, that is, whether it is a multiline string or an object other than a reference. */
function isLong(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\n')
  if (Array.isArray(value)) return value.some(isLong)
  return Object.keys(Object(value)).length > 0 && !Object(value).uri
}

function CertificateChain({ pem }: { pem: string }) {
  const [chain, setChain] = useState<Live<readonly object[]>>(LOADING)
  useEffect(() => {
    const read = () => page.control<object[]>('POST', '/certificates', { certificate_pem: pem })
    void settle(LOADING, read).then(setChain)
  }, [pem])
  return (
    <>
      <Known of={chain}>
        {(certificates) =>
          certificates.map((certificate, index) => (
            <>
              <h3>
                Certificate {index + 1} of {certificates.length}
              </h3>
              <Fields of={certificate} />
            </>
          ))
        }
      </Known>
      <Json value={pem} title="PEM" />
    </>
  )
}

/** Describes an object on one line: its fields with values. For a nested object, the name is enough. */
function describeObject(value: object): string {
  const fields = Object.entries(value).filter(([name, each]) => name !== 'uri' && !isEmpty(each))
  const text = (each: unknown) => (typeof each === 'object' ? '' : ` ${each}`)
  if (fields.length === 1) return fields.map(([name, each]) => text(each).trim() || formatLabel(name)).join()
  return fields.map(([name, each]) => formatLabel(name) + text(each)).join(', ') || '–'
}

/** Matches IDs and URLs, because they have their own styles. */
const ID = /^[a-z]+_\w{20,}$|^https?:/

export function Value({ value }: { value: unknown }) {
  if (isEmpty(value)) return <span class="dim">–</span>
  if (Array.isArray(value)) return <>{value.flatMap((each, at) => [at > 0 && ', ', <Value value={each} />])}</>
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT.*Z$/.test(value)) return <>{formatTime(value)}</>
  if (typeof value !== 'object') return ID.test(String(value)) ? <code>{value}</code> : <>{String(value)}</>
  const { id, uri } = value as { id?: string; uri?: string } // Only references have an id and a URI.
  if (!id || !uri) return <>{describeObject(Object(value))}</>
  const path = URL.parse(uri)?.pathname.slice(page.connection.base.length) ?? ''
  const family = page.service?.families.find(({ itemPath }) => matchIds(itemPath, path))
  const ids = Object.values(matchIds(family?.itemPath ?? '', path) ?? {})
  const link = family && `resources/${family.name}/${ids.join('/')}`
  return link ? <IdLink to={link} id={id} /> : <code>{id}</code>
}
