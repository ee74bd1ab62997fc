import { cut, describeThrown } from '../../core/schema/text.ts'
import type { Event } from './arrivals.ts'
import type { Run } from './run.ts'
import type { TriedSchedule } from './types.ts'

const MAX_DESCRIPTION_LENGTH = 160
const MAX_MESSAGE_LENGTH = 100
const STARTS_AGAIN = 'the code starts again'
const HAS_ENDED = 'the code has ended: nobody awaits the following'

/** Describes a run, one line for each event; equal events in a row are one line. Shortens ids, also in the message. */
export function storyOf(run: Run, message: string): Pick<TriedSchedule, 'story' | 'message'> {
  const rows = rowsOf(run)
  const lines: string[] = []
  for (let at = 0; at < rows.length; ) {
    const [count, period] = countRepeats(rows, at)
    lines.push(
      ...rows.slice(at, at + period).map(({ time, text, created = '' }) => `${time.padStart(8)}  ${text}${created}`),
    )
    at += period * count
    if (count > 1) lines.push(`        … ${count} times, until ${rows[at - 1]?.time}`)
  }
  const shortenIds = createIdShortener()
  return { story: shortenIds([...lines, `  in the end: ${describeEnd(run)}`].join('\n')), message: shortenIds(message) }
}

interface Row {
  readonly time: string
  /** Equal in rows that are shown as one. */
  readonly text: string
  readonly created?: string
}

function rowsOf({ arrivals: { events, life: lives }, requestsAfterEnd, eventsBeforeEnd }: Run): Row[] {
  const rows: Row[] = []
  let life = 1
  for (const [place, event] of events.entries()) {
    const time = shortTime(event.time)
    if (requestsAfterEnd > 0 && place === eventsBeforeEnd) rows.push({ time: '', text: HAS_ENDED })
    if (event.life > life) rows.push({ time, text: STARTS_AGAIN })
    life = event.life
    rows.push({ time, text: textOf(event), created: createdText(event) })
  }
  return life < lives ? [...rows, { time: '', text: STARTS_AGAIN }] : rows
}

/** Counts how often the next event, or the next few, come again and again. */
function countRepeats(rows: readonly Row[], start: number): [count: number, period: number] {
  for (const period of [1, 2, 3]) {
    let end = start + period
    while (end < rows.length && rows[end]?.text === rows[end - period]?.text) end++
    const count = Math.floor((end - start) / period)
    if (count > 2) return [count, period]
  }
  return [1, 1]
}

function textOf({ description, failure, response, type }: Event): string {
  // The texts of most failures already describe the response.
  const isShown = response && type !== 'effect' && (!failure || failure.showsResponse)
  const text = cut(description, MAX_DESCRIPTION_LENGTH)
  return `${text}${failure ? ` ✗ ${failure.text}` : ''}${isShown ? ` → ${responseText(response)}` : ''}`
}

/** Writes the id of the resource that a request has created. */
function createdText({ response }: Event): string {
  const id = response?.status === 201 ? /"id":"(\w+)"/.exec(response.body ?? '')?.[1] : undefined
  return id ? ` (${id})` : ''
}

/** Writes the status of a response, with the message of an error. */
function responseText({ status, body }: NonNullable<Event['response']>): string {
  if (typeof status === 'string' || status < 400) return String(status)
  const [, message] = /"msg":"((?:[^"\\]|\\.)*)"/.exec(body ?? '') ?? []
  return message ? `${status} ${cut(JSON.parse(`"${message}"`), MAX_MESSAGE_LENGTH)}` : String(status)
}

const UNITS = ['d', 'h', 'm', 's']

/** Writes a time in its two largest units, such as `2h16m`. */
function shortTime(ms: number): string {
  if (ms > 0 && ms < 1000) return `${ms}ms`
  const s = Math.floor(ms / 1000)
  const counts = [Math.floor(s / 86_400), Math.floor(s / 3600) % 24, Math.floor(s / 60) % 60, s % 60]
  const parts = counts.map((count, place) => (count > 0 ? `${count}${UNITS[place]}` : ''))
  const first = parts.findIndex(Boolean)
  return parts.slice(first, first + 2).join('') || '0s'
}

function describeEnd(run: Run): string {
  const { settled, stopReason } = run
  const left = run.leftovers().map(leftoverText)
  const ending =
    stopReason || !settled
      ? 'it has not ended'
      : settled.error
        ? `it rejects with ${describeThrown(settled.error)}`
        : 'it resolves'
  return `${ending}; left: ${left.join(', ') || 'nothing'}`
}

/** Returns the id of a resource, with its family if the id is a path, as of a route's module. */
function leftoverText(resource: string): string {
  const [family = '', id = ''] = resource.split(' ')
  return id.includes('/') ? `${family} of ${id}` : id
}

/** Returns a function that writes `ra_a` for the first id of a prefix, `ra_b` for the second. */
function createIdShortener(): (text: string) => string {
  const short = new Map<string, string>()
  const counts = new Map<string, number>()
  return (text) =>
    text.replace(/\b([a-z]{1,12})_[0-9A-Za-z]{20,}/g, (id, prefix: string) => {
      const count = counts.get(prefix) ?? 0
      const name = short.get(id) ?? `${prefix}_${count < 26 ? String.fromCharCode(97 + count) : count}`
      if (!short.has(id)) counts.set(prefix, count + 1)
      short.set(id, name)
      return name
    })
}
