import { useMemo } from 'preact/hooks'
import type { JournalEntry } from '../../generated/controls.ts'
import { inState } from '../live-value.ts'
import { page } from '../page.ts'
import { Button } from '../shared/controls.tsx'
import { formatCount, formatDuration, formatTime } from '../shared/format.ts'
import { Known } from '../shared/known.tsx'
import { EmptyState } from '../shared/layout.tsx'
import { Log } from '../shared/log.tsx'
import { curlToCreate } from './client-code.ts'
import { describeStart, listColumns, listShown, WORDS } from './entry.tsx'
import { RequestDetails } from './request.tsx'
import { SentEvents } from './sent-events.tsx'

const FILTERS = {
  'status:4xx': '4xx',
  'status:5xx': '5xx',
  'method:POST': 'POST',
  'fault:yes': 'fault',
  'changed:yes': 'changed',
}

const NO_REQUEST = 'The journal has no request with this ID. It may have been dropped or cleared.'

export function Requests({ id }: { id: string }) {
  const { journal, requests, history } = page
  const { earlier } = requests
  const all = useMemo(() => [...journal, ...earlier], [journal, earlier])
  if (all.length === 0) {
    return (
      <Known of={history}>
        {() => (
          <>
            <EmptyState title={`No requests${describeStart() || (id ? '' : ' yet')}.`} command={curlToCreate(page)}>
              {id && NO_REQUEST} Requests appear here as they arrive. Send one:
            </EmptyState>
            <SentEvents />
          </>
        )}
      </Known>
    )
  }
  const count = (found: readonly JournalEntry[]) => {
    const old = found.filter((each) => earlier.includes(each)).length
    const { requests: listed = 0, dropped = 0 } = page.overview ?? {}
    const left = dropped > 0 ? listed + dropped - journal.length : 0
    const omitted = left > 0 ? `, ${formatCount(left)} earlier ones left out` : ''
    const here = `${formatCount(found.length - old)} of ${formatCount(journal.length)} here${describeStart(journal.at(-1)?.at)}${omitted}`
    return earlier.length > 0
      ? `${here}, ${formatCount(old)} of ${formatCount(earlier.length)} before the restart`
      : here
  }
  return (
    <Log
      tab="requests"
      all={all}
      id={id}
      idOf={({ operationId }) => operationId}
      columns={listColumns()}
      inputsOf={listShown}
      words={WORDS}
      filters={FILTERS}
      example="status:4xx method:POST path:/reserved_domains"
      count={count}
      between={describeBetween}
      details={(entry) => <RequestDetails key={id} entry={entry} />}
      missing={inState(history, 'Loading…', 'The journal could not be loaded.', () => NO_REQUEST)}
      tools={
        <>
          <Button kind="quiet" asking="Remove all of them?" onClick={() => page.control('DELETE', '/requests')}>
            Clear
          </Button>
          <SentEvents />
        </>
      }
    />
  )
}

/** States what happened between a request and the previous one: a restart or a clock move. */
function describeBetween(entry: JournalEntry, before: JournalEntry): string {
  const { earlier } = page.requests
  if (earlier.includes(before) && !earlier.includes(entry)) return 'The server restarted.'
  const ms = page.overview?.manual ? Date.parse(entry.at) - Date.parse(before.at) : 0
  const how = `${ms < 0 ? 'moved back' : 'advanced'} by ${formatDuration(Math.abs(ms))}`
  return ms === 0 ? '' : `${formatTime(entry.at)} UTC: the clock ${how}`
}
