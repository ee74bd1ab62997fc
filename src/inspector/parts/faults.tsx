import { useState } from 'preact/hooks'
import type { ArmedFault } from '../../generated/controls.ts'
import type { DnsRecord } from '../../provisioning/dns.ts'
import { useLive } from '../live.ts'
import { usePage } from '../page.ts'
import { Button, Choice, Form, Search, Submit, Text } from '../shared/controls.tsx'
import { formatCount, formatTime } from '../shared/format.ts'
import { Card, Chip, OutcomeChip, Records, Table } from '../shared/layout.tsx'
import { SchemaForm } from '../shared/schema-form.tsx'
import { FaultForm } from './fault-form.tsx'

interface PendingOutcome {
  readonly domain: string | null
  readonly outcome: string
  readonly message?: string
  readonly retriesAfter?: string | number
}

const MOST_RECORDS = 200

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
  const page = usePage()
  const [text, setText] = useState('')
  const all = useLive(() => page.control<DnsRecord[]>('GET', '/dns'), []) ?? []
  const found = all.filter(({ name, value }) => `${name} ${value}`.includes(text))
  return (
    <Card title="DNS zone" count={all.length} wide>
      <p class="dim">
        {page.overview?.dns === 'simulated'
          ? 'Attempts look here for a CNAME record of each managed domain to its cname_target, and for CAA records.'
          : 'Attempts do not look here: start with --dns simulated.'}
      </p>
      {all.length > 10 && <Search what="records" value={text} set={setText} />}
      {found.length > 0 && (
        <Table
          heads={['Name', 'Type', 'Value', 'Action']}
          rows={found.slice(0, MOST_RECORDS).map((record) => [
            <code>{record.name}</code>,
            <>
              {record.type}{' '}
              {record.visibleFrom && <small class="dim">seen from {formatTime(record.visibleFrom)}</small>}
            </>,
            <input
              aria-label={`Value of ${record.name}`}
              value={record.value}
              onChange={({ currentTarget: { value } }) =>
                void page.act('PUT', '/dns', { name: record.name, type: record.type, value })
              }
            />,
            <Remove what={record.name} path="/dns" query={{ name: record.name }} />,
          ])}
        />
      )}
      {found.length > MOST_RECORDS && <p class="dim">{formatCount(found.length - MOST_RECORDS)} more are not shown.</p>}
      <ControlForm path="/dns" method="put" title="Set a record" />
    </Card>
  )
}

function Outcomes() {
  const page = usePage()
  const path = '/provisioning/script'
  const outcomes = useLive(() => page.control<PendingOutcome[]>('GET', path), []) ?? []
  const [domain, setDomain] = useState('')
  const [outcome, setOutcome] = useState('DNS_ERROR')
  const [times, setTimes] = useState('1')
  const [message, setMessage] = useState('')
  const [retriesAfter, setRetriesAfter] = useState('')
  const send = () => {
    const details = { ...(message && { message }), ...(retriesAfter && { retriesAfter }) }
    const isPlain = outcome === 'success' || Object.keys(details).length === 0
    const outcomes = [isPlain ? outcome : { outcome, ...details }]
    void page.act('POST', path, { outcomes, times: Number(times), domain: domain || undefined })
  }
  return (
    <Card title="Pending outcomes" count={outcomes.length} wide>
      <p class="dim">The outcomes of the next attempts. Without any, DNS decides, or they succeed.</p>
      <Records of={outcomes} keyOf={(_, index) => index}>
        {(each) => (
          <>
            <OutcomeChip outcome={each.outcome} />
            <b>{each.domain ?? 'any domain'}</b>
            <span class="dim">
              {each.message}
              {each.retriesAfter !== undefined && ` (retried after ${each.retriesAfter})`}
            </span>
            {each.domain && <Remove what={`all of ${each.domain}`} path={path} query={{ domain: each.domain }} />}
          </>
        )}
      </Records>
      <Form act={send}>
        <Choice label="Outcome" value={outcome} set={setOutcome} values={OUTCOMES} />
        <Text label="Message" placeholder="the usual one" value={message} set={setMessage} />
        <Text label="Retries after" placeholder="the usual wait" value={retriesAfter} set={setRetriesAfter} />
        <Text label="How often" type="number" min="1" value={times} set={setTimes} />
        <Text label="Domain" placeholder="any domain" value={domain} set={setDomain} />
        <Submit>Script</Submit>
      </Form>
      {outcomes.length > 0 && <RemoveAll what="outcomes" path={path} />}
    </Card>
  )
}

function FaultList() {
  const page = usePage()
  const faults = useLive(() => page.control<ArmedFault[]>('GET', '/faults'), []) ?? []
  const report = useLive(() => page.control<string>('GET', '/report'), []) ?? ''
  return (
    <Card title="Faults" count={faults.length} wide>
      <p class="dim">Failures of requests over HTTP. A button fails the next request; the form has everything else.</p>
      <Records of={faults} keyOf={({ id }) => id}>
        {(fault) => (
          <>
            {fault.hits === fault.times ? <Chip tone="dim">used up</Chip> : <Chip tone="busy">pending</Chip>}
            <FaultText fault={fault} />
            <a href={`#requests?q=fault:${fault.id.toLowerCase()}`}>its requests</a>
            <Remove what={fault.id} path="/faults" query={{ id: fault.id }} />
            {reasonsIn(report, fault.id).map((line) => (
              <p key={line} class="dim">
                {line}
              </p>
            ))}
          </>
        )}
      </Records>
      {faults.length > 0 && <RemoveAll what="faults" path="/faults" />}
      <FaultForm />
    </Card>
  )
}

/** Why no fault applied to the last requests, as the report says. */
function reasonsIn(report: string, id: string): string[] {
  const lines = report.split('\n').map((line) => line.replace(/^ {4}/, ''))
  const at = lines.findIndex((line) => line.startsWith(`${id} `))
  const after = at < 0 ? [] : lines.slice(at + 1)
  const end = after.findIndex((line) => !line.startsWith('  '))
  return end < 0 ? after : after.slice(0, end)
}

/** A fault in words. */
export function FaultText({ fault: { id: _id, hits, passed, times, operation, ...spec } }: { fault: ArmedFault }) {
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

function Remove({ what, path, query }: { what: string; path: string; query: object }) {
  const page = usePage()
  return (
    <Button kind="quiet" label={`Remove ${what}`} onClick={() => void page.act('DELETE', path, query)}>
      Remove
    </Button>
  )
}

function RemoveAll({ what, path }: { what: string; path: string }) {
  const page = usePage()
  return (
    <div class="row">
      <Button kind="danger" twice label={`Remove all ${what}`} onClick={() => void page.act('DELETE', path)}>
        Remove all
      </Button>
    </div>
  )
}

function ControlForm({ path, method, title }: { path: string; method: 'post' | 'put'; title: string }) {
  const page = usePage()
  const service = page.controls
  const operation = service?.document.paths[`/_fauxgate${path}`]?.[method]
  const schema = operation?.requestBody?.content['application/json']?.schema
  if (!service || !schema) return null
  return (
    <details>
      <summary>{title}</summary>
      <SchemaForm
        service={service}
        schema={schema}
        verb={title.split(' ', 1)[0] ?? ''}
        send={(body) => page.control(method.toUpperCase(), path, body)}
      />
    </details>
  )
}
