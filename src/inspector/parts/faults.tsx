import { useState } from 'preact/hooks'
import type { ArmedFault } from '../../generated/controls.ts'
import type { DnsRecord } from '../../provisioning/dns.ts'
import { useLive, usePage } from '../page.ts'
import { Button, Choice, Form, Search, Submit, Text } from '../shared/controls.tsx'
import { Card, Chip, Json, OutcomeChip, Records } from '../shared/layout.tsx'
import { SchemaForm } from '../shared/schema-form.tsx'
import { OUTCOMES } from './jobs.tsx'

interface PendingOutcome {
  readonly domain: string | null
  readonly outcome: string
  readonly message?: string
  readonly retriesAfter?: string | number
}

export function Faults() {
  return (
    <div class="cards">
      <Zone />
      <Outcomes />
      <FaultList />
      <Unused />
    </div>
  )
}

function Zone() {
  const page = usePage()
  const [text, setText] = useState('')
  const all = useLive(() => page.control<DnsRecord[]>('GET', '/dns'), []) ?? []
  const found = all.filter(({ name, value }) => `${name} ${value}`.includes(text))
  return (
    <Card title="DNS zone" count={all.length}>
      <p class="dim">
        {page.overview?.dns === 'simulated'
          ? 'Attempts look here for a CNAME record of each managed domain to its cname_target, and for CAA records.'
          : 'Attempts do not look here: start with --dns simulated.'}
      </p>
      {all.length > 10 && <Search what="records" value={text} set={setText} />}
      <Records of={found} keyOf={({ name }) => name}>
        {(record) => (
          <>
            <code>{record.name}</code>
            <span class="dim">
              {record.type}
              {record.visibleFrom && `, seen from ${record.visibleFrom}`}
            </span>
            <input
              aria-label={`Value of ${record.name}`}
              value={record.value}
              onChange={({ currentTarget: { value } }) =>
                void page.act('PUT', '/dns', { name: record.name, type: record.type, value })
              }
            />
            <Remove what={record.name} path="/dns" query={{ name: record.name }} />
          </>
        )}
      </Records>
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
  const send = () => {
    const outcomes = [message === '' || outcome === 'success' ? outcome : { outcome, message }]
    void page.act('POST', path, { outcomes, times: Number(times), domain: domain || undefined })
  }
  return (
    <Card title="Pending outcomes" count={outcomes.length}>
      <p class="dim">The outcomes of the next attempts. Without any, DNS decides, or they succeed.</p>
      <Records of={outcomes} keyOf={(_, index) => index}>
        {(each) => (
          <>
            <OutcomeChip outcome={each.outcome} />
            <span>{each.domain ?? 'any domain'}</span>
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
  return (
    <Card title="Faults" count={faults.length} wide>
      <p class="dim">
        Failures of requests over HTTP, such as the operation reserved_domains.create with the status 503.
      </p>
      <Records of={faults} keyOf={({ id }) => id}>
        {({ id, hits, passed, times, ...spec }) => (
          <>
            {hits === times ? <Chip tone="dim">used up</Chip> : <Chip tone="busy">pending</Chip>}
            <code>{JSON.stringify(spec)}</code>
            <span class="dim">
              applied {hits}
              {times && ` of ${times}`} times
              {passed > 0 && `, ${passed} passed`}
            </span>
            <Remove what={id} path="/faults" query={{ id }} />
          </>
        )}
      </Records>
      {faults.length > 0 && <RemoveAll what="faults" path="/faults" />}
      <ControlForm path="/faults" method="post" title="Add a fault" />
    </Card>
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

function Unused() {
  const page = usePage()
  const report = useLive(() => page.control<string>('GET', '/report'), [])
  const part = /\n {2}pending:\n((?: {4}.*\n?)+)/.exec(report ?? '')?.[1]
  return part ? (
    <Card title="Not applied yet, and why" wide>
      <Json value={part.replaceAll(/^ {4}/gm, '')} />
    </Card>
  ) : null
}
