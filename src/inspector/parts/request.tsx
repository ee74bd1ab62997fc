import { useState } from 'preact/hooks'
import type { JournalEntry, ListedFault } from '../../core/generated/controls.ts'
import type { Change } from '../../core/operation/collection.ts'
import type { ServerResponse } from '../connection.ts'
import { useControl } from '../live.ts'
import { page } from '../page.ts'
import { getErrorCode } from '../search.ts'
import { matchIds } from '../service.ts'
import { Button, Choice, Copy, Field, Form, Lines, Submit, Text } from '../shared/controls.tsx'
import { formatLabel, formatMs, formatTime } from '../shared/format.ts'
import { Json } from '../shared/json.tsx'
import { Chip, DefinitionList, Side, StatusChip, Table, Tabs } from '../shared/layout.tsx'
import { clientHeaders, findClientReplayProblem, toCurl, toDirectCall, toFetch } from './client-code.ts'
import { RelatedRequests } from './entry.tsx'
import { FaultForm } from './fault-form.tsx'
import { MissedRequests } from './faults.tsx'

const TABS = ['Request', 'Response']

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const CATALOGUE = 'https://github.com/fauxgate/fauxgate/blob/main/docs/reference/error-catalogue.md'

export function RequestDetails({ entry }: { entry: JournalEntry }) {
  const { method, path, status, operation, operationId, at, request, response, commit } = entry
  const direct = toDirectCall(page, entry)
  const problem = findClientReplayProblem(page, entry)
  const ms = page.durations.get(operationId)
  const until = page.findWaitEnd(entry)
  const family = page.service?.families.find(({ name }) => operation?.startsWith(`${name}.`))
  const known = page.service?.operations.find(({ name }) => name === operation)
  const ids = Object.values(matchIds(known?.path ?? '', path) ?? {})
  const created = Object(response).id
  const [tab, setTab] = useState(commit ? 'Changes' : status < 400 || request === null ? 'Response' : 'Request')
  const own = [...ids, ...(known && family?.create?.name === known.name && created ? [created] : [])].join('/')
  return (
    <Side
      title={`${method} ${getFullPath(entry)}`}
      mark={<StatusChip status={status} cancelled={entry.cancelled} />}
      back={page.linkWithin('requests')}
    >
      {until && (
        <p class="busy">
          <b>The client still waits</b> until {formatTime(until)}.
        </p>
      )}
      {problem ? (
        <p class="bad">It cannot be sent again exactly: {problem}</p>
      ) : (
        <div class="row">
          <Replay entry={entry} />
          <Copy text={() => toCurl(page, entry)}>Copy as curl</Copy>
          <Copy text={() => toFetch(page, entry)}>as fetch</Copy>
          {direct && <Copy text={() => direct}>as direct call</Copy>}
        </div>
      )}
      <DefinitionList
        of={[
          ['Operation', operation ?? <b class="bad">unknown</b>],
          ...(family && own
            ? [
                [
                  'Resource',
                  <code>
                    <a href={`#resources/${family.name}/${own}`}>{own}</a>
                  </code>,
                ] as const,
              ]
            : []),
          ['Operation id', <code>{operationId}</code>],
          ['At', `${formatTime(at)} UTC${ms === undefined ? '' : `, answered in ${formatMs(ms)}`}`],
          ['Fault', <AppliedFault entry={entry} />],
        ]}
      />
      {status >= 400 && <ErrorLine entry={entry} />}
      <Tabs names={commit ? ['Changes', ...TABS] : TABS} current={tab} set={setTab} />
      <div role="tabpanel" aria-label={tab}>
        {tab === 'Request' && (
          <>
            <Headers of={entry.requestHeaders} />
            {request !== null && <Json value={request} title="Body" />}
          </>
        )}
        {tab === 'Response' && (
          <>
            <Headers of={entry.responseHeaders} />
            <Json value={response} title="Body" />
          </>
        )}
        {tab === 'Changes' && commit?.changes.map((change) => <Diff key={change.key} change={change} />)}
      </div>
      <details open={problem !== undefined}>
        <summary>Edit and send again</summary>
        <Resend entry={entry} />
      </details>
      {operation && (
        <details open={page.path[2] === 'fail'}>
          <summary>Fail the next request like this</summary>
          <FaultForm operation={operation} />
        </details>
      )}
      {known?.evidence !== undefined && (
        <details>
          <summary>Evidence</summary>
          <Json value={known.evidence} />
        </details>
      )}
      {own && <RelatedRequests text={own.split('/').pop() ?? ''} chosen={entry} />}
    </Side>
  )
}

/** Sends a request again, exactly as it was. */
function Replay({ entry }: { entry: JournalEntry }) {
  const [response, setResponse] = useState<ServerResponse | undefined>(undefined)
  const { method, request } = entry
  const body = request === null ? '' : JSON.stringify(request)
  const send = async () =>
    setResponse(await page.connection.send(method, getFullPath(entry), clientHeaders(entry), body))
  return (
    <>
      <Button kind="main" onClick={() => page.run(send)}>
        Replay
      </Button>
      {response && (
        <span role="status">
          <StatusChip status={response.status} />
        </span>
      )}
    </>
  )
}

/** The fault that applied, or why none did. */
function AppliedFault({ entry }: { entry: JournalEntry }) {
  const pending = useControl<ListedFault[]>('/faults')?.filter(({ state }) => state !== 'used up') ?? []
  const { fault, operationId } = entry
  const missed = pending.flatMap((each) => each.missed ?? []).filter((each) => each.operationId === operationId)
  return (
    <>
      <a href="#faults">{fault ?? (pending.length > 0 ? `none of ${pending.length} pending` : 'none')}</a>
      {!fault && <MissedRequests of={missed} />}
    </>
  )
}

/** The error, with its page in the catalogue. */
function ErrorLine({ entry }: { entry: JournalEntry }) {
  const code = getErrorCode(entry)
  const [key] = Object.entries(page.service?.errors ?? {}).find(([, { summary, value }]) => {
    return code !== '' && (summary === code || value.error_code === code)
  }) ?? ['']
  return (
    <p>
      <Chip tone="bad">{code || entry.status}</Chip> {entry.problem ?? String(Object(entry.response).msg ?? '')}{' '}
      {key && (
        <a href={`${CATALOGUE}#${key}`} target="_blank" rel="noreferrer">
          {key} in the catalogue
        </a>
      )}
    </p>
  )
}

function Headers({ of }: { of: JournalEntry['requestHeaders'] }) {
  const all = Object.entries(of)
  return (
    <details>
      <summary>Headers ({all.length})</summary>
      <DefinitionList of={all} />
    </details>
  )
}

function Resend({ entry }: { entry: JournalEntry }) {
  const { request } = entry
  const [method, setMethod] = useState(entry.method)
  const [path, setPath] = useState(getFullPath(entry))
  const known = Object.entries(clientHeaders(entry))
  const [headers, setHeaders] = useState(known.map((each) => each.join(': ')).join('\n'))
  const [body, setBody] = useState(
    request === null || typeof request === 'string' ? '' : JSON.stringify(request, null, 2),
  )
  const [response, setResponse] = useState<ServerResponse | undefined>(undefined)
  const send = async () => setResponse(await page.connection.send(method, path, parseHeaders(headers), body))
  return (
    <Form kind="fields" act={() => page.run(send)}>
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
        {response && <StatusChip status={response.status} />}
      </div>
      {response && <Json value={response.body} title="Answer" />}
    </Form>
  )
}

function getFullPath({ path, query }: JournalEntry): string {
  return `${path}${query && `?${query}`}`
}

function parseHeaders(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/^\s*(\S+?)[ \t]*:[ \t]*(.*?)[ \t]*$/gm)].map(([, name, value]) => [name, value]),
  )
}

function Diff({ change: { collection, key, before, after } }: { change: Change }) {
  const { service } = page
  const { edge_id } = Object(after)
  const place = service?.linkToRecord(collection, key, edge_id ? [edge_id] : [])
  const [old, now] = [flatten(before), flatten(after)]
  const names = Object.keys({ ...old, ...now }).filter((name) => old[name] !== now[name])
  const what = before ? (after ? 'changed' : 'removed') : 'created'
  return (
    <>
      <h3>
        {service?.getNoun(collection)} {what}: {after && place ? <a href={place}>{key}</a> : key}
      </h3>
      <Table
        heads={['Field', 'Before', 'After']}
        rows={names.map((name) => [<span title={name}>{formatLabel(name)}</span>, old[name], now[name]])}
      />
    </>
  )
}

/** Returns the fields of a record by their paths, with the fields of objects in it. */
function flatten(value: object | undefined, at = ''): Record<string, string> {
  const fields = Object.entries(value ?? {}).map(([name, each]): Record<string, string> => {
    const path = at ? `${at}.${name}` : name
    const isObject = typeof each === 'object' && each !== null && Object.keys(each).length > 0
    return isObject ? flatten(each, path) : { [path]: typeof each === 'string' ? each : JSON.stringify(each) }
  })
  return Object.assign({}, ...fields)
}
