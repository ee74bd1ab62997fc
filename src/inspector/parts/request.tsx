import { useState } from 'preact/hooks'
import type { JournalEntry } from '../../journal/entry.ts'
import type { Change } from '../../operation/collection.ts'
import type { Answer } from '../connection.ts'
import { useLive } from '../live.ts'
import { usePage } from '../page.ts'
import { codeOf } from '../search.ts'
import { Choice, Copy, Field, Form, Lines, Submit, Text } from '../shared/controls.tsx'
import { formatMs, formatTime } from '../shared/format.ts'
import { Json } from '../shared/json.tsx'
import { Chip, Facts, Side, StatusChip, Table } from '../shared/layout.tsx'
import { asCurl, asDirect, asFetch, clientHeaders, replayProblem } from './client-code.ts'
import { FaultForm } from './fault-form.tsx'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const CATALOGUE = 'https://github.com/fauxgate/fauxgate/blob/main/docs/reference/error-catalogue.md'

export function RequestDetails({ entry }: { entry: JournalEntry }) {
  const page = usePage()
  const { method, path, status, operation, operationId, at, request, response, commit } = entry
  const direct = asDirect(page, entry)
  const problem = replayProblem(page, entry)
  const ms = page.durations.get(operationId)
  const until = page.overview?.waiting.find((each) => each.operationId === operationId)?.until
  const family = page.service?.families.find(({ name }) => operation?.startsWith(`${name}.`))
  const { evidence } = page.service?.operations.find(({ name }) => name === operation) ?? {}
  const id = String(Object(response).id ?? path.split('/')[2] ?? '')
  return (
    <Side title={`${method} ${pathOf(entry)}`} mark={<StatusChip status={status} />} back={page.within('requests')}>
      {until && (
        <p class="busy">
          <b>The client still waits</b> until {formatTime(until)}, because a fault delays the response.
        </p>
      )}
      {problem ? (
        <p class="bad">It cannot be sent again exactly: {problem} Fill in what is missing below.</p>
      ) : (
        <div class="row">
          <Copy text={() => asCurl(page, entry)}>Copy as curl</Copy>
          <Copy text={() => asFetch(page, entry)}>as fetch</Copy>
          {direct && <Copy text={() => direct}>as direct call</Copy>}
        </div>
      )}
      <details open={problem !== undefined}>
        <summary>Edit and send again</summary>
        <Resend entry={entry} />
      </details>
      {operation && (
        <details>
          <summary>Fail the next request like this</summary>
          <FaultForm operation={operation} />
        </details>
      )}
      <Facts
        of={[
          ['Operation', operation ?? <b class="bad">none: the API has no such method and path</b>],
          ...(family && id && commit
            ? [['Resource', <a href={`#resources/${family.name}/${id}`}>{id}</a>] as const]
            : []),
          ['Operation id', operationId],
          ['At', `${formatTime(at)} UTC${ms === undefined ? '' : `, answered in ${formatMs(ms)}`}`],
          ['Fault', <AppliedFault entry={entry} />],
          ...(evidence ? [['Evidence', <Json value={evidence} />] as const] : []),
        ]}
      />
      {status >= 400 && <Failure entry={entry} />}
      <Headers of={entry.requestHeaders} title="Request headers" />
      {request !== null && <Json value={request} title="Request" />}
      <Headers of={entry.responseHeaders} title="Response headers" />
      <Json value={response} title="Response" />
      {commit && <h3>Changes</h3>}
      {commit?.changes.map((change) => (
        <Diff key={change.key} change={change} />
      ))}
    </Side>
  )
}

/** The fault that applied, or why none did. */
function AppliedFault({ entry: { fault, method, path } }: { entry: JournalEntry }) {
  const page = usePage()
  const pending = page.overview?.faults ?? 0
  const report = useLive(async () => (fault || pending === 0 ? '' : page.control<string>('GET', '/report')), [pending])
  const reasons = (report ?? '').split('\n').filter((line) => line.trim().startsWith(`${method} ${path}: `))
  if (fault) return <a href="#faults">{fault}</a>
  if (pending === 0) return <span class="dim">none: no fault is pending</span>
  return (
    <>
      <a href="#faults">none of {pending} pending</a>
      {reasons.map((line) => (
        <p key={line} class="dim">
          {line.trim()}
        </p>
      ))}
    </>
  )
}

/** The error, with its page in the catalogue. */
function Failure({ entry }: { entry: JournalEntry }) {
  const page = usePage()
  const code = codeOf(entry)
  const [key] = Object.entries(page.service?.errors ?? {}).find(([, { summary, value }]) => {
    return code !== '' && (summary === code || value.error_code === code)
  }) ?? ['']
  return (
    <p>
      <Chip tone="bad">{code || entry.status}</Chip> {String(Object(entry.response).msg ?? '')}{' '}
      {key && (
        <a href={`${CATALOGUE}#${key}`} target="_blank" rel="noreferrer">
          {key} in the catalogue
        </a>
      )}
    </p>
  )
}

function Headers({ of, title }: { of: JournalEntry['requestHeaders']; title: string }) {
  const all = Object.entries(of)
  return (
    <details>
      <summary>
        {title} ({all.length})
      </summary>
      <Facts of={all} />
    </details>
  )
}

function Resend({ entry }: { entry: JournalEntry }) {
  const page = usePage()
  const { request } = entry
  const [method, setMethod] = useState(entry.method)
  const [path, setPath] = useState(pathOf(entry))
  const [headers, setHeaders] = useState(textOfHeaders(clientHeaders(page, entry)))
  const [body, setBody] = useState(
    request === null || typeof request === 'string' ? '' : JSON.stringify(request, null, 2),
  )
  const [answer, setAnswer] = useState<Answer | undefined>(undefined)
  const send = async () => setAnswer(await page.connection.send(method, path, headersIn(headers), body))
  return (
    <Form kind="fields" act={() => void page.run(send)}>
      <div class="row">
        <Choice label="Method" value={method} set={setMethod} values={METHODS} />
        <Text label="Path" class="fill" value={path} set={setPath} />
      </div>
      <Field label="Headers">
        <Lines label="Headers" rows={3} value={headers} set={setHeaders} />
      </Field>
      <Field label="Body">
        <Lines label="Body" rows={6} value={body} set={setBody} />
      </Field>
      <div class="row">
        <Submit>Send</Submit>
        {answer && <StatusChip status={answer.status} />}
      </div>
      {answer && <Json value={answer.body} title="Answer" />}
    </Form>
  )
}

function pathOf({ path, query }: JournalEntry): string {
  return `${path}${query && `?${query}`}`
}

function textOfHeaders(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map((each) => each.join(': '))
    .join('\n')
}

function headersIn(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/^\s*(\S+?)\s*:\s*(.*?)\s*$/gm)].map(([, name, value]) => [name, value]))
}

function Diff({ change: { collection, key, before, after } }: { change: Change }) {
  const [old, now] = [flat(before), flat(after)]
  const names = Object.keys({ ...old, ...now }).filter((name) => old[name] !== now[name])
  const what = before ? (after ? 'changed' : 'removed') : 'created'
  return (
    <>
      <p>
        <b>{collection}</b> {after ? <a href={`#resources/${collection}/${key}`}>{key}</a> : key}{' '}
        <span class="dim">{what}</span>
      </p>
      <Table heads={['field', 'before', 'after']} rows={names.map((name) => [name, old[name], now[name]])} />
    </>
  )
}

/** Returns the fields of a record by their paths, with those of objects in it. */
function flat(value: object | undefined, at = ''): Record<string, string> {
  const fields = Object.entries(value ?? {}).map(([name, each]): Record<string, string> => {
    const path = at ? `${at}.${name}` : name
    const isObject = typeof each === 'object' && each !== null && Object.keys(each).length > 0
    return isObject ? flat(each, path) : { [path]: typeof each === 'string' ? each : JSON.stringify(each) }
  })
  return Object.assign({}, ...fields)
}
