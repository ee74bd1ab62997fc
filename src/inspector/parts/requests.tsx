import { useMemo, useState } from 'preact/hooks'
import type { JournalEntry } from '../../journal/entry.ts'
import { usePage } from '../page.ts'
import { Button, Choice, Search } from '../shared/controls.tsx'
import { formatCount, formatTime } from '../shared/format.ts'
import { Chip, Empty, Split, StatusChip, Windowed } from '../shared/layout.tsx'
import { curlToCreate } from './client-code.ts'
import { RequestDetails } from './request.tsx'

const ROW_HEIGHT = 30

export function Requests({ id }: { id: string }) {
  const page = usePage()
  const [text, setText] = useState('')
  const [operation, setOperation] = useState('')
  const [status, setStatus] = useState('')
  const [isFaulty, setFaulty] = useState(false)
  const textOf = useMemo(searchTexts, [])
  const entries = page.journal
  const found = entries.filter(
    (entry) =>
      (!operation || operation === operationOf(entry)) &&
      (!status || status === statusOf(entry)) &&
      (!isFaulty || entry.fault !== null) &&
      (!text || textOf(entry).includes(text.toLowerCase())),
  )
  const chosen = entries.find(({ operationId }) => operationId === id)
  const operations = unique(entries.map(operationOf))
  const statuses = unique(entries.map(statusOf))
  if (entries.length === 0) {
    return (
      page.overview?.requests === 0 && (
        <Empty title="No requests yet." command={curlToCreate(page)}>
          Requests of clients appear here as they come. Send one:
        </Empty>
      )
    )
  }
  return (
    <Split side={chosen && <RequestDetails key={id} entry={chosen} />}>
      <div class="tools row">
        <Search what="path, body, code" value={text} set={setText} />
        <Choice label="Operation" value={operation} set={setOperation} values={operations} none="every operation" />
        <Choice label="Status" value={status} set={setStatus} values={statuses} none="every status" />
        <label>
          <input type="checkbox" checked={isFaulty} onChange={(event) => setFaulty(event.currentTarget.checked)} /> with
          a fault
        </label>
        <span class="dim">
          {formatCount(found.length)} of {formatCount(entries.length)}
        </span>
        <Button kind="quiet" twice onClick={() => void page.act('DELETE', '/requests')}>
          Clear
        </Button>
      </div>
      {found.length === 0 && <Empty title="No request is like that." />}
      <Windowed
        total={found.length}
        rowHeight={ROW_HEIGHT}
        label="Requests"
        row={(index) => {
          const entry = found[index]
          return entry && <Entry key={entry.operationId} entry={entry} isChosen={entry === chosen} />
        }}
      />
    </Split>
  )
}

export function Entry({ entry, isChosen = false }: { entry: JournalEntry; isChosen?: boolean }) {
  const { operationId, at, method, path, query, status, fault, commit } = entry
  return (
    <div class={`line ${isChosen ? 'chosen' : ''}`} role="listitem">
      <a href={`#requests/${operationId}`} aria-current={isChosen}>
        <span class="dim">{formatTime(at)}</span>
        <StatusChip status={status} />
        <b class="method">{method}</b>
        <code class="fill clip">
          {path}
          {query && `?${query}`}
        </code>
        {fault && <Chip tone="bad">fault</Chip>}
        {commit && <small class="dim">{commit.changes.length} changed</small>}
      </a>
    </div>
  )
}

function operationOf({ operation }: JournalEntry): string {
  return operation ?? 'none'
}

function statusOf({ status }: JournalEntry): string {
  return String(status)
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort()
}

/** Returns a function from entries to the texts to search in, each of which it makes once. */
function searchTexts(): (entry: JournalEntry) => string {
  const texts = new WeakMap<JournalEntry, string>()
  return (entry) => {
    const text = texts.get(entry) ?? JSON.stringify(entry).toLowerCase()
    texts.set(entry, text)
    return text
  }
}
