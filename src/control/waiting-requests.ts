import * as v from 'valibot'
import { documented, named } from '../core/schema/documentation.ts'
import { time } from '../core/schema/schema.ts'
import { roundUpToSecond, timestamp } from '../core/schema/time.ts'
import type { ControlHost } from './control.ts'

/** A request whose response a fault delays. */
export const waitingRequest = named(
  v.object({
    operationId: documented(v.string(), "The ID of the request's operation, as shown in the journal."),
    until: documented(time, 'The time of the response, rounded up to a whole second.'),
  }),
  'WaitingRequest',
  "A request whose response is waiting for a time on the gateway's clock, because of a fault's latency.",
)

const MAX_WAITING = 100

/** Returns at most 100 requests whose responses a fault delays, ordered by response time. */
export function waitingRequests(host: ControlHost) {
  return delayedResponses(host)
    .slice(0, MAX_WAITING)
    .map(({ key, until }) => ({ operationId: key, until: timeOfStep(until) }))
}

/** Returns the delayed responses, earliest first. */
export const delayedResponses = (host: ControlHost) =>
  host.engine.clock.waiting.filter(({ event }) => event === 'response')

/**
 * Formats the time of a delayed response or a delivery, rounded up to a whole second. When the clock reaches the formatted time, the event
 * has happened.
 */
export function timeOfStep(until: number): string {
  return timestamp(roundUpToSecond(until))
}
