import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { CreatedSandbox, DescribedSandbox, SandboxList } from '../sandbox/objects.ts'
import { ResponseError, requestJson } from './connection.ts'
import { Button, Choice, Copy, Field, Form, Problem, Search, Submit, Text, TextField } from './shared/controls.tsx'
import { formatCount, formatCounted, formatRelative, formatTime } from './shared/format.ts'
import { Card, DefinitionList, Mark, Table } from './shared/layout.tsx'
import { SortHead, sortBy } from './shared/sorting.tsx'

/** A sandbox of the list, with its description once that is loaded. */
type Row = SandboxList['sandboxes'][number] & Partial<DescribedSandbox>

const PAGE_SIZE = 50

/** The maximum of descriptions that are loaded at the same time. Each wakes its sandbox. */
const MAX_AT_ONCE = 4

/** The interval, in ms, at which the page loads the changes that others made. */
const REFRESH_MS = 5000

const KEY = 'fauxgate-account-key'

function call<T>(method: string, path: string, body?: object): Promise<T> {
  const key = sessionStorage.getItem(KEY)
  const base = `${location.pathname.replace(/\/+$/, '')}/s`
  return requestJson(method, base + path, key ? { 'Fauxgate-Account-Key': key } : {}, body)
}

function Account() {
  const [problem, setProblem] = useState('')
  const [needsKey, setNeedsKey] = useState(false)
  const [page, setPage] = useState<SandboxList | undefined>(undefined)
  const [rows, setRows] = useState<readonly Row[]>([])
  const [original, setOriginal] = useState('')
  const [created, setCreated] = useState<CreatedSandbox | undefined>(undefined)

  const run = async (work: () => Promise<unknown>) => {
    setProblem('')
    try {
      await work()
    } catch (error) {
      const isKeyWanted = error instanceof ResponseError && error.status === 401
      if (isKeyWanted) setNeedsKey(true)
      if (!isKeyWanted || sessionStorage.getItem(KEY) !== null) setProblem(String(error).replace(/^Error: /, ''))
    }
  }
  const replace = (name: string, by: readonly Row[]) =>
    setRows((all) => all.flatMap((each) => (each.name === name ? by : each)))
  const describe = async (waiting: Row[]) => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { name } = next
      await call<DescribedSandbox>('GET', `/${name}`).then(
        (described) => replace(name, [described]),
        (error) => error.status === 404 && replace(name, []),
      )
    }
  }
  const list = async (after = '') => {
    const next = await call<SandboxList>('GET', `?limit=${PAGE_SIZE}&after=${encodeURIComponent(after)}`)
    setNeedsKey(false)
    setPage(next)
    setRows((all) => [...(after ? all : []), ...next.sandboxes])
    const waiting = [...next.sandboxes]
    for (let one = 0; one < MAX_AT_ONCE; one++) void describe(waiting)
  }
  const create = (method: string, path: string, body: object) =>
    run(async () => {
      setCreated(await call<CreatedSandbox>(method, path, body))
      setOriginal('')
      await list()
    })
  const remove = (name: string) =>
    run(async () => {
      await call('DELETE', `/${name}`)
      replace(name, [])
    })
  const renew = (row: Row) =>
    run(async () => {
      const keys = await call<Pick<CreatedSandbox, 'api_key' | 'control_key'>>('POST', `/${row.name}/keys`, {})
      // Only the keys change.
      setCreated({ ...row, ...keys } as CreatedSandbox)
    })
  /** Loads the sandboxes that others created or removed. Loads no description again, because that would wake the sandboxes. */
  const refresh = async () => {
    if (document.visibilityState !== 'visible' || needsKey) return
    const next = await call<SandboxList>('GET', `?limit=${PAGE_SIZE}`).catch(() => undefined)
    if (!next) return
    const last = next.next_after
    const fresh: Row[] = []
    setRows((all) => {
      const first = next.sandboxes.map((each) => all.find(({ name }) => name === each.name) ?? each)
      fresh.push(...first.filter((each) => !all.includes(each)))
      return [...first, ...(last === null ? [] : all.filter(({ name }) => name > last))]
    })
    setTimeout(() => void describe([...fresh]))
  }
  useEffect(() => void run(list), [])
  useEffect(() => {
    if (!page) return undefined
    const timer = setInterval(() => void refresh(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [page === undefined, needsKey])

  const after = page?.next_after
  return (
    <>
      <header class="top row">
        <h1>
          <Mark /> fauxgate sandboxes
        </h1>
      </header>
      <main class="fill column">
        <div class="cards">
          <Problem text={problem} />
          {needsKey && <Key open={() => void run(list)} />}
          {page && !needsKey && (
            <>
              {created && <Keys sandbox={created} close={() => setCreated(undefined)} />}
              {original && <Fork key={original} original={original} create={create} />}
              <Create dialects={page.dialects} create={create} />
              <Card title="Sandboxes" note={`${formatCount(rows.length)}${after ? ' or more' : ''}`} wide>
                <Sandboxes rows={rows} fork={setOriginal} renew={(row) => void renew(row)} remove={remove} />
                {after && <Button onClick={() => run(() => list(after))}>More</Button>}
              </Card>
            </>
          )}
        </div>
      </main>
    </>
  )
}

function Key({ open }: { open: () => void }) {
  const keep = ({ key = '' }) => {
    sessionStorage.setItem(KEY, key)
    open()
  }
  return (
    <Card title="Account key" wide>
      <Form act={keep}>
        <Text type="password" label="Account key" name="key" required />
        <Submit>Open</Submit>
      </Form>
      <p class="dim">
        <code>fauxgate sandbox</code> printed it at its first start, and stored it in the file{' '}
        <code>fauxgate-sandboxes/account-key</code>. On Cloudflare or in a container, it is the secret{' '}
        <code>ACCOUNT_KEY</code>. This page stores it in this tab only.
      </p>
    </Card>
  )
}

type CreateCall = (method: string, path: string, body: object) => Promise<void>

function Create({ dialects, create }: { dialects: readonly string[]; create: CreateCall }) {
  const send = ({ name = '', ttl, ...options }: Readonly<Record<string, string>>) =>
    create('PUT', `/${encodeURIComponent(name)}`, { ...options, ...(ttl && { ttl }) })
  return (
    <Card title="New sandbox" wide>
      <Form act={send} kind="row ends">
        <TextField label="Name" name="name" required placeholder="branch-name" />
        <Field label="Dialect">
          <Choice label="Dialect" name="dialect" values={dialects} />
        </Field>
        <Field label="Clock">
          <Choice label="Clock" name="clock" values={['system', 'manual']} />
        </Field>
        <TextField label="Ends after" name="ttl" placeholder="7d" />
        <Submit>Create</Submit>
      </Form>
    </Card>
  )
}

function Fork({ original, create }: { original: string; create: CreateCall }) {
  return (
    <Card title={`Fork of ${original}`} wide>
      <Form kind="row ends" act={({ name, ttl }) => create('POST', `/${original}/fork`, { name, ...(ttl && { ttl }) })}>
        <TextField label={`Fork ${original} to`} name="name" required autofocus />
        <TextField label="Ends after" name="ttl" placeholder="1d" />
        <Submit>Fork</Submit>
      </Form>
    </Card>
  )
}

function Keys({ sandbox: { name, url, api_key, control_key }, close }: { sandbox: CreatedSandbox; close: () => void }) {
  const facts = Object.entries({ URL: url, 'API key': api_key, 'Control key': control_key })
  return (
    <Card title={`${name} is ready`} note="Save its keys now, they are not shown again." wide>
      <DefinitionList
        of={facts.map(([what, value]) => [
          what,
          <>
            <code>{value}</code> <Copy text={() => value} />
          </>,
        ])}
      />
      <div class="row">
        <Button onClick={close}>Done</Button>
      </div>
    </Card>
  )
}

/** The columns, with the values that they are sorted by. */
const COLUMNS: readonly (readonly [head: string, by?: (row: Row) => string | number])[] = [
  ['Name', ({ name }) => name],
  ['Age', ({ created_at }) => created_at],
  ['Last use', ({ last_used_at }) => last_used_at ?? ''],
  ['Next event', ({ next_event_at }) => next_event_at ?? '~'],
  ['Size', ({ bytes }) => bytes ?? 0],
  ['Kind', ({ dialect, clock }) => `${dialect} ${clock}`],
  ['Ends', ({ expires_at }) => expires_at ?? '~'],
  ['Actions'],
]

interface SandboxesProps {
  rows: readonly Row[]
  fork: (name: string) => void
  renew: (row: Row) => void
  remove: (name: string) => Promise<void>
}

function Sandboxes({ rows, fork, renew, remove }: SandboxesProps) {
  const [search, setSearch] = useState('')
  const [sort, setSort] = useState('Name')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const found = rows.filter(({ name, dialect, clock }) => `${name} ${dialect} ${clock}`.includes(search.toLowerCase()))
  const [, by] = COLUMNS.find(([head]) => sort.endsWith(head)) ?? []
  const sorted = by ? sortBy(found, by, sort) : found
  const selected = found.filter(({ name }) => chosen.has(name))
  const choose = (name: string, isChosen: boolean) => {
    const others = [...chosen].filter((each) => each !== name)
    setChosen(new Set(isChosen ? [...others, name] : others))
  }
  const removeChosen = async () => {
    for (const { name } of selected) await remove(name)
    setChosen(new Set())
  }
  const cells = (row: Row) => {
    const { name, url, records, bytes = 0, now } = row
    return [
      <>
        <input
          type="checkbox"
          aria-label={`Choose ${name}`}
          checked={chosen.has(name)}
          onChange={({ currentTarget }) => choose(name, currentTarget.checked)}
        />{' '}
        <a href={`${new URL(url).pathname.replace(/\/+$/, '')}/_fauxgate/`}>{name}</a>
      </>,
      <Time at={row.created_at} />,
      <Time at={row.last_used_at} none="never" />,
      <Time at={row.next_event_at} none="none" now={now} />,
      records === undefined ? '…' : `${formatCounted(records, 'record')}, ${formatCount(Math.ceil(bytes / 1000))} kB`,
      `${row.dialect}, ${row.clock} clock`,
      <Time at={row.expires_at} none="never" />,
      <>
        <Copy text={() => url}>Copy URL</Copy>
        <Button kind="quiet" onClick={() => fork(name)}>
          Fork
        </Button>
        <Button kind="quiet" twice asking="End its present keys?" onClick={() => renew(row)}>
          New keys
        </Button>
        <Button kind="quiet danger" twice asking={`Delete ${name} with its state?`} onClick={() => remove(name)}>
          Delete
        </Button>
      </>,
    ]
  }
  const heads = COLUMNS.map(([head, sorts]) =>
    sorts ? <SortHead key={head} tag="th" name={head} sort={sort} set={setSort} /> : head,
  )
  return (
    <>
      <div class="row">
        <Search what="sandboxes" value={search} set={setSearch} />
        {search && <span class="dim">{formatCount(found.length)} found</span>}
        {selected.length > 0 && (
          <Button
            kind="danger"
            twice
            asking={`Delete ${selected.map(({ name }) => name).join(', ')} with all state?`}
            onClick={() => removeChosen()}
          >
            Delete the {selected.length} chosen
          </Button>
        )}
      </div>
      {rows.length === 0 ? (
        <p>There is no sandbox yet. Create the first one above.</p>
      ) : (
        <Table heads={heads} rows={sorted.map(cells)} keys={sorted.map(({ name }) => name)} />
      )}
    </>
  )
}

/** A time relative to now. `at` is undefined while it is loaded. */
function Time({ at, none, now }: { at: string | null | undefined; none?: string; now?: string | undefined }) {
  if (!at) return <>{at === null ? none : '…'}</>
  return <span title={`${formatTime(at)} UTC`}>{formatRelative(at, now ? Date.parse(now) : Date.now())}</span>
}

render(<Account />, document.body)
