import { useState } from 'preact/hooks'
import { usePage } from '../page.ts'
import { Form, Text } from '../shared/inputs.tsx'
import { Card, inWords } from '../shared/layout.tsx'
import { Button, Empty } from '../shared/parts.tsx'
import { fromNow, readable } from '../shared/time.ts'
import { curlToCreate } from './curl.ts'
import { Entry } from './requests.tsx'

/** How many of the last requests are shown. */
const RECENT = 8

/** What the gateway holds now, and what happens next. */
export function Now() {
  const page = usePage()
  const overview = page.overview
  if (!overview) return null
  const { manual, next, dns, outcomes, faults } = overview
  const families = page.service?.families
  const counts = families?.map(
    ({ name }) => [name.replaceAll('_', ' '), overview.counts[name] ?? 0, `resources/${name}`] as const,
  )
  const recent = page.journal.slice(0, RECENT)
  return (
    <div class="cards">
      <Card title="Clock">
        <p class="time">
          {readable(page.now)} <small>UTC</small>
        </p>
        {manual ? <Moves /> : <p class="note">The system clock. Start with --clock manual to turn it here.</p>}
      </Card>
      <Card title="Due next">
        {next ? (
          <>
            <p class="time">{fromNow(next.at, page.now)}</p>
            <p>
              {next.event} of{' '}
              <a href={next.domain ? `#jobs/${next.key}` : `#resources/${next.collection}/${next.key}`}>
                {next.domain ?? next.key}
              </a>{' '}
              <span class="dim">at {readable(next.at)}</span>
            </p>
          </>
        ) : (
          <p class="note">Nothing. Attempts and renewals of managed domains would stand here.</p>
        )}
        <h2>On order</h2>
        <Counts
          of={[
            ['outcomes', outcomes, 'orders'],
            ['faults waiting', faults, 'orders'],
          ]}
        />
        <p class="note">
          {dns === 'simulated'
            ? 'Other attempts look into the simulated DNS zone.'
            : 'DNS is not simulated: other attempts succeed.'}
        </p>
      </Card>
      <Card title="Resources">
        <Counts of={counts ?? []} />
        {counts?.every(([, count]) => count === 0) && (
          <Empty title="No domains yet." line={curlToCreate(page)}>
            Create one:
          </Empty>
        )}
      </Card>
      <Card title="Last requests" wide>
        {recent.length === 0 && <p class="note">None came over HTTP yet.</p>}
        <div class="lines" role="list">
          {recent.map((entry) => (
            <Entry key={entry.operationId} entry={entry} />
          ))}
        </div>
      </Card>
    </div>
  )
}

function Counts({ of }: { of: readonly (readonly [what: string, count: number, place: string])[] }) {
  return (
    <ul class="counts">
      {of.map(([what, count, place]) => (
        <li key={what}>
          <a href={`#${place}`}>
            <b>{inWords(count)}</b> <span class="dim">{what}</span>
          </a>
        </li>
      ))}
    </ul>
  )
}

const STEPS = ['30s', '5m', '1h', '1d', '30d', '365d']

/** The ways to move a manual clock. */
function Moves() {
  const page = usePage()
  const move = (how: object) => void page.act('POST', '/clock', how)
  const [by, setBy] = useState('90s')
  const [to, setTo] = useState('')
  const at = to || new Date(page.now).toISOString().slice(0, 19)
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
        <button type="submit">Advance by</button>
      </Form>
      <Form act={() => move({ to: `${at.length === 16 ? `${at}:00` : at}Z` })}>
        <Text label="Go to, in UTC" type="datetime-local" step="1" value={at} set={setTo} />
        <button type="submit">Go to</button>
      </Form>
    </>
  )
}
