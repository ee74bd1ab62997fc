import * as v from 'valibot'
import { waitingRequests } from '../control/clock.ts'
import { type Control, type ControlHost, controlCall } from '../control/control.ts'
import { faultsIn } from '../control/faults/fault.ts'
import { describeFault, pendingFaults } from '../control/faults/matching.ts'
import { unusedOutcomes } from '../control/provisioning/script.ts'
import { reasonOf, requestLine } from '../control/requests.ts'
import { isManual } from '../engine/clock.ts'
import type { ArmedFault } from '../generated/controls.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { Transaction } from '../operation/transaction.ts'
import { formatTimeline } from '../provisioning/timeline.ts'
import { timelineView } from '../provisioning/transitions.ts'
import { type DomainRecord, domains } from '../resources/reserved-domains/records.ts'
import { counted, cut, escaped } from '../schema/text.ts'
import { timestamp } from '../schema/time.ts'
import { isObject } from '../schema/values.ts'
import { nextOf } from './overview.ts'

const MOST_REQUESTS = 20
const MOST_DOMAINS = 5
const MOST_TRANSITIONS = 6
const MOST_PENDING = 12
const MOST_LEFTOVERS = 10

const LONGEST_LINE = 400

/** A title, with the lines below it. */
type Part = readonly [title: string, lines: readonly string[]]

const call = controlCall({
  method: 'GET',
  path: '/report',
  summary: 'Show what happened at the gateway, as text',
  answer: v.string(),
  mediaType: 'text/plain; charset=utf-8',
  run: reportOf,
})

export interface ReportMember {
  /**
   * Returns a text that helps to find out why a test failed: the last requests, the timelines of domains, pending faults and
   * outcomes, and leftover resources. At most some 100 lines, without secrets.
   */
  report(): string
}

export const report: Control<ReportMember> = {
  calls: { report: call },
  members: (host) => ({ report: () => reportOf(host) }),
}

function reportOf(host: ControlHost): string {
  const parts = [
    requests(host),
    ['requests to other hosts', host.otherRequests.lines()] as const,
    waiting(host),
    nextStep(host),
    ...host.transact(timelines),
    pending(host),
    leftovers(host),
  ]
  const lines = parts.flatMap(([title, below]) =>
    below.length === 0 ? [] : [`  ${title}:`, ...below.map((line) => `    ${cut(line, LONGEST_LINE)}`)],
  )
  return escaped(host.withoutKeys([`The gateway at ${timestamp(host.engine.now)}:`, ...lines].join('\n')))
}

/** A run of equal lines. */
interface RepeatedLine {
  readonly text: string
  readonly until: string
  from: string
  count: number
}

function requests({ journal, transact }: ControlHost): Part {
  if (journal.size + journal.forgotten === 0) return ['requests', ['none over HTTP']]
  const faults = new Map(transact(faultsIn).map((fault) => [fault.id, fault]))
  const requested = new Set([...journal.newestFirst()].map(({ path, query }) => `${path}?${query}`))
  const textOf = (entry: JournalEntry) => {
    const ownReason = reasonOf(entry) ?? unreadPage(entry, requested)
    const fault = entry.fault === null ? undefined : faults.get(entry.fault)
    const applied = fault ? `${describeFault(fault)}${effectOf(fault, entry)}` : entry.fault
    const reason = applied === null ? ownReason : `by the fault ${applied}`
    // On a separate line, since few readers see the end of a long line.
    return reason === undefined ? requestLine(entry) : `${requestLine(entry)}\n  ${reason}`
  }
  const { lines, count } = newestOf(journal, textOf)
  const texts = lines.flatMap((line) => lineWithTimes(line).split('\n'))
  return ['requests', [...dropped(journal.forgotten), ...earlier(journal.size - count), ...texts]]
}

/** Describes the effects of a fault that the status of the response does not show. */
function effectOf({ drop, truncate }: ArmedFault, { commit }: JournalEntry): string {
  const effects = [
    ...(commit ? ['the change was made'] : []),
    ...(drop ? ['the connection broke, so the client saw no response'] : []),
    ...(truncate === undefined ? [] : ['the client saw only the beginning of the response']),
  ]
  return effects.length === 0 ? '' : `: ${effects.join(', but ')}`
}

/** Returns a warning if a list has another page that no request asked for. */
function unreadPage({ response }: JournalEntry, requested: ReadonlySet<string>): string | undefined {
  const next = isObject(response) ? response.next_page_uri : undefined
  if (typeof next !== 'string' || [...requested].some((each) => next.endsWith(each))) return undefined
  return 'There is another page, which no request asked for: see its next_page_uri.'
}

/** Lists the requests whose responses a fault delays: their clients hang, although the journal has a response. */
function waiting(host: ControlHost): Part {
  const all = waitingRequests(host)
  const first = all.slice(0, MOST_PENDING)
  const ids = new Set(first.map(({ operationId }) => operationId))
  const entries = [...host.journal.newestFirst()].filter(({ operationId }) => ids.has(operationId))
  const lines = first.map(({ operationId, until }) => {
    const entry = entries.find((each) => each.operationId === operationId)
    return `${entry ? requestLine(entry) : operationId}: its client waits until ${until}, because of the latency of a fault.`
  })
  return ['waiting', [...lines, ...(all.length > first.length ? [`… and ${all.length - first.length} more`] : [])]]
}

/** Describes the next step if the clock has not moved: code that polls on other timers waits forever. */
function nextStep(host: ControlHost): Part {
  const next = host.transact((tx) => nextOf(host, tx))
  const first = [...host.journal.newestFirst()].at(-1)
  if (!next || !isManual(host.clock) || first?.at !== timestamp(host.engine.now)) return ['next', []]
  const what = next.event === 'response' ? 'the delayed response to' : next.collection
  const event = next.domain ? `the ${next.event} for ${next.domain}` : `${what} ${next.key}`
  return [
    'next',
    [
      'The clock has not moved since the first request.',
      `At ${next.at}: ${event}. \`gateway.clock.advanceToNext()\` goes there.`,
    ],
  ]
}

function newestOf(journal: ControlHost['journal'], textOf: (entry: JournalEntry) => string) {
  const lines: RepeatedLine[] = []
  let count = 0
  for (const entry of journal.newestFirst()) {
    const text = textOf(entry)
    const later = lines.at(-1)
    if (later?.text === text) {
      later.from = entry.at
      later.count++
    } else if (lines.push({ text, from: entry.at, until: entry.at, count: 1 }) > MOST_REQUESTS) {
      lines.pop()
      break
    }
    count++
  }
  return { lines: lines.reverse(), count }
}

function lineWithTimes({ text, from, until, count }: RepeatedLine): string {
  const times = from === until ? `${count} times` : `${count} times until ${until}`
  return `${from}  ${count === 1 ? '' : `${times}: `}${text}`
}

function timelines(tx: Transaction): Part[] {
  let count = 0
  const newestDomains: DomainRecord[] = []
  for (const domain of tx.newestFirst(domains)) {
    if (domain.timeline.length > 0 && ++count <= MOST_DOMAINS) newestDomains.push(domain)
  }
  const parts = newestDomains.reverse().map(({ id, domain, timeline }): Part => {
    const lines = formatTimeline(timelineView(tx, timeline)).split('\n')
    return [`provisioning of ${domain} (${id})`, newest(lines, MOST_TRANSITIONS)]
  })
  return [['provisioning', earlier(count - MOST_DOMAINS)], ...parts]
}

function pending({ journal, transact }: ControlHost): Part {
  const texts = [pendingFaults(transact(faultsIn), journal), transact(unusedOutcomes)]
  const lines = texts.flatMap((text) => text?.split('\n') ?? [])
  const omitted = lines.length - MOST_PENDING
  return ['pending', omitted > 0 ? [...lines.slice(0, MOST_PENDING), `… and ${omitted} more lines`] : lines]
}

function leftovers(host: ControlHost): Part {
  const lines = host.leftovers().map(({ family, id }) => `${family} ${id}`)
  return ['leftover resources', newest(lines, MOST_LEFTOVERS)]
}

function newest(lines: readonly string[], most: number): readonly string[] {
  return lines.length > most ? [...earlier(lines.length - most), ...lines.slice(-most)] : lines
}

function earlier(count: number): readonly string[] {
  return count > 0 ? [`… ${count} earlier left out`] : []
}

/** Returns a line about dropped requests: the list lacks them, but assertions count all requests. */
function dropped(count: number): readonly string[] {
  return count > 0 ? [`… ${counted(count, 'earlier request')} that the journal has dropped`] : []
}
