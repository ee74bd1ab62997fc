import * as v from 'valibot'
import { isManual } from '../../core/engine/clock.ts'
import type { Transaction } from '../../core/operation/transaction.ts'
import { documented } from '../../core/schema/documentation.ts'
import { optionsOf, readCallOptions } from '../../core/schema/options.ts'
import { cut, escapeUnprintable, formatCount } from '../../core/schema/text.ts'
import { timestamp } from '../../core/schema/time.ts'
import { certificates } from '../../service/provisioning/certificate-records.ts'
import { caaZone, zone } from '../../service/provisioning/dns.ts'
import { provisioningOptions } from '../../service/provisioning/managed-domain.ts'
import { formatTimeline } from '../../service/provisioning/timeline-text.ts'
import { timelineView } from '../../service/provisioning/transitions.ts'
import { type DomainRecord, domains } from '../../service/resources/reserved-domains/records.ts'
import { formatTrace } from '../../traffic/trace-text.ts'
import { type Control, type ControlHost, controlCall } from '../control.ts'
import { faultsIn } from '../faults/fault.ts'
import { describePendingFaults } from '../faults/matching.ts'
import { type Language, language } from '../languages.ts'
import { describeUnusedOutcomes } from '../provisioning/unused-outcomes.ts'
import { describeRefusal, describeRequest } from '../requests.ts'
import { nameEvent } from '../sent-events/item.ts'
import { describeTraffic, type TrafficEntry } from '../traffic/entry.ts'
import { timeOfStep, waitingRequests } from '../waiting-requests.ts'
import { describeShortMove, findNextDue } from './overview.ts'
import { describeMisread } from './report-misread.ts'
import { type ListedRequests, listAgentRequests, listRequests, noteEarlier, type Section } from './report-requests.ts'

const MAX_VISITORS = 10
const MAX_TRACE_LINES = 15
const MAX_EVENTS = 10
const MAX_DOMAINS = 5
const MAX_TRANSITIONS = 6
const MAX_PENDING = 12
const MAX_LEFTOVERS = 10

const MAX_LINE_LENGTH = 400

const about = v.exactOptional(
  documented(
    v.string('a string'),
    'The text that the report is about, such as the message of a failed assertion. Domains that this text ' +
      'mentions come first. Pending faults and outcomes that it mentions are omitted.',
  ),
)

/** The calls that advance to the next event, by the language of the fixture or command. */
const GO_THERE: Readonly<Record<Language, string>> = {
  javascript: '`gateway.clock.advanceToNext()` goes there.',
  python: '`fauxgate.advance_to_next()` goes there.',
  go: '`gateway.AdvanceToNext()` goes there.',
  shell: '`fauxgate clock next` goes there.',
}

const suggestedCalls = v.exactOptional(
  documented(language, 'The language for the calls that the report suggests. Default: no calls.'),
)

const reportOptions = optionsOf({ about })

const read = controlCall({
  method: 'GET',
  path: '/report',
  summary: 'Print a text report of what happened in the gateway',
  commands: [{ name: 'report', fixedFields: { for: 'shell' } }],
  from: 'query',
  schema: v.object({ about, for: suggestedCalls }),
  response: v.string(),
  mediaType: 'text/plain; charset=utf-8',
  run: createReport,
})

const listUnused = controlCall({
  method: 'GET',
  path: '/unused',
  summary: 'List unused faults and scripted outcomes, and why each is unused',
  response: v.array(v.string()),
  run: (host) => describeUnused(host).map(host.withoutKeys),
})

export interface ReportMember {
  /**
   * Returns a report that helps you find out why a test failed: recent requests, domain timelines, pending faults and outcomes, and
   * leftover resources. At most about 100 lines, without secrets. `about` is a string such as the message of a failed assertion: domains
   * that it mentions come first, and pending faults and outcomes that it mentions are omitted.
   */
  report(options?: { readonly about?: string }): string
}

export const report: Control<ReportMember> = {
  calls: [read, listUnused],
  members: (host) => ({
    report: (options = {}) =>
      createReport(host, { ...readCallOptions(reportOptions, options), for: 'javascript' as const }),
  }),
}

interface ReportInput {
  readonly about?: string
  readonly for?: keyof typeof GO_THERE
}

function createReport(host: ControlHost, { about: text = '', for: language }: ReportInput): string {
  const { named, others } = host.transact((tx) => listTimelines(tx, text))
  const requests = listRequests(host, text)
  const misread = describeMisread(host, text)
  const ofRequests: readonly Section[] = [
    describeStart(host),
    ['the response that your code may have misread', misread],
    requests.section,
  ]
  // The likeliest cause comes first.
  const isExplained = requests.hasNotes || misread.length > 0
  const sections = [
    ...(isExplained ? [...ofRequests, ...named] : [...named, ...ofRequests]),
    listAgentRequests(host),
    ['requests to other hosts', host.otherRequests.listLines()] as const,
    listVisitors(host),
    listSentEvents(host),
    listWaiting(host),
    ...(isAboutWaiting(host, text, requests) ? [describeNextStep(host, text, language)] : []),
    ...others,
    host.transact(warnOfUncheckedRecords),
    listPending(host, text),
    listLeftovers(host),
  ]
  const lines = sections.flatMap(([title, below]) =>
    below.length === 0 ? [] : [`  ${title}:`, ...below.map((line) => `    ${cut(line, MAX_LINE_LENGTH)}`)],
  )
  return escapeUnprintable(host.withoutKeys([`The gateway at ${timestamp(host.engine.now)}:`, ...lines].join('\n')))
}

/** States when the journals begin, if the gateway resumed from a store. */
function describeStart(host: ControlHost): Section {
  const continuedAt = host.continuedAt()
  if (continuedAt === undefined) return ['since', []]
  return [
    `since ${continuedAt}`,
    ['The gateway resumed from its store. Earlier visitors and control calls are not listed.'],
  ]
}

/** Lists the last visitor requests through the gateway, each with the rule that decided it, and the trace of the last one. */
function listVisitors({ traffic: { journal } }: ControlHost): Section {
  const newest: TrafficEntry[] = []
  for (const entry of journal.newestFirst()) if (newest.push(entry) === MAX_VISITORS) break
  const earlier = noteEarlier(journal.count - newest.length)
  return [
    'visitors',
    [...earlier, ...[...newest].reverse().map(describeTraffic), ...newest.slice(0, 1).flatMap(listTrace)],
  ]
}

function listTrace(entry: TrafficEntry): readonly string[] {
  const lines = formatTrace(entry).split('\n')
  const more = lines.length - MAX_TRACE_LINES
  return [
    `  the last visitor came from ${entry.ip}:`,
    ...lines.slice(0, MAX_TRACE_LINES).map((line) => `    ${line}`),
    ...(more > 0 ? [`    … ${formatCount(more, 'line')} left out`] : []),
  ]
}

/** Lists the last events of the account, each with its delivery status. */
function listSentEvents({ events }: ControlHost): Section {
  const lines = (events?.all() ?? []).map((event) => {
    const { delivery, problem } = event
    return `${nameEvent(event)}: ${delivery}${problem === null ? '' : `, ${problem}`}`
  })
  return ['sent events', [...noteEarlier((events?.count ?? 0) - lines.length), ...keepNewest(lines, MAX_EVENTS)]]
}

/**
 * Lists the requests whose responses a fault delays, and the next attempts to deliver events. The clients are still waiting, even though
 * the journal contains the responses.
 */
function listWaiting(host: ControlHost): Section {
  const all = waitingRequests(host)
  const first = all.slice(0, MAX_PENDING)
  const ids = new Set(first.map(({ operationId }) => operationId))
  const seen = [...host.journal.newestRequests()].filter(({ operationId }) => ids.has(operationId))
  const entries = seen.map(({ readEntry }) => readEntry())
  const lines = first.map(({ operationId, until }) => {
    const entry = entries.find((each) => each.operationId === operationId)
    return `${entry ? describeRequest(entry) : operationId}: its client waits until ${until}, because of a fault's latency.`
  })
  const attempts = host.engine.clock.waiting
    .filter(({ event }) => event === 'delivery')
    .map(({ key, until }) => `The next attempt to deliver events to ${key} is at ${timeOfStep(until)}.`)
  const shown = [...lines, ...attempts].slice(0, MAX_PENDING)
  const more = all.length + attempts.length - shown.length
  return ['waiting', [...shown, ...(more > 0 ? [`… and ${more} more`] : [])]]
}

/** Matches the message of a test whose code may wait for the clock. */
const WAITING = /time[ds]? ?out|ended this test|certificate|provisioning|\bnull\b|pending|\bready\b|\bwait/i

/**
 * Returns true if a failure may be about time, because its text says so or because code polls. If the text contains the message of the
 * newest error response, the failure is about that response. Without a text, nothing is known about the failure.
 */
function isAboutWaiting({ journal }: ControlHost, text: string, { isPolling }: ListedRequests): boolean {
  if (text === '' || isPolling) return true
  const { value: newest } = journal.newestFirst().next()
  const refusal = newest && newest.status >= 400 ? describeRefusal(newest) : undefined
  return WAITING.test(text) && !(refusal && text.includes(refusal))
}

/**
 * Describes the next due event if the clock has not moved, because code that polls with other timers would then wait forever. Once the
 * journal has dropped requests, it does not know when the first one came. If a failure
 * is about time, it describes the next attempt, because the code may have given up before.
 */
function describeNextStep(host: ControlHost, text: string, language: keyof typeof GO_THERE | undefined): Section {
  const next = host.transact((tx) => findNextDue(host, tx))
  const { oldestTime, dropped } = host.journal
  const move = oldestTime === undefined || dropped > 0 ? undefined : describeShortMove(host.engine.now - oldestTime)
  const isTooEarly = text !== '' && next?.event === 'attempt'
  if (!next || !isManual(host.clock) || !(move !== undefined || isTooEarly)) return ['next', []]
  const steps = { response: 'the delayed response to', delivery: 'the next delivery of events to' }
  const what = next.event === 'response' || next.event === 'delivery' ? steps[next.event] : next.collection
  const event = next.domain ? `the ${next.event} for ${next.domain}` : `${what} ${next.key}`
  return [
    'next',
    [
      ...(move === undefined ? [] : [`The clock has ${move} since the first request.`]),
      `At ${next.at}: ${event}. ${language ? GO_THERE[language] : 'Advance the clock to go there.'}`,
    ],
  ]
}

/** Lists the timelines of the domains mentioned in a string, then those of the newest other domains. */
function listTimelines(tx: Transaction, text: string): { readonly named: Section[]; readonly others: Section[] } {
  const named: DomainRecord[] = []
  const others: DomainRecord[] = []
  for (const each of tx.newestFirst(domains)) {
    if (each.timeline.length > 0) (text.includes(each.domain) || text.includes(each.id) ? named : others).push(each)
  }
  const sectionOf = ({ id, domain, timeline, certificate_id }: DomainRecord): Section => {
    const lines = formatTimeline(timelineView(tx, timeline)).split('\n')
    const shown = keepNewest(lines, MAX_TRANSITIONS)
    const order = certificate_id === null ? undefined : tx.get(certificates, certificate_id)?.order
    // After many failed renewals, the line that tells it is gone.
    const isMissing = order && !shown.some((line) => line.includes(certificate_id ?? ''))
    const validity = isMissing
      ? [`${certificate_id} is valid from ${timestamp(order.not_before)} until ${timestamp(order.not_after)}.`]
      : []
    return [`provisioning of ${domain} (${id})`, [...validity, ...shown]]
  }
  const sectionsOf = (newestFirst: readonly DomainRecord[]): Section[] => [
    ['provisioning', noteEarlier(newestFirst.length - MAX_DOMAINS)],
    ...newestFirst.slice(0, MAX_DOMAINS).reverse().map(sectionOf),
  ]
  return { named: sectionsOf(named), others: sectionsOf(others) }
}

/** Warns that attempts ignore the DNS records, because DNS is not simulated. A test may expect a record to make attempts fail. */
function warnOfUncheckedRecords(tx: Transaction): Section {
  const count = tx.count(zone) + tx.count(caaZone)
  if (count === 0 || provisioningOptions(tx.options).dns === 'simulated') return ['dns', []]
  return ['dns', [`No attempt checks the zone, which contains ${formatCount(count, 'record')}: the dns option is off.`]]
}

/** Lists the pending faults and outcomes, without the lines already in a string. */
function listPending(host: ControlHost, text: string): Section {
  const lines = describeUnused(host)
    .flatMap((each) => each.split('\n'))
    .filter((line) => !text.includes(line))
  const omitted = lines.length - MAX_PENDING
  return ['pending', omitted > 0 ? [...lines.slice(0, MAX_PENDING), `… and ${omitted} more lines`] : lines]
}

function describeUnused(host: ControlHost): readonly string[] {
  const texts = [describePendingFaults(host.transact(faultsIn), host), host.transact(describeUnusedOutcomes)]
  return texts.filter((each) => each !== undefined)
}

/** Lists the resources left by requests, and counts those created by the test itself, which rarely cause failures. */
function listLeftovers(host: ControlHost): Section {
  const lines = host.leftovers({ ofTest: false }).map(({ family, id }) => `${family} ${id}`)
  const ofTest = host.leftovers().length - lines.length
  const counted = ofTest > 0 ? [`${lines.length > 0 ? 'and ' : ''}${ofTest} created without an API request`] : []
  return ['leftover resources', [...keepNewest(lines, MAX_LEFTOVERS), ...counted]]
}

function keepNewest(lines: readonly string[], max: number): readonly string[] {
  return lines.length > max ? [...noteEarlier(lines.length - max), ...lines.slice(-max)] : lines
}
