import { formatCount } from '../../core/schema/text.ts'
import type { ArmedFault, JournalEntry } from '../../generated/controls.ts'
import type { ControlHost } from '../control.ts'
import { faultsIn } from '../faults/fault.ts'
import { describeFault } from '../faults/matching.ts'
import { describeRefusal, describeRequest } from '../requests.ts'
import { type RequestNote, RequestNotes } from './report-notes.ts'

const MAX_REQUESTS = 20
const MAX_AGENT_REQUESTS = 10
/** The maximum number of earlier requests to show for each kind of note, and for each status. */
const MAX_EARLIER_OF_KIND = 2
/** The maximum number of earlier requests without a note to show because they failed. */
const MAX_EARLIER_FAILED = 4
const NAMES_PER_LINE = 10

/** A title and the lines below it. */
export type Section = readonly [title: string, lines: readonly string[]]

/** A request and the explanations below its line. */
interface ExplainedRequest {
  readonly text: string
  readonly notes: readonly RequestNote[]
}

/** A run of identical lines. */
interface RepeatedLine<Entry> {
  readonly text: string
  readonly until: string
  from: string
  count: number
  /** The newest request of the run. */
  readonly last: Entry
}

/** The requests of a report. */
export interface ListedRequests {
  readonly section: Section
  /** Returns true if a note explains one of the listed requests. */
  readonly hasNotes: boolean
  /** Returns true if the last lines are identical requests, such as those of polling code. */
  readonly isPolling: boolean
}

/** Lists the most recent requests, and those earlier requests that a note explains. */
export function listRequests(host: ControlHost, message: string): ListedRequests {
  const { journal, transact, agent } = host
  if (journal.size + journal.dropped === 0) {
    const lines =
      agent.requestCount > 0 ? ['none to the REST API'] : ['none over HTTP', ...describeMissingRequests(host, message)]
    return { section: ['requests', lines], hasNotes: false, isPolling: false }
  }
  const faults = new Map(transact(faultsIn).map((fault) => [fault.id, fault]))
  // Creating the entries is slow.
  const newestFirst = [...journal.newestFirst()]
  const notes = new RequestNotes(host, newestFirst)
  let hasNotes = false
  const explain = (entry: JournalEntry): ExplainedRequest => {
    const fault = entry.fault === null ? undefined : faults.get(entry.fault)
    const faultText = fault ? `${describeFault(fault)}${describeEffect(fault, entry)}` : entry.fault
    const reason = faultText === null ? describeRefusal(entry) : `by the fault ${faultText}`
    // Each on a separate line, since few readers see the end of a long line.
    const listed = notes.list(entry)
    hasNotes ||= listed.length > 0
    const texts = [describeRequest(entry), ...(reason === undefined ? [] : [reason]), ...listed.map(({ text }) => text)]
    return { text: texts.join('\n  '), notes: listed }
  }
  const shown = new ShownNotes()
  const { lines, count } = mergeNewest(newestFirst, (entry) => explain(entry).text)
  for (const { last } of lines) shown.add(last, notes.list(last))
  const texts = lines.flatMap((line) => `${formatLine(line)}${describeLastResponse(line)}`.split('\n'))
  const earlier = lastExplained(newestFirst.slice(count), explain, shown)
  const all = [...noteDropped(journal.dropped), ...noteEarlier(journal.size - count), ...earlier, ...texts]
  const { last, count: polls = 0 } = lines.at(-1) ?? {}
  return {
    section: ['requests', all],
    hasNotes,
    isPolling: polls > 1 && last?.method === 'GET',
  }
}

/** The notes that a report shows, by kind and operation, and those that it would otherwise leave out. */
class ShownNotes {
  readonly #shown = new Set<string>()
  /** For each kind, the newest note that isn't shown, and the operations of all of them. */
  readonly #hidden = new Map<string, { readonly text: string; readonly operations: Set<string> }>()

  add({ operation }: JournalEntry, notes: readonly RequestNote[]): void {
    for (const { kind } of notes) this.#shown.add(`${kind} ${operation}`)
  }

  hide({ operation }: JournalEntry, notes: readonly RequestNote[]): void {
    for (const { kind, text } of notes) {
      if (this.#shown.has(`${kind} ${operation}`)) continue
      const hidden = this.#hidden.get(kind) ?? { text, operations: new Set() }
      this.#hidden.set(kind, { ...hidden, operations: hidden.operations.add(operation ?? 'an unknown path') })
    }
  }

  /** Returns the notes that aren't shown: for each kind one note, below the names of its operations. */
  listHidden(): readonly string[] {
    return [...this.#hidden.values()].flatMap(({ text, operations }) => {
      const names = [...operations].sort()
      const rows = names.flatMap((_, at) =>
        at % NAMES_PER_LINE ? [] : names.slice(at, at + NAMES_PER_LINE).join(', '),
      )
      return [`notes on earlier requests of ${rows.join(',\n  ')}, such as:`, `  ${text}`].flatMap((each) =>
        each.split('\n'),
      )
    })
  }
}

/**
 * Returns the lines of earlier requests with a note, and of some that failed, without repeats. Each kind of note has a separate limit, so a
 * series of errors doesn't hide other notes. Beyond the limit, one note of each kind names the other operations.
 */
function lastExplained(
  newestFirst: readonly JournalEntry[],
  explain: (entry: JournalEntry) => ExplainedRequest,
  shown: ShownNotes,
): readonly string[] {
  const lines = new Map<string, string>()
  const counts = new Map<string, number>()
  /** Uses up one of a kind's remaining slots, if any. */
  const take = (kind: string, max = MAX_EARLIER_OF_KIND) => {
    const count = counts.get(kind) ?? 0
    counts.set(kind, count + 1)
    return count < max
  }
  for (const entry of newestFirst) {
    const { text, notes } = explain(entry)
    if (!text.includes('\n') || lines.has(text)) continue
    const isShown =
      notes.length > 0
        ? notes.filter(({ kind }) => take(kind)).length > 0
        : take(`${entry.status} ${entry.fault !== null}`) && take('failed', MAX_EARLIER_FAILED)
    if (isShown) {
      lines.set(text, entry.at)
      shown.add(entry, notes)
    } else shown.hide(entry, notes)
  }
  const texts = [...lines].reverse().flatMap(([text, at]) => `${at}  ${text}`.split('\n'))
  return [...shown.listHidden(), ...texts]
}

/** Lists the most recent requests to the agent's API, with the responses to failed requests and to the last request. */
export function listAgentRequests({ agent: { requests, requestCount } }: ControlHost): Section {
  const last = requests.at(-1)
  const { lines, count } = mergeNewest(
    [...requests].reverse(),
    (each) => {
      const { method, path, outcome, fault, response } = each
      const reason = fault === undefined ? (each === last || outcome >= '400') && response : `by the fault ${fault}`
      return `${method} ${path} → ${outcome}${reason ? `\n  ${reason}` : ''}`
    },
    MAX_AGENT_REQUESTS,
  )
  return [
    "requests to the agent's API",
    [...noteEarlier(requestCount - count), ...lines.flatMap((line) => formatLine(line).split('\n'))],
  ]
}

/** Matches the message of an error that a function in this library threw before the test sent anything. */
const OWN_ERROR = / (?:Allowed|Supported): /

/** Returns the likeliest reason why no request reached a gateway that was installed as the global `fetch`: timers wait, or another client. */
function describeMissingRequests({ otherRequests, hooks }: ControlHost, message: string): readonly string[] {
  const isOtherwise = otherRequests.listLines().length > 0 || OWN_ERROR.test(message)
  if (!otherRequests.wasInstalled || isOtherwise) return []
  const known = hooks.explainNoRequests?.()
  if (known !== undefined) return known === '' ? [] : [known]
  return [
    'The gateway was installed as the global fetch, but no requests arrived. Clients of node:http, such as axios and got, do not use it:',
    'their requests go to the network. Connect them with the handlers from fauxgate/msw, or with serve from ' +
      'fauxgate/node and its URL.',
  ]
}

/** Describes the effects of a fault that the status of the response does not show. */
function describeEffect({ drop, truncate }: ArmedFault, { commit }: JournalEntry): string {
  const effects = [
    ...(commit ? ['the change was made'] : []),
    ...(drop ? ['the connection broke, so the client saw no response'] : []),
    ...(truncate === undefined ? [] : ['the client saw only the beginning of the response']),
  ]
  return effects.length === 0 ? '' : `: ${effects.join(', but ')}`
}

/**
 * Merges identical strings of successive requests into one line, until the lines are full. `count` is the number of requests in the lines.
 */
function mergeNewest<Entry extends Pick<JournalEntry, 'at'>>(
  newestFirst: readonly Entry[],
  textOf: (entry: Entry) => string,
  max = MAX_REQUESTS,
) {
  const lines: RepeatedLine<Entry>[] = []
  let count = 0
  for (const entry of newestFirst) {
    const text = textOf(entry)
    const later = lines.at(-1)
    if (later?.text === text) {
      later.from = entry.at
      later.count++
    } else if (lines.push({ text, from: entry.at, until: entry.at, count: 1, last: entry }) > max) {
      lines.pop()
      break
    }
    count++
  }
  return { lines: lines.reverse(), count }
}

function formatLine({ text, from, until, count }: RepeatedLine<unknown>): string {
  if (count === 1) return `${from}  ${text}`
  const times = from === until ? `${count} times` : `${count} times until ${until}${describeRate(count, from, until)}`
  return `${from}  ${times}: ${text}`
}

/** The rate of identical requests per second that is worth mentioning, because few clients poll so often on purpose. */
const HIGH_RATE = 10

function describeRate(count: number, from: string, until: string): string {
  const rate = Math.round((count * 1000) / (Date.parse(until) - Date.parse(from)))
  return rate < HIGH_RATE ? '' : `, ${rate} a second`
}

/** Describes the last response to polling code, which shows why the code is still waiting. */
function describeLastResponse({ count, last: { method, status, response } }: RepeatedLine<JournalEntry>): string {
  if (count === 1 || method !== 'GET' || status >= 400 || response === null) return ''
  return `\n  the last response: ${typeof response === 'string' ? response : JSON.stringify(response, withoutAddresses)}`
}

/** Omits fields that do not indicate progress, because a long line is truncated. */
function withoutAddresses(name: string, value: unknown): unknown {
  const isPem = typeof value === 'string' && value.startsWith('-----BEGIN')
  return name === 'uri' || name === 'created_at' || value === '' || isPem ? undefined : value
}

export function noteEarlier(count: number): readonly string[] {
  return count > 0 ? [`… ${count} earlier omitted`] : []
}

/** Returns a line about dropped requests. The list omits them, but assertions count all requests. */
function noteDropped(count: number): readonly string[] {
  return count > 0
    ? [
        `… ${formatCount(count, 'earlier request')} that the journal has dropped: to keep more, raise journalSize or journalBytes`,
      ]
    : []
}
