import { nameEvent, sentEvent } from '../control/sent-events/item.ts'
import { suggestion } from '../core/schema/nearest.ts'
import { cut, escapeUnprintable, formatCount, quote } from '../core/schema/text.ts'
import { isObject } from '../core/schema/values.ts'
import type { Gateway } from '../gateway/types.ts'
import type { SentEvent } from '../generated/controls.ts'
import { EVENT_TYPES } from '../service/ngrok/event-types.ts'
import { gatewayOf, gatewayResult, type MatcherResult } from './matcher-result.ts'

/**
 * Assertions about a gateway's account events.
 *
 * @experimental
 */
export interface EventMatchers<R = unknown> {
  /**
   * Passes if the account sent an event of this type, with at least these fields, to an event destination.
   *
   * @example
   * ```ts
   * expect(gateway).toHaveSentEvent('ip_policy_created.v0', { object: { description: 'offices' } })
   * ```
   */
  toHaveSentEvent(type: string, fields?: Partial<SentEvent>): R
}

/** The maximum number of events that a message describes, and of differences per event. */
const MAX_EVENTS = 3
const MAX_DIFFERENCES = 4

const MAX_VALUE_LENGTH = 120

export const eventMatchers = {
  toHaveSentEvent(received: unknown, type: string, fields: Partial<SentEvent> = {}): MatcherResult {
    const gateway = gatewayOf('toHaveSentEvent', received)
    requireExpectation(type, fields)
    const found = gateway.sentEvents.list({ type }).map((event) => ({ event, differences: compare(event, fields) }))
    const match = found.find(({ differences }) => differences.length === 0)
    const which = Object.keys(fields).length === 0 ? '' : ` with ${describe(fields)}`
    return gatewayResult(gateway, match !== undefined, () => {
      if (match) return `Expected no sent ${type} event${which}, but found one: ${nameEvent(match.event)}.`
      const reason = found.length === 0 ? describeMissing(gateway, type) : describeNearest(found)
      return `Expected a sent ${type} event${which}, but ${reason}`
    })
  },
}

function requireExpectation(type: string, fields: unknown): void {
  const wrong = (received: string, problem: string) => new TypeError(`toHaveSentEvent received ${received}${problem}`)
  if (!EVENT_TYPES.includes(type))
    throw wrong(quote(type), `, which is not an event type.${suggestion(String(type), EVENT_TYPES)}`)
  if (!isObject(fields)) throw wrong(quote(fields), '. Allowed: an object with event fields.')
  const allowed = Object.keys(sentEvent.entries)
  const unknown = Object.keys(fields).find((name) => !allowed.includes(name))
  if (unknown !== undefined) throw wrong(`the field ${quote(unknown)}`, `. Allowed: ${allowed.join(', ')}.`)
}

/** States why no event of a type was sent. */
function describeMissing(gateway: Gateway, type: string): string {
  const { event_subscriptions: all, event_destinations: destinations } = gateway.snapshot().records
  if (!all) return 'this gateway has no account events. Create one with createNgrok() from fauxgate/ngrok.'
  const own = all
    .filter(isObject)
    .filter(({ source_types }) => Array.isArray(source_types) && source_types.includes(type))
  const first =
    destinations?.length === 0
      ? 'a destination with gateway.eventDestinations.create(), and then a subscription'
      : 'one'
  if (own.length === 0)
    return `no event subscription includes this type. Create ${first}: gateway.eventSubscriptions.create({ sources: [{ type: '${type}' }], destination_ids: [destination.id] })`
  if (own.some(({ destination_ids }) => Array.isArray(destination_ids) && destination_ids.length > 0))
    return 'none has been sent since its event subscription was created.'
  const ids = own.map(({ id }) => id).join(', ')
  return `its event subscription (${ids}) has no destination. Create a destination with gateway.eventDestinations.create(), and add the destination's ID to the subscription's destination_ids.`
}

interface Compared {
  readonly event: SentEvent
  readonly differences: readonly string[]
}

/** Describes the newest of the events with the fewest differences. */
function describeNearest(all: readonly Compared[]): string {
  const nearest = all.toReversed().sort((a, b) => a.differences.length - b.differences.length)
  const lines = nearest.slice(0, MAX_EVENTS).flatMap(({ event, differences }) => {
    const more = differences.length - MAX_DIFFERENCES
    const rest = more > 0 ? [`… and ${formatCount(more, 'more difference')}`] : []
    return [
      `  ${nameEvent(event)}:`,
      ...[...differences.slice(0, MAX_DIFFERENCES), ...rest].map((line) => `    ${line}`),
    ]
  })
  const which = all.length > MAX_EVENTS ? `. The nearest ${MAX_EVENTS}` : ''
  return [
    `the ${formatCount(all.length, 'event')} of this type ${all.length === 1 ? 'differs' : 'differ'}${which}:`,
    ...lines,
  ].join('\n')
}

/** Lists how a value differs from the expected value. Objects may have additional fields. Lists must have the same length. */
function compare(value: unknown, wanted: unknown, path = ''): readonly string[] {
  const difference = [`${path}: expected ${describe(wanted)}, received ${describe(value)}`]
  if (isAsymmetric(wanted)) return wanted.asymmetricMatch(value) ? [] : difference
  if (typeof wanted !== 'object' || wanted === null) return Object.is(value, wanted) ? [] : difference
  if (typeof value !== 'object' || value === null || Array.isArray(wanted) !== Array.isArray(value)) return difference
  if (Array.isArray(wanted) && Array.isArray(value) && wanted.length !== value.length) return difference
  const prefix = path === '' ? '' : `${path}.`
  return Object.entries(wanted).flatMap(([name, each]) => compare(Reflect.get(value, name), each, prefix + name))
}

/** Describes a value in at most about 120 characters. */
function describe(value: unknown): string {
  if (isAsymmetric(value)) {
    const { sample } = value
    return value.toAsymmetricMatcher?.() ?? `${value}(${sample instanceof RegExp ? sample : describe(sample)})`
  }
  if (typeof value !== 'object' || value === null) return quote(value)
  const text = JSON.stringify(value, (_, each) => (isAsymmetric(each) ? describe(each) : each))
  return escapeUnprintable(cut(text, MAX_VALUE_LENGTH))
}

/** A matcher such as `expect.any(String)`. */
interface AsymmetricMatcher {
  asymmetricMatch(value: unknown): boolean
  readonly sample?: unknown
  toAsymmetricMatcher?(): string
}

function isAsymmetric(value: unknown): value is AsymmetricMatcher {
  return typeof value === 'object' && value !== null && 'asymmetricMatch' in value
}
