import { useState } from 'preact/hooks'
import type { ArmedFault } from '../../generated/controls.ts'
import type { DnsRecord } from '../../provisioning/dns.ts'
import { usePage } from '../page.ts'
import { Choice, Form, Search, Send, Text } from '../shared/inputs.tsx'
import { Card } from '../shared/layout.tsx'
import { useLive } from '../shared/live.ts'
import { Button, Chip, Json, toneOfOutcome } from '../shared/parts.tsx'
import { SchemaForm } from '../shared/schema-form.tsx'
import { OUTCOMES } from './job-details.tsx'

interface PendingOutcome {
  readonly domain: string | null
  readonly outcome: string
}

/** How much of a long list is shown. */
const MOST = 200

/** What the test decides: the DNS zone, the outcomes of attempts, and faults. */
export function Orders() {
  return (
    <div class="cards two">
      <Zone />
      <Outcomes />
      <Faults />
      <NotMet />
    </div>
  )
}

/** The form of a control's body, made from its schema like those of resources. */
function ControlForm({ path, method, title }: { path: string; method: 'post' | 'put'; title: string }) {
  const page = usePage()
  const service = page.service
  const schema =
    service?.document.paths[`/_fauxgate${path}`]?.[method]?.requestBody?.content['application/json']?.schema
  if (!service || !schema) return null
  return (
    <details>
      <summary>{title}</summary>
      <SchemaForm
        service={service}
        schema={schema}
        verb={title.split(' ', 1)[0] ?? ''}
        send={(body) => page.ask(method.toUpperCase(), path, body)}
      />
    </details>
  )
}

function Zone() {
  const page = usePage()
  const [text, search] = useState('')
  const all = useLive(() => page.ask<DnsRecord[]>('GET', '/dns'), []) ?? []
  const records = all.filter(({ name, value }) => `${name} ${value}`.includes(text))
  const isSimulated = page.overview?.dns === 'simulated'
  return (
    <Card title="DNS zone" count={all.length}>
      <p class="note">
        {isSimulated
          ? 'Attempts look here for a CNAME record of each managed domain to its cname_target.'
          : 'Attempts do not look here: start with --dns simulated.'}
      </p>
      {all.length > 10 && <Search what="records" value={text} set={search} />}
      <ul>
        {records.slice(0, MOST).map((record) => (
          <li key={record.name} class="record">
            <code>{record.name}</code>
            <span class="dim">{record.type}</span>
            <input
              aria-label={`Value of ${record.name}`}
              value={record.value}
              onChange={(event) => void page.act('PUT', '/dns', { ...record, value: event.currentTarget.value })}
            />
            <Button
              kind="quiet"
              label={`Remove ${record.name}`}
              onClick={() => void page.act('DELETE', '/dns', { name: record.name })}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
      {records.length > MOST && <p class="note">{records.length - MOST} more: search for them.</p>}
      <ControlForm path="/dns" method="put" title="Set a record" />
    </Card>
  )
}

function Outcomes() {
  const page = usePage()
  const path = '/provisioning/script'
  const outcomes = useLive(() => page.ask<PendingOutcome[]>('GET', path), []) ?? []
  const [domain, setDomain] = useState('')
  const [outcome, setOutcome] = useState('DNS_ERROR')
  const [times, setTimes] = useState('1')
  const send = () =>
    void page.act('POST', path, { outcomes: [outcome], times: Number(times), domain: domain || undefined })
  return (
    <Card title="Outcomes on order" count={outcomes.length}>
      <p class="note">What the next attempts come to. Without any, DNS decides, or they succeed.</p>
      <ol>
        {outcomes.slice(0, MOST).map((each, index) => (
          <li key={index} class="record">
            <Chip tone={toneOfOutcome(each.outcome)}>{each.outcome}</Chip>
            <span>{each.domain ?? 'any domain'}</span>
            {each.domain && (
              <Button
                kind="quiet"
                label={`Drop its outcomes: ${each.domain}`}
                onClick={() => void page.act('DELETE', path, { domain: each.domain })}
              >
                Drop
              </Button>
            )}
          </li>
        ))}
      </ol>
      <Form act={send}>
        <Choice label="Outcome" value={outcome} set={setOutcome} values={OUTCOMES} />
        <Text label="How often" type="number" min="1" value={times} set={setTimes} />
        <Text label="Domain" placeholder="any domain" value={domain} set={setDomain} />
        <Send>Order</Send>
        {outcomes.length > 0 && (
          <Button kind="danger" twice onClick={() => void page.act('DELETE', path)}>
            Drop all
          </Button>
        )}
      </Form>
    </Card>
  )
}

function Faults() {
  const page = usePage()
  const faults = useLive(() => page.ask<ArmedFault[]>('GET', '/faults'), []) ?? []
  return (
    <Card title="Faults" count={faults.length} wide>
      <p class="note">
        Failures for requests over HTTP, such as the operation reserved_domains.create with the status 503.
      </p>
      <ul>
        {faults.slice(0, MOST).map(({ id, hits, passed, times, ...spec }) => (
          <li key={id} class="record">
            {hits === times ? <Chip tone="plain">used up</Chip> : <Chip tone="busy">waits</Chip>}
            <code>{JSON.stringify(spec)}</code>
            <span class="dim">
              met {hits}
              {times && ` of ${times}`}
              {passed > 0 && `, ${passed} passed`}
            </span>
            <Button kind="quiet" label={`Remove ${id}`} onClick={() => void page.act('DELETE', '/faults', { id })}>
              Remove
            </Button>
          </li>
        ))}
      </ul>
      {faults.length > 0 && (
        <div class="row">
          <Button kind="danger" twice onClick={() => void page.act('DELETE', '/faults')}>
            Remove all
          </Button>
        </div>
      )}
      <ControlForm path="/faults" method="post" title="Arm a fault" />
    </Card>
  )
}

/** What waits still, and why nothing matched: the gateway's own report says it. */
function NotMet() {
  const page = usePage()
  const report = useLive(() => page.ask<string>('GET', '/report'), [])
  const part = /\n {2}on order:\n((?: {4}.*\n?)+)/.exec(report ?? '')?.[1]
  return part ? (
    <Card title="Not met yet, and why" wide>
      <Json value={part.replaceAll(/^ {4}/gm, '')} />
    </Card>
  ) : null
}
