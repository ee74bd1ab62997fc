import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { FamilyNouns } from '../../control/views/nouns.ts'
import type { ListedRecord } from '../../generated/controls.ts'
import { useControl, useLive } from '../live.ts'
import { inState, type Live, LOADING } from '../live-value.ts'
import { page } from '../page.ts'
import { listIdNames, type Service } from '../service.ts'
import { Button, Form, Search, Text } from '../shared/controls.tsx'
import { formatCount, formatLabel } from '../shared/format.ts'
import { Known, ListCard, Loading } from '../shared/known.tsx'
import { EmptyState, Side, Split, useSteps } from '../shared/layout.tsx'
import { type Column, LongTable, ROW_HEIGHT, sortRows } from '../shared/table.tsx'
import { goToRow, type WindowedProps } from '../shared/windowed.tsx'
import { StateChip } from './picture.tsx'
import { RecordLinks, ResourceDetails, type ResourceProps, Value } from './resource.tsx'
import { ResourceForm } from './resource-form.tsx'

type Resource = Readonly<Record<string, unknown>> & { readonly id: string }

/** A family in the menu. */
interface Family extends FamilyNouns {
  readonly name: string
}

/** The number of families that are always visible. */
const FIRST_FAMILIES = 4

export function Resources() {
  const [, name = '', ...ids] = page.path
  const families = Object.entries(page.gateway?.nouns ?? {}).map(([name, nouns]): Family => ({ name, ...nouns }))
  // A family whose resources are parts of other resources has no count.
  const countOf = (each: Family) => page.overview?.counts[each.name]
  const family = name ? families.find((each) => each.name === name) : (families.find(countOf) ?? families[0])
  if (families.length === 0 || !page.overview) return <Loading />
  const link = (each: Family) => (
    <a key={each.name} href={`#resources/${each.name}`} aria-current={each === family ? 'page' : undefined}>
      {each.many} <span class="dim">{formatCountOf(countOf(each))}</span>
    </a>
  )
  const isFirst = (each: Family, index: number) => each.list && (index < FIRST_FAMILIES || Boolean(countOf(each)))
  const first = families.filter(isFirst)
  const others = families.filter((each) => !first.includes(each))
  const owners = [...new Set(others.map(({ owner }) => owner))]
  const Shown = family?.list ? List : Lookup
  return (
    <div class="with-menu fill flex">
      <nav class="menu" aria-label="Families">
        {[...first.filter(countOf), ...first.filter((each) => !countOf(each))].map(link)}
        {owners.map((owner) => {
          const grouped = others.filter((each) => each.owner === owner)
          return (
            <details key={owner} open={grouped.some((each) => each === family)}>
              <summary>{owner ? `Parts of ${owner}` : 'Other resources'}</summary>
              {grouped.map(link)}
            </details>
          )
        })}
      </nav>
      {family ? (
        <Shown key={family.name} family={family} ids={ids} />
      ) : (
        <EmptyState title={`There are no resources called "${name}".`} />
      )}
    </div>
  )
}

const formatCountOf = (count: number | undefined) => (count === undefined ? '' : formatCount(count))

interface FamilyProps {
  family: Family
  ids: readonly string[]
}

/** Returns what the service's document adds: a description, a button that creates a resource, and the details or the form. */
function describe(described: Live<Service>, props: FamilyProps) {
  const { family, ids } = props
  const isOpen = ids.length > 0 || page.query.has('new')
  const unknown = isOpen && (
    <Side title={ids.join(' ') || family.one} back={`#resources/${family.name}`}>
      <Known of={described}>{() => null}</Known>
    </Side>
  )
  const none: Description = { side: unknown }
  return inState(described, none, none, (service) => describeBy(service, props))
}

interface Description {
  readonly description?: ComponentChildren
  readonly button?: ComponentChildren
  readonly side: ComponentChildren
  readonly idNames?: string
}

function describeBy(service: Service, { family: { name, list }, ids }: FamilyProps): Description {
  const family = service.families.find((each) => each.name === name)
  if (!family) return { side: null }
  const { itemPath, create, description } = family
  const isNew = page.query.has('new')
  const isChosen = list ? ids.length > 0 : ids.length === Math.max(1, listIdNames(itemPath).length)
  const props = { service, family, ids }
  const details = isChosen && <ResourceDetails key={ids.join()} {...props} />
  return {
    description: <span class="dim about">{description}</span>,
    // Other resources are created on the page of the resource that contains them.
    button: create && !create.path.includes('{') && (
      <Button kind="main" disabled={isNew} onClick={() => page.setQuery({ new: '1' })}>
        Create
      </Button>
    ),
    side: isNew ? <CreateForm {...props} /> : details,
    idNames: listIdNames(itemPath).join('/'),
  }
}

function List(props: FamilyProps) {
  const { family, ids } = props
  const [text, setText] = useState('')
  const [wanted, setWanted] = useState(0)
  const sort = page.query.get('sort') ?? ''
  const isWhole = text !== '' || sort !== ''
  const load = () => loadResources(family.list ?? '', text, isWhole ? MAX_SEARCHED : wanted)
  const loaded = useLive(`list ${family.list} ${text}`, load, [wanted, isWhole])
  // The document is long, so show the first rows before it.
  const { description, button, side } = describe(loaded.state === 'loading' ? LOADING : page.described, props)
  const tools = [<Search what={family.many} value={text} set={setText} />, button, description]
  return (
    <Split side={side} tools={tools}>
      <Known of={loaded}>
        {({ rows, hasMore }) =>
          rows.length === 0 ? (
            <EmptyState title={text ? 'No matches.' : 'None yet.'} />
          ) : (
            <Rows
              family={family}
              ids={ids}
              all={rows}
              sort={sort}
              onRange={({ first, count }) => hasMore && setWanted(first + 2 * count)}
            />
          )
        }
      </Known>
    </Split>
  )
}

interface RowsProps extends FamilyProps, Pick<WindowedProps, 'onRange'> {
  all: readonly Resource[]
  sort: string
}

function Rows({ family, ids, all, sort, ...more }: RowsProps) {
  const columns = useMemo(() => listColumns(family, all), [all])
  const rows = sortRows(all, columns, sort)
  useSteps((by) => {
    const index = rows.findIndex(({ id }) => id === ids[0]) + by
    const next = rows[index]
    if (next) goToRow(page.linkWithin(`resources/${family.name}/${next.id}`), index, ROW_HEIGHT)
  })
  return (
    <LongTable
      kind="resources"
      label={family.many}
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      chosen={rows.find(({ id }) => id === ids[0])}
      sort={sort}
      setSort={(to) => page.setQuery({ sort: to })}
      {...more}
    />
  )
}

/** The form that creates a resource and then opens its page. */
function CreateForm({ service, family: { name, create } }: ResourceProps) {
  if (!create?.body) return null
  const close = () => page.setQuery({ new: '' })
  const send = async (body: object) => {
    const created = await page.connection.service<Resource>('POST', create.path, body)
    close()
    page.goTo(`resources/${name}/${created.id}`)
  }
  return (
    <Side title={create.summary} back={`#resources/${name}`}>
      <ResourceForm service={service} operation={create} verb="Create" cancel={close} send={send} />
    </Side>
  )
}

/** A family without a list: its existing resources, and a form that opens a resource by the IDs in its path. */
function Lookup(props: FamilyProps) {
  const { name, many } = props.family
  const known = useControl<ListedRecord[]>(`/records?collection=${name}`)
  const { description, button, side, idNames = '' } = describe(page.described, props)
  const look = ({ ids = '' }) => page.goTo(`resources/${name}/${ids.split('/').map(encodeURIComponent).join('/')}`)
  return (
    <Split side={side}>
      <div class="cards">
        <ListCard title={formatLabel(many)} of={known}>
          {(records) => (
            <>
              <p>{description}</p>
              <RecordLinks of={records} />
              <Form act={look} verb="Open">
                <Text label={idNames} name="ids" placeholder={idNames} required />
              </Form>
              {button}
            </>
          )}
        </ListCard>
      </div>
    </Split>
  )
}

const PAGE_SIZE = 100

const MAX_SEARCHED = 20_000

/** Loads at least `wanted` resources, newest first. Returns the ones that contain the text. */
async function loadResources(path: string, text: string, wanted: number) {
  const most = Math.max(1, wanted)
  const all: Resource[] = []
  let hasMore = true
  while (hasMore && all.length < most) {
    const query = new URLSearchParams({ limit: String(PAGE_SIZE), before_id: all.at(-1)?.id ?? '' })
    const answer = await page.connection.service<object>('GET', `${path}?${query}`)
    hasMore = Object(answer).next_page_uri !== null
    all.push(...(Object.values(answer).find(Array.isArray) ?? []))
  }
  const isFound = (each: Resource) => JSON.stringify(each).toLowerCase().includes(text.toLowerCase())
  return { hasMore, rows: text ? all.filter(isFound) : all }
}

/** Returns the state of a domain's certificate, as named in the Jobs tab. */
function getDomainState({ certificate, certificate_management_policy: policy, ...resource }: Resource): string {
  const job = Object(resource.certificate_management_status).provisioning_job
  if (!policy) return 'unmanaged'
  if (!job) return certificate ? 'issued' : 'provisioning'
  if (certificate) return job.error_code ? 'renewal failing' : 'renewing'
  return job.error_code ? 'failing' : 'provisioning'
}

const COMMON_COLUMNS = ['description', 'created_at', 'id']

/** Fields that are not default columns because they are long or identical in all resources. */
const HIDDEN_FIELDS = /^(region|uri|metadata|.*_pem)$/

const MAX_OTHER_COLUMNS = 3

/** Returns the columns: the family's fields (the first one is a link), a domain's state, and the common fields. */
function listColumns({ name, tableFields }: Family, rows: readonly Resource[]): Column<Resource>[] {
  const fields = Object.keys(rows[0] ?? {})
  const others = fields.filter((each) => !COMMON_COLUMNS.includes(each) && !HIDDEN_FIELDS.test(each))
  const [title = 'id', ...more] = tableFields ?? others.slice(0, MAX_OTHER_COLUMNS)
  const all = [...more, ...COMMON_COLUMNS.filter((each) => each !== title && fields.includes(each))]
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
    ...(fields.includes('certificate_management_status') ? [state] : []),
    ...all.map(column),
  ]
}
