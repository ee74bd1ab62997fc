import type { NextDue, Overview } from '../../core/generated/controls.ts'
import { page } from '../page.ts'
import type { ServiceFamily } from '../service.ts'
import { Button, Form, Submit, Text } from '../shared/controls.tsx'
import { formatCount, formatRelative, formatTime } from '../shared/format.ts'
import { Card, EmptyState } from '../shared/layout.tsx'
import { curlToCreate } from './client-code.ts'
import { Entry } from './entry.tsx'
import { Troubles } from './troubles.tsx'

const MAX_RECENT = 8

export function Now() {
  const { overview, service } = page
  if (!overview) return null
  const { manual, next } = overview
  const recent = page.journal.slice(0, MAX_RECENT)
  return (
    <div class="cards">
      <Troubles />
      <Card title="Clock">
        <p class="time">
          {formatTime(page.now)} <small>UTC</small>
        </p>
        {manual ? <ClockForm /> : <p class="dim">The system clock. Start with --clock manual to advance it here.</p>}
      </Card>
      <Card title="Due next">{next ? <Due next={next} /> : <p class="dim">Nothing.</p>}</Card>
      <Card title="Resources">
        {service ? <Counts families={service.families} counts={overview.counts} /> : <p class="dim">Loading…</p>}
      </Card>
      <Card title="Last requests" wide>
        {recent.length === 0 && <p class="dim">The journal is empty.</p>}
        <div role="list">
          {recent.map((entry, at) => (
            <Entry key={entry.operationId} entry={entry} before={recent[at + 1]} />
          ))}
        </div>
      </Card>
    </div>
  )
}

function Due({ next: { at, event, domain, collection, key } }: { next: NextDue }) {
  const place = domain ? `jobs/${key}` : event === 'response' ? `requests/${key}` : `resources/${collection}/${key}`
  return (
    <>
      <p class="time">{formatRelative(at, page.now)}</p>
      <p>
        {event === 'response' ? 'delayed response to' : `${event ?? 'event'} of`}{' '}
        <a href={`#${place}`}>{domain ?? key}</a> <span class="dim">at {formatTime(at)}</span>
      </p>
    </>
  )
}

function Counts({ families, counts }: { families: readonly ServiceFamily[]; counts: Overview['counts'] }) {
  const present = families.flatMap((each) => {
    const count = counts[each.name] ?? 0
    return count > 0 ? [{ ...each, count }] : []
  })
  if (present.length === 0) {
    return (
      <EmptyState title="No domains yet." command={curlToCreate(page)}>
        Create one:
      </EmptyState>
    )
  }
  return (
    <ul class="counts">
      {present.map(({ name, one, many, count }) => (
        <li key={name}>
          <a href={`#resources/${name}`}>
            <b>{formatCount(count)}</b> <span class="dim">{count === 1 ? one : many}</span>
          </a>
        </li>
      ))}
    </ul>
  )
}

const STEPS = ['30s', '5m', '1h', '1d', '30d', '365d']

function ClockForm() {
  const move = (how: object) => void page.moveClock('/clock', how)
  return (
    <>
      <div class="row">
        <Button kind="main" onClick={() => move({ next: true })}>
          To the next event
        </Button>
        {STEPS.map((step) => (
          <Button key={step} onClick={() => move({ advance: step })}>
            + {step}
          </Button>
        ))}
      </div>
      <Form act={move}>
        <Text label="Advance by" name="advance" size={8} defaultValue="90s" />
        <Submit kind="">Advance by</Submit>
      </Form>
      <Form act={({ to = '' }) => move({ to: to.trim().replace(' ', 'T').replace(/Z?$/, 'Z') })}>
        <Text label="Go to, in UTC" name="to" size={20} placeholder={formatTime(page.now)} required />
        <Submit kind="">Go to</Submit>
      </Form>
    </>
  )
}
