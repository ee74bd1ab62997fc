import type { Event } from './arrivals.ts'
import type { Run } from './run.ts'
import { quoteError } from './verdict.ts'

const LONGEST_QUESTION = 160
const LONGEST_MESSAGE = 100

/** Tells what happened in a run, one line for each event; equal ones in a row are one line. */
export function storyOf(run: Run): string {
  const lines: string[] = []
  let life = 1
  for (let at = 0; at < run.events.length; ) {
    const [count, period] = repeatedAt(run.events, at)
    for (const event of run.events.slice(at, at + period)) {
      if (event.life > life) lines.push(`${timeOf(event)}  the code starts again`)
      life = event.life
      lines.push(lineOf(event))
    }
    at += period * count
    const last = run.events[at - 1]
    if (count > 1 && last) lines.push(`        … ${count} times, until ${shortTime(last.time)}`)
  }
  if (life < run.lives) lines.push('        the code starts again')
  return shortIds([...lines, `  in the end: ${endOf(run)}`].join('\n'))
}

/** Counts how often the next event, or the next few, come again and again. */
function repeatedAt(events: readonly Event[], start: number): [count: number, period: number] {
  for (const period of [1, 2, 3]) {
    let count = 1
    while (isAlike(events, start, start + count * period, period)) count++
    if (count > 2) return [count, period]
  }
  return [1, 1]
}

function isAlike(events: readonly Event[], a: number, b: number, length: number): boolean {
  for (let at = 0; at < length; at++) {
    const [one, other] = [events[a + at], events[b + at]]
    if (!one || !other || one.life !== other.life || lineOf(one).slice(8) !== lineOf(other).slice(8)) return false
  }
  return true
}

function lineOf(event: Event): string {
  const { question, kind, answer, on } = event
  const text = cut(question, LONGEST_QUESTION)
  // The words of most failures say what became of the answer.
  const isShown = answer && on !== 'effect' && (!kind || kind.showsAnswer)
  return `${timeOf(event)}  ${text}${kind ? ` ✗ ${kind.words}` : ''}${isShown ? ` → ${answerText(answer)}` : ''}`
}

/** Writes the status of an answer, with the message of an error. */
function answerText({ status, body }: NonNullable<Event['answer']>): string {
  if (typeof status === 'string' || status < 400) return String(status)
  const [, message] = /"msg":"((?:[^"\\]|\\.)*)"/.exec(body ?? '') ?? []
  return message ? `${status} ${cut(JSON.parse(`"${message}"`), LONGEST_MESSAGE)}` : String(status)
}

const cut = (text: string, length: number) => (text.length > length ? `${text.slice(0, length)}…` : text)

function timeOf({ time }: Event): string {
  return shortTime(time).padStart(8)
}

/** Writes a time in two units at most, such as `2h16m`. */
function shortTime(ms: number): string {
  if (ms > 0 && ms < 1000) return `${ms}ms`
  const s = Math.floor(ms / 1000)
  const parts = [
    `${Math.floor(s / 86_400)}d`,
    `${Math.floor(s / 3600) % 24}h`,
    `${Math.floor(s / 60) % 60}m`,
    `${s % 60}s`,
  ]
  const first = parts.findIndex((part) => !part.startsWith('0'))
  const shown = parts.slice(first, first + 2).filter((part) => !part.startsWith('0'))
  return shown.join('') || '0s'
}

function endOf(run: Run): string {
  const { settled, stuck } = run
  const left = run.leftovers().map(leftText)
  const ending =
    stuck || !settled
      ? 'it has not ended'
      : settled.error
        ? `it rejects with ${quoteError(settled.error)}`
        : 'it resolves'
  return `${ending}; left: ${left.join(', ') || 'nothing'}`
}

/** Writes a resource by its id, and by its family where the id is that of something else. */
function leftText(resource: string): string {
  const [family = '', id = ''] = resource.split(' ')
  return id.includes('/') ? `${family} of ${id}` : id
}

/** Writes `ra_a` for the first id of a prefix, `ra_b` for the second. */
function shortIds(text: string): string {
  const short = new Map<string, string>()
  const counts = new Map<string, number>()
  return text.replace(/\b([a-z]{1,12})_[0-9A-Za-z]{20,}/g, (id, prefix: string) => {
    const known = short.get(id)
    if (known) return known
    const count = counts.get(prefix) ?? 0
    counts.set(prefix, count + 1)
    const name = `${prefix}_${count < 26 ? String.fromCharCode(97 + count) : count}`
    short.set(id, name)
    return name
  })
}
