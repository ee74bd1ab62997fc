import { useState } from 'preact/hooks'
import type { ListedRecord } from '../../core/generated/controls.ts'
import { useControl, useLive } from '../live.ts'
import { page } from '../page.ts'
import { listIdNames, type Service, type ServiceFamily } from '../service.ts'
import { Button, Form, Search, Submit, Text } from '../shared/controls.tsx'
import { formatCount, formatLabel } from '../shared/format.ts'
import { Card, EmptyState, Loading, Side, Split } from '../shared/layout.tsx'
import { SchemaForm } from '../shared/schema-form.tsx'
import { listTypes } from '../shared/schema-inputs.ts'
import { type Column, LongTable, sortRows } from '../shared/table.tsx'
import { StateChip } from './picture.tsx'
import { NAME_FIELDS, RecordLinks, ResourceDetails, type ResourceProps, Value } from './resource.tsx'

type Resource = Readonly<Record<string, unknown>> & { readonly id: string }

/** The number of families that are always in sight. */
const FIRST_FAMILIES = 4

export function Resources({ service }: { service?: Service | undefined }) {
  const [, name = '', ...ids] = page.path
  const family = service?.families.find((each) => each.name === name) ?? service?.families[0]
  if (!service || !family) return <Loading />
  const countOf = (each: ServiceFamily) => page.overview?.counts[each.name] ?? 0
  const link = (each: ServiceFamily) => (
    <a key={each.name} href={`#resources/${each.name}`} aria-current={each === family ? 'page' : undefined}>
      {each.part} <span class="dim">{formatCount(countOf(each))}</span>
    </a>
  )
  const isFirst = (each: ServiceFamily, index: number) => each.list && (index < FIRST_FAMILIES || countOf(each) > 0)
  const first = service.families.filter(isFirst)
  const others = service.families.filter((each) => !first.includes(each))
  const groups = [...new Set(others.map(({ group }) => group))]
  return (
    <div class="with-menu fill flex">
      <nav class="menu" aria-label="Families">
        {[...first.filter(countOf), ...first.filter((each) => countOf(each) === 0)].map(link)}
        {groups.map((group) => {
          const families = others.filter((each) => each.group === group)
          return (
            <details key={group} open={families.includes(family)}>
              <summary>▾ {group}</summary>
              {families.map(link)}
            </details>
          )
        })}
      </nav>
      <Family key={family.name} service={service} family={family} ids={ids} />
    </div>
  )
}

/** The resources of a family, the details of one, and the form for a new one, which the query of the place opens. */
function Family(props: ResourceProps) {
  const { family, ids } = props
  const { itemPath, create, list } = family
  const isChosen = list ? ids.length > 0 : ids.length === Math.max(1, listIdNames(itemPath).length)
  const isNew = page.query.has('new')
  const setNew = (isNew: boolean) => page.setQuery({ new: isNew ? '1' : '' })
  // Other resources are created on the page of the one that has them.
  const button = create && !create.path.includes('{') && (
    <Button kind="main" disabled={isNew} onClick={() => setNew(true)}>
      Create
    </Button>
  )
  const details = isChosen && <ResourceDetails key={ids.join()} {...props} />
  const side = isNew ? <CreateForm {...props} close={() => setNew(false)} /> : details
  return list ? <List {...props} button={button} side={side} /> : <Lookup {...props} button={button} side={side} />
}

type ListProps = ResourceProps & Readonly<Record<'button' | 'side', preact.ComponentChild>>

function List({ service, family, ids, button, side }: ListProps) {
  const [text, setText] = useState('')
  const [wanted, setWanted] = useState(0)
  const sort = page.query.get('sort') ?? ''
  const isWhole = text !== '' || sort !== ''
  const loaded = useLive(() => loadResources(family, text, isWhole ? MAX_SEARCHED : wanted), [text, wanted, isWhole])
  const columns = listColumns(service, family)
  const rows = sortRows(loaded?.rows ?? [], columns, sort)
  const tools = (
    <>
      <Search what={family.many} value={text} set={setText} />
      {button}
      <span class="dim">{family.description}</span>
    </>
  )
  return (
    <Split side={side} tools={tools}>
      {loaded && rows.length === 0 ? (
        <EmptyState title={text ? 'None is like that.' : 'None yet.'} />
      ) : (
        <LongTable
          kind="resources"
          label={family.many}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          chosen={rows.find(({ id }) => id === ids[0])}
          sort={sort}
          setSort={(to) => page.setQuery({ sort: to })}
          onRange={({ first, count }) => loaded?.hasMore && setWanted(first + 2 * count)}
        />
      )}
    </Split>
  )
}

/** The form that creates a resource, and then opens its page. */
function CreateForm({ service, family: { name, create }, close }: ResourceProps & { readonly close: () => void }) {
  if (!create?.body) return null
  const send = async (body: object) => {
    const created = await page.connection.service<Resource>('POST', create.path, body)
    close()
    page.goTo(`resources/${name}/${created.id}`)
  }
  return (
    <Side title={create.summary} back={close}>
      <SchemaForm service={service} operation={create} verb="Create" cancel={close} send={send} />
    </Side>
  )
}

/** A family without a list: its existing resources, and a form that opens one by the ids in its path. */
function Lookup({ family: { name, many, description, itemPath }, button, side }: ListProps) {
  const known = useControl<ListedRecord[]>(`/records?collection=${name}`) ?? []
  const names = listIdNames(itemPath).join('/')
  const look = ({ ids = '' }) => page.goTo(`resources/${name}/${ids.split('/').map(encodeURIComponent).join('/')}`)
  return (
    <Split side={side}>
      <div class="cards">
        <Card title={formatLabel(many)} note={known.length}>
          <p class="dim">{description}</p>
          <RecordLinks of={known} />
          <Form act={look}>
            <Text label={names} name="ids" placeholder={names} required />
            <Submit>Look</Submit>
          </Form>
          {button}
        </Card>
      </div>
    </Split>
  )
}

const PAGE_SIZE = 100

const MAX_SEARCHED = 20_000

/** Loads at least `wanted` resources, the newest first. Returns those that contain the text. */
async function loadResources({ list, items }: ServiceFamily, text: string, wanted: number) {
  const most = Math.max(1, wanted)
  const all: Resource[] = []
  let hasMore = true
  while (hasMore && all.length < most) {
    const query = new URLSearchParams({ limit: String(PAGE_SIZE), before_id: all.at(-1)?.id ?? '' })
    const answer: Record<string, unknown> = await page.connection.service('GET', `${list?.path}?${query}`)
    hasMore = answer.next_page_uri !== null
    all.push(...(answer[items] as Resource[])) // The document says so.
  }
  const isFound = (each: Resource) => JSON.stringify(each).toLowerCase().includes(text.toLowerCase())
  return { hasMore, rows: text ? all.filter(isFound) : all }
}

/** Returns the state of a domain's certificate, by the names that the tab Jobs has for it. */
function getDomainState({ certificate, certificate_management_policy: policy, ...resource }: Resource): string {
  const job = Object(resource.certificate_management_status).provisioning_job
  if (!policy) return 'unmanaged'
  if (!job) return certificate ? 'issued' : 'provisioning'
  if (certificate) return job.error_code ? 'renewal failing' : 'renewing'
  return job.error_code ? 'failing' : 'provisioning'
}

const COMMON_COLUMNS = ['description', 'created_at', 'id']

const MAX_OTHER_COLUMNS = 2

/** Returns the columns: the field that names a resource, with a link; the state of a domain; and some other fields. */
function listColumns(service: Service, { name, fields }: ServiceFamily): Column<Resource>[] {
  // A reference to another resource is no name.
  const isText = (name: string) => listTypes(service.resolve(fields[name])).includes('string')
  const title = NAME_FIELDS.find((each) => each in fields && isText(each)) ?? 'id'
  const others = Object.keys(fields).filter((each) => {
    const { type, properties, deprecated } = service.resolve(fields[each])
    const isPlain = type !== 'array' && (type !== 'object' || properties?.uri)
    return isPlain && !deprecated && !/^(region|uri|metadata|.*_pem)$/.test(each) && !COMMON_COLUMNS.includes(each)
  })
  const all = [...others.slice(0, MAX_OTHER_COLUMNS), ...COMMON_COLUMNS.filter((each) => each in fields)]
  const column = (field: string): Column<Resource> => ({
    name: field,
    label: formatLabel(field),
    by: (resource) => JSON.stringify(resource[field] ?? '').toLowerCase(),
    cell: (resource) => <Value value={resource[field]} />,
  })
  const link = ({ id, [title]: text }: Resource) => (
    <a href={page.linkWithin(`resources/${name}/${id}`)}>{String(text || id)}</a>
  )
  const state = {
    name: 'state',
    label: 'State',
    by: getDomainState,
    cell: (each: Resource) => <StateChip state={getDomainState(each)} />,
  }
  return [
    { ...column(title), cell: link },
    ...('certificate_management_status' in fields ? [state] : []),
    ...all.filter((each) => each !== title).map(column),
  ]
}
