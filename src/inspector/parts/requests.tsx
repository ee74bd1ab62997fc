import { useMemo, useState } from 'preact/hooks'
import type { JournalEntry } from '../connection.ts'
import { usePage } from '../page.ts'
import { Choice, Search } from '../shared/inputs.tsx'
import { inWords, Split } from '../shared/layout.tsx'
import { Button, Chip, Empty, toneOf } from '../shared/parts.tsx'
import { readable } from '../shared/time.ts'
import { Windowed } from '../shared/windowed.tsx'
import { curlToCreate } from './curl.ts'
import { RequestDetails } from './request-details.tsx'

const ROW_HEIGHT = 30

/** The journal as it grows, the newest first. */
export function Requests({ id }: { id: string }) {
  const page = usePage()
  const [text, setText] = useState('')
  const [operation, setOperation] = useState('')
  const [status, setStatus] = useState('')
  const [isFaulty, setFaulty] = useState(false)
  const textOf = useMemo(searchTexts, [])
  const entries = page.journal
  const shown = entries.filter(
    (entry) =>
      (!operation || operation === operationOf(entry)) &&
      (!status || status === String(entry.status)) &&
      (!isFaulty || entry.fault !== null) &&
      (!text || textOf(entry).includes(text.toLowerCase())),
  )
  const chosen = entries.find(({ operationId }) => operationId === id)
  if (entries.length === 0) {
    return (
      page.overview?.requests === 0 && (
        <Empty title="No requests yet." line={curlToCreate(page)}>
          What clients ask over HTTP stands here as it happens. Ask something:
        </Empty>
      )
    )
  }
  return (
    <Split side={chosen && <RequestDetails key={id} entry={chosen} />}>
      <div class="tools">
        <Search what="path, body, code" value={text} set={setText} />
        <Choice
          label="Operation"
          value={operation}
          set={setOperation}
          values={unique(entries.map(operationOf))}
          none="every operation"
        />
        <Choice
          label="Status"
          value={status}
          set={setStatus}
          values={unique(entries.map((each) => String(each.status)))}
          none="every status"
        />
        <label>
          <input type="checkbox" checked={isFaulty} onChange={(event) => setFaulty(event.currentTarget.checked)} /> met
          a fault
        </label>
        <span class="dim">
          {inWords(shown.length)} of {inWords(entries.length)}
        </span>
        <Button kind="quiet" onClick={() => void page.act('DELETE', '/requests')} twice>
          Clear
        </Button>
      </div>
      {shown.length === 0 && <Empty title="No request is like that." />}
      <Windowed
        total={shown.length}
        rowHeight={ROW_HEIGHT}
        label="Requests"
        row={(index) => {
          const entry = shown[index] as JournalEntry // One of the total.
          return <Entry key={entry.operationId} entry={entry} isChosen={entry === chosen} />
        }}
      />
    </Split>
  )
}

/** One request in a line. */
export function Entry({ entry, isChosen = false }: { entry: JournalEntry; isChosen?: boolean }) {
  const { operationId, at, method, path, query, status, fault, commit } = entry
  return (
    <div class={`line ${isChosen ? 'chosen' : ''}`} role="listitem">
      <a href={`#requests/${operationId}`} aria-current={isChosen}>
        <span class="dim">{readable(at)}</span>
        <Chip tone={toneOf(status)}>{status}</Chip>
        <b class="method">{method}</b>
        <span class="path">
          {path}
          {query && `?${query}`}
        </span>
        {fault && <Chip tone="bad">fault</Chip>}
        {commit && <small class="dim">{commit.changes.length} changed</small>}
      </a>
    </div>
  )
}

function operationOf({ operation }: JournalEntry): string {
  return operation ?? 'none'
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort()
}

/** What entries are searched by; that of each is made once. */
function searchTexts(): (entry: JournalEntry) => string {
  const texts = new WeakMap<JournalEntry, string>()
  return (entry) => {
    const text = texts.get(entry) ?? JSON.stringify(entry).toLowerCase()
    texts.set(entry, text)
    return text
  }
}
