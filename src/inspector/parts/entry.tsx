import { useMemo } from 'preact/hooks'
import type { JournalEntry } from '../../core/generated/controls.ts'
import { page } from '../page.ts'
import { compileSearch, getErrorCode } from '../search.ts'
import { formatBytes, formatMs, formatTime } from '../shared/format.ts'
import { Chip, StatusChip } from '../shared/layout.tsx'

const MAX_RELATED = 10

/** The last requests that contain a text, such as an id. */
export function RelatedRequests({ text, chosen }: { text: string; chosen?: JournalEntry }) {
  const { journal } = page
  const search = `"${text}"`
  const found = journal.filter(compileSearch(search)).slice(0, MAX_RELATED)
  return (
    <>
      <h3>
        Its requests <a href={`#requests?q=${encodeURIComponent(search)}`}>all</a>
      </h3>
      <div role="list">
        {found.map((entry, at) => (
          <Entry key={entry.operationId} entry={entry} before={found[at + 1]} isChosen={entry === chosen} />
        ))}
      </div>
      {found.length === 0 && <p class="dim">None in the journal.</p>}
    </>
  )
}

interface EntryProps {
  entry: JournalEntry
  /** The entry in the row below. */
  before?: JournalEntry | undefined
  isChosen?: boolean
}

export function Entry({ entry, before, isChosen = false }: EntryProps) {
  const until = page.findWaitEnd(entry)
  const ms = page.durations.get(entry.operationId)
  const place = `requests/${entry.operationId}`
  const linkTo = (to: string) => (page.place.startsWith('requests') ? page.linkWithin(to) : `#${to}`)
  const href = linkTo(place)
  // An unchanged row is not rendered again: its size is expensive to compute.
  return useMemo(() => {
    const { at, method, path, query, status, operation, fault, commit } = entry
    const [day, time] = formatTime(at).split(' ')
    const sameDay = before?.at.slice(0, 10) === at.slice(0, 10)
    return (
      <div class={`line ${isChosen ? 'chosen' : ''}`} role="listitem">
        <a href={href} aria-current={isChosen}>
          <span class="c-time dim" title={`${day} ${time} UTC`}>
            {before?.at === at ? '+0 s' : sameDay ? time : `${day} ${time}`}
          </span>
          <b class="c-method">{method}</b>
          <code class="c-path clip">
            {path}
            {query && `?${query}`}
          </code>
          <span class="c-operation clip dim">{operation ?? 'unknown'}</span>
          <span class="c-status">
            {until ? (
              <Chip tone="busy">waiting until {formatTime(until).slice(11)}</Chip>
            ) : (
              <StatusChip status={status} />
            )}{' '}
            <small class="dim" title={getErrorCode(entry)}>
              {getErrorCode(entry).replace(/.*_/, '')}
            </small>
          </span>
          <span class="c-duration">{ms !== undefined && formatMs(ms)}</span>
          <span class="c-size">{formatBytes(getResponseSize(entry))}</span>
          <span class="c-fault">{fault && <Chip tone="bad">fault</Chip>}</span>
          <small class="c-change dim">{commit && `${commit.changes.length} changed`}</small>
        </a>
        {operation && (
          <a class="fail" href={linkTo(`${place}/fail`)}>
            Fail next
          </a>
        )}
      </div>
    )
  }, [entry, before?.at, until, isChosen, ms, href])
}

/** Returns the approximate size of the response body, in characters. */
export function getResponseSize({ response }: JournalEntry): number {
  return response === null ? 0 : JSON.stringify(response).length
}
