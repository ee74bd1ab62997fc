import { useState } from 'preact/hooks'
import type { DnsRecord, ListedFault, ListedOutcome, MissedRequest } from '../../core/generated/controls.ts'
import { useControl } from '../live.ts'
import { page } from '../page.ts'
import { Button, Search, Text } from '../shared/controls.tsx'
import { formatTime } from '../shared/format.ts'
import { Card, Chip, OutcomeChip, RecordList, Table } from '../shared/layout.tsx'
import { SchemaForm } from '../shared/schema-form.tsx'
import { FaultForm } from './fault-form.tsx'

const MAX_RECORDS = 200

const OUTCOMES = ['DNS_ERROR', 'INTERNAL_ERROR', 'success']

export function Faults() {
  return (
    <div class="cards">
      <FaultList />
      <Outcomes />
      <Zone />
    </div>
  )
}

function Zone() {
  const [text, setText] = useState('')
  const all = useControl<DnsRecord[]>('/dns') ?? []
  const found = all.filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(text.toLowerCase()))
  return (
    <Card title="DNS zone" note={all.length} wide>
      <p class="dim">
        {page.overview?.dns === 'simulated'
          ? 'Attempts look here for CNAME and CAA records.'
          : 'Attempts do not look here: start with --dns simulated.'}
      </p>
      {all.length > 10 && <Search what="records" value={text} set={setText} />}
      {found.length > 0 && (
        <Table
          heads={['Name', 'Type', 'Value', 'Action']}
          keys={found.map(({ name, type }) => name + type)}
          rows={found.slice(0, MAX_RECORDS).map((record) => [
            <code>{record.name}</code>,
            <>
              {record.type}{' '}
              {record.visibleFrom && <small class="dim">seen from {formatTime(record.visibleFrom)}</small>}
            </>,
            <input
              aria-label={`Value of ${record.name}`}
              // A new value from the server does not overwrite the text that the user is typing.
              defaultValue={record.value}
              onChange={({ currentTarget: { value } }) =>
                void page.callControl('PUT', '/dns', { name: record.name, type: record.type, value })
              }
            />,
            <RemoveButton what={record.name} path="/dns" query={{ name: record.name }} />,
          ])}
        />
      )}
      {found.length > MAX_RECORDS && <p class="dim">The first {MAX_RECORDS} are shown.</p>}
      <RecordForm />
    </Card>
  )
}

function Outcomes() {
  const path = '/provisioning/script'
  const outcomes = useControl<ListedOutcome[]>(path) ?? []
  return (
    <Card title="Pending outcomes" note={outcomes.length} wide>
      <p class="dim">The outcomes of the next attempts, or of all attempts.</p>
      <RecordList of={outcomes} keyOf={({ id }) => id}>
        {(each) => (
          <>
            {each.always && 'always '}
            <OutcomeChip outcome={each.outcome} />
            <b>{each.domain ?? 'any domain'}</b>
            <span class="dim">
              {each.message}
              {each.retriesAfter !== undefined && ` (retried after ${each.retriesAfter})`}
            </span>
            <RemoveButton
              what={`${each.outcome} for ${each.domain ?? 'any domain'}`}
              path={path}
              query={{ id: each.id }}
            />
          </>
        )}
      </RecordList>
      <ScriptForm />
      {outcomes.length > 0 && <RemoveAllButton what="outcomes" path={path} />}
    </Card>
  )
}

/** Scripts the outcomes of the next attempts, for a domain or for one that the user enters. */
export function ScriptForm({ domain }: { domain?: string }) {
  const [entered, setEntered] = useState('')
  const [outcomes, setOutcomes] = useState<readonly string[]>([])
  const [message, setMessage] = useState('')
  const [retriesAfter, setRetriesAfter] = useState('')
  const send = async () => {
    const details = { ...(message && { message }), ...(retriesAfter && { retriesAfter }) }
    const isPlain = Object.keys(details).length === 0
    const detailed = outcomes.map((outcome) => (isPlain || outcome === 'success' ? outcome : { outcome, ...details }))
    const body = { outcomes: detailed, domain: domain ?? (entered || undefined) }
    if (await page.callControl('POST', '/provisioning/script', body)) setOutcomes([])
  }
  return (
    <>
      <div class="row">
        {OUTCOMES.map((outcome) => (
          <Button key={outcome} onClick={() => setOutcomes([...outcomes, outcome])}>
            + {outcome}
          </Button>
        ))}
        {domain === undefined && <Text label="Domain" placeholder="any domain" value={entered} set={setEntered} />}
        <Text label="Message" placeholder="the usual message" value={message} set={setMessage} />
        <Text label="Retries after" placeholder="the usual wait" value={retriesAfter} set={setRetriesAfter} />
        <Button disabled={outcomes.length === 0} onClick={() => send()}>
          Script
        </Button>
      </div>
      <p class="dim">{outcomes.join(', then ')}</p>
    </>
  )
}

function FaultList() {
  const faults = useControl<ListedFault[]>('/faults') ?? []
  return (
    <Card title="Faults" note={faults.length} wide>
      <RecordList of={faults} keyOf={({ id }) => id}>
        {(fault) => (
          <>
            <Chip tone={fault.state === 'used up' ? 'dim' : 'busy'}>{fault.state}</Chip>
            <FaultText fault={fault} />
            <a href={`#requests?q=fault:${fault.id}`}>its requests</a>
            <RemoveButton what={fault.id} path="/faults" query={{ id: fault.id }} />
            {fault.missed && <MissedRequests of={fault.missed} />}
          </>
        )}
      </RecordList>
      {faults.length > 0 && <RemoveAllButton what="faults" path="/faults" />}
      <FaultForm />
    </Card>
  )
}

/** The requests that a fault did not apply to, with the reasons. */
export function MissedRequests({ of }: { of: readonly MissedRequest[] }) {
  return (
    <>
      {of.map(({ operationId, request, reason }) => (
        <p key={operationId} class="dim">
          {request}: {reason}.
        </p>
      ))}
    </>
  )
}

/** The faults that may apply to requests for a resource. */
export function PendingFaults({ family, id }: { family: string; id: string }) {
  const all = useControl<ListedFault[]>('/faults')?.filter(({ state }) => state !== 'used up') ?? []
  const mattering = all.filter(({ operation, path, resource }) => {
    const isOfFamily = operation?.startsWith(`${family}.`) ?? true
    return isOfFamily && (resource ?? id) === id && (path ?? id).includes(id)
  })
  return (
    <>
      {mattering.length > 0 && <h3>Faults of requests for it</h3>}
      {mattering.map((fault) => (
        <p key={fault.id}>
          <a href="#faults">{fault.id}</a> <FaultText fault={fault} />
        </p>
      ))}
      <details>
        <summary>Fail the next request for it</summary>
        <FaultForm family={family} resource={id} />
      </details>
    </>
  )
}

/** A fault in words. */
function FaultText({ fault }: { fault: ListedFault }) {
  const { id: _id, missed: _missed, state: _state, hits, passed, times, operation, ...spec } = fault
  const rest = Object.entries(spec).map(([name, value]) => `${name} ${typeof value === 'object' ? '…' : value}`)
  return (
    <span>
      <b>{operation ?? 'every operation'}</b> {rest.join(', ')}{' '}
      <span class="dim">
        applied {hits}
        {times && ` of ${times}`} {(times ?? hits) === 1 ? 'time' : 'times'}
        {passed > 0 && `, ${passed} passed`}
      </span>
    </span>
  )
}

function RemoveButton({ what, path, query }: { what: string; path: string; query: object }) {
  return (
    <Button kind="quiet" label={`Remove ${what}`} onClick={() => page.callControl('DELETE', path, query)}>
      Remove
    </Button>
  )
}

function RemoveAllButton({ what, path }: { what: string; path: string }) {
  return (
    <div class="row">
      <Button kind="danger" twice label={`Remove all ${what}`} onClick={() => page.callControl('DELETE', path)}>
        Remove all
      </Button>
    </div>
  )
}

function RecordForm() {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Set a record</summary>
      {isOpen && <RecordInputs />}
    </details>
  )
}

function RecordInputs() {
  const service = page.controls
  const operation = service?.operations.find(({ path, method }) => path === '/_fauxgate/dns' && method === 'PUT')
  if (!service || !operation) return <p class="dim">Loading…</p>
  return (
    <SchemaForm service={service} operation={operation} verb="Set" send={(body) => page.control('PUT', '/dns', body)} />
  )
}
