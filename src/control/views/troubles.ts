import * as v from 'valibot'
import { isManual } from '../../core/engine/clock.ts'
import type { ArmedFault, ListedOutcome, NeededRecord, Trouble } from '../../core/generated/controls.ts'
import type { Transaction } from '../../core/operation/transaction.ts'
import { documented, named } from '../../core/schema/documentation.ts'
import { count } from '../../core/schema/record-schema.ts'
import { anyObject, time } from '../../core/schema/schema.ts'
import { formatCount } from '../../core/schema/text.ts'
import { timestamp } from '../../core/schema/time.ts'
import { isObject } from '../../core/schema/values.ts'
import { certificates } from '../../service/provisioning/certificate-records.ts'
import { checkNeededRecords } from '../../service/provisioning/dns-check.ts'
import { provisioningOptions } from '../../service/provisioning/managed-domain.ts'
import { ANY_DOMAIN, listUnusedLasting } from '../../service/provisioning/outcomes.ts'
import { type DomainRecord, domains } from '../../service/resources/reserved-domains/records.ts'
import { type Control, type ControlHost, controlCall } from '../control.ts'
import { faultsIn, getFaultState } from '../faults/fault.ts'
import { findNextDue } from './overview.ts'
import { describeProblem, groupPendingByDomain } from './timelines.ts'

/** The maximum number of troubles of one source, and of places of one trouble. */
const MAX_LISTED = 8

/** The maximum number of calls of a fix. */
const MAX_CALLS = 100

const KINDS = ['broken', 'waiting', 'unused', 'injected', 'fixed'] as const

const place = v.object({
  collection: documented(v.string(), 'The collection of the record; `requests` or `provisioning/script` for others.'),
  key: documented(v.string(), 'The id of the record, of the request or of the outcome.'),
  name: documented(v.string(), 'Its name.'),
})

const call = v.object({
  method: documented(v.string(), 'The method.'),
  path: documented(v.string(), 'The path below `/_fauxgate`.'),
  body: documented(anyObject<object>(), 'The JSON of the body.'),
})

const trouble = named(
  v.object({
    kind: documented(v.picklist(KINDS, KINDS.join(', ')), 'The kind.'),
    count: documented(count, 'The number of places that have it.'),
    cause: documented(v.string(), 'The cause.'),
    about: documented(v.array(place), `The first places that have it: at most ${MAX_LISTED}.`),
    due: v.exactOptional(documented(time, 'The time of the next attempt, if the attempt will end it.')),
    fix: v.exactOptional(documented(v.array(call), `The calls of controls that end it: at most ${MAX_CALLS}.`)),
  }),
  'Trouble',
  'A likely mistake that the state shows, and where it is.',
)

const read = controlCall({
  method: 'GET',
  path: '/troubles',
  summary: 'List the likely mistakes that the state shows, those with one cause together',
  response: v.array(trouble),
  run: (host): Trouble[] => JSON.parse(host.withoutKeys(JSON.stringify(listTroubles(host)))),
})

/** Over HTTP only: `gateway.report()` is for tests. */
export const troubles: Control = { calls: { read } }

function listTroubles(host: ControlHost): Trouble[] {
  return host.transact((tx) => {
    const ofDomains = listDomains(tx)
    const causes = new Set(ofDomains.map(({ cause }) => cause))
    return [
      ...limit(ofDomains, 'domains'),
      ...limit(listExpiredUploads(tx), 'uploaded certificates'),
      ...limit(listWaiting(host), 'requests that wait'),
      ...limit(faultsIn(tx).flatMap(describeInjected), 'faults'),
      // An outcome that makes domains fail is listed with these domains.
      ...limit(listOutcomes(tx), 'outcomes').filter(({ cause }) => !causes.has(cause)),
      ...describeStillClock(host, tx),
    ].sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))
  })
}

/** Keeps the first troubles of a source. The last one counts the others of its kind. */
function limit(all: readonly Trouble[], noun: string): Trouble[] {
  const others = all.slice(MAX_LISTED)
  const left = others.reduce((sum, each) => sum + each.count, 0)
  const [first] = others
  if (!first) return [...all]
  const { collection = '' } = first.about[0] ?? {}
  const more = { kind: first.kind, count: left, cause: `And ${formatCount(left, 'more', 'more')} ${noun}.` }
  return [...all.slice(0, MAX_LISTED), { ...more, about: [{ collection, key: '', name: `all ${noun}` }] }]
}

type Fix = NonNullable<Trouble['fix']>

/** The cause of one domain's trouble, without its name, so that domains with the same cause are listed together. */
interface Cause extends Pick<Trouble, 'kind' | 'cause' | 'due'> {
  /** The cause with the name, for a domain that is alone with it. */
  readonly alone?: string
  readonly fix: Fix
}

interface Group extends Cause {
  count: number
  readonly about: Trouble['about'][number][]
  readonly fix: Fix[number][]
}

/** Lists the domains that are in trouble, those with the same cause together, the largest groups first. */
function listDomains(tx: Transaction): Trouble[] {
  const groups = new Map<string, Group>()
  const outcomes = groupPendingByDomain(tx)
  for (const domain of tx.newestFirst(domains)) {
    const found = findCause(tx, domain, outcomes)
    if (!found) continue
    const group = groups.get(found.cause) ?? { ...found, count: 0, about: [], fix: [] }
    groups.set(found.cause, group)
    group.count++
    const { id: key, domain: name } = domain
    if (group.about.length < MAX_LISTED) group.about.push({ collection: domains.name, key, name })
    // One outcome may make all of them fail.
    const isKnown = found.kind === 'injected' && group.count > 1
    if (!isKnown && group.fix.length + found.fix.length <= MAX_CALLS) group.fix.push(...found.fix)
  }
  return [...groups.values()]
    .sort((a, b) => b.count - a.count)
    .map(({ alone, cause, ...rest }) => ({ ...rest, cause: (rest.count === 1 && alone) || cause }))
}

function findCause(
  tx: Transaction,
  domain: DomainRecord,
  outcomes: ReturnType<typeof groupPendingByDomain>,
): Cause | undefined {
  const { id, job, due, policy } = domain
  const isFailing = job !== null && job.error_code !== null
  const alone = describeProblem(tx, domain)
  const problem = alone !== null && {
    kind: 'broken' as const,
    alone,
    cause: alone.replaceAll(domain.domain, 'the domain'),
  }
  if (!policy) return problem ? { ...problem, fix: [] } : undefined
  const isChecked = provisioningOptions(tx.options).dns === 'simulated'
  const records = isChecked ? checkNeededRecords(tx, domain) : []
  const wrong = records.filter((each) => each.problem !== null)
  const [first] = wrong
  const attempt = due && job ? [{ method: 'POST', path: '/provisioning/attempt', body: { id } }] : []
  const [next] = [...(outcomes.get(domain.domain) ?? []), ...(outcomes.get(ANY_DOMAIN) ?? [])]
  if (isFailing && next?.always) return { kind: 'injected', cause: describeLasting(next), fix: removeOutcome(next) }
  if (problem) return { ...problem, fix: attempt }
  if (first) return { kind: 'broken', ...describeFound(first, domain.domain), fix: wrong.map(setRecord) }
  if (!isFailing) return undefined
  const at = due && { due: timestamp(due.at) }
  if (job.error_code !== 'DNS_ERROR' || !isChecked) return { kind: 'broken', cause: job.msg, fix: attempt, ...at }
  return { kind: 'fixed', cause: 'The DNS records are correct by now.', fix: attempt, ...at }
}

function describeFound(
  { name, type, value, found: fact }: NeededRecord,
  domain: string,
): Pick<Cause, 'cause' | 'alone'> {
  const found = `Found ${fact}.`
  const cause = [name, domain].reduce(
    (text, each) => text.replaceAll(` for ${each}`, '').replaceAll(each, 'the domain'),
    found,
  )
  return { cause, alone: `${found} It needs ${type} ${value}.` }
}

function setRecord({ name, type, value }: NeededRecord): Fix[number] {
  return { method: 'PUT', path: '/dns', body: { name, type, value } }
}

function removeOutcome({ id }: ListedOutcome): Fix {
  return [{ method: 'DELETE', path: '/provisioning/script', body: { id } }]
}

function describeLasting({ domain, outcome }: Pick<ListedOutcome, 'domain' | 'outcome'>): string {
  return `Every attempt${domain === null ? '' : ` for ${domain}`} ends in ${outcome}, because it was set for all attempts.`
}

/** Lists the uploaded certificates that have expired and that no domain uses. A domain that uses one is in trouble itself. */
function listExpiredUploads(tx: Transaction): Trouble[] {
  const found = [...tx.newestFirst(certificates)].flatMap(({ id, upload }) => {
    if (!upload || upload.leaf.not_after > tx.now || tx.find(domains, 'certificate', id)) return []
    const { not_after, subject_common_name } = upload.leaf
    return [{ id, name: subject_common_name || id, at: timestamp(not_after) }]
  })
  return found.map(({ id, name, at }) => ({
    kind: 'broken',
    count: 1,
    cause: `The uploaded certificate expired at ${at}.`,
    about: [{ collection: certificates.name, key: id, name }],
  }))
}

function listWaiting(host: ControlHost): Trouble[] {
  return host.engine.clock.waiting.map(({ operationId, until }) => ({
    kind: 'waiting',
    count: 1,
    cause: `A client waits until ${timestamp(until)}, because of a fault.`,
    about: [{ collection: 'requests', key: operationId, name: operationId }],
  }))
}

function describeInjected(fault: ArmedFault): Trouble[] {
  const state = getFaultState(fault)
  if (state === 'used up') return []
  return [
    {
      ...(state === 'active'
        ? { kind: 'injected', cause: 'A fault applies to every matching request until you remove it.' }
        : { kind: 'unused', cause: 'A fault waits for its request.' }),
      count: 1,
      about: [{ collection: 'faults', key: fault.id, name: describeInWords(fault) }],
      fix: [{ method: 'DELETE', path: '/faults', body: { id: fault.id } }],
    },
  ]
}

function describeInWords({ id: _id, hits: _hits, passed: _passed, operation, when, ...spec }: ArmedFault): string {
  const rest = Object.entries(spec).map(([name, value]) => `${name} ${isObject(value) ? '…' : value}`)
  return `${operation ?? 'every operation'} ${[...rest, ...(when ? ['with a predicate'] : [])].join(', ')}`
}

/** Lists the scripted outcomes that no attempt has used, by their domains, and the outcomes of all attempts. */
function listOutcomes(tx: Transaction): Trouble[] {
  const unused = new Set(listUnusedLasting(tx).map(({ domain }) => domain))
  return [...groupPendingByDomain(tx)].flatMap(([scope, all]) => {
    const scripted = all.filter(({ always }) => !always)
    const lasting = all.filter(({ always }) => always)
    const cause = `${formatCount(scripted.length, 'outcome waits for an attempt', 'outcomes wait for attempts')}.`
    return [
      ...(scripted.length > 0 ? [{ ...describeOutcomes(scripted), kind: 'unused' as const, cause }] : []),
      ...lasting.map((each) => {
        const kind = unused.has(scope) ? ('unused' as const) : ('injected' as const)
        return { ...describeOutcomes([each]), kind, cause: describeLasting(each) }
      }),
    ]
  })
}

function describeOutcomes(all: readonly ListedOutcome[]): Pick<Trouble, 'count' | 'about' | 'fix'> {
  const about = all.slice(0, MAX_LISTED).map(({ id, outcome, domain }) => {
    return { collection: 'provisioning/script', key: id, name: `${outcome} for ${domain ?? 'any domain'}` }
  })
  return { count: all.length, about, fix: all.slice(0, MAX_CALLS).flatMap(removeOutcome) }
}

/** Describes the next due event if a manual clock has not moved since the oldest request: code that polls then waits forever. */
function describeStillClock(host: ControlHost, tx: Transaction): Trouble[] {
  const next = findNextDue(host, tx)
  const { oldestTime = 0 } = host.journal
  if (!next || !isManual(host.clock) || timestamp(oldestTime) !== timestamp(tx.now)) return []
  const cause = 'The clock has not moved since the oldest request of the journal.'
  const about = [{ collection: next.collection, key: next.key, name: next.domain ?? next.key }]
  return [{ kind: 'unused', count: 1, cause, about, due: next.at }]
}
