import { useRef } from 'preact/hooks'
import type { TrafficEntry } from '../../control/traffic/entry.ts'
import { useLive } from '../live.ts'
import { inState, type Live } from '../live-value.ts'
import { page } from '../page.ts'
import { COMMON_WORDS, type Words } from '../search.ts'
import { formatCount, formatTime } from '../shared/format.ts'
import { Known } from '../shared/known.tsx'
import { Command, EmptyState } from '../shared/layout.tsx'
import { Log } from '../shared/log.tsx'
import type { Column } from '../shared/table.tsx'
import { describeStart } from './entry.tsx'
import { Outcome, VisitDetails } from './visit.tsx'

const MAX_VISITS = 1000

const FILTERS = { 'status:2xx': '2xx', 'status:4xx': '4xx', 'status:5xx': '5xx', 'rule:yes': 'ended by a rule' }

type Visits = readonly TrafficEntry[]

/** The visitor requests, live, and the trace of the selected request. */
export function Traffic({ id }: { id: string }) {
  return (
    <Known of={useVisits()}>
      {(visits) => (visits.length === 0 && !id ? <NoVisits /> : <VisitLog visits={visits} id={id} />)}
    </Known>
  )
}

function VisitLog({ visits, id }: { visits: Visits; id: string }) {
  return (
    <Log
      tab="traffic"
      all={visits}
      id={id}
      idOf={({ number }) => String(number)}
      columns={listColumns()}
      inputsOf={({ number }) => [linkTo(number)]}
      words={WORDS}
      filters={FILTERS}
      example="/admin status:403 203.0.113.9"
      count={(found) => `${formatCount(found.length)} of ${formatCount(visits.length)} here${describeStart()}`}
      details={(visit) => <VisitDetails key={id} visit={visit} visits={visits} />}
      missing={`The traffic journal does not contain this request. It keeps the last ${formatCount(MAX_VISITS)} requests.`}
    />
  )
}

const WORDS: Words<TrafficEntry> = {
  ...COMMON_WORDS,
  rule: { finds: ({ rule }, value) => (value === 'yes' ? rule !== null : (rule ?? '').includes(value)) },
}

const linkTo = (number: number) => page.linkWithin(`traffic/${number}`)

function listColumns(): Column<TrafficEntry>[] {
  const { manual } = page.overview ?? {}
  const getHandler = ({ rule, error, upstream }: TrafficEntry) => (rule ? `the rule ${rule}` : (error ?? upstream))
  return [
    {
      name: 'time',
      label: manual ? 'no.' : 'time',
      by: ({ number }) => number,
      cell: ({ number, at }) => (manual ? formatCount(number) : formatTime(at).slice(11)),
    },
    { name: 'status', by: ({ status }) => status ?? 0, cell: (visit) => <Outcome visit={visit} /> },
    { name: 'method', by: ({ method }) => method, cell: ({ method }) => <b>{method}</b> },
    { name: 'path', label: 'URL', by: ({ url }) => url, cell: (visit) => <Address visit={visit} /> },
    { name: 'by', label: 'handled by', by: (visit) => getHandler(visit) ?? '', cell: getHandler },
  ]
}

function Address({ visit: { number, url } }: { visit: TrafficEntry }) {
  const { host, pathname, search } = new URL(url)
  return (
    <a class="flex" href={linkTo(number)} title={url} aria-label={url}>
      <span class="dim">{host}</span>
      <span>{pathname + search}</span>
    </a>
  )
}

/** Loads the visitor requests, newest first: initially all, then only new ones. */
function useVisits(): Live<Visits> {
  const known = useRef<Visits>([])
  const count = page.overview?.traffic ?? 0
  const load = async () => {
    const { number: last = 0 } = known.current[0] ?? {}
    const more = await page.control<TrafficEntry[]>('GET', `/traffic${last ? `?after=${last}` : ''}`)
    const isEmptied = more[0] ? more[0].number <= last : (page.overview?.traffic ?? 0) < last
    known.current = [...more.reverse(), ...(isEmptied ? [] : known.current)].slice(0, MAX_VISITS)
    return known.current
  }
  return useLive('/traffic', load, [count])
}

function NoVisits() {
  const hasEndpoints = page.gateway?.nouns.endpoints !== undefined
  const path = '/endpoints?limit=1'
  const get = () => page.connection.service<{ endpoints: { url: string }[] }>('GET', path)
  const load = async () => (hasEndpoints ? get() : null)
  const any = 'https://app.example.com'
  const url = inState(useLive(path, load), any, any, (found) => found?.endpoints[0]?.url ?? any)
  const run = 'npx --no -- fauxgate'
  const [next, command] = hasEndpoints
    ? ['Open a port for browsers, or send one:', { command: `${run} request ${url}/ --explain` }]
    : ['This dialect has no endpoints. To have some, start a server with another dialect:']
  return (
    <EmptyState title={`No visitors${describeStart() || ' yet'}.`} {...command}>
      Their requests appear here, each with its trace. {next}
      <Command text={`${run} serve --dialect ngrok --traffic 8080 --upstream ${url}=http://127.0.0.1:3000`} />
    </EmptyState>
  )
}
