import { useState } from 'preact/hooks'
import type { DomainTimeline, NeededRecord, Timelines } from '../../core/generated/controls.ts'
import { useLive } from '../live.ts'
import { page } from '../page.ts'
import { Button, Search } from '../shared/controls.tsx'
import { formatCount, formatRelative, formatTime, formatTimes } from '../shared/format.ts'
import { Chip, DefinitionList, EmptyState, Missing, OutcomeChip, Side, Split, Table } from '../shared/layout.tsx'
import { Windowed } from '../shared/windowed.tsx'
import { curlToCreate } from './client-code.ts'
import { RelatedRequests } from './entry.tsx'
import { PendingFaults, ScriptForm } from './faults.tsx'
import { Lane, StateChip } from './lane.tsx'
import { Axis, Picture } from './picture.tsx'

const LANE_HEIGHT = 44

/** The minimum of domains to load, which is more than most windows show. */
const MIN_LOADED = 30

/** The number of transitions of a domain that the gateway keeps. */
const MAX_TRANSITIONS = 100

const STATES = ['failing', 'renewal failing', 'provisioning', 'renewing', 'issued', 'unmanaged']

export function Jobs({ id }: { id: string }) {
  const { query } = page
  const [name, state] = [query.get('q') ?? '', query.get('state') ?? '']
  const [{ first, count }, setRange] = useState({ first: 0, count: MIN_LOADED })
  const timelines = (parameters: Record<string, string>) =>
    page.control<Timelines>('GET', `/timelines?${new URLSearchParams(parameters)}`)
  const parameters = { skip: String(first), limit: String(count), name, order: 'failing', ...(state && { state }) }
  const response = useLive(async () => ({ ...(await timelines(parameters)), first }), [first, count, name, state])
  const chosen = useLive(async () => (id ? ((await timelines({ name: id })).timelines[0] ?? null) : undefined), [id])
  if (!response) return <p class="empty dim">Loading…</p>
  const since = Date.parse(response.since ?? '') || page.now
  const all = Object.values(response.states).reduce((sum, each) => sum + each, 0)
  return (
    <Split
      side={
        chosen === null ? (
          <Missing title={id} back={page.linkWithin('jobs')}>
            The gateway has no managed domain of that id.
          </Missing>
        ) : (
          chosen && <JobDetails key={chosen.id} job={chosen} />
        )
      }
      tools={
        <>
          <Search what="domains" value={name} set={(q) => page.setQuery({ q })} />
          <Button pressed={state === ''} onClick={() => page.setQuery({ state: '' })}>
            all {formatCount(all)}
          </Button>
          {STATES.map((each) => {
            const number = response.states[each] ?? 0
            return (
              (number > 0 || each === state) && (
                <Button
                  key={each}
                  pressed={state === each}
                  onClick={() => page.setQuery({ state: state === each ? '' : each })}
                >
                  {each} {formatCount(number)}
                </Button>
              )
            )
          })}
        </>
      }
    >
      {response.total > 0 ? (
        <>
          <Axis since={since} />
          <Windowed
            total={response.total}
            rowHeight={LANE_HEIGHT}
            label="Domains"
            onRange={(range) => setRange({ ...range, count: Math.max(MIN_LOADED, range.count) })}
            row={(index) => {
              const job = response.timelines[index - response.first]
              return <Lane key={job?.id ?? index} job={job} since={since} isChosen={job?.id === id} />
            }}
          />
        </>
      ) : all > 0 || name ? (
        <EmptyState title="No domain is like that." />
      ) : (
        <EmptyState title="No managed domains yet." command={curlToCreate(page)}>
          Create one, with a certificate management policy:
        </EmptyState>
      )}
    </Split>
  )
}

interface DomainResource {
  readonly certificate?: { readonly id: string } | null
}

function JobDetails({ job }: { job: DomainTimeline }) {
  const { id, domain, state, due, expiresAt, problem, records, pending, outcomes, timeline } = job
  const when = (at: string) => `${formatRelative(at, page.now)}, at ${formatTime(at)}`
  const resource = useLive(
    () => page.connection.service<DomainResource>('GET', `/reserved_domains/${id}`).catch(() => null),
    [id],
  )
  const certificate = resource?.certificate?.id
  const move = (path: string) => page.moveClock(`/provisioning/${path}`, { id })
  return (
    <Side title={domain} mark={<StateChip state={state} />} back={page.linkWithin('jobs')}>
      <div class="row">
        <Button
          kind="main"
          onClick={() => page.callControl('POST', '/provisioning/attempt', { id })}
          disabled={due?.event !== 'attempt'}
        >
          Run the attempt now
        </Button>
        {page.overview?.manual && (
          <>
            <Button onClick={() => move('renew')} disabled={due?.event !== 'renewal' || page.isMoving}>
              Go to the renewal
            </Button>
            <Button onClick={() => move('expire')} disabled={!expiresAt || page.isMoving}>
              Go to the expiry
            </Button>
          </>
        )}
      </div>
      <Picture job={job} since={Date.parse(timeline[0]?.at ?? '') || page.now} />
      <DefinitionList
        of={[
          [
            'Domain',
            <code>
              <a href={`#resources/reserved_domains/${id}`}>{id}</a>
            </code>,
          ],
          ['Due next', due ? `${due.event} ${when(due.at)}` : 'nothing'],
          [
            'Certificate',
            expiresAt ? (
              <>
                <code>
                  <a href={`#resources/tls_certificates/${certificate}`}>{certificate}</a>
                </code>{' '}
                <span class={Date.parse(expiresAt) <= page.now ? 'bad' : ''}>
                  {Date.parse(expiresAt) <= page.now ? 'expired' : 'expires'} {when(expiresAt)}
                </span>
              </>
            ) : (
              'none yet'
            ),
          ],
        ]}
      />
      {problem && <p class="bad">{formatTimes(problem)}</p>}
      {records.length > 0 && (
        <>
          <h3>DNS records</h3>
          <Table
            heads={['Name', 'Expected', 'Found']}
            rows={records.map((record) => [
              <code>{record.name}</code>,
              <code>
                {record.type} {record.value}
              </code>,
              <RecordState record={record} />,
            ])}
          />
        </>
      )}
      <h3>Pending outcomes</h3>
      <p>
        {pending.length === 0 && <span class="dim">None.</span>}
        {pending.map((each, at) => (
          <span key={at}>
            {at > 0 && ' then '}
            {each.always && 'always '}
            <OutcomeChip outcome={each.outcome} />
            {each.domain === null && <small class="dim"> (of any domain)</small>}
          </span>
        ))}
        {outcomes > pending.length && <a href="#faults"> and {formatCount(outcomes - pending.length)} more</a>}
      </p>
      <ScriptForm domain={domain} />
      <PendingFaults family="reserved_domains" id={id} />
      <h3>What happened{timeline.length >= MAX_TRANSITIONS && `: the last ${MAX_TRANSITIONS} transitions`}</h3>
      <ol>
        {timeline.toReversed().map(({ at, transition, outcome, message }, index) => (
          <li key={timeline.length - index} class="record row">
            <span class="dim">{formatTime(at)}</span>
            <b>{transition}</b>
            {outcome && <OutcomeChip outcome={outcome} />}
            <p>{formatTimes(message)}</p>
          </li>
        ))}
      </ol>
      <RelatedRequests text={domain} />
    </Side>
  )
}

function RecordState({ record: { name, type, value, problem } }: { record: NeededRecord }) {
  if (problem === null) return <Chip tone="good">found</Chip>
  return (
    <>
      <p class="bad">{problem.split('. ').slice(1).join('. ') || problem}</p>
      <Button onClick={() => page.callControl('PUT', '/dns', { name, type, value })}>Fix the record</Button>
    </>
  )
}
