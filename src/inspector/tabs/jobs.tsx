import { type ComponentChildren, Fragment } from 'preact'
import { useState } from 'preact/hooks'
import type { DomainTimeline, NeededRecord, Timelines } from '../../generated/controls.ts'
import { useLive } from '../live.ts'
import { inState, type Live } from '../live-value.ts'
import { page } from '../page.ts'
import { Button, Search } from '../shared/controls.tsx'
import { formatCount, formatRelative, formatTime, formatTimes } from '../shared/format.ts'
import { Known } from '../shared/known.tsx'
import { Chip, DefinitionList, EmptyState, IdLink, OutcomeChip, Side, Split } from '../shared/layout.tsx'
import { Table } from '../shared/table.tsx'
import { goToRow, Windowed } from '../shared/windowed.tsx'
import { curlToCreate } from './client-code.ts'
import { RelatedRequests } from './entry.tsx'
import { PendingFaults, ScriptForm } from './faults.tsx'
import { Axis, Lane, Picture, StateChip } from './picture.tsx'

const LANE_HEIGHT = 44

/** The minimum number of domains to load: more than most windows show. */
const MIN_LOADED = 30

/** The number of transitions of a domain that the gateway keeps. */
const MAX_TRANSITIONS = 100

const loadTimelines = (query: Record<string, string>) =>
  page.control<Timelines>('GET', `/timelines?${new URLSearchParams(query)}`)

export function Jobs({ id }: { id: string }) {
  const { query } = page
  const [name, state] = [query.get('q') ?? '', query.get('state') ?? '']
  const [{ first, count }, setRange] = useState({ first: 0, count: MIN_LOADED })
  const wanted = { skip: String(first), limit: String(count), name, order: 'failing', ...(state && { state }) }
  const load = async () => ({ ...(await loadTimelines(wanted)), first })
  const loaded = useLive(`jobs ${name} ${state}`, load, [first, count])
  const loadOne = async () => (id ? ((await loadTimelines({ name: id })).timelines[0] ?? null) : null)
  const chosen = useLive(`job ${id}`, loadOne)
  const side = id && <JobSide key={inState(chosen, '', '', (job) => job?.id ?? '')} id={id} of={chosen} />
  return <Known of={loaded}>{(list) => <JobList loaded={list} id={id} show={setRange} side={side} />}</Known>
}

interface JobListProps {
  /** Some of the domains, starting at number `first`. */
  loaded: Timelines & { readonly first: number }
  id: string
  show: (range: { first: number; count: number }) => void
  side: ComponentChildren
}

function JobList({ loaded, id, show, side }: JobListProps) {
  const { query } = page
  const [name, state] = [query.get('q') ?? '', query.get('state') ?? '']
  const since = Date.parse(loaded.since ?? '') || page.now
  const all = Object.values(loaded.states).reduce((sum, each) => sum + each, 0)
  // A state without domains stays in the menu while it is selected.
  const states = Object.entries({ all, ...(state && { [state]: 0 }), ...loaded.states })
  const step = (by: number) => {
    const index = loaded.timelines.findIndex((each) => each.id === id) + by
    const next = loaded.timelines[index]
    if (next) goToRow(page.linkWithin(`jobs/${next.id}`), loaded.first + index, LANE_HEIGHT)
  }
  const managed = all - (loaded.states.unmanaged ?? 0)
  return (
    <Split
      side={side}
      step={step}
      tools={
        <>
          <Search what="domains" value={name} set={(q) => page.setQuery({ q })} />
          {states.map(([each, number]) => {
            const isPressed = each === (state || 'all')
            return (
              <Button
                key={each}
                pressed={isPressed}
                onClick={() => page.setQuery({ state: isPressed || each === 'all' ? '' : each })}
              >
                {each} {formatCount(number)}
                {each === 'all' && managed < all && `, ${formatCount(managed)} managed`}
              </Button>
            )
          })}
        </>
      }
    >
      {loaded.total > 0 ? (
        <>
          <Axis since={since} />
          <Windowed
            total={loaded.total}
            rowHeight={LANE_HEIGHT}
            label="Domains"
            onRange={(range) => show({ ...range, count: Math.max(MIN_LOADED, range.count) })}
            row={(index) => {
              const job = loaded.timelines[index - loaded.first]
              return <Lane key={job?.id ?? index} job={job} since={since} isChosen={job?.id === id} />
            }}
          />
        </>
      ) : all > 0 || name ? (
        <EmptyState title="No matching domains." />
      ) : (
        <EmptyState title="No managed domains yet." command={curlToCreate(page)}>
          Create one, with a certificate management policy:
        </EmptyState>
      )}
    </Split>
  )
}

/** The details of a domain. `of` is null if no domain has the ID. */
function JobSide({ id, of }: { id: string; of: Live<DomainTimeline | null> }) {
  const job = inState<DomainTimeline | null, DomainTimeline | null>(of, null, null, (known) => known)
  return (
    <Side title={job?.domain ?? id} mark={job && <StateChip state={job.state} />} back={page.linkWithin('jobs')}>
      <Known of={of}>
        {(known) => (known ? <JobDetails job={known} /> : <p>The gateway has no managed domain with this ID.</p>)}
      </Known>
    </Side>
  )
}

function JobDetails({ job }: { job: DomainTimeline }) {
  const { id, domain, due, certificate, expiresAt, problem, records, pending, outcomes, timeline, earlier } = job
  const when = (at: string) => `${formatRelative(at, page.now)}, at ${formatTime(at)}`
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= page.now
  const move = (path: string) => page.moveClock(`/provisioning/${path}`, { id })
  return (
    <>
      <div class="row">
        <Button
          kind="main"
          onClick={() => page.control('POST', '/provisioning/attempt', { id })}
          disabled={due?.event !== 'attempt'}
        >
          Run the attempt now
        </Button>
        {page.overview?.manual && (
          <>
            <Button onClick={() => move('renew')} disabled={due?.event !== 'renewal' || page.isMoving}>
              Go to the renewal
            </Button>
            <Button onClick={() => move('expire')} disabled={!expiresAt || isExpired || page.isMoving}>
              Go to the expiry
            </Button>
          </>
        )}
      </div>
      <Picture job={job} since={Date.parse(timeline[0]?.at ?? '') || page.now} />
      <DefinitionList
        of={[
          ['Domain', <IdLink to={`resources/reserved_domains/${id}`} id={id} />],
          ['Next', due ? `${due.event} ${when(due.at)}` : 'nothing'],
          [
            'Certificate',
            certificate ? <IdLink to={`resources/tls_certificates/${certificate}`} id={certificate} /> : 'none yet',
          ],
          [
            isExpired ? 'Expired' : 'Expires',
            expiresAt === null ? undefined : <span class={isExpired ? 'bad' : ''}>{when(expiresAt)}</span>,
          ],
        ]}
      />
      {problem && <p class="bad">{formatTimes(problem)}</p>}
      {records.length > 0 && (
        <>
          <h3>DNS records</h3>
          <Table
            rows={records}
            columns={[
              { name: 'Name', cell: ({ name }) => <code>{name}</code> },
              { name: 'Expected', cell: ({ type, value }) => <code>{`${type} ${value}`}</code> },
              { name: 'Found', cell: (record) => <RecordState record={record} /> },
            ]}
          />
        </>
      )}
      <h3>Pending outcomes</h3>
      <p>
        {pending.length === 0 && <span class="dim">None.</span>}
        {pending.map(({ outcome, always, domain }, at) => (
          <span key={at}>
            {at > 0 && ' then '}
            {always && 'always '}
            <OutcomeChip outcome={outcome} />
            {domain === null && <small class="dim"> (of any domain)</small>}
          </span>
        ))}
        {outcomes > pending.length && <a href="#faults"> and {formatCount(outcomes - pending.length)} more</a>}
      </p>
      <ScriptForm domain={domain} />
      <PendingFaults family="reserved_domains" id={id} />
      <h3>History{timeline.length >= MAX_TRANSITIONS && `: the last ${MAX_TRANSITIONS} transitions`}</h3>
      <ol>
        {timeline.toReversed().map(({ at, transition, outcome, message }, index) => (
          <Fragment key={timeline.length - index}>
            {timeline.length - index === earlier && <Restart />}
            <li class="record row">
              <span class="dim">{formatTime(at)}</span>
              <b>{transition}</b>
              {outcome && <OutcomeChip outcome={outcome} />}
              <p>{formatTimes(message)}</p>
            </li>
          </Fragment>
        ))}
      </ol>
      <RelatedRequests text={domain} />
    </>
  )
}

/** Separates an earlier server's transitions from the current server's. Sandboxes sleep and wake without this separator. */
function Restart() {
  if (!page.gateway?.started) return null
  const { manual } = page.overview ?? {}
  return (
    <li class="record dim">
      The server restarted.{!manual && ' Attempts that fell due in the meantime keep their own times.'}
    </li>
  )
}

function RecordState({ record: { name, type, value, problem, found } }: { record: NeededRecord }) {
  if (problem === null) return <Chip tone="good">found</Chip>
  return (
    <>
      <p class="bad">{found}</p>
      <Button onClick={() => page.control('PUT', '/dns', { name, type, value })}>Fix the record</Button>
    </>
  )
}
