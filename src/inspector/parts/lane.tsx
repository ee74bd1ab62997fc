import { useState } from 'preact/hooks'
import type { DomainTimeline } from '../../views/timelines.ts'
import { usePage } from '../page.ts'
import { Chip, type Tone } from '../shared/parts.tsx'
import { fromNow, lengthOf, readable } from '../shared/time.ts'

type Entry = DomainTimeline['timeline'][number]

/** How many events a lane has room for; what came before is counted. */
const MOST = 12

/** Where the picture of the past ends and that of what is pending begins, in percent. */
const PRESENT = 82
const PENDING = 97

/** The colour of a state. */
export function toneOfState(state: string): Tone {
  if (state.includes('failing')) return 'bad'
  if (state === 'issued') return 'good'
  return state === 'unmanaged' ? 'plain' : 'busy'
}

/** The colour of what an event left behind. */
function toneOfEntry({ transition }: Entry): Tone {
  if (transition.includes('failed')) return 'bad'
  if (transition === 'issued' || transition === 'renewed') return 'good'
  return transition === 'cancelled' ? 'plain' : 'busy'
}

/** The provisioning of one domain as a picture. Arrow keys go from event to event; the one that is looked at is told. */
export function Lane({
  job,
  isByAge,
  isChosen,
}: {
  /** Undefined while it is asked for. */
  job: DomainTimeline | undefined
  /** Whether events are placed by the logarithm of their age; else one is as far from the next as any other. */
  isByAge: boolean
  isChosen: boolean
}) {
  const page = usePage()
  const [looked, look] = useState<number | undefined>(undefined)
  if (!job) return <div class="lane" role="listitem" />
  const shown = job.timeline.slice(-MOST)
  const earlier = job.timeline.length - shown.length
  const places = placesOf(shown, isByAge, page.now)
  const told = shown[looked ?? shown.length - 1]
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (!step) return
    event.preventDefault()
    look(Math.max(0, Math.min(shown.length - 1, (looked ?? shown.length - 1) + step)))
  }
  return (
    <div class={`lane ${isChosen ? 'chosen' : ''}`} role="listitem">
      <div class="who">
        <a href={`#jobs/${job.id}`}>{job.domain}</a>
        <span>
          <Chip tone={toneOfState(job.state)}>{job.state}</Chip>{' '}
          <small class="dim">
            {attemptsOf(job)}
            {earlier > 0 && `, ${earlier} earlier`}
          </small>
        </span>
      </div>
      <div class="picture">
        <svg
          role="img"
          tabIndex={0}
          aria-label={`${job.domain}: ${told ? spoken(told) : 'nothing happened yet'}`}
          onKeyDown={move}
          onBlur={() => look(undefined)}
        >
          {shown.map((entry, index) => (
            <Segment
              key={index}
              from={places[index] ?? 0}
              to={places[index + 1] ?? PRESENT}
              tone={toneOfEntry(entry)}
              label={isByAge ? '' : gapAfter(shown, index)}
            />
          ))}
          {job.due && <line class="pending dim" x1={`${PRESENT}%`} x2={`${PENDING}%`} y1="24" y2="24" />}
          {shown.map((entry, index) => (
            <circle
              key={index}
              class={`${toneOfEntry(entry)} ${looked === index ? 'looked' : ''}`}
              cx={`${places[index]}%`}
              cy="24"
              r={entry.outcome ? 6 : 4}
              onPointerEnter={() => look(index)}
              onPointerLeave={() => look(undefined)}
            />
          ))}
          {job.due && <circle class="pending dim" cx={`${PENDING}%`} cy="24" r="6" />}
          {job.due && (
            <text x="100%" y="12" text-anchor="end">
              {job.due.event} {fromNow(job.due.at, page.now)}
            </text>
          )}
        </svg>
        <p class="told">
          {told && (
            <>
              <span class="dim">{readable(told.at)}</span> <b>{told.transition}</b> {told.message}
            </>
          )}
        </p>
      </div>
    </div>
  )
}

function Segment({ from, to, tone, label }: { from: number; to: number; tone: Tone; label: string }) {
  return (
    <>
      <line class={tone} x1={`${from}%`} x2={`${to}%`} y1="24" y2="24" />
      {label && to - from > 5 && from + to < 140 && (
        <text class="gap" x={`${(from + to) / 2}%`} y="18" text-anchor="middle">
          {label}
        </text>
      )}
    </>
  )
}

function spoken({ at, transition, message }: Entry): string {
  return `${readable(at)}, ${transition}. ${message}`
}

function gapAfter(shown: readonly Entry[], index: number): string {
  const [entry, next] = [shown[index], shown[index + 1]]
  if (!entry || !next) return ''
  const ms = Date.parse(next.at) - Date.parse(entry.at)
  return ms > 0 ? lengthOf(ms) : ''
}

/** Where the events stand, in percent from the left. */
function placesOf(shown: readonly Entry[], isByAge: boolean, now: number): number[] {
  const start = 2
  if (!isByAge) return shown.map((_, index) => start + (index * (PRESENT - start)) / shown.length)
  const age = ({ at }: Entry) => Math.log10(1 + Math.max(0, now - Date.parse(at)) / 1000)
  const oldest = Math.max(1, ...shown.map(age))
  return shown.map((entry) => PRESENT - (age(entry) / oldest) * (PRESENT - start))
}

function attemptsOf({ timeline }: DomainTimeline): string {
  const begun = timeline.findLastIndex(({ transition }) => transition === 'started' || transition === 'renewal started')
  const attempts = timeline.slice(begun + 1).filter(({ outcome }) => outcome !== null).length
  return attempts === 0 ? 'no attempt yet' : `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`
}
