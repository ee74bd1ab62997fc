import type { NextDue, Overview } from '../../generated/controls.ts'
import { page } from '../page.ts'
import { Button, Copy, Form, Text } from '../shared/controls.tsx'
import { formatCount, formatRelative, formatTime } from '../shared/format.ts'
import { Json } from '../shared/json.tsx'
import { Loading } from '../shared/known.tsx'
import { Card } from '../shared/layout.tsx'
import { curlToCreate } from './client-code.ts'
import { Entries } from './entry.tsx'
import { Troubles } from './troubles.tsx'

const MAX_RECENT = 8

export function Now() {
  const { overview } = page
  if (!overview) return <Loading />
  const { manual, next } = overview
  const recent = page.journal.slice(0, MAX_RECENT)
  return (
    <div class="cards">
      <Card title={<span class="time">{formatTime(page.now)}</span>} note="UTC" wide>
        {next ? <Due next={next} /> : <p class="dim">Nothing is due.</p>}
        {manual ? <ClockForm /> : <p class="dim">The system clock. Start with --clock manual to advance it here.</p>}
      </Card>
      <Troubles />
      <Resources counts={overview.counts} />
      {recent.length > 0 && (
        <Card title="Last requests" wide>
          <Entries of={recent} />
        </Card>
      )}
    </div>
  )
}

/** The next steps that are not events of a record. */
const STEPS_TO: Readonly<Record<string, string>> = {
  response: 'delayed response to',
  delivery: 'delivery of events to',
}

function Due({ next: { at, event, domain, collection, key } }: { next: NextDue }) {
  const place = domain ? `jobs/${key}` : event === 'response' ? `requests/${key}` : `resources/${collection}/${key}`
  return (
    <p>
      Next: {event === null ? 'event of' : (STEPS_TO[event] ?? `${event} of`)} <a href={`#${place}`}>{domain ?? key}</a>{' '}
      <b>{formatRelative(at, page.now)}</b> <span class="dim">at {formatTime(at)}</span>
    </p>
  )
}

function Resources({ counts }: { counts: Overview['counts'] }) {
  const present = Object.entries(page.gateway?.nouns ?? {}).filter(([name]) => counts[name])
  if (present.length === 0) return <Welcome />
  return (
    <Card title="Resources" wide>
      <ul class="row">
        {present.map(([name, { one, many }]) => (
          <li key={name}>
            <a href={`#resources/${name}`}>
              <b>{formatCount(counts[name] ?? 0)}</b> {counts[name] === 1 ? one : many}
            </a>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** The first steps for an empty gateway. */
function Welcome() {
  const url = location.origin + page.connection.base
  const key = page.overview?.keys ? "one of this gateway's keys" : "'any text'"
  return (
    <Card title="No resources yet" wide>
      <div class="row">
        <a class="button main" href="#resources/reserved_domains?new=1">
          Create a domain
        </a>
        <Copy text={() => curlToCreate(page)}>Copy as curl</Copy>
      </div>
      <Json title="Point a client here" value={`baseUrl: '${url}'\napiKey: ${key}`} />
    </Card>
  )
}

const STEPS = ['30s', '5m', '1h', '1d', '30d', '365d']

function ClockForm() {
  const move = (how: object) => page.moveClock('/clock', how)
  const { isMoving } = page
  return (
    <div class="row">
      <Button kind="main" disabled={!page.overview?.next || isMoving} onClick={() => move({ next: true })}>
        To the next event
      </Button>
      {STEPS.map((step) => (
        <Button key={step} disabled={isMoving} onClick={() => move({ advance: step })}>
          + {step}
        </Button>
      ))}
      <Form act={move} verb="Advance by" verbKind="" disabled={isMoving}>
        <Text label="Advance by" name="advance" size={5} defaultValue="90s" />
      </Form>
      <Form act={move} verb="Go to" verbKind="" disabled={isMoving}>
        <Text
          label="Go to, in UTC"
          name="to"
          size={17}
          placeholder={`e.g. ${formatTime(page.now).slice(0, 10)}`}
          required
        />
      </Form>
    </div>
  )
}
