import { fromNow, readable } from '../shared/time.ts'
import { type Created, call, type Described, hasKey, keepKey, type Listed, type Listing, Refused } from './calls.ts'
import { button, choice, element, form, line } from './elements.ts'

/** How many sandboxes are asked for at a time, and how many of them tell of themselves at one time: it wakes them. */
const PAGE = 50
const AT_ONCE = 4

const problem = element('p', { className: 'problem', role: 'alert' })
const news = element('section', {})
const rows = element('tbody', {})
const more = element('p', {})
const main = element('main', {})

/** Does something that a person asked for, and says why where it is refused. */
async function doing(work: () => Promise<void>): Promise<void> {
  problem.textContent = ''
  try {
    await work()
  } catch (error) {
    const isKeyAsked = error instanceof Refused && error.status === 401
    if (isKeyAsked) showKey()
    // Whoever has not given one yet is asked, not refused.
    if (!isKeyAsked || hasKey()) problem.textContent = error instanceof Error ? error.message : String(error)
  }
}

function showKey(): void {
  const [label, key] = line('Account key', { type: 'password', required: true })
  const open = () => {
    keepKey(key.value)
    void doing(showAll)
  }
  main.replaceChildren(form('Open', open, label), 'It is kept for this tab only.')
  key.focus()
}

async function showAll(): Promise<void> {
  await list('')
  const heads = ['Name', 'Age', 'Last use', 'Next event', 'Size', 'Kind', 'Ends', '']
  const head = element('tr', {}, ...heads.map((each) => element('th', { scope: 'col' }, each)))
  main.replaceChildren(creating(), news, element('table', {}, element('thead', {}, head), rows), more)
}

/** Shows the sandboxes after a name behind those that are shown, or all anew. */
async function list(after: string): Promise<void> {
  const { sandboxes, next_after } = await call<Listing>('GET', `?limit=${PAGE}&after=${encodeURIComponent(after)}`)
  if (after === '') rows.replaceChildren()
  const waiting = sandboxes.map((each) => {
    const row = element('tr', {})
    show(row, each)
    rows.append(row)
    return { row, each }
  })
  more.replaceChildren(
    ...(next_after === null ? [] : [button('More', () => void doing(() => list(next_after)))]),
    rows.childElementCount === 0 ? 'There is no sandbox yet.' : '',
  )
  for (let one = 0; one < AT_ONCE; one++) void describe(waiting)
}

async function describe(waiting: { row: HTMLTableRowElement; each: Listed }[]): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { row, each } = next
    try {
      show(row, each, await call<Described>('GET', `/${each.name}`))
    } catch (error) {
      // One that has ended meanwhile is in no list any more.
      if (error instanceof Refused && error.status === 404) row.remove()
    }
  }
}

function show(row: HTMLTableRowElement, { name, url, ...listed }: Listed, described?: Described): void {
  const now = Date.now()
  const since = (time: string | null | undefined, otherwise: string, from = now) =>
    time ? element('span', { title: `${readable(time)} UTC` }, fromNow(time, from)) : otherwise
  const size = described && `${described.records.toLocaleString('en')} records, ${kilobytes(described.bytes)}`
  const cells = [
    element('a', { href: `${new URL(url).pathname.replace(/\/+$/, '')}/_fauxgate/` }, name),
    since(listed.created_at, ''),
    since(described?.last_used_at, described ? 'never' : '…'),
    since(described?.next_event_at, described ? 'none' : '…', described && Date.parse(described.now)),
    size ?? '…',
    `${listed.dialect}, ${listed.clock} clock`,
    since(listed.expires_at, 'never'),
    element(
      'span',
      {},
      button('Fork', () => forking(name)),
      button('Delete', () => remove(name, row), true),
    ),
  ]
  row.replaceChildren(...cells.map((each) => element('td', {}, each)))
}

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1000).toLocaleString('en')} kB`
}

function creating(): HTMLFormElement {
  const [nameLabel, name] = line('Name', { required: true, placeholder: 'branch-name' })
  const [dialectLabel, dialect] = choice('Dialect', 'standard', 'ngrok')
  const [clockLabel, clock] = choice('Clock', 'system', 'manual')
  const [ttlLabel, ttl] = line('Ends after', { placeholder: '7d' })
  const create = () =>
    doing(async () => {
      const body = { dialect: dialect.value, clock: clock.value, ...(ttl.value && { ttl: ttl.value }) }
      await made(await call<Created>('PUT', `/${encodeURIComponent(name.value)}`, body))
    })
  return form('Create', () => void create(), nameLabel, dialectLabel, clockLabel, ttlLabel)
}

function forking(name: string): void {
  const [label, copy] = line(`Fork ${name} to`, { required: true })
  const [ttlLabel, ttl] = line('Ends after', { placeholder: '1d' })
  const fork = () =>
    doing(async () => {
      const body = { name: copy.value, ...(ttl.value && { ttl: ttl.value }) }
      await made(await call<Created>('POST', `/${name}/fork`, body))
    })
  news.replaceChildren(form('Fork', () => void fork(), label, ttlLabel))
  copy.focus()
}

/** Shows the keys of a new sandbox, this once. */
async function made({ name, url, api_key, control_key }: Created): Promise<void> {
  const facts = [
    ['URL', url],
    ['API key', api_key],
    ['Control key', control_key],
  ] as const
  const shown = facts.flatMap(([what, value]) => [
    element('dt', {}, what),
    element('dd', {}, element('code', {}, value)),
  ])
  news.replaceChildren(
    element('h2', {}, `${name} is there. Its keys are shown this once:`),
    element('dl', {}, ...shown),
    button('Done', () => news.replaceChildren()),
  )
  await list('')
}

function remove(name: string, row: HTMLTableRowElement): void {
  void doing(async () => {
    await call('DELETE', `/${name}`)
    row.remove()
  })
}

document.body.append(element('header', {}, element('h1', {}, 'fauxgate sandboxes')), problem, main)
void doing(showAll)
