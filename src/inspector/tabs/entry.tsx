import type { JournalEntry } from '../../generated/controls.ts'
import { page } from '../page.ts'
import { COMMON_WORDS, compileSearch, getErrorCode, getSearchText, type Words } from '../search.ts'
import { formatBytes, formatCount, formatMs, formatTime } from '../shared/format.ts'
import { Chip, StatusChip } from '../shared/layout.tsx'
import { Cells, type Column } from '../shared/table.tsx'

const MAX_RELATED = 10

const YES_OR_NO = [/^(yes|no)$/, 'yes or no'] as const

export const WORDS: Words<JournalEntry> = {
  ...COMMON_WORDS,
  code: { finds: (entry, value) => !entry.cancelled && getErrorCode(entry).toLowerCase().endsWith(value) },
  cancelled: { finds: ({ cancelled = false }, value) => cancelled === (value !== 'no'), allowed: YES_OR_NO },
  path: { finds: ({ path, query }, value) => `${path}?${query}`.toLowerCase().includes(value) },
  op: {
    // A term with a dot is the beginning of an operation's name.
    finds: ({ operation }, value) =>
      value.includes('.') ? `${operation}`.startsWith(value) : (operation ?? 'none').includes(value),
  },
  fault: {
    finds: ({ fault }, value) => (value === 'yes' && fault !== null) || (fault ?? 'no').toLowerCase() === value,
    allowed: [/^(yes|no|fault_\w+)$/, 'yes, no, or the ID of a fault'],
  },
  changed: { finds: ({ commit }, value) => (commit !== null) === (value !== 'no'), allowed: YES_OR_NO },
  domain: { finds: (entry, value) => getSearchText(entry).includes(value) },
}

/** Returns the approximate size of the response body, in characters. */
function getResponseSize({ response }: JournalEntry): number {
  return response === null ? 0 : JSON.stringify(response).length
}

const getDuration = ({ operationId }: JournalEntry) => page.durations.get(operationId)

/** Says when a journal begins after a resume from a store. The journal of a sandbox, with its oldest request, continues. */
export function describeStart(oldest = ''): string {
  const { since } = page.overview ?? {}
  return since && !(oldest && oldest < since) ? ` since ${formatTime(since)}` : ''
}

/** The columns of request tables. Requests are numbered, because many requests have the same time on a manual clock. */
export function listColumns(): Column<JournalEntry>[] {
  const number = (entry: JournalEntry) => page.requests.getNumber(entry)
  const { manual } = page.overview ?? {}
  return [
    {
      name: 'time',
      label: manual ? 'no.' : 'time',
      by: (entry) => number(entry) ?? 0,
      cell: (entry) => (
        <span title={`${formatTime(entry.at)} UTC`}>
          {manual ? formatCount(number(entry) ?? 0) : formatTime(entry.at).slice(11)}
        </span>
      ),
    },
    { name: 'status', by: ({ status }) => status, cell: (entry) => <Status entry={entry} /> },
    { name: 'method', by: ({ method }) => method, cell: ({ method }) => <b>{method}</b> },
    {
      name: 'path',
      by: ({ path }) => path,
      cell: ({ operationId, path, query }) => (
        <a href={linkTo(operationId)}>
          {path}
          {query && `?${query}`}
        </a>
      ),
    },
    { name: 'operation', by: ({ operation }) => operation ?? '', cell: ({ operation }) => operation ?? 'unknown' },
    { name: 'duration', by: (entry) => getDuration(entry) ?? 0, cell: (entry) => formatMs(getDuration(entry)) },
    { name: 'size', by: getResponseSize, cell: (entry) => formatBytes(getResponseSize(entry)) },
    { name: 'fault', by: ({ fault }) => fault ?? '', cell: ({ fault }) => fault && <Chip tone="bad">fault</Chip> },
    {
      name: 'change',
      by: ({ commit }) => commit?.changes.length ?? 0,
      cell: ({ commit }) => commit && `${formatCount(commit.changes.length)} changed`,
    },
  ]
}

function linkTo(id: string): string {
  return page.path[0] === 'requests' ? page.linkWithin(`requests/${id}`) : `#requests/${id}`
}

/** The values that a request's row shows in addition to the values in the entry. */
export const listShown = (entry: JournalEntry) => [
  page.findWaitEnd(entry),
  page.requests.getNumber(entry),
  getDuration(entry),
  linkTo(entry.operationId),
]

function Status({ entry }: { entry: JournalEntry }) {
  const until = page.findWaitEnd(entry)
  const wait = until && [<span key="">waiting </span>, `until ${formatTime(until).slice(11)}`]
  const code = getErrorCode(entry)
  return (
    <span title={code}>
      {wait ? <Chip tone="busy">{wait}</Chip> : <StatusChip {...entry} />} <small class="dim code">{code}</small>
    </span>
  )
}

/** The most recent requests that contain a string, such as an ID. */
export function RelatedRequests({ text, chosen }: { text: string; chosen?: JournalEntry }) {
  const search = `"${text}"`
  const found = page.journal.filter(compileSearch(search)).slice(0, MAX_RELATED)
  return (
    <>
      <h3>
        Related requests <a href={`#requests?q=${encodeURIComponent(search)}`}>all</a>
      </h3>
      <Entries of={found} chosen={chosen} />
      {found.length === 0 && <p class="dim">None in the journal.</p>}
    </>
  )
}

export function Entries({ of, chosen }: { of: readonly JournalEntry[]; chosen?: JournalEntry | undefined }) {
  const columns = listColumns()
  return (
    <div role="table">
      {of.map((entry) => (
        <Cells
          key={entry.operationId}
          of={entry}
          kind="requests"
          columns={columns}
          inputs={[entry, entry === chosen, ...listShown(entry)]}
        />
      ))}
    </div>
  )
}
