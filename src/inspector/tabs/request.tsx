import { useState } from 'preact/hooks'
import type { Change } from '../../core/operation/collection.ts'
import type { JournalEntry, ListedFault } from '../../generated/controls.ts'
import type { ServerResponse } from '../connection.ts'
import { useControl } from '../live.ts'
import { page } from '../page.ts'
import { getErrorCode } from '../search.ts'
import { matchIds, type Service, type ServiceFamily } from '../service.ts'
import { Button, Copy } from '../shared/controls.tsx'
import { formatCount, formatCounted, formatLabel, formatMs, formatTime } from '../shared/format.ts'
import { Json } from '../shared/json.tsx'
import { Known } from '../shared/known.tsx'
import { Chip, DefinitionList, Fold, IdLink, Side, StatusChip, Tabs } from '../shared/layout.tsx'
import { Resend } from '../shared/resend.tsx'
import { Table } from '../shared/table.tsx'
import { clientHeaders, findReplayProblem, toCurl, toDirectCall, toFetch } from './client-code.ts'
import { RelatedRequests } from './entry.tsx'
import { FaultForm } from './fault-form.tsx'
import { isOfApi, MissedRequests } from './faults.tsx'

const PAGES = 'https://ngrok.com/docs/errors/'

export function RequestDetails({ entry }: { entry: JournalEntry }) {
  const { method, path, query, status, operation, operationId, at, request, response, commit } = entry
  const [received, setReceived] = useState<ServerResponse | undefined>(undefined)
  const direct = toDirectCall(page, entry)
  const problem = findReplayProblem(page, entry)
  const ms = page.durations.get(operationId)
  const until = page.findWaitEnd(entry)
  const address = `${path}${query && `?${query}`}`
  const resource = findResource(entry)
  const send = async (...sent: Parameters<typeof page.connection.send>) =>
    setReceived(await page.connection.send(...sent))
  const text = (indent?: number) => (request === null ? '' : JSON.stringify(request, null, indent))
  const first = commit ? 'Changes' : status < 400 || request === null ? 'Response' : 'Request'
  return (
    <Side title={`${method} ${address}`} mark={<StatusChip {...entry} />} back={page.linkWithin('requests')}>
      {until && (
        <p class="busy">
          <b>The client is still waiting</b> until {formatTime(until)}.
        </p>
      )}
      {problem ? (
        <p class="bad">It cannot be sent again exactly: {problem}</p>
      ) : (
        <div class="row">
          <Button kind="main" onClick={() => send(method, address, clientHeaders(entry), text())}>
            Replay
          </Button>
          {received && (
            <span role="status">
              <StatusChip status={received.status} />
            </span>
          )}
          <Copy text={() => toCurl(page, entry)}>Copy as curl</Copy>
          <Copy text={() => toFetch(page, entry)}>as fetch</Copy>
          {direct && <Copy text={() => direct}>as direct call</Copy>}
        </div>
      )}
      <DefinitionList
        of={[
          ['Operation', operation ?? <b class="bad">unknown</b>],
          ['Resource', resource && <IdLink to={`resources/${resource}`} id={resource.replace(/^\w+\//, '')} />],
          ['Operation ID', <code>{operationId}</code>],
          ['At', `${formatTime(at)} UTC${ms === undefined ? '' : `, took ${formatMs(ms)}`}`],
          ['Fault', <AppliedFault entry={entry} />],
          ['Error', status >= 400 ? <ErrorLine entry={entry} /> : undefined],
        ]}
      />
      <Tabs
        first={first}
        of={{
          ...(commit && { Changes: commit.changes.map((change) => <Diff key={change.key} change={change} />) }),
          Request: <Message headers={entry.requestHeaders} body={request ?? undefined} />,
          Response: <Message headers={entry.responseHeaders} body={response} />,
        }}
      />
      <Resend
        label="Path"
        method={method}
        address={address}
        headers={clientHeaders(entry)}
        body={typeof request === 'string' ? '' : text(2)}
        isOpen={problem !== undefined}
        send={({ method, address, headers, body }) => send(method, address, headers, body)}
        response={
          received && (
            <>
              <StatusChip status={received.status} /> <Json value={received.body} title="Response" />
            </>
          )
        }
      />
      {operation && (
        <Fold key={page.path[2]} title="Fail the next request like this" isOpen={page.path[2] === 'fail'}>
          <FaultForm operation={operation} />
        </Fold>
      )}
      {resource && <RelatedRequests text={resource.split('/').pop() ?? ''} chosen={entry} />}
    </Side>
  )
}

/** Returns the location of the resource that a request was for or created: its family and its IDs. */
function findResource({ operation, path, response }: JournalEntry): string | undefined {
  const family = page.service?.families.find(({ name }) => operation?.startsWith(`${name}.`))
  const known = page.service?.operations.find(({ name }) => name === operation)
  const ids = Object.values(matchIds(known?.path ?? '', path) ?? {})
  const created = known && known === family?.create && Object(response).id
  const all = [...ids, ...(created ? [created] : [])]
  return family && all.length > 0 ? [family.name, ...all].join('/') : undefined
}

/** The fault that applied, or the reason that none did. */
function AppliedFault({ entry }: { entry: JournalEntry }) {
  const { fault, operationId } = entry
  const faults = useControl<ListedFault[]>('/faults')
  if (fault) return <a href="#faults">{fault}</a>
  return (
    <Known of={faults}>
      {(all) => {
        const pending = all.filter((each) => each.state !== 'used up' && isOfApi(each))
        const missed = pending.flatMap((each) => each.missed ?? []).filter((each) => each.operationId === operationId)
        return (
          <>
            <a href="#faults">{pending.length > 0 ? `none of ${formatCount(pending.length)} pending` : 'none'}</a>
            <MissedRequests of={missed} />
          </>
        )
      }}
    </Known>
  )
}

/** The error, with the service's page about it. Errors with fauxgate's own codes have no page. */
function ErrorLine({ entry }: { entry: JournalEntry }) {
  const code = getErrorCode(entry)
  return (
    <>
      <Chip tone="bad">{code || entry.status}</Chip> {entry.fault && 'A fault set this response. '}
      {entry.problem ?? String(Object(entry.response).msg ?? '')}{' '}
      {/^ERR_NGROK_\d{1,4}$/.test(code) && (
        <a href={PAGES + code.toLowerCase()} target="_blank" rel="noreferrer">
          {code} in ngrok's documentation
        </a>
      )}
    </>
  )
}

function Message({ headers, body }: { headers: JournalEntry['requestHeaders']; body: unknown }) {
  const all = Object.entries(headers)
  return (
    <>
      <Fold title={`Headers (${all.length})`}>
        <DefinitionList of={all} />
      </Fold>
      {body !== undefined && <Json value={body} title="Body" />}
    </>
  )
}

/** The text of a field without a value. */
const NONE = '–'

function Diff({ change: { collection, key, before, after } }: { change: Change }) {
  const { service } = page
  const { edge_id } = Object(after)
  const place = service?.linkToRecord(collection, key, edge_id ? [edge_id] : [])
  const [old, now] = [flatten(before), flatten(after)]
  const what = before ? (after ? 'changed' : 'removed') : 'created'
  const changed = Object.keys({ ...old, ...now }).filter((name) => (old[name] ?? NONE) !== (now[name] ?? NONE))
  const family = service?.families.find(({ name }) => name === collection)
  const fields = changed.filter((name) => !service || !family || isInApi(service, family.fields, name.split('.')))
  const internal = changed.filter((name) => !fields.includes(name))
  const table = (rows: readonly string[]) => (
    <Table
      rows={rows}
      columns={[
        { name: 'Field', cell: (name) => <span title={name}>{formatLabel(name)}</span> },
        ...(before ? [{ name: 'Before', cell: (name: string) => old[name] ?? NONE }] : []),
        ...(after ? [{ name: 'After', cell: (name: string) => now[name] ?? NONE }] : []),
      ]}
    />
  )
  return (
    <>
      <h3>
        {page.getNouns(collection).one} {what}: {after && place ? <a href={place}>{key}</a> : key}
      </h3>
      {fields.length > 0 && table(fields)}
      {internal.length > 0 && <Fold title={formatCounted(internal.length, 'internal field')}>{table(internal)}</Fold>}
    </>
  )
}

/** Returns whether the API shows a field of a record. There, its name may be longer, and it may be part of an object. */
function isInApi(service: Service, fields: ServiceFamily['fields'], [name = '', ...inner]: readonly string[]): boolean {
  return Object.entries(fields).some(([each, schema]) => {
    const { properties } = service.resolve(schema)
    const isIt = `_${each}`.endsWith(`_${name.replace(/_id$/, '')}`)
    if (isIt && !(properties && inner.length > 0)) return true
    return properties !== undefined && isInApi(service, properties, isIt ? inner : [name, ...inner])
  })
}

/** Formats a value in a record. Its times are in ms or, in a timeline, in seconds. */
function formatStored(name: string, value: unknown): string {
  if (typeof value === 'number' && /(^|_)(at|until)$/.test(name)) return formatTime(value < 1e11 ? value * 1000 : value)
  return typeof value === 'string' ? value : value === null ? NONE : JSON.stringify(value)
}

/** Returns the fields of a record by path, including the fields of nested objects. */
function flatten(value: object | undefined, at = ''): Record<string, string> {
  const fields = Object.entries(value ?? {}).map(([name, each]): Record<string, string> => {
    const path = at ? `${at}.${name}` : name
    const isObject = typeof each === 'object' && each !== null && Object.keys(each).length > 0
    return isObject ? flatten(each, path) : { [path]: formatStored(name, each) }
  })
  return Object.assign({}, ...fields)
}
