import type { Transaction } from '../../core/operation/transaction.ts'
import { toSentence } from '../../core/schema/text.ts'
import { timestamp } from '../../core/schema/time.ts'
import type { Trouble } from '../../generated/controls.ts'
import { domains } from '../../service/resources/reserved-domains/records.ts'
import { hasEnded, nameOf } from '../../traffic/trace.ts'
import type { ControlHost } from '../control.ts'
import type { TrafficEntry } from '../traffic/entry.ts'
import { describeWait, groupBy } from './troubles-requests.ts'

/** Lists the visitor requests that the gateway rejected or could not forward, by cause. */
export function listVisitors(host: ControlHost, tx: Transaction): Trouble[] {
  const { journal } = host.traffic
  const all = [...journal.newestFirst()]
  const groups = groupBy(all, getEnd, (each) => describeEnd(each).replace(VALUES, ''))
  const endpoints = host.collections.find(({ name }) => name === 'endpoints')
  return [...groups.values()].flatMap(({ newest: [last, ...earlier], count }): Trouble[] => {
    if (!last) return []
    const { method, url, status, error, number, endpoint, upstream, at, responseHeaders } = last
    const code = error === null ? '' : ` ${error}`
    const end = describeEnd(last)
    const isNowhere = endpoint === null && error?.endsWith('_3200') === true
    const back = isNowhere && endpoints && tx.find(endpoints, 'place', `public ${new URL(url).origin}`)
    const took = isNowhere ? describeGone(host, last, all) : ''
    const record = endpoints && endpoint !== null ? tx.get(endpoints, endpoint) : undefined
    const keys = [upstream, Object(record).upstream_url].filter((each) => typeof each === 'string')
    const isMissing = last.trace.some((each) => 'step' in each && each.isMissing)
    const isServed = isMissing && host.traffic.upstreams.has(keys)
    const isOfBackend = isMissing && endpoints && upstream?.startsWith('bkd') === true
    const isUnknown = isOfBackend && !host.collections.some((each) => tx.get(each, upstream))
    const unknown = isUnknown ? ` No backend has the ID ${upstream} now: send the route one that exists.` : ''
    const how = back
      ? ` ${Object(back).id} is online there now.`
      : took + unknown + (describeAttempt(tx, last) || adviceFor(error, end))
    const before = earlier.map((each) => ` Before that: ${toSentence(describeEnd(each))}`).join('')
    const cause = toSentence(`Visitors got ${status ?? 'no response'}${code}: ${end}`) + how + before
    const fixed = isServed ? `${cause} It has an upstream now.` : cause
    const later = all.slice(0, all.indexOf(last))
    const successes = later.filter((each) => each.method === method && each.url === url && getEnd(each) === undefined)
    const about = [{ collection: 'traffic', key: `${number}`, name: `${method} ${url}` }]
    if (back || isServed) return [{ kind: 'fixed', count, cause: fixed, about }]
    // In a pool, another endpoint may have taken the later request.
    const present = record && endpoint !== null ? endpoint : undefined
    if (successes.some((each) => present === undefined || each.endpoint === present))
      return [{ kind: 'fixed', count, cause: `${cause} The same request succeeded later.`, about }]
    if (present !== undefined && successes.length > 0) {
      const place = { collection: 'endpoints', key: present, name: present }
      const why = `${cause} Only ${present} is affected: another endpoint handled the same request later.`
      return [{ kind: 'rejected', count, cause: why, about: [...about, place] }]
    }
    const wait = describeWait(host, tx, cause, Date.parse(at), responseHeaders)
    return [{ count, about, ...wait, ...(wait.fix && { id: `visitors: ${end}` }) }]
  })
}

/** States when the next attempt is due for a domain whose certificate the visitor rejected. */
function describeAttempt(tx: Transaction, { url, trace }: TrafficEntry): string {
  if (!trace.some((each) => 'step' in each && each.step === 'certificate' && each.isEnd)) return ''
  const { job, due } = tx.find(domains, 'domain', new URL(url).hostname) ?? {}
  return job && due ? ` The next attempt is due at ${timestamp(due.at)}.` : ''
}

/** Matches the values in a text, with which visits that fail for one reason may differ. */
const VALUES = /"(?:[^"\\]|\\.)*"|\d+/g

/** Describes what removed the endpoint at a URL that has none now, and its last visit. */
function describeGone({ journal }: ControlHost, last: TrafficEntry, all: readonly TrafficEntry[]): string {
  const { origin } = new URL(last.url)
  const earlier = all.slice(all.indexOf(last) + 1)
  const gone = earlier.find(({ endpoint, url }) => endpoint !== null && new URL(url).origin === origin)
  const took = gone ? ` ${gone.endpoint} took a request there at ${gone.at}, and has gone offline since` : ''
  for (const { now, method, path, status, readEntry } of journal.newestRequests()) {
    if (now < Date.parse(gone?.at ?? '')) break
    const changes = method !== 'GET' && status < 300 ? readEntry().commit?.changes : undefined
    const removed = changes?.find(({ before, after }) => after === undefined && Object(before).url === origin)
    const end = `${method} ${path} removed ${took ? 'it' : removed?.key} at ${timestamp(now)}.`
    if (removed) return took ? `${took}: ${end}` : ` ${end}`
  }
  return took && `${took}.`
}

/** Lists the rules that did not apply to visitors because an expression failed. */
export function listFailedExpressions({ traffic, collections }: ControlHost, tx: Transaction): Trouble[] {
  const failures = [...traffic.journal.newestFirst()].flatMap(({ number, method, url, trace }) =>
    trace.flatMap((each) => {
      if ('step' in each || !collections.some((collection) => tx.get(collection, each.policy))) return []
      const failed = each.expressions.find(({ error }) => error !== undefined)
      if (!failed) return []
      const cause = `The rule ${nameOf(each)} of ${each.policy} did not apply, because ${failed.source} failed: ${toSentence(failed.error ?? '')}`
      return { cause, about: { collection: 'traffic', key: `${number}`, name: `${method} ${url}` } }
    }),
  )
  const groups = groupBy(
    failures,
    ({ cause }) => cause,
    () => '',
  )
  return [...groups].map(([cause, { newest, count }]) => ({
    kind: 'risk',
    count,
    cause,
    about: newest.map(({ about }) => about),
  }))
}

/** The advice for a route's backend, by what the trace says. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/ has no enabled backend$/, ' Set or enable its backend.'],
  [/ has no children$/, ' Add one.'],
  [/ has a weight above 0$/, ' Give one a weight above 0.'],
  [/^no tunnel of the backend /, ' Start a tunnel with these labels.'],
  [/^no child of the backend /, ' Start a tunnel that matches one of its children.'],
]

/** The advice for an error whose trace has none. */
function adviceFor(error: string | null, end: string): string {
  if (!error?.endsWith('_3200') || end.includes(', but ')) return ''
  const [, edge] = /^no route of the edge (\w+)/.exec(end) ?? []
  if (edge) return ` Add one that does with POST /edges/https/${edge}/routes.`
  const [, internal] = /found no internal endpoint at (\S+)$/.exec(end) ?? []
  if (internal) return ` Start an agent for ${internal}, or create an endpoint with the binding internal.`
  return ADVICE.find(([words]) => words.test(end))?.[1] ?? ' Start an agent for this URL, or create an endpoint.'
}

/** Returns a key for what rejected a visitor, or undefined if nothing did. */
function getEnd({ status, error, rule, endpoint, url, trace }: TrafficEntry): string | undefined {
  if (status !== null && status < 400) return undefined
  const end = trace.findLast(hasEnded)
  if (!end) return undefined
  return JSON.stringify([status, error, rule, endpoint ?? new URL(url).origin, 'step' in end ? end.step : end.policy])
}

function describeEnd({ trace }: TrafficEntry): string {
  const texts = trace.flatMap((each): string[] => {
    if ('step' in each) return each.isEnd ? [each.step === 'certificate' ? `the gateway ${each.did}` : each.did] : []
    const { name, phase, index, policy, actions } = each
    const action = actions.find(({ isEnd }) => isEnd)
    return action ? [`the rule ${name ?? `${phase}.${index}`} of ${policy}: ${action.type} ${action.did}`] : []
  })
  return texts.at(-1) ?? ''
}
