import { useState } from 'preact/hooks'
import type { DomainTimeline } from '../../generated/controls.ts'
import { page } from '../page.ts'
import { formatCounted, formatDuration, formatRelative, formatTime, formatTimes } from '../shared/format.ts'
import { Chip, type Tone } from '../shared/layout.tsx'

const MAX_EVENTS = 12

/** Horizontal positions in a timeline picture, in percent: the oldest event, the present, and the furthest time ahead. */
const [START, PRESENT, END] = [1, 56, 99]

const DAY_MS = 86_400_000

/** The furthest time ahead that pictures show. A Let's Encrypt certificate is valid for 90 days. */
const AHEAD_MS = 100 * DAY_MS

/** The axis is not linear, so both seconds and months fit. A time ten times as far away is 1.8 times as far in the picture. */
const EXPONENT = 0.25

/** Returns the color of a state or of a transition. */
function chooseTone(name: string): Tone {
  if (/fail/.test(name)) return 'bad'
  if (/^(issued|renewed)$/.test(name)) return 'good'
  return /^(cancelled|unmanaged)$/.test(name) ? 'dim' : 'busy'
}

export function StateChip({ state }: { state: string }) {
  return <Chip tone={chooseTone(state)}>{state}</Chip>
}

/** Returns the horizontal position of a time in percent. `since` is the time of the oldest event, in ms. */
function computePlace(time: number, since: number): string {
  const ms = time - page.now
  const scale = (all: number) => Math.min(1, Math.abs(ms) / Math.max(1, all)) ** EXPONENT
  const at =
    ms < 0 ? PRESENT - scale(page.now - since) * (PRESENT - START) : PRESENT + scale(AHEAD_MS) * (END - PRESENT)
  return `${at}%`
}

interface PictureProps {
  job: DomainTimeline
  /** The time of the oldest event in all pictures, in ms. */
  since: number
  isInList?: boolean
}

/** A domain as a picture: past events, the validity of its certificate as a bar, and the next event. Arrow keys move between events. */
export function Picture({ job, since, isInList = false }: PictureProps) {
  const { domain, due, validFrom, expiresAt, problem, state, startedAt, timeline } = job
  const [current, setCurrent] = useState<number | undefined>(undefined)
  const events = timeline.slice(-MAX_EVENTS)
  const index = current ?? events.length - 1
  const event = events[index]
  const placeOf = (time: string) => computePlace(Date.parse(time), since)
  const move = (pressed: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[pressed.key]
    if (!step) return
    pressed.preventDefault()
    setCurrent(Math.max(0, Math.min(events.length - 1, index + step)))
  }
  const line = (kind: string, x1: string, x2: string) => (
    <line key={kind + x1} class={kind} x1={x1} x2={x2} y1="9" y2="9" />
  )
  const present = `${PRESENT}%`
  const [expiry, next] = [expiresAt && placeOf(expiresAt), due && placeOf(due.at)]
  // The timeline may no longer contain the start of a long job.
  const [first] = startedAt && startedAt < (events[0]?.at ?? '') ? events : []
  const said = event ? `${formatTime(event.at)}, ${event.transition}. ${event.message}` : 'nothing has happened yet'
  return (
    <div class="picture fill">
      <small class="flex">
        <span class="fill clip">
          {problem && current === undefined ? (
            <span class="bad">{formatTimes(problem)}</span>
          ) : (
            event && [
              <b>{event.transition} </b>,
              <span class="dim">{formatTime(event.at)} </span>,
              formatTimes(event.message),
            ]
          )}
        </span>
        <span class="dim">
          {due && `${due.event} ${formatRelative(due.at, page.now)}`}
          {due && expiresAt && ', '}
          {expiresAt && `expiry ${formatRelative(expiresAt, page.now)}`}
        </span>
      </small>
      <svg
        role="img"
        tabIndex={isInList ? -1 : 0}
        aria-label={`${domain}: ${said}`}
        onKeyDown={move}
        onBlur={() => setCurrent(undefined)}
      >
        <line class="dim now" x1={present} x2={present} y1="0" y2="18" />
        {expiry && line('validity', validFrom ? placeOf(validFrom) : `${START}%`, expiry)}
        {expiry && <line class={due ? 'dim' : 'bad'} x1={expiry} x2={expiry} y1="3" y2="15" />}
        {first && startedAt && line(chooseTone(state), placeOf(startedAt), placeOf(first.at))}
        {events.map(({ at, transition }, number) => {
          const later = events[number + 1]
          return line(chooseTone(transition), placeOf(at), later ? placeOf(later.at) : present)
        })}
        {next && line('pending dim', present, next)}
        {events.map((each, at) => (
          <circle
            key={at}
            class={`${chooseTone(each.transition)} ${current === at ? 'current' : ''}`}
            cx={placeOf(each.at)}
            cy="9"
            r={each.outcome ? 6 : 4}
            onPointerEnter={() => setCurrent(at)}
            onPointerLeave={() => setCurrent(undefined)}
          />
        ))}
        {next && <circle class="pending" cx={next} cy="9" r="5" />}
      </svg>
    </div>
  )
}

interface LaneProps extends Omit<PictureProps, 'job'> {
  /** Undefined while it is loading. */
  job: DomainTimeline | undefined
  isChosen: boolean
}

/** A domain in the list of all domains, with its state next to its picture. */
export function Lane({ job, since, isChosen }: LaneProps) {
  if (!job) return <div class="lane flex" role="listitem" />
  const { id, domain, state, pending, outcomes } = job
  const [next] = pending
  return (
    <div class={`lane flex ${isChosen ? 'chosen' : ''}`} role="listitem">
      <div class="who">
        <a class="clip" href={page.linkWithin(`jobs/${id}`)}>
          <b>{domain}</b>
        </a>
        <span class="clip">
          <StateChip state={state} />{' '}
          {next ? (
            <small title={pending.map(({ outcome }) => outcome).join(', then ')}>
              {next.domain ? 'next' : 'next perhaps'} {next.outcome}
              {outcomes > 1 && ` +${outcomes - 1}`}
            </small>
          ) : (
            <small class="dim">{describeAttempts(job)}</small>
          )}
        </span>
      </div>
      <Picture job={job} since={since} isInList />
    </div>
  )
}

/** States how many attempts the running job has had, and for how long it has run, or how many attempts the last job needed. */
function describeAttempts({ state, attempts, startedAt, timeline }: DomainTimeline): string {
  if (state === 'unmanaged' || attempts === null) return ''
  if (attempts === 0) return 'no attempt yet'
  const count = formatCounted(attempts, 'attempt')
  // An earlier job may have had more attempts.
  if (!startedAt) return `${timeline.at(-1)?.transition === 'renewed' ? 'renewed ' : ''}in ${count}`
  const ageMs = page.now - Date.parse(startedAt)
  return ageMs > 0 ? `${count} in ${formatDuration(ageMs)}` : count
}

/** The times that the axis shows, in ms before or after the present. */
const TICKS_MS = [-1000, -100, -10, -1, -1 / 24, 0, 1 / 24, 1, 10, 90].map((days) => days * DAY_MS)

/** The minimum distances between two axis labels, in percent, in any list and in a narrow one. */
const [DISTANCE, NARROW_DISTANCE] = [5.5, 18]

/** Returns the axis ticks that fit, nearest to the present first. */
function chooseTicks(since: number, distance: number): readonly number[] {
  const placeOf = (ms: number) => Number.parseFloat(computePlace(page.now + ms, since))
  const chosen: number[] = []
  for (const ms of TICKS_MS.filter((ms) => ms >= since - page.now).sort((a, b) => Math.abs(a) - Math.abs(b)))
    if (chosen.every((each) => Math.abs(placeOf(each) - placeOf(ms)) >= distance)) chosen.push(ms)
  return chosen
}

/** The axis of all lanes, with ages at its ticks. */
export function Axis({ since }: { since: number }) {
  const narrow = chooseTicks(since, NARROW_DISTANCE)
  return (
    <div class="axis flex" aria-hidden="true">
      <small class="who dim">Time is not to scale.</small>
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: each lane says its times */}
      <svg class="fill">
        {chooseTicks(since, DISTANCE).map((ms) => (
          <text
            key={ms}
            class={narrow.includes(ms) ? '' : 'near'}
            x={computePlace(page.now + ms, since)}
            y="14"
            text-anchor="middle"
          >
            {ms === 0 ? 'now' : `${ms > 0 ? 'in ' : ''}${formatDuration(Math.abs(ms))}${ms < 0 ? ' ago' : ''}`}
          </text>
        ))}
      </svg>
    </div>
  )
}
