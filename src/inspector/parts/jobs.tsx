import { useState } from 'preact/hooks'
import type { DomainTimeline, NeededRecord, Timelines } from '../../views/timelines.ts'
import { useLive, usePage } from '../page.ts'
import { Button, Choice, Search } from '../shared/controls.tsx'
import { formatCount, formatRelative, formatTime } from '../shared/format.ts'
import { Chip, Empty, Facts, OutcomeChip, Side, Split, Windowed } from '../shared/layout.tsx'
import { curlToCreate } from './client-code.ts'
import { Lane, StateChip } from './lane.tsx'

const LANE_HEIGHT = 68

const STATES = ['provisioning', 'failing', 'issued', 'renewing', 'renewal failing', 'unmanaged']

export const OUTCOMES = ['DNS_ERROR', 'INTERNAL_ERROR', 'success']

export function Jobs({ id }: { id: string }) {
  const page = usePage()
  const [name, setName] = useState('')
  const [state, setState] = useState('')
  const [scale, setScale] = useState('')
  const [{ first, count }, setRange] = useState({ first: 0, count: 30 })
  const timelines = (query: Record<string, string>) =>
    page.control<Timelines>('GET', `/timelines?${new URLSearchParams(query)}`)
  const query = { skip: String(first), limit: String(count), name, ...(state && { state }) }
  const answer = useLive(async () => ({ ...(await timelines(query)), first }), [first, count, name, state])
  const chosen = useLive(async () => (id ? (await timelines({ name: id })).timelines[0] : undefined), [id])
  if (!answer) return null
  return (
    <Split side={chosen && <JobDetails key={chosen.id} job={chosen} />}>
      <div class="tools row">
        <Search what="domains" value={name} set={setName} />
        <Choice label="State" value={state} set={setState} values={STATES} none="every state" />
        <Choice label="Scale" value={scale} set={setScale} values={['logarithmic']} none="by order" />
        <span class="dim">{formatCount(answer.total)}</span>
      </div>
      {answer.total === 0 && !name && !state ? (
        <Empty title="No managed domains yet." command={curlToCreate(page)}>
          Create one, with a certificate management policy:
        </Empty>
      ) : (
        <Windowed
          total={answer.total}
          rowHeight={LANE_HEIGHT}
          label="Domains"
          onRange={setRange}
          row={(index) => {
            const job = answer.timelines[index - answer.first]
            return <Lane key={job?.id ?? index} job={job} isByAge={scale !== ''} isChosen={job?.id === id} />
          }}
        />
      )}
    </Split>
  )
}

function JobDetails({ job: { id, domain, state, due, expiresAt, records, timeline } }: { job: DomainTimeline }) {
  const page = usePage()
  const when = (at: string) => `${formatRelative(at, page.now)}, at ${formatTime(at)}`
  const act = (path: string) => void page.act('POST', `/provisioning/${path}`, { id })
  return (
    <Side title={domain} mark={<StateChip state={state} />} back="jobs">
      <div class="row">
        <Button kind="main" onClick={() => act('attempt')} disabled={due?.event !== 'attempt'}>
          Run the attempt now
        </Button>
        {page.overview?.manual && (
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
      <Script domain={domain} />
      {records.length > 0 && <h3>DNS records</h3>}
      {records.map((record) => (
        <Needed key={record.type + record.name} record={record} />
      ))}
      <h3>What happened</h3>
      <ol>
        {timeline.toReversed().map(({ at, transition, outcome, message }, index) => (
          <li key={timeline.length - index} class="record row">
            <span class="dim">{formatTime(at)}</span>
            <b>{transition}</b>
            {outcome && <OutcomeChip outcome={outcome} />}
            <p>{message}</p>
          </li>
        ))}
      </ol>
    </Side>
  )
}

function Script({ domain }: { domain: string }) {
  const page = usePage()
  const [outcomes, setOutcomes] = useState<readonly string[]>([])
  const send = async () => {
    if (await page.act('POST', '/provisioning/script', { outcomes, domain })) setOutcomes([])
  }
  return (
    <>
      <h3>Script the next outcomes</h3>
      <div class="row">
        {OUTCOMES.map((outcome) => (
          <Button key={outcome} onClick={() => setOutcomes([...outcomes, outcome])}>
            + {outcome}
          </Button>
        ))}
        <Button kind="main" disabled={outcomes.length === 0} onClick={() => void send()}>
          Script
        </Button>
      </div>
      <p class="dim">{outcomes.join(', then ')}</p>
    </>
  )
}

function Needed({ record: { name, type, value, problem } }: { record: NeededRecord }) {
  const page = usePage()
  return (
    <div class="record row">
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
          <p class="bad">{problem}</p>
        </>
      )}
    </div>
  )
}
