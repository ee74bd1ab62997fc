import { useState } from 'preact/hooks'
import type { ListedRecord } from '../../core/generated/controls.ts'
import { useControl, useLive } from '../live.ts'
import { page } from '../page.ts'
import { listIdNames, type Service, type ServiceFamily } from '../service.ts'
import { Button, Form, Search, Submit, Text } from '../shared/controls.tsx'
import { formatCount, formatLabel } from '../shared/format.ts'
import { Card, EmptyState, Side, Split } from '../shared/layout.tsx'
import { SchemaForm } from '../shared/schema-form.tsx'
import { listTypes } from '../shared/schema-inputs.ts'
import { SortHead, sortBy } from '../shared/sorting.tsx'
import { Row, Windowed } from '../shared/windowed.tsx'
import { StateChip } from './lane.tsx'
import { NAME_FIELDS, RecordLinks, ResourceDetails, type ResourceProps, Value } from './resource.tsx'

type Resource = Readonly<Record<string, unknown>> & { readonly id: string }

const ROW_HEIGHT = 30

/** The number of families that are always in sight. */
const FIRST_FAMILIES = 4

export function Resources() {
  const { service } = page
  const [, name = '', ...ids] = page.path
  const family = service?.families.find((each) => each.name === name) ?? service?.families[0]
  if (!service || !family) return <p class="empty dim">Loading…</p>
  const FamilyView = family.list ? Family : Lookup
  const countOf = (each: ServiceFamily) => page.overview?.counts[each.name] ?? 0
  const link = (each: ServiceFamily) => (
    <a key={each.name} href={`#resources/${each.name}`} aria-current={each === family ? 'page' : undefined}>
      {each.part} <span class="dim">{formatCount(countOf(each))}</span>
    </a>
  )
  const isFirst = (each: ServiceFamily, index: number) => each.list && (index < FIRST_FAMILIES || countOf(each) > 0)
  const others = service.families.filter((each, index) => !isFirst(each, index))
  const groups = [...new Set(others.map(({ group }) => group))]
  return (
    <div class="with-menu fill flex">
      <nav class="menu" aria-label="Families">
        {sortBy(service.families.filter(isFirst), (each) => Number(countOf(each) === 0), '').map(link)}
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
      <FamilyView key={family.name} service={service} family={family} ids={ids} />
    </div>
  )
}

function Family({ service, family, ids }: ResourceProps) {
  const [id = ''] = ids
  const { name, many, create } = family
  const [text, setText] = useState('')
  const [wanted, setWanted] = useState(0)
  const [isNew, setNew] = readNew()
  const sort = page.query.get('sort') ?? ''
  const isWhole = text !== '' || sort !== ''
  const loaded = useLive(() => loadResources(family, text, isWhole ? MAX_SEARCHED : wanted), [text, wanted, isWhole])
  const label = chooseLabel(service, family)
  const columns = chooseColumns(service, family).filter((each) => each !== label.field)
  const sortColumn = sort.replace('-', '')
  const rows = sort ? sortBy(loaded?.rows ?? [], (each) => getSortValue(each, sortColumn), sort) : (loaded?.rows ?? [])
  const form = isNew && <CreateForm service={service} family={family} close={() => setNew(false)} />
  const row = (index: number) => {
    const each = rows[index]
    return (
      each && (
        <Row key={each.id} kind={each.id === id ? 'chosen' : ''}>
          <span role="cell" class="clip">
            <a href={page.linkWithin(`resources/${name}/${each.id}`)}>{label.of(each)}</a>
          </span>
          {columns.map((column) => (
            <span key={column} role="cell" class="clip">
              {column === STATE ? <StateChip state={getDomainState(each)} /> : <Value value={each[column]} />}
            </span>
          ))}
        </Row>
      )
    )
  }
  return (
    <Split
      side={form || (id && <ResourceDetails key={id} service={service} family={family} ids={ids} />)}
      tools={
        <>
          <Search what={many} value={text} set={setText} />
          {create && (
            <Button kind="main" disabled={isNew} onClick={() => setNew(true)}>
              Create
            </Button>
          )}
          <span class="dim">{family.description}</span>
        </>
      }
    >
      {loaded && rows.length === 0 ? (
        <EmptyState title={text ? 'None is like that.' : 'None yet.'} />
      ) : (
        <div class="table fill column" style={{ '--columns': columns.length }}>
          <Windowed
            total={rows.length}
            rowHeight={ROW_HEIGHT}
            label={many}
            onRange={({ first, count }) => loaded?.hasMore && setWanted(first + 2 * count)}
            heads={[label.field, ...columns].map((each) => (
              <SortHead
                key={each}
                name={each}
                label={formatLabel(each)}
                sort={sort}
                set={(to) => page.setQuery({ sort: to })}
              />
            ))}
            row={row}
          />
        </div>
      )}
    </Split>
  )
}

/** The query of the place says whether the form for a new resource is open, so that links can open it. */
function readNew() {
  return [page.query.has('new'), (isNew: boolean) => page.setQuery({ new: isNew ? '1' : '' })] as const
}

/** The form that creates a resource, and then opens its page. */
function CreateForm({ service, family, close }: Omit<ResourceProps, 'ids'> & { readonly close: () => void }) {
  const { name, create } = family
  if (!create?.body) return null
  return (
    <Side title={create.summary} back={close}>
      <SchemaForm
        service={service}
        operation={create}
        verb="Create"
        cancel={close}
        send={async (body) => {
          const created = await page.connection.service<Resource>('POST', create.path, body)
          close()
          page.goTo(`resources/${name}/${created.id}`)
        }}
      />
    </Side>
  )
}

/** A family without a list: its existing resources, and a form that opens one by the ids in its path. */
function Lookup({ service, family, ids }: ResourceProps) {
  const { name, itemPath } = family
  const known = useControl<ListedRecord[]>(`/records?collection=${name}`) ?? []
  const names = listIdNames(itemPath).join('/')
  const isChosen = ids.length === names.split('/').length
  const [isNew, setNew] = readNew()
  // Other resources are created on the page of the one that has them.
  const canCreate = family.create !== undefined && !family.create.path.includes('{')
  const form = isNew && <CreateForm service={service} family={family} close={() => setNew(false)} />
  const details = isChosen && <ResourceDetails key={ids.join()} service={service} family={family} ids={ids} />
  const look = ({ ids: entered = '' }) =>
    page.goTo(`resources/${name}/${entered.split('/').map(encodeURIComponent).join('/')}`)
  return (
    <Split tools={null} side={form || details}>
      <div class="cards">
        <Card title={formatLabel(family.many)} note={known.length}>
          <p class="dim">{family.description}</p>
          <RecordLinks of={known} />
          <Form act={look}>
            <Text label={names} name="ids" placeholder={names} required />
            <Submit>Look</Submit>
          </Form>
          {canCreate && (
            <Button kind="main" disabled={isNew} onClick={() => setNew(true)}>
              Create
            </Button>
          )}
        </Card>
      </div>
    </Split>
  )
}

/** Chooses the field that names a resource: a field with a name, else the id. */
function chooseLabel(service: Service, { fields }: ServiceFamily) {
  // A reference to another resource is no name.
  const isText = (name: string) => listTypes(service.resolve(fields[name])).includes('string')
  const field = NAME_FIELDS.find((name) => name in fields && isText(name)) ?? 'id'
  return { field, head: formatLabel(field), of: (each: Resource) => String(each[field] || each.id) }
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

/** A column that no field has: the state of a domain's certificate. */
const STATE = 'state'

/** Returns the state of a domain's certificate, by the names that the tab Jobs has for it. */
function getDomainState({ certificate, certificate_management_policy: policy, ...resource }: Resource): string {
  const job = Object(resource.certificate_management_status).provisioning_job
  if (!policy) return 'unmanaged'
  if (!job) return certificate ? 'issued' : 'provisioning'
  if (certificate) return job.error_code ? 'renewal failing' : 'renewing'
  return job.error_code ? 'failing' : 'provisioning'
}

function getSortValue(resource: Resource, column: string): string {
  return column === STATE ? getDomainState(resource) : JSON.stringify(resource[column] ?? '').toLowerCase()
}

const COMMON_COLUMNS = ['description', 'created_at', 'id']

const MAX_OTHER_COLUMNS = 2

function chooseColumns(service: Service, { fields }: ServiceFamily): string[] {
  const others = Object.keys(fields).filter((name) => {
    const { type, properties, deprecated } = service.resolve(fields[name])
    const isPlain = type !== 'array' && (type !== 'object' || properties?.uri)
    return isPlain && !deprecated && !/^(region|uri|metadata|.*_pem)$/.test(name) && !COMMON_COLUMNS.includes(name)
  })
  const all = [...others.slice(0, MAX_OTHER_COLUMNS), ...COMMON_COLUMNS.filter((name) => name in fields)]
  return 'certificate_management_status' in fields ? [STATE, ...all] : all
}
