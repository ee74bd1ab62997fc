import { useState } from 'preact/hooks'
import type { DomainTimeline } from '../../core/generated/controls.ts'
import { page } from '../page.ts'
import { formatCounted, formatDuration, formatRelative, formatTime, formatTimes } from '../shared/format.ts'
import { Chip, type Tone } from '../shared/layout.tsx'

type Entry = DomainTimeline['timeline'][number]

const MAX_EVENTS = 12

/** Horizontal places in a lane, in percent: its start, the present, and the next due event. */
const START = 2
const PRESENT = 82
const DUE = 97

export function StateChip({ state }: { state: string }) {
  if (state.includes('failing')) return <Chip tone="bad">{state}</Chip>
  if (state === 'issued') return <Chip tone="good">{state}</Chip>
  return <Chip tone={state === 'unmanaged' ? 'dim' : 'busy'}>{state}</Chip>
}

function chooseTone({ transition }: Entry): Tone {
  if (transition.includes('failed')) return 'bad'
  if (transition === 'issued' || transition === 'renewed') return 'good'
  return transition === 'cancelled' ? 'dim' : 'busy'
}

interface LaneProps {
  /** Undefined while it is loaded. */
  job: DomainTimeline | undefined
  /** The oldest event of all lanes, in ms: events are placed by the logarithm of their age. */
  since: number
  isChosen: boolean
}

/** The provisioning of one domain as a picture. Arrow keys go from event to event. */
export function Lane({ job, since, isChosen }: LaneProps) {
  const [current, setCurrent] = useState<number | undefined>(undefined)
  if (!job) return <div class="lane flex" role="listitem" />
  const { id, domain, state, due, pending } = job
  const events = job.timeline.slice(-MAX_EVENTS)
  const places = events.map(({ at }) => computePlace(page.now - Date.parse(at), page.now - since))
  const index = current ?? events.length - 1
  const event = events[index]
  const move = (pressed: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[pressed.key]
    if (!step) return
    pressed.preventDefault()
    setCurrent(Math.max(0, Math.min(events.length - 1, index + step)))
  }
  return (
    <div class={`lane flex ${isChosen ? 'chosen' : ''}`} role="listitem">
      <div class="who">
        <a class="clip" href={`#jobs/${id}`}>
          <b>{domain}</b>
        </a>
        <span class="clip">
          <StateChip state={state} />{' '}
          <small class="dim">
            {pending.length === 0 ? (
              describeAttempts(job)
            ) : (
              <b class="busy" title={pending.map(({ outcome }) => outcome).join(', then ')}>
                {pending[0]?.domain ? 'then' : 'perhaps'} {pending[0]?.outcome}
                {pending.length > 1 && ` +${pending.length - 1}`}
              </b>
            )}
          </small>
        </span>
      </div>
      <div class="fill">
        <svg
          role="img"
          tabIndex={0}
          aria-label={`${domain}: ${event ? describeEvent(event) : 'nothing happened yet'}`}
          onKeyDown={move}
          onBlur={() => setCurrent(undefined)}
        >
          {events.map((each, at) => (
            <line
              key={at}
              class={chooseTone(each)}
              x1={`${places[at]}%`}
              x2={`${places[at + 1] ?? PRESENT}%`}
              y1="24"
              y2="24"
            />
          ))}
          {events.map((each, at) => (
            <circle
              key={at}
              class={`${chooseTone(each)} ${current === at ? 'current' : ''}`}
              cx={`${places[at]}%`}
              cy="24"
              r={each.outcome ? 6 : 4}
              onPointerEnter={() => setCurrent(at)}
              onPointerLeave={() => setCurrent(undefined)}
            />
          ))}
          {due && (
            <>
              <line class="pending dim" x1={`${PRESENT}%`} x2={`${DUE}%`} y1="24" y2="24" />
              <circle class="pending dim" cx={`${DUE}%`} cy="24" r="6" />
              <text x="100%" y="12" text-anchor="end">
                {due.event} {formatRelative(due.at, page.now)}
              </text>
            </>
          )}
        </svg>
        <p class="clip">
          {job.problem && <small class="bad">{formatTimes(job.problem)} </small>}
          {event && (
            <small>
              <span class="dim">{formatTime(event.at)}</span> <b>{event.transition}</b> {formatTimes(event.message)}
            </small>
          )}
        </p>
      </div>
    </div>
  )
}

function describeEvent({ at, transition, message }: Entry): string {
  return `${formatTime(at)}, ${transition}. ${message}`
}

/** Returns the place of an age in percent, on the axis of all lanes. */
function computePlace(ageMs: number, oldestMs: number): number {
  const scale = (ms: number) => Math.log10(1 + Math.max(0, ms) / 1000)
  return PRESENT - (scale(ageMs) / Math.max(1, scale(oldestMs))) * (PRESENT - START)
}

const TICKS_MS = [10, 60, 600, 3600, 21_600, 86_400, 864_000, 7_776_000, 31_536_000].map((seconds) => seconds * 1000)

/** The axis of all lanes: ages with their ticks. */
export function Axis({ since }: { since: number }) {
  const oldest = page.now - since
  let last = 200
  const ticks = TICKS_MS.flatMap((ms) => {
    const x = computePlace(ms, oldest)
    if (ms > oldest || last - x < 13) return []
    last = x
    return [{ x, text: `${formatDuration(ms)} ago` }]
  })
  return (
    <div class="axis flex" aria-hidden="true">
      <span class="who" />
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: each lane says its times */}
      <svg class="fill">
        {[...ticks, { x: PRESENT, text: 'now' }].map(({ x, text }) => (
          <text key={text} x={`${x}%`} y="14" text-anchor="middle">
            {text}
          </text>
        ))}
        <text x="100%" y="14" text-anchor="end">
          next
        </text>
      </svg>
    </div>
  )
}

function describeAttempts({ state, timeline }: DomainTimeline): string {
  const start = timeline.findLastIndex(({ transition }) => transition === 'started' || transition === 'renewal started')
  const attempts = timeline.slice(start + 1).filter(({ outcome }) => outcome !== null).length
  if (attempts > 0) return formatCounted(attempts, 'attempt')
  return state === 'unmanaged' ? '' : 'no attempt yet'
}
