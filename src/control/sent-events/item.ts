import * as v from 'valibot'
import { documented, named } from '../../core/schema/documentation.ts'
import { anyObject, time } from '../../core/schema/schema.ts'
import { isObject } from '../../core/schema/values.ts'

const text = (sentence: string) => documented(v.string(), sentence)

/** The schema of an account event, as its destination receives it. */
export const sentEvent = named(
  v.object({
    event_id: text('The ID of the event, the same for all destinations.'),
    event_type: text('The type, such as `ip_policy_created.v0`.'),
    event_timestamp: documented(time, 'The time of the event.'),
    account_id: text('The ID of the account.'),
    principal: documented(v.nullable(anyObject()), 'The user and the key that made the change; null for traffic.'),
    object: documented(anyObject(), 'The resource as the API showed it at that time, or the request or connection.'),
    subscription: text('The ID of the subscription. Destinations do not receive this field or the following ones.'),
    destination: text('The ID of the event destination.'),
    delivery: documented(
      v.picklist(['kept', 'waiting', 'delivered', 'failed']),
      '`kept` if the `destinations` option has no URL for this kind of destination; `waiting` before the first attempt that succeeds; `failed` after 24 hours of attempts, or if the destination was deleted.',
    ),
    attempts: documented(v.number(), 'The number of attempts to deliver it.'),
    problem: documented(v.nullable(v.string()), 'The reason that the last attempt failed, or null if it did not fail.'),
  }),
  'SentEvent',
  'An account event for one destination, and its delivery status.',
)

/** An account event for one destination. */
export type SentEventItem = v.InferOutput<typeof sentEvent>

/** A stored event. The last three fields change with each attempt. */
export type KeptEvent = { -readonly [Name in keyof SentEventItem]: SentEventItem[Name] } & {
  /** The time of the event in ms. */
  readonly at: number
}

/** Returns an event as its destination receives it. */
export function toPayload({ event_id, event_type, event_timestamp, account_id, principal, object }: KeptEvent) {
  return { event_id, event_type, event_timestamp, account_id, principal, object }
}

/** Returns an event as a test sees it. */
export function toItem({ at: _, ...item }: KeptEvent): SentEventItem {
  return Object.freeze(item)
}

/** Describes an event in one line: its time, its type, the ID of its object, and its destination. */
export function nameEvent({ event_timestamp, event_type, object, destination }: SentEventItem): string {
  const { id } = isObject(object.session) ? object.session : object
  return `${event_timestamp} ${event_type}${typeof id === 'string' ? ` of ${id}` : ''} for ${destination}`
}
