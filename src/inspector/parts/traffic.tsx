import { useRef, useState } from 'preact/hooks'
import type { TrafficEntry } from '../../control/traffic/entry.ts'
import { useLive } from '../live.ts'
import { page } from '../page.ts'
import { hasWord, toggleWord } from '../search.ts'
import { Button, Copy, Text } from '../shared/controls.tsx'
import { formatCount, formatTime } from '../shared/format.ts'
import { EmptyState, Side, Split } from '../shared/layout.tsx'
import { Row, Windowed } from '../shared/windowed.tsx'
import { Outcome, VisitDetails } from './visit.tsx'

const ROW_HEIGHT = 30
const MAX_VISITS = 1000
const BY_RULE = 'rule:yes'
const FILTERS = ['status:2xx', 'status:4xx', 'status:5xx', BY_RULE]

type Visits = readonly TrafficEntry[]

/** The requests of visitors, live, and the way of the chosen one through rules and modules. */
export function Traffic({ id }: { id: string }) {
  const visits = useVisits()
  const search = page.query.get('q') ?? ''
  const [isHeld, setHeld] = useState(false)
  const held = useRef<Visits>([])
  if (!visits) return null
  if (!isHeld || visits.length === 0) held.current = visits
  if (visits.length === 0 && !id) return <NoVisits />
  const found = held.current.filter(matcher(search))
  const missed = visits.length - held.current.length
  const chosen = visits.find(({ number }) => String(number) === id)
  const link = (number: number) => page.linkWithin(`traffic/${number}`)
  const step = (by: number) => {
    const next = found[found.findIndex(({ number }) => String(number) === id) + by]
    if (next) page.goTo(link(next.number).slice(1))
  }
  const row = (index: number) => {
    const visit = found[index]
    return visit && <Visit key={visit.number} visit={visit} href={link(visit.number)} isChosen={visit === chosen} />
  }
  const back = page.linkWithin('traffic')
  const side = chosen ? (
    <VisitDetails key={id} visit={chosen} visits={visits} back={back} />
  ) : (
    id && (
      <Side title={`Request ${id}`} back={back}>
        <p class="dim">
          The journal of traffic does not have it. It keeps the last {formatCount(MAX_VISITS)} requests.
        </p>
      </Side>
    )
  )
  const tools = (
    <>
      <Text
        type="search"
        class="find"
        label="Search traffic"
        placeholder="Search: /admin status:403 203.0.113.9"
        value={search}
        set={(q) => page.setQuery({ q })}
      />
      {FILTERS.map((word) => (
        <Button
          key={word}
          {...(word !== BY_RULE && { label: word })}
          pressed={hasWord(search, word)}
          onClick={() => page.setQuery({ q: toggleWord(search, word) })}
        >
          {word === BY_RULE ? 'ended by a rule' : word.slice('status:'.length)}
        </Button>
      ))}
      <span class="dim">
        {formatCount(found.length)} of {formatCount(visits.length)} here
      </span>
      {missed > 0 && (
        <Button
          kind="main"
          onClick={() => {
            setHeld(false)
            document.querySelector('.windowed')?.scrollTo(0, 0)
          }}
        >
          {formatCount(missed)} new
        </Button>
      )}
    </>
  )
  return (
    <Split step={step} side={side} tools={tools}>
      {found.length === 0 && <EmptyState title="No request is like that." />}
      <Windowed
        total={found.length}
        rowHeight={ROW_HEIGHT}
        label="Traffic"
        onHold={setHeld}
        heads={Object.entries(COLUMNS).map(([name, label]) => (
          // biome-ignore lint/a11y/useFocusableInteractive: heads that do not sort, unlike those of a grid, get no focus
          <span key={name} class={`c-${name}`} role="columnheader">
            {name === 'time' && page.overview?.manual ? 'no.' : label}
          </span>
        ))}
        row={row}
      />
    </Split>
  )
}

/** Loads the requests of visitors, the newest first: at first all, and then what is new. */
function useVisits(): Visits | undefined {
  const known = useRef<Visits>([])
  const count = page.overview?.traffic ?? 0
  return useLive(async () => {
    const { number: last = 0 } = known.current[0] ?? {}
    const more = await page.control<TrafficEntry[]>('GET', `/traffic${last ? `?after=${last}` : ''}`)
    const isEmptied = more[0] ? more[0].number <= last : (page.overview?.traffic ?? 0) < last
    known.current = [...more.reverse(), ...(isEmptied ? [] : known.current)].slice(0, MAX_VISITS)
    return known.current
  }, [count])
}

function matcher(search: string): (visit: TrafficEntry) => boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return ({ method, url, status, rule, error, upstream, ip, from }) => {
    const text = JSON.stringify([
      method,
      url,
      `status:${status ?? 'closed'}`,
      rule && 'rule:yes',
      rule,
      error,
      upstream,
      ip,
      from,
    ])
    return words.every((word) =>
      /^status:\dxx$/.test(word) ? String(status)[0] === word[7] : text.toLowerCase().includes(word),
    )
  }
}

/** The heads of the columns, by their classes. */
const COLUMNS = { time: 'time', status: 'status', method: 'method', url: 'URL', by: 'answered by' }

function Visit({ visit, href, isChosen }: { visit: TrafficEntry; href: string; isChosen: boolean }) {
  const { number, at, method, url, rule, error, upstream } = visit
  const { host, pathname, search } = new URL(url)
  const cells = [
    page.overview?.manual ? number : formatTime(at).slice(11),
    <Outcome visit={visit} />,
    <b>{method}</b>,
    <a href={href} aria-current={isChosen}>
      <span class="dim">{host}</span>
      {pathname + search}
    </a>,
    rule ? `the rule ${rule}` : (error ?? upstream),
  ]
  return (
    <Row kind={isChosen ? 'chosen' : ''}>
      {Object.keys(COLUMNS).map((name, column) => (
        <span key={name} class={`c-${name}`} role="cell">
          {cells[column]}
        </span>
      ))}
    </Row>
  )
}

function NoVisits() {
  // A gateway of another dialect has no endpoints.
  const endpoints = useLive(
    () => page.connection.service<{ endpoints: { url: string }[] }>('GET', '/endpoints?limit=1').catch(() => undefined),
    [],
  )
  const url = endpoints?.endpoints[0]?.url ?? 'https://app.example.com'
  return (
    <EmptyState title="No visitors yet.">
      Their requests to your endpoints appear here, each with its way through rules and modules.
      {[
        ['Send one', `npx fauxgate request ${url}/ --explain`],
        [
          'Or open a port for browsers',
          `npx fauxgate serve --dialect ngrok --traffic 8080 --upstream ${url}=http://127.0.0.1:3000`,
        ],
      ].map(([what, command = '']) => (
        <>
          <p class="dim">{what}:</p>
          <div class="shell flex">
            <code>{command}</code>
            <Copy text={() => command} />
          </div>
        </>
      ))}
    </EmptyState>
  )
}
