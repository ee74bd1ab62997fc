import { useMemo, useRef, useState } from 'preact/hooks'
import type { JournalEntry } from '../../core/generated/controls.ts'
import { page } from '../page.ts'
import { compileSearch, findHint, hasWord, toggleWord } from '../search.ts'
import { Button, Text } from '../shared/controls.tsx'
import { formatCount, formatDuration, formatTime } from '../shared/format.ts'
import { EmptyState, Missing, Split } from '../shared/layout.tsx'
import { SortHead, sortBy } from '../shared/sorting.tsx'
import { Row, Windowed } from '../shared/windowed.tsx'
import { curlToCreate } from './client-code.ts'
import { Entry, getResponseSize } from './entry.tsx'
import { RequestDetails } from './request.tsx'

const ROW_HEIGHT = 30

type Entries = readonly JournalEntry[]

/** The values that columns are sorted by. */
const SORTS: Readonly<
  Record<string, (entry: JournalEntry, durations: ReadonlyMap<string, number>) => string | number>
> = {
  time: ({ at }) => at,
  status: ({ status }) => status,
  method: ({ method }) => method,
  path: ({ path }) => path,
  operation: ({ operation }) => operation ?? '',
  duration: ({ operationId }, durations) => durations.get(operationId) ?? 0,
  size: getResponseSize,
  fault: ({ fault }) => fault ?? '',
  change: ({ commit }) => commit?.changes.length ?? 0,
}

/** The order of the journal. */
const NEWEST = '-time'

const NO_REQUEST = 'The journal has no request of that id. It may have been dropped or cleared.'

const FILTERS = ['status:4xx', 'status:5xx', 'method:POST', 'fault:yes', 'changed:yes']

export function Requests({ id }: { id: string }) {
  const search = page.query.get('q') ?? ''
  const sort = page.query.get('sort') ?? NEWEST
  const [isPaused, setPaused] = useState(false)
  const [isHeld, setHeld] = useState(false)
  const held = useRef<Entries>([])
  const { overview, earlier } = page
  const journal = useMemo(() => [...page.journal, ...earlier], [page.journal, earlier])
  const holds = isPaused || isHeld
  if (!holds || held.current.length === 0 || journal.length === 0) held.current = journal
  const entries = held.current
  const found = useMemo(() => {
    const matching = entries.filter(compileSearch(search))
    if (sort === NEWEST) return matching
    // The journal is the newest first, also among entries of the same time.
    if (sort === 'time') return matching.reverse()
    const by = SORTS[sort.replace('-', '')]
    return by ? sortBy(matching, (entry) => by(entry, page.durations), sort) : matching
  }, [entries, search, sort])
  const rows = useMemo(
    () => (sort === NEWEST ? found.flatMap((...each) => addRow(...each, overview?.manual)) : found),
    [found, sort, overview?.manual, earlier],
  )
  const oldFound = earlier.length > 0 ? found.filter((each) => earlier.includes(each)).length : 0
  const chosen = journal.find(({ operationId }) => operationId === id)
  const missed = holds ? journal.findIndex(({ operationId }) => operationId === entries[0]?.operationId) : 0
  if (journal.length === 0) {
    return (
      overview?.requests === 0 && (
        <EmptyState title="No requests yet." command={curlToCreate(page)}>
          {id && NO_REQUEST} Requests of clients appear here as they come. Send one:
        </EmptyState>
      )
    )
  }
  const step = (by: number) => {
    const next = found[found.findIndex(({ operationId }) => operationId === id) + by]
    if (!next) return
    page.goTo(page.linkWithin(`requests/${next.operationId}`).slice(1))
    showRow(rows.indexOf(next) * ROW_HEIGHT)
  }
  return (
    <Split
      step={step}
      side={
        chosen ? (
          <RequestDetails key={id} entry={chosen} />
        ) : (
          id &&
          page.isLoaded && (
            <Missing title={id} back={page.linkWithin('requests')}>
              {NO_REQUEST}
            </Missing>
          )
        )
      }
      tools={
        <>
          <Text
            type="search"
            class="find"
            label="Search requests"
            placeholder="Search: status:4xx method:POST path:/reserved_domains"
            value={search}
            set={(q) => page.setQuery({ q })}
          />
          {FILTERS.map((word) => (
            <Button
              key={word}
              label={word}
              pressed={hasWord(search, word)}
              onClick={() => page.setQuery({ q: toggleWord(search, word) })}
            >
              {word.replace(/status:|method:|:yes/, '')}
            </Button>
          ))}
          <span class="dim">
            {formatCount(found.length - oldFound)} of {formatCount(entries.length - earlier.length)} here
            {earlier.length > 0 && `, ${formatCount(oldFound)} of ${formatCount(earlier.length)} before the restart`}
          </span>
          <Button pressed={isPaused} onClick={() => setPaused(!isPaused)}>
            Pause
          </Button>
          {missed > 0 && (
            <Button
              kind="main"
              onClick={() => {
                setPaused(false)
                setHeld(false)
                document.querySelector('.windowed')?.scrollTo(0, 0)
              }}
            >
              {formatCount(missed)} new
            </Button>
          )}
          <Button
            kind="quiet"
            twice
            asking="Remove all of them?"
            onClick={() => page.callControl('DELETE', '/requests')}
          >
            Clear
          </Button>
        </>
      }
    >
      {found.length === 0 && <EmptyState title="No request is like that.">{findHint(search)}</EmptyState>}
      <Windowed
        total={rows.length}
        rowHeight={ROW_HEIGHT}
        label="Requests"
        onHold={sort === NEWEST ? setHeld : undefined}
        heads={Object.keys(SORTS).map((name) => (
          <SortHead
            key={name}
            name={name}
            label={name === 'time' && overview?.manual ? 'no.' : name}
            sort={sort}
            set={(to) => page.setQuery({ sort: to })}
          />
        ))}
        row={(index) => {
          const row = rows[index]
          if (!row) return null
          if ('operationId' in row) return <Entry key={page.getNumber(row)} entry={row} isChosen={row === chosen} />
          return (
            <Row key={index} kind="moved">
              <span role="cell">{row.text}</span>
            </Row>
          )
        }}
      />
    </Split>
  )
}

/** Adds what happened between an entry and the one before, which is in the row below: a restart or a move of the clock. */
function addRow(entry: JournalEntry, index: number, all: Entries, isManual = false) {
  const before = all[index + 1]
  if (before === undefined) return [entry]
  if (page.earlier.includes(before) && !page.earlier.includes(entry)) return [entry, { text: 'The server restarted.' }]
  const ms = isManual ? Date.parse(entry.at) - Date.parse(before.at) : 0
  if (ms === 0) return [entry]
  const how = `${ms < 0 ? 'back' : 'on'} by ${formatDuration(Math.abs(ms))}`
  return [entry, { text: `${formatTime(entry.at)} UTC: the clock moved ${how}` }]
}

/** Scrolls a row into sight. */
function showRow(top: number): void {
  const list = document.querySelector('.windowed')
  if (!list) return
  const { scrollTop, clientHeight } = list
  if (top < scrollTop) list.scrollTo(0, top)
  else if (top + ROW_HEIGHT > scrollTop + clientHeight) list.scrollTo(0, top + ROW_HEIGHT - clientHeight)
}
