import { useState } from 'preact/hooks'
import type { DomainTimeline } from '../../core/generated/controls.ts'
import { page } from '../page.ts'
import { formatDuration, formatRelative, formatTime, formatTimes } from '../shared/format.ts'
import type { Tone } from '../shared/layout.tsx'

type Entry = DomainTimeline['timeline'][number]

const MAX_EVENTS = 12

/** Horizontal places in a picture, in percent: the oldest event, the present, and the furthest time ahead. */
const [START, PRESENT, END] = [1, 56, 99]

const DAY_MS = 86_400_000

/** The furthest time ahead that pictures show: a certificate of Let's Encrypt is valid for 90 days. */
const AHEAD_MS = 100 * DAY_MS

/** The axis is not linear, so that seconds and months fit: a time ten times as far is 1.8 times as far in the picture. */
const EXPONENT = 0.25

const isIssue = ({ transition }: Entry) => transition === 'issued' || transition === 'renewed'

function chooseTone(entry: Entry): Tone {
  if (entry.transition.includes('failed')) return 'bad'
  if (isIssue(entry)) return 'good'
  return entry.transition === 'cancelled' ? 'dim' : 'busy'
}

/** Returns the horizontal place of a time in percent. `since` is the time of the oldest event, in ms. */
function computePlace(time: number, since: number): string {
  const ms = time - page.now
  const scale = (all: number) => Math.min(1, Math.abs(ms) / Math.max(1, all)) ** EXPONENT
  const at =
    ms < 0 ? PRESENT - scale(page.now - since) * (PRESENT - START) : PRESENT + scale(AHEAD_MS) * (END - PRESENT)
  return `${at}%`
}

interface PictureProps {
  job: DomainTimeline
  since: number
  isInList?: boolean
}

/**
 * The provisioning of one domain as a picture: what happened, the validity of the certificate as a bar, and the next
 * event. Arrow keys go from event to event.
 */
export function Picture({ job, since, isInList = false }: PictureProps) {
  const { domain, due, validFrom, expiresAt, problem, state, startedAt, timeline } = job
  const [current, setCurrent] = useState<number | undefined>(undefined)
  const events = timeline.slice(-MAX_EVENTS)
  const index = current ?? events.length - 1
  const event = events[index]
  const placeOf = (time: string) => computePlace(Date.parse(time), since)
  // The timeline may not have the start of a long job any more.
  const [first] = startedAt && startedAt < (events[0]?.at ?? '') ? events : []
  const move = (pressed: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[pressed.key]
    if (!step) return
    pressed.preventDefault()
    setCurrent(Math.max(0, Math.min(events.length - 1, index + step)))
  }
  const [from, to] = [validFrom ? placeOf(validFrom) : `${START}%`, expiresAt && placeOf(expiresAt)]
  return (
    <div class="picture fill">
      <small class="flex">
        <span class="fill clip">
          {problem && current === undefined ? (
            <span class="bad">{formatTimes(problem)}</span>
          ) : (
            event && (
              <>
                <span class="dim">{formatTime(event.at)}</span> <b>{event.transition}</b> {formatTimes(event.message)}
              </>
            )
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
        aria-label={`${domain}: ${event ? `${formatTime(event.at)}, ${event.transition}. ${event.message}` : 'nothing happened yet'}`}
        onKeyDown={move}
        onBlur={() => setCurrent(undefined)}
      >
        <line class="dim now" x1={`${PRESENT}%`} x2={`${PRESENT}%`} y1="0" y2="18" />
        {to && (
          <>
            <line class="validity" x1={from} x2={to} y1="9" y2="9" />
            <line class={due ? 'dim' : 'bad'} x1={to} x2={to} y1="3" y2="15" />
          </>
        )}
        {first && startedAt && (
          <line
            class={state.includes('failing') ? 'bad' : 'busy'}
            x1={placeOf(startedAt)}
            x2={placeOf(first.at)}
            y1="9"
            y2="9"
          />
        )}
        {events.map((each, at) => {
          const next = events[at + 1]?.at
          return (
            <line
              key={at}
              class={chooseTone(each)}
              x1={placeOf(each.at)}
              x2={next ? placeOf(next) : `${PRESENT}%`}
              y1="9"
              y2="9"
            />
          )
        })}
        {due && <line class="pending dim" x1={`${PRESENT}%`} x2={placeOf(due.at)} y1="9" y2="9" />}
        {events.map((each, at) => (
          <circle
            key={at}
            class={`${chooseTone(each)} ${current === at ? 'current' : ''}`}
            cx={placeOf(each.at)}
            cy="9"
            r={each.outcome ? 6 : 4}
            onPointerEnter={() => setCurrent(at)}
            onPointerLeave={() => setCurrent(undefined)}
          />
        ))}
        {due && <circle class="pending" cx={placeOf(due.at)} cy="9" r="5" />}
      </svg>
    </div>
  )
}

/** The times that the axis shows, in ms before or after the present. */
const TICKS_MS = [-1000, -100, -10, -1, -1 / 24, 0, 1 / 24, 1, 10, 90].map((days) => days * DAY_MS)

/** The axis of all lanes: ages with their ticks. */
export function Axis({ since }: { since: number }) {
  return (
    <div class="axis flex" aria-hidden="true">
      <small class="who dim">Time is not to scale.</small>
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: each lane says its times */}
      <svg class="fill">
        {TICKS_MS.filter((ms) => ms >= since - page.now).map((ms) => (
          <text
            key={ms}
            class={ms !== 0 && Math.abs(ms) < DAY_MS ? 'near' : ''}
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
