import { cut, escapeUnprintable, formatCount } from '../../core/schema/text.ts'
import type { Event } from './arrivals.ts'
import { type Copy, thrownText } from './copy.ts'
import { listMissedAttempts } from './missed-attempts.ts'
import type { RunRecord } from './record.ts'
import type { TriedSchedule } from './types.ts'

/** The maximum length of a line, and that of the first line of a report. */
export const MAX_LINE_LENGTH = 160
const MIN_DESCRIPTION_LENGTH = 40
const MAX_MESSAGE_LENGTH = 100
/** The maximum length of a word. Longer words, such as keys, are truncated individually. Otherwise, little of the line would be left. */
const MAX_WORD_LENGTH = 30
/** The maximum number of lines that are shown as one repeating series. */
const MAX_PERIOD = 12

/** The number of lines to show at the start and at the end of a long story. */
const FIRST_LINES = 40
const LAST_LINES = 20

const STARTS_AGAIN = 'the code starts again'
const HAS_ENDED = 'the code has ended: nothing awaits the following'

/** Describes a run, with a line for each event or series of equal events. Shortens IDs, also in the message. */
export function storyOf(run: RunRecord, message: string): Pick<TriedSchedule, 'story' | 'message'> {
  const shortenIds = createIdShortener()
  const rows = rowsOf(run, shortenIds)
  const lines: string[] = []
  const isTimed = run.copies.length === 1 || rows.some(({ time }) => time !== '0s')
  const names = run.copies.map(({ name }) => name)
  const lineOf = ({ time, copy = '', text, result, created = '' }: Row) => {
    const column = '   '.repeat(Math.max(0, names.indexOf(copy)))
    const lane = `${isTimed ? time.padStart(8) : ''}  ${column}${copy && `${copy}  `}`
    const length = MAX_LINE_LENGTH - lane.length - result.length - created.length
    return `${lane}${cutMiddle(text, Math.max(MIN_DESCRIPTION_LENGTH, length))}${result}${created}`
  }
  for (let at = 0; at < rows.length; ) {
    const [count, period] = countRepeats(rows, at)
    lines.push(...rows.slice(at, at + period).map(lineOf))
    at += period * count
    if (count > 1) lines.push(`        … ${count} times, until ${rows[at - 1]?.time}`)
  }
  const left = lines.length - FIRST_LINES - LAST_LINES
  if (left > 0) lines.splice(FIRST_LINES, left, `        … ${formatCount(left, 'line')} left out`)
  const show = (text: string) => escapeUnprintable(shortenIds(text))
  return {
    story: show(
      [
        ...lines,
        ...[`in the end: ${describeEnd(run)}`, ...describeMissedAttempts(run), ...run.notes].map((line) => `  ${line}`),
      ].join('\n'),
    ),
    message: show(message),
  }
}

interface Row {
  readonly time: string
  /** The description of the event. Rows that are merged have identical descriptions and results. */
  readonly text: string
  /** The failure and the response. */
  readonly result: string
  readonly created?: string
  /** The name of the copy, if there are several. */
  readonly copy?: string
}

const againText = (error: Error | undefined) =>
  error ? `the code rejects with ${thrownText(error)}, and is called again` : STARTS_AGAIN

function rowsOf(
  { arrivals: { events }, copies, rejections, requestsAfterEnd, eventsBeforeEnd }: RunRecord,
  shortenIds: (text: string) => string,
): Row[] {
  const rows: Row[] = []
  const lives = new Map<string, number>()
  for (const [place, event] of events.entries()) {
    const time = shortTime(event.time)
    if (requestsAfterEnd > 0 && place === eventsBeforeEnd) rows.push({ time: '', text: HAS_ENDED, result: '' })
    const copy = copies.length > 1 ? event.copy : ''
    const life = lives.get(event.copy) ?? 1
    if (event.life > life) rows.push({ time, text: againText(rejections.get(life)), result: '', copy })
    if (event.type !== 'attempt') lives.set(event.copy, event.life)
    // Ids are shortened first, so lines have their final length.
    const text = shortenIds(event.hideSecrets(event.description))
    rows.push({ time, text, result: resultOf(event), created: shortenIds(createdText(event)), copy })
  }
  const again = copies.filter(({ name, life }) => (lives.get(name) ?? 1) < life)
  const last = again.map(({ name, life }) => ({
    time: '',
    text: againText(rejections.get(life - 1)),
    result: '',
    copy: copies.length > 1 ? name : '',
  }))
  return [...rows, ...last]
}

/** Counts how often the next event, or the next few, repeat. */
function countRepeats(rows: readonly Row[], start: number): [count: number, period: number] {
  for (let period = 1; period <= MAX_PERIOD; period++) {
    let end = start + period
    while (
      end < rows.length &&
      rows[end]?.text === rows[end - period]?.text &&
      rows[end]?.result === rows[end - period]?.result &&
      rows[end]?.copy === rows[end - period]?.copy
    )
      end++
    const count = Math.floor((end - start) / period)
    if (count > 2) return [count, period]
  }
  return [1, 1]
}

function resultOf({ failure, response, type }: Event): string {
  // The texts of most failures already describe the response.
  const isShown = response && type !== 'effect' && (!failure || failure.showsResponse)
  return `${failure ? ` ✗ ${failure.text}` : ''}${isShown ? ` → ${responseText(response)}` : ''}`
}

const ID_AT_END = new RegExp(`\\b[a-z]{1,12}_\\w{0,${MAX_WORD_LENGTH}}…$`)
const WORD_AT_START = new RegExp(`^\\w{0,${MAX_WORD_LENGTH}}(?!\\w)`)

/** Truncates a string, but not within an ID, because the rest would be shortened as a different ID. */
const cutText = (text: string, length: number) => cut(text, length).replace(ID_AT_END, '…')

/**
 * Shortens a long string by cutting its middle, because the end of a body is as useful as its beginning. Does not cut within an ID.
 * @param share the fraction of the result that the beginning takes up
 */
export function cutMiddle(text: string, length: number, share = 1 / 2): string {
  if (text.length <= length) return text
  const start = Math.floor(length * share)
  const end = text
    .slice(start + 1 - length)
    .replace(/^[\udc00-\udfff]/, '')
    .replace(WORD_AT_START, '')
  return `${cutText(text, start)}${end}`
}

/** Formats the ID of the resource that a request created. */
function createdText({ response }: Event): string {
  const id = response?.status === 201 ? /"id":"(\w+)"/.exec(response.body ?? '')?.[1] : undefined
  return id ? ` (${id})` : ''
}

/** Formats the status of a response, with the message of an error. */
function responseText({ status, body }: NonNullable<Event['response']>): string {
  if (typeof status === 'string' || status < 400) return String(status)
  const [, message] = /"msg":"((?:[^"\\]|\\.)*)"/.exec(body ?? '') ?? []
  return message ? `${status} ${cutText(JSON.parse(`"${message}"`), MAX_MESSAGE_LENGTH)}` : String(status)
}

const UNITS = ['d', 'h', 'm', 's']

/** Formats a time in its two largest units, such as `2h16m`. */
function shortTime(ms: number): string {
  if (ms > 0 && ms < 1000) return `${ms}ms`
  const s = Math.floor(ms / 1000)
  const counts = [Math.floor(s / 86_400), Math.floor(s / 3600) % 24, Math.floor(s / 60) % 60, s % 60]
  const parts = counts.map((count, place) => (count > 0 ? `${count}${UNITS[place]}` : ''))
  const first = parts.findIndex(Boolean)
  return parts.slice(first, first + 2).join('') || '0s'
}

function describeEnd(run: RunRecord): string {
  const { copies, stopReason } = run
  const listLeft = (isOlder: boolean) =>
    run.leftovers().flatMap((each) => (run.resourcesBefore.has(each) === isOlder ? leftoverText(each) : []))
  const older = listLeft(true)
  const endingOf = (copy: Copy) => {
    if (!copy.settled || (stopReason && copies.length === 1)) return 'has not ended'
    const { error } = copy.settled
    return error ? `rejects with ${thrownText(error)}` : 'resolves'
  }
  const areAllResolved = copies.length > 1 && copies.every(({ settled }) => settled && !settled.error)
  const each = copies.map((copy) => `${copies.length > 1 ? copy.name : 'it'} ${endingOf(copy)}`)
  const ending = areAllResolved ? `${copies.length === 2 ? 'both' : 'all'} resolve` : each.join(', ')
  const there = older.length > 0 ? `; already there: ${older.join(', ')}` : ''
  return `${ending}; left behind: ${listLeft(false).join(', ') || 'nothing'}${there}`
}

function describeMissedAttempts(run: RunRecord): readonly string[] {
  return listMissedAttempts(run).map(({ domain, isFirst, time, later }) => {
    const attempt = isFirst ? 'first' : 'next'
    return `the ${attempt} attempt for ${domain} was due at ${shortTime(time)}, ${shortTime(later)} later`
  })
}

/** Returns the ID of a resource, with its family if the ID is a path, like that of a route's module. */
function leftoverText(resource: string): string {
  const [family = '', id = ''] = resource.split(' ')
  return id.includes('/') ? `${family} of ${id}` : id
}

/** Returns a function that formats the first ID of a prefix as `ra_a`, the second as `ra_b`, and so on. */
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
