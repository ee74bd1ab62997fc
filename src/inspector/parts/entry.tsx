import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { JournalEntry } from '../../core/generated/controls.ts'
import { page } from '../page.ts'
import { compileSearch, getErrorCode } from '../search.ts'
import { formatBytes, formatMs, formatTime } from '../shared/format.ts'
import { Chip, StatusChip } from '../shared/layout.tsx'
import { Row } from '../shared/windowed.tsx'

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
      <Entries of={found} chosen={chosen} />
      {found.length === 0 && <p class="dim">None in the journal.</p>}
    </>
  )
}

export function Entries({ of, chosen }: { of: readonly JournalEntry[]; chosen?: JournalEntry | undefined }) {
  return (
    <div role="table">
      {of.map((entry) => (
        <Entry key={entry.operationId} entry={entry} isChosen={entry === chosen} />
      ))}
    </div>
  )
}

interface EntryProps {
  entry: JournalEntry
  isChosen: boolean
}

/** A request as a row of a table. The link in it covers the row. */
export function Entry({ entry, isChosen }: EntryProps) {
  const until = page.findWaitEnd(entry)
  const ms = page.durations.get(entry.operationId)
  const place = `requests/${entry.operationId}`
  const linkTo = (to: string) => (page.place.startsWith('requests') ? page.linkWithin(to) : `#${to}`)
  const href = linkTo(place)
  // An unchanged row is not rendered again: its size is expensive to compute.
  return useMemo(() => {
    const { at, method, path, query, status, operation, fault, commit } = entry
    const cell = (name: string, content: ComponentChildren, title?: string) => (
      <span class={`c-${name}`} role="cell" title={title}>
        {content}
      </span>
    )
    return (
      <Row kind={isChosen ? 'chosen' : ''}>
        {cell(
          'time',
          page.overview?.manual ? page.getNumber(entry) : formatTime(at).slice(11),
          `${formatTime(at)} UTC`,
        )}
        {cell(
          'status',
          <>
            {until ? (
              <Chip tone="busy">waiting until {formatTime(until).slice(11)}</Chip>
            ) : (
              <StatusChip status={status} cancelled={entry.cancelled} />
            )}{' '}
            <small class="dim">{getErrorCode(entry).replace(/.*_/, '')}</small>
          </>,
          getErrorCode(entry),
        )}
        {cell('method', <b>{method}</b>)}
        {cell(
          'path',
          <a href={href} aria-current={isChosen}>
            {path}
            {query && `?${query}`}
          </a>,
        )}
        {cell('operation', operation ?? 'unknown')}
        {cell('duration', ms !== undefined && formatMs(ms))}
        {cell('size', formatBytes(getResponseSize(entry)))}
        {cell('fault', fault && <Chip tone="bad">fault</Chip>)}
        {cell('change', commit && `${commit.changes.length} changed`)}
        {operation && (
          <span role="cell" class="fail">
            <a href={linkTo(`${place}/fail`)} tabIndex={-1}>
              Fail next
            </a>
          </span>
        )}
      </Row>
    )
  }, [entry, until, isChosen, ms, href])
}

/** Returns the approximate size of the response body, in characters. */
export function getResponseSize({ response }: JournalEntry): number {
  return response === null ? 0 : JSON.stringify(response).length
}
