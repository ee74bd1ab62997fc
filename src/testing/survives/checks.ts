import { suggestion } from '../../core/schema/nearest.ts'
import { escapeUnprintable, quote } from '../../core/schema/text.ts'
import type { Event } from './arrivals.ts'
import { formatReplay } from './failures.ts'
import type { RunRecord } from './record.ts'
import type { Runner } from './runner.ts'

/** A server on loopback. */
export interface Server {
  readonly url: string
  close(): Promise<void>
}

/** @throws TypeError if `serve` returned something other than a server. */
export function requireServer(server: Server | undefined): Server {
  if (typeof server?.url === 'string' && typeof server.close === 'function') return server
  throw new TypeError(
    `serve returned ${quote(server)}. Allowed: an object with url and close, such as the one that serve() returns.`,
  )
}

export function noRequestsError(url: string, hint: string): Error {
  return new Error(`The code sent no request to ${url}, so nothing can fail. ${hint}`)
}

export function noFailuresError(hint: string): Error {
  return new Error(
    'No failure applies to anything that the code does, so nothing can fail. Requests fail only in the ways listed in `kinds` and `also`' +
      `${hint}.`,
  )
}

/** Throws an error if a failure or a turn in a replay did not happen: the code has changed since the replay was recorded. */
export function requireApplied({ arrivals: { events, interleaving }, schedule }: RunRecord): void {
  const missing = schedule.length - events.filter(({ failure }) => failure).length
  const turns = interleaving?.hasTurnsLeft ? "the copies did not take all of the replay's turns" : undefined
  const why = missing > 0 ? `${missing} of its failures never happened` : turns
  if (!why) return
  const replay = missing > 0 ? `The replay "${escapeUnprintable(formatReplay(schedule))}"` : 'The replay'
  throw new Error(
    `${replay} no longer applies: ${why}. The code has changed since then. Search again without \`replay\`.`,
  )
}

/**
 * Throws an error if two runs differ, because the schedules of such code can't be repeated. Values may differ if the code has its own
 * random values.
 */
export function requireEqualRuns(
  { arrivals: { events: first } }: RunRecord,
  { arrivals: { events: second } }: RunRecord,
  { isRepeatable, hints }: Pick<Runner, 'isRepeatable' | 'hints'>,
): void {
  const statusOf = (event: Event) => ` → ${event.response?.status}`
  const textOf = (event: Event | undefined) =>
    event ? (isRepeatable ? event.description : event.at) + statusOf(event) : 'nothing'
  const show = (event: Event | undefined) =>
    event ? escapeUnprintable(event.hideSecrets(event.description)) + statusOf(event) : 'nothing'
  for (let place = 0; place < Math.max(first.length, second.length); place++) {
    if (textOf(first[place]) === textOf(second[place])) continue
    const [one, other] = [show(first[place]), show(second[place])]
    throw new Error(`Two runs without failures differ. The first: ${one}. The second: ${other}. ${hints.unequal}`)
  }
}

/** @throws TypeError if the `mayLeave` option lists a family that the gateway does not have. */
export function requireKnownFamilies(mayLeave: unknown, collections: readonly { readonly name: string }[]): void {
  const names = collections.map(({ name }) => name)
  const unknown: unknown = Array.isArray(mayLeave) ? mayLeave.find((each) => !names.includes(each)) : undefined
  if (unknown === undefined) return
  const hint = suggestion(String(unknown), names) || ` Allowed: ${names.join(', ')}.`
  throw new TypeError(`mayLeave contains ${quote(unknown)}, which is not a family.${hint}`)
}
