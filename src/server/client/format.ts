import type { DnsRecord } from '../../provisioning/dns.ts'
import { printedTimeline } from '../../provisioning/timeline.ts'
import { quote } from '../../schema/text.ts'
import type { Overview } from '../../views/overview.ts'
import type { DomainTimeline, Timelines } from '../../views/timelines.ts'

/** Formats of answers for people, by call. Other answers are printed as JSON. */
const FORMS: Readonly<Record<string, (answer: never, sent: Sent) => string>> = {
  'GET /clock': clockText,
  'POST /clock': clockText,
  'GET /timelines': timelinesText,
  'GET /provisioning/script': (pending: readonly { readonly domain: string | null; readonly outcome: string }[]) =>
    pending.map(({ domain, outcome }) => `${outcome} for ${domain ?? 'any domain'}`).join('\n'),
  'GET /dns': (records: readonly DnsRecord[]) =>
    records
      .map(({ name, type, value, visibleFrom }) => {
        const seen = visibleFrom ? `, seen from ${visibleFrom}` : ''
        return `${`${name} ${type} ${value}`.trimEnd()}${seen}`
      })
      .join('\n'),
  'GET /overview': ({ counts, ...rest }: Overview) => {
    const present = Object.entries(counts).filter(([, count]) => count > 0)
    return JSON.stringify({ ...rest, counts: Object.fromEntries(present) }, null, 2)
  },
}

/** What else the reader must know of an answer, by call. */
const NOTES: Readonly<Record<string, (answer: never, sent: Sent) => string | undefined>> = {
  'GET /overview': ({ counts }: Overview) => {
    const empty = Object.values(counts).filter((count) => count === 0).length
    return `${empty} collections have no resources`
  },
  'POST /faults': (_, sent) => {
    if (['operation', 'method', 'path', 'resource'].some((name) => name in sent)) return
    const next = sent.times === 1 ? 'the next request' : `the next ${sent.times} requests`
    const which = sent.times === undefined ? 'every request until you remove it' : `${next} of any kind`
    return `this fault applies to ${which}; --operation, --method, --path and --resource narrow it`
  },
}

/** The request that the command sent. */
type Sent = Readonly<Record<string, unknown>>

function timelinesText({ timelines }: Timelines, { name }: Sent): string {
  if (timelines.length > 0) return [...timelines].reverse().map(timelineText).join('\n\n')
  if (typeof name === 'string') throw new Error(`No domain ${quote(name)} has a provisioning job or history.`)
  return ''
}

function timelineText({ domain, id, state, due, expiresAt, records, timeline }: DomainTimeline): string {
  const ahead = due ? `; the next ${due.event} is due at ${due.at}` : ''
  const expiry = expiresAt ? `; its certificate expires at ${expiresAt}` : ''
  const missing = records.flatMap(({ name, type, value, problem }) =>
    problem === null ? [] : [`needs ${name} ${type} ${value}: ${problem}`],
  )
  return [`${domain} (${id}) is ${state}${ahead}${expiry}`, ...missing, printedTimeline(timeline)].join('\n')
}

interface ClockAnswer {
  readonly now: string
  readonly manual: boolean
  readonly waiting?: readonly { readonly operationId: string; readonly until: string }[]
}

function clockText({ now, manual, waiting = [] }: ClockAnswer): string {
  const requests = waiting.map(({ operationId, until }) => `${operationId} waits until ${until}`)
  return [manual ? now : `${now} (the system clock)`, ...requests].join('\n')
}

/** Formats an answer for people, with a line feed at its end; as nothing if it is empty. `sent` is what the command sent. */
export function formatted(call: string, answer: unknown, sent: Sent): string {
  if (answer === undefined) return ''
  // The answer of a call is what its form is for.
  const form = FORMS[call] as ((answer: unknown, sent: Sent) => string) | undefined
  const text = form ? form(answer, sent) : typeof answer === 'string' ? answer : JSON.stringify(answer, null, 2)
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

/** Returns a sentence for the standard error, beside an answer. */
export function noteOn(call: string, answer: unknown, sent: Sent): string | undefined {
  const note = NOTES[call] as ((answer: unknown, sent: Sent) => string | undefined) | undefined
  return note?.(answer, sent)
}
