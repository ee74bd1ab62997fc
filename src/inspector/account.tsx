import { render } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { CreatedSandbox, DescribedSandbox, SandboxList } from '../sandbox/objects.ts'
import { ResponseError, requestJson } from './connection.ts'
import { Button, Choice, Copy, Field, Form, Problem, Search, TextField } from './shared/controls.tsx'
import { formatClockTime, formatCount, formatCounted, formatRelative, formatTime } from './shared/format.ts'
import { Card, DefinitionList, KeyCard, Mark } from './shared/layout.tsx'
import { type Column, sortRows, Table } from './shared/table.tsx'

/** A sandbox in the list, with its description once loaded. */
type Row = SandboxList['sandboxes'][number] & Partial<DescribedSandbox>

const PAGE_SIZE = 50

/** The maximum number of sandboxes that one call lists. */
const MAX_LISTED = 1000

/** The maximum number of descriptions to load at the same time. Loading a description wakes its sandbox. */
const MAX_AT_ONCE = 4

/** The interval, in ms, at which the page loads changes made by others. */
const REFRESH_MS = 5000

const KEY = 'fauxgate-account-key'

function call<T>(method: string, path: string, body?: object): Promise<T> {
  const key = sessionStorage.getItem(KEY)
  const base = `${location.pathname.replace(/\/+$/, '')}/s`
  return requestJson(method, base + path, key ? { 'Fauxgate-Account-Key': key } : {}, body)
}

const idOf = ({ name, created_at }: Row) => `${name} ${created_at}`

/** The first sandboxes of the account by name, and functions to reload them or to load more. */
function useSandboxes() {
  const [page, setPage] = useState<(SandboxList & { readonly asOf: string }) | undefined>(undefined)
  const [isLost, setLost] = useState(false)
  const [described, setDescribed] = useState<Readonly<Record<string, DescribedSandbox>>>({})
  const state = useRef({ limit: PAGE_SIZE, asked: new Set<string>() }).current
  const describe = async (waiting: Row[]) => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      // A removed sandbox is not in the next list.
      const found = await call<DescribedSandbox>('GET', `/${next.name}`).catch(() => undefined)
      if (found) setDescribed((all) => ({ ...all, [idOf(found)]: found }))
    }
  }
  /** Loads the list. Does not reload descriptions because that would wake the sandboxes. */
  const list = async () => {
    const sandboxes: Row[] = []
    let after: string | null = ''
    let next: SandboxList
    do {
      const limit = Math.min(MAX_LISTED, state.limit - sandboxes.length)
      next = await call<SandboxList>('GET', `?limit=${limit}&after=${encodeURIComponent(after)}`)
      sandboxes.push(...next.sandboxes)
      after = next.next_after
    } while (after !== null && sandboxes.length < state.limit)
    setPage({ ...next, sandboxes, asOf: formatClockTime(Date.now()) })
    setLost(false)
    const waiting = sandboxes.filter((each) => !state.asked.has(idOf(each)))
    for (const each of waiting) state.asked.add(idOf(each))
    for (let one = 0; one < MAX_AT_ONCE; one++) void describe(waiting)
  }
  const listMore = () => {
    state.limit += PAGE_SIZE
    return list()
  }
  useEffect(() => {
    if (!page) return undefined
    const refresh = () => document.visibilityState === 'visible' && void list().catch(() => setLost(true))
    const timer = setInterval(refresh, REFRESH_MS)
    return () => clearInterval(timer)
  }, [page === undefined])
  const rows: readonly Row[] = (page?.sandboxes ?? []).map((each) => described[idOf(each)] ?? each)
  const hasMore = typeof page?.next_after === 'string'
  return { page, rows, hasMore, isLost, list, listMore }
}

type Sandboxes = ReturnType<typeof useSandboxes>

function Account() {
  const sandboxes = useSandboxes()
  const { page, list } = sandboxes
  const [problem, setProblem] = useState<Error | undefined>(undefined)
  const [original, setOriginal] = useState('')
  const [created, setCreated] = useState<CreatedSandbox | undefined>(undefined)
  const create = async (method: string, path: string, body: object) => {
    setCreated(await call<CreatedSandbox>(method, path, body))
    setOriginal('')
    await list()
  }
  useEffect(() => void list().catch(setProblem), [])
  const open = async (key: string) => {
    sessionStorage.setItem(KEY, key)
    await list()
    setProblem(undefined)
  }
  const needsKey = problem instanceof ResponseError && problem.status === 401
  return (
    <>
      <header class="top row">
        <h1>
          <Mark /> fauxgate sandboxes
        </h1>
      </header>
      <main class="fill column">
        {needsKey ? (
          <KeyCard name="Account key" open={open}>
            <code>fauxgate sandbox</code> printed it at its first start and stored it in the file{' '}
            <code>fauxgate-sandboxes/account-key</code>. On Cloudflare or in a container, it is the secret{' '}
            <code>ACCOUNT_KEY</code>. This page stores it in this tab only.
          </KeyCard>
        ) : (
          <div class="cards">
            <Problem text={problem?.message} />
            {created && <Keys sandbox={created} close={() => setCreated(undefined)} />}
            {original && <Fork key={original} original={original} create={create} />}
            {page && <Create dialects={page.dialects} create={create} />}
            {page && <List {...sandboxes} fork={setOriginal} show={setCreated} />}
          </div>
        )}
      </main>
    </>
  )
}

type CreateCall = (method: string, path: string, body: object) => Promise<void>

function Create({ dialects, create }: { dialects: readonly string[]; create: CreateCall }) {
  const send = ({ name = '', ttl, ...options }: Readonly<Record<string, string>>) =>
    create('PUT', `/${encodeURIComponent(name)}`, { ...options, ...(ttl && { ttl }) })
  return (
    <Card title="New sandbox" wide>
      <Form act={send} kind="row ends" verb="Create">
        <TextField label="Name" name="name" required placeholder="e.g. my-branch" />
        <Field label="Dialect">
          <Choice label="Dialect" name="dialect" values={dialects} />
        </Field>
        <Field label="Clock">
          <Choice label="Clock" name="clock" values={['system', 'manual']} />
        </Field>
        <TextField label="Ends after" name="ttl" placeholder="e.g. 7d" />
      </Form>
    </Card>
  )
}

function Fork({ original, create }: { original: string; create: CreateCall }) {
  return (
    <Card title={`Fork of ${original}`} wide>
      <Form
        kind="row ends"
        verb="Fork"
        act={({ name, ttl }) => create('POST', `/${original}/fork`, { name, ...(ttl && { ttl }) })}
      >
        <TextField label={`Fork ${original} to`} name="name" required autofocus />
        <TextField label="Ends after" name="ttl" placeholder="e.g. 1d" />
      </Form>
    </Card>
  )
}

function Keys({ sandbox: { name, url, api_key, control_key }, close }: { sandbox: CreatedSandbox; close: () => void }) {
  const facts = Object.entries({ URL: url, 'API key': api_key, 'Control key': control_key })
  return (
    <Card title={`${name} is ready`} note="Save its keys now. They won't be shown again." wide>
      <DefinitionList
        of={facts.map(([what, value]) => [what, [<code>{value}</code>, ' ', <Copy text={() => value} />]])}
      />
      <div class="row">
        <Button onClick={close}>Done</Button>
      </div>
    </Card>
  )
}

interface ListProps extends Sandboxes {
  fork: (name: string) => void
  /** Shows a sandbox with new keys. */
  show: (sandbox: CreatedSandbox) => void
}

function List({ page, rows, hasMore, isLost, list, listMore, fork, show }: ListProps) {
  const [search, setSearch] = useState('')
  const [sort, setSort] = useState('Name')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const found = rows.filter(({ name, dialect, clock }) => `${name} ${dialect} ${clock}`.includes(search.toLowerCase()))
  const selected = found.flatMap(({ name }) => (chosen.includes(name) ? [name] : []))
  const remove = async (names: readonly string[]) => {
    for (const name of names) await call('DELETE', `/${name}`)
    await list()
  }
  const renew = async (row: Row) => {
    const keys = await call<Pick<CreatedSandbox, 'api_key' | 'control_key'>>('POST', `/${row.name}/keys`, {})
    // Only the keys change.
    show({ ...row, ...keys } as CreatedSandbox)
  }
  const choose = (name: string, isChosen: boolean) =>
    setChosen([...chosen.filter((each) => each !== name), ...(isChosen ? [name] : [])])
  const link = ({ name, url }: Row) => (
    <>
      <input
        type="checkbox"
        aria-label={`Choose ${name}`}
        checked={chosen.includes(name)}
        onChange={({ currentTarget }) => choose(name, currentTarget.checked)}
      />{' '}
      <a href={`${new URL(url).pathname.replace(/\/+$/, '')}/_fauxgate/`}>{name}</a>
    </>
  )
  const actions = (row: Row) => (
    <>
      <Copy text={() => row.url}>Copy URL</Copy>
      <Button kind="quiet" onClick={() => fork(row.name)}>
        Fork
      </Button>
      <Button kind="quiet" asking="Revoke its current keys?" onClick={() => renew(row)}>
        New keys
      </Button>
      <Button kind="quiet danger" asking={`Delete ${row.name} with its state?`} onClick={() => remove([row.name])}>
        Delete
      </Button>
    </>
  )
  const columns: readonly Column<Row>[] = [
    { name: 'Name', by: ({ name }) => name, cell: link },
    ...COLUMNS,
    { name: 'Actions', cell: actions },
  ]
  return (
    <Card
      title="Sandboxes"
      note={`${formatCount(rows.length)}${hasMore ? ' or more' : ''}, as of ${page?.asOf}, ${isLost ? 'disconnected' : 'updated every 5 s while visible'}`}
      wide
    >
      <div class="row">
        <Search what="sandboxes" value={search} set={setSearch} />
        {search && <span class="dim">{formatCount(found.length)} found</span>}
        {selected.length > 0 && (
          <Button
            kind="danger"
            asking={`Delete ${selected.join(', ')} with all state?`}
            onClick={() => remove(selected)}
          >
            Delete the {formatCount(selected.length)} chosen
          </Button>
        )}
      </div>
      {rows.length === 0 ? (
        <p>No sandboxes yet. Create the first one above.</p>
      ) : (
        <Table
          columns={columns}
          rows={sortRows(found, columns, sort)}
          keyOf={({ name }) => name}
          sort={sort}
          setSort={setSort}
        />
      )}
      {hasMore && <Button onClick={listMore}>More</Button>}
    </Card>
  )
}

const COLUMNS: readonly Column<Row>[] = [
  { name: 'Created', by: ({ created_at }) => created_at, cell: (row) => formatAt(row.created_at) },
  { name: 'Last use', by: ({ last_used_at: at }) => at ?? '', cell: (row) => formatAt(row.last_used_at, 'never') },
  {
    name: 'Next event',
    by: ({ next_event_at: at }) => at ?? '~',
    cell: (row) => formatAt(row.next_event_at, 'none', row.now),
  },
  {
    name: 'Size',
    by: ({ bytes }) => bytes ?? 0,
    cell: ({ records, bytes = 0 }) =>
      records === undefined ? '…' : `${formatCounted(records, 'record')}, ${formatCount(Math.ceil(bytes / 1000))} kB`,
  },
  {
    name: 'Kind',
    by: ({ dialect, clock }) => `${dialect} ${clock}`,
    cell: ({ dialect, clock }) => `${dialect}, ${clock} clock`,
  },
  { name: 'Ends', by: ({ expires_at: at }) => at ?? '~', cell: (row) => formatAt(row.expires_at, 'never') },
]

/** Shows a time relative to now. `at` is undefined while it is loading. */
function formatAt(at: string | null | undefined, none = '', now?: string) {
  if (!at) return at === null ? none : '…'
  return <span title={`${formatTime(at)} UTC`}>{formatRelative(at, now ? Date.parse(now) : Date.now())}</span>
}

render(<Account />, document.body)
