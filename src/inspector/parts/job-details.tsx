import { useState } from 'preact/hooks'
import type { DomainTimeline, NeededRecord } from '../../views/timelines.ts'
import { usePage } from '../page.ts'
import { Facts } from '../shared/layout.tsx'
import { Button, Chip, toneOfOutcome } from '../shared/parts.tsx'
import { fromNow, readable } from '../shared/time.ts'

/** What an attempt can come to. */
export const OUTCOMES = ['DNS_ERROR', 'INTERNAL_ERROR', 'success']

/** One domain's job: what to do with it, the DNS records that it needs, and all that happened. */
export function JobDetails({ job }: { job: DomainTimeline }) {
  const page = usePage()
  const { id, due, expiresAt } = job
  const isManual = page.overview?.manual
  const when = (at: string) => `${fromNow(at, page.now)}, at ${readable(at)}`
  const act = (path: string) => void page.act('POST', `/provisioning/${path}`, { id })
  return (
    <>
      <div class="row">
        <Button kind="main" onClick={() => act('attempt')} disabled={due?.event !== 'attempt'}>
          Run the attempt now
        </Button>
        {isManual && (
          <>
            <Button onClick={() => act('renew')} disabled={due?.event !== 'renewal'}>
              Go to the renewal
            </Button>
            <Button onClick={() => act('expire')} disabled={!expiresAt}>
              Go to the expiry
            </Button>
          </>
        )}
      </div>
      <Facts
        of={[
          ['Domain', <a href={`#resources/reserved_domains/${id}`}>{id}</a>],
          ['Due next', due ? `${due.event} ${when(due.at)}` : 'nothing'],
          ['Certificate', expiresAt ? `expires ${when(expiresAt)}` : 'none yet'],
        ]}
      />
      <Script domain={job.domain} />
      {job.records.length > 0 && <h3>DNS records</h3>}
      {job.records.map((record) => (
        <Needed key={record.name} record={record} />
      ))}
      <h3>What happened</h3>
      <ol>
        {[...job.timeline].reverse().map(({ at, transition, outcome, message }, index) => (
          <li key={job.timeline.length - index} class="record">
            <span class="dim">{readable(at)}</span>
            <b>{transition}</b>
            {outcome && <Chip tone={toneOfOutcome(outcome)}>{outcome}</Chip>}
            <p>{message}</p>
          </li>
        ))}
      </ol>
    </>
  )
}

function Script({ domain }: { domain: string }) {
  const page = usePage()
  const [outcomes, order] = useState<readonly string[]>([])
  const send = async () => {
    if (await page.act('POST', '/provisioning/script', { outcomes, domain })) order([])
  }
  return (
    <>
      <h3>Order the next outcomes</h3>
      <div class="row">
        {OUTCOMES.map((outcome) => (
          <Button key={outcome} onClick={() => order([...outcomes, outcome])}>
            + {outcome}
          </Button>
        ))}
        <Button kind="main" disabled={outcomes.length === 0} onClick={() => void send()}>
          Order
        </Button>
      </div>
      <p class="note">{outcomes.join(', then ')}</p>
    </>
  )
}

function Needed({ record: { name, type, value, problem } }: { record: NeededRecord }) {
  const page = usePage()
  return (
    <div class="record">
      <code>
        {name} {type} {value}
      </code>
      {problem === null ? (
        <Chip tone="good">found</Chip>
      ) : (
        <>
          <Button kind="main" onClick={() => void page.act('PUT', '/dns', { name, type, value })}>
            Fix the record
          </Button>
          <p class="error">{problem}</p>
        </>
      )}
    </div>
  )
}
