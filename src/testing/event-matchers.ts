import { suggestion } from '../core/schema/nearest.ts'
import { quote } from '../core/schema/text.ts'
import { isObject } from '../core/schema/values.ts'
import type { SentEvent } from '../generated/controls.ts'
import { EVENT_TYPES } from '../service/ngrok/event-types.ts'
import { gatewayOf, gatewayResult, type MatcherResult } from './matcher-result.ts'

/** The assertions about the account events of a gateway. */
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

export const eventMatchers = {
  toHaveSentEvent(received: unknown, type: string, fields: Partial<SentEvent> = {}): MatcherResult {
    const gateway = gatewayOf('toHaveSentEvent', received)
    if (!EVENT_TYPES.includes(type)) {
      const hint = suggestion(String(type), EVENT_TYPES)
      throw new TypeError(`toHaveSentEvent received ${quote(type)}, which is not an event type.${hint}`)
    }
    if (!isObject(fields))
      throw new TypeError(`toHaveSentEvent received ${quote(fields)}. Allowed: an object with fields of the event.`)
    const events = gateway.sentEvents.list({ type })
    const which = Object.keys(fields).length === 0 ? '' : ` with ${JSON.stringify(fields)}`
    const others =
      events.length === 0 ? 'none' : `${events.length} of this type, the last with ${JSON.stringify(events.at(-1))}`
    return gatewayResult(
      gateway,
      events.some((event) => hasFields(event, fields)),
      (not) => {
        return `Expected ${not ? 'no' : 'an'} event ${type}${which}, but there is ${not ? 'one' : others}.`
      },
    )
  },
}

/** Returns whether a value has all fields of another one, at any depth. Lists must have the same length. */
function hasFields(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(value) && value.length === wanted.length && wanted.every((each, at) => hasFields(value[at], each))
    )
  if (isAsymmetric(wanted)) return wanted.asymmetricMatch(value)
  if (!isObject(wanted)) return Object.is(value, wanted)
  return isObject(value) && Object.entries(wanted).every(([name, each]) => hasFields(value[name], each))
}

/** Returns true for a matcher such as `expect.any(String)`. */
function isAsymmetric(value: unknown): value is { asymmetricMatch(value: unknown): boolean } {
  return typeof value === 'object' && value !== null && 'asymmetricMatch' in value
}
