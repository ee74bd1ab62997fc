import type { TrafficEntry } from '../../control/traffic/entry.ts'
import { describeTraffic } from '../../control/traffic/entry.ts'
import { formatCount, quote } from '../../core/schema/text.ts'
import { exactTimestamp, timestamp } from '../../core/schema/time.ts'
import type {
  DnsRecord,
  DomainTimeline,
  ListedOutcome,
  Overview,
  Timelines,
  Trouble,
} from '../../generated/controls.ts'
import { nameOutcome } from '../../service/provisioning/certificate-errors.ts'
import { formatTimeline } from '../../service/provisioning/timeline-text.ts'
import { quoteForShell } from '../terminal.ts'

/** Functions that format a call's response for people. Without `text`, the response is printed as JSON. */
interface Format {
  readonly text?: (response: never, sent: SentFields) => string
  /** Returns a sentence for standard error. */
  readonly note?: (response: never, sent: SentFields) => string | undefined
}

const FORMATS: Readonly<Record<string, Format>> = {
  'GET /clock': { text: clockText },
  'POST /clock': { text: clockText },
  'GET /timelines': { text: timelinesText },
  'GET /provisioning/script': {
    text: (pending: readonly ListedOutcome[]) =>
      pending
        .map(({ id, domain, always, ...rest }) => {
          return `${always ? 'always ' : ''}${nameOutcome(rest)} for ${domain ?? 'any domain'} (${id})`
        })
        .join('\n'),
  },
  'GET /troubles': { text: (troubles: readonly Trouble[]) => troubles.map(troubleText).join('\n') },
  'GET /dns': { text: (records: readonly DnsRecord[]) => records.map(dnsRecordText).join('\n') },
  'GET /overview': { text: overviewText, note: emptyCollections },
  'POST /faults': { note: requestsOfFault },
  'GET /traffic': { text: (entries: readonly TrafficEntry[]) => entries.map(describeTraffic).join('\n') },
}

/** The request that the command sent. */
type SentFields = Readonly<Record<string, unknown>>

function dnsRecordText({ name, type, value, issuewild, visibleFrom }: DnsRecord): string {
  const seen = visibleFrom ? `, visible from ${visibleFrom}` : ''
  const wild = issuewild === undefined ? '' : ` issuewild ${issuewild || 'none'}`
  return `${`${name} ${type} ${value ?? ''}`.trimEnd()}${wild}${seen}`
}

function troubleText({ kind, count, cause, about, id }: Trouble): string {
  const more = count > about.length ? `, and ${count - about.length} more` : ''
  const fix = id === undefined ? '' : `\n  To fix it: fauxgate troubles fix ${quoteForShell(id)}`
  return `${kind}: ${cause} ${about.map(({ name }) => name).join(', ')}${more}${fix}`
}

function overviewText({ counts, ...rest }: Overview): string {
  const present = Object.entries(counts).filter(([, count]) => count > 0)
  return JSON.stringify({ ...rest, counts: Object.fromEntries(present) }, null, 2)
}

function emptyCollections({ counts }: Overview): string | undefined {
  const { length } = Object.values(counts).filter((count) => count === 0)
  if (length > 0) return `${formatCount(length, 'collection contains', 'collections contain')} no resources`
}

function requestsOfFault(_: unknown, sent: SentFields): string | undefined {
  if (['operation', 'method', 'path', 'resource', 'traffic', 'agent'].some((name) => name in sent)) return
  const next = sent.times === 1 ? 'the next request' : `the next ${sent.times} requests`
  const which = sent.times === undefined ? 'every request until you remove it' : `${next} of any kind`
  return `this fault applies to ${which}; use --operation, --method, --path, and --resource to narrow it`
}

function timelinesText({ timelines }: Timelines, { name }: SentFields): string {
  if (timelines.length > 0) return [...timelines].reverse().map(timelineText).join('\n\n')
  if (typeof name === 'string') throw new Error(`No domain named ${quote(name)} has a provisioning job or history.`)
  return ''
}

function timelineText({ domain, id, state, due, expiresAt, records, timeline }: DomainTimeline): string {
  const ahead = due ? `; the next ${due.event} is due at ${due.at}` : ''
  const expiry = expiresAt ? `; its certificate expires at ${expiresAt}` : ''
  const missing = records.flatMap(({ name, type, value, problem }) =>
    problem === null ? [] : [`needs ${name} ${type} ${value}: ${problem}`],
  )
  return [`${domain} (${id}) is ${state}${ahead}${expiry}`, ...missing, formatTimeline(timeline)].join('\n')
}

interface ClockResponse {
  readonly ms: number
  readonly manual: boolean
  readonly waiting?: readonly { readonly operationId: string; readonly until: string }[]
}

function clockText({ ms, manual, waiting = [] }: ClockResponse): string {
  // The system clock's milliseconds are arbitrary, so omit them.
  const now = manual ? exactTimestamp(ms) : timestamp(ms)
  const requests = waiting.map(({ operationId, until }) => `${operationId} waits until ${until}`)
  return [manual ? now : `${now} (the system clock)`, ...requests].join('\n')
}

/** Returns a response as text for standard output, either empty or ending in a line feed, and a note for standard error. */
export function formatResponse(
  call: string,
  response: unknown,
  sent: SentFields,
): { text: string; note: string | undefined } {
  // The format of a call takes the response of this call.
  const format = FORMATS[call] as
    | { [Name in keyof Format]: (response: unknown, sent: SentFields) => string }
    | undefined
  return {
    text: response === undefined ? '' : asText(response, format?.text?.(response, sent)),
    note: format?.note?.(response, sent),
  }
}

function asText(response: unknown, formatted?: string): string {
  const text = formatted ?? (typeof response === 'string' ? response : JSON.stringify(response, null, 2))
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}
