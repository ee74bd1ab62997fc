import { useState } from 'preact/hooks'
import type { NextDue } from '../../views/overview.ts'
import { usePage } from '../page.ts'
import { Button, Form, Submit, Text } from '../shared/controls.tsx'
import { formatCount, formatRelative, formatTime } from '../shared/format.ts'
import { Card, Empty } from '../shared/layout.tsx'
import { curlToCreate } from './client-code.ts'
import { Entry } from './entry.tsx'
import { Troubles } from './troubles.tsx'

const RECENT = 8

export function Now() {
  const page = usePage()
  const { overview, service } = page
  if (!overview) return null
  const { manual, next } = overview
  const recent = page.journal.slice(0, RECENT)
  const counts = (service?.families ?? []).flatMap(({ name, one, many }) => {
    const count = overview.counts[name] ?? 0
    return count > 0 ? { count, what: count === 1 ? one : many, place: `resources/${name}` } : []
  })
  return (
    <div class="cards">
      <Troubles />
      <Card title="Clock">
        <p class="time">
          {formatTime(page.now)} <small>UTC</small>
        </p>
        {manual ? <Moves /> : <p class="dim">The system clock. Start with --clock manual to advance it here.</p>}
      </Card>
      <Card title="Due next">{next ? <Due next={next} /> : <p class="dim">Nothing.</p>}</Card>
      <Card title="Resources">
        {service ? <Counts of={counts} /> : <p class="dim">Loading…</p>}
        {service && counts.length === 0 && (
          <Empty title="No domains yet." command={curlToCreate(page)}>
            Create one:
          </Empty>
        )}
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
  const page = usePage()
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

interface Count {
  readonly count: number
  readonly what: string
  readonly place: string
}

function Counts({ of }: { of: readonly Count[] }) {
  return (
    <ul class="counts">
      {of.map(({ count, what, place }) => (
        <li key={what}>
          <a href={`#${place}`}>
            <b>{formatCount(count)}</b> <span class="dim">{what}</span>
          </a>
        </li>
      ))}
    </ul>
  )
}

const STEPS = ['30s', '5m', '1h', '1d', '30d', '365d']

function Moves() {
  const page = usePage()
  const move = (how: object) => void page.move('/clock', how)
  const [by, setBy] = useState('90s')
  const [to, setTo] = useState('')
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
      <Form act={() => move({ advance: by })}>
        <Text label="Advance by" size={8} value={by} set={setBy} />
        <Submit kind="">Advance by</Submit>
      </Form>
      <Form act={() => move({ to: `${to.replace(' ', 'T')}Z` })}>
        <Text label="Go to, in UTC" size={20} placeholder={formatTime(page.now)} required value={to} set={setTo} />
        <Submit kind="">Go to</Submit>
      </Form>
    </>
  )
}
