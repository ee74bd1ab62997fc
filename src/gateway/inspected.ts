import { CONTROL_PATH } from '../control/address.ts'
import { describeControl, isChange } from '../control/control-log.ts'
import type { OverviewMember } from '../control/views/overview.ts'
import type { TimelinesMember } from '../control/views/timelines.ts'
import type { HttpRequest, HttpResponse } from './http/messages.ts'
import type { Gateway } from './types.ts'

/** A gateway with the members for its inspector. The public types of `fauxgate` omit these members. */
export type Inspected = Gateway & OverviewMember & TimelinesMember

/** Returns the gateway itself, typed with its members for the inspector. */
export function toInspected(gateway: Gateway): Inspected {
  // Every gateway includes all controls.
  return gateway as Inspected
}

/** Returns the controls' response to a request that may not use the controls, or undefined if it may. */
export function findControlRefusal(gateway: Gateway, request: HttpRequest): HttpResponse | undefined {
  const response = gateway.transport.exchange({ ...request, method: 'GET', url: `${CONTROL_PATH}/clock`, body: '' })
  return response.status === 200 ? undefined : response
}

/** Formats an event for a stream of server-sent events, or as a WebSocket message. */
export function formatEvent(event: string, value: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(value)}\n\n`
}

/** Returns the event with the overview. The gateway first runs everything that is due. */
export function createOverviewEvent(gateway: Gateway): string {
  return formatEvent('overview', toInspected(gateway).overview())
}

/**
 * Returns the event that every listener receives first. It identifies the gateway; `name` is a human-readable name. `started` is the time
 * at which a server started. Its journal contains no requests from before that time.
 */
export function createGatewayEvent(gateway: Gateway, name: string | null, started?: string): string {
  const { url, dialect } = gateway
  const facts = { versionHeader: dialect.versionHeader, nouns: gateway.transport.nouns() }
  return formatEvent('gateway', { name, url, dialect: dialect.name, started, ...facts })
}

/**
 * Returns the data of the `changed` event. The data doesn't contain records, because sending records to pages made clock moves ten times
 * slower.
 */
export function describeChanges({ transport }: Gateway): object {
  return { sequence: transport.sequence() }
}

/**
 * Calls `changed` at the end of each call that changed the state of a gateway. Calls `send` with every `request`, and with `emptied` when
 * the journal is cleared. Returns a function that ends the subscription.
 */
export function subscribeToEvents(
  gateway: Gateway,
  changed: () => void,
  send: (event: string, value: unknown) => void,
): () => void {
  const endChanges = gateway.transport.watch(changed)
  const endRequests = gateway.requests.subscribe((entry) => {
    if (entry) send('request', entry)
    else send('emptied', {})
  })
  return () => {
    endChanges()
    endRequests()
  }
}

/**
 * Returns the event for a control call, at a path under `/_fauxgate`. The event includes the body if it is public. Returns undefined for a
 * read-only or rejected call.
 */
export function createControlEvent(
  { method, url, body }: HttpRequest,
  { status }: HttpResponse,
  path: string,
): object | undefined {
  if (!isChange({ method, path }) || status >= 300) return undefined
  const [, query = ''] = url.split('?')
  const { hidden: _, ...event } = describeControl({ method, path, query, body })
  return { method, ...event }
}
