import type { HttpRequest } from '../http/messages.ts'
import type { OverviewMember } from '../views/overview.ts'
import type { TimelinesMember } from '../views/timelines.ts'
import type { Gateway } from './gateway.ts'

/** A gateway with the members for its inspector, which the types of `fauxgate` leave out. */
export type Inspected = Gateway & OverviewMember & TimelinesMember

/** Returns the gateway with the types of its overview and its timelines, which the types of `fauxgate` leave out. */
export function inspected(gateway: Gateway): Inspected {
  // Every gateway has all controls.
  return gateway as Inspected
}

/** Formats an event as a part of a stream of server-sent events, or as a message of a WebSocket. */
export function eventText(event: string, value: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(value)}\n\n`
}

/** Returns the event with the state in numbers. Whatever is due by now happens first. */
export function overviewEvent(gateway: Gateway): string {
  return eventText('overview', inspected(gateway).overview())
}

/** Returns the event that every listener receives first: which gateway this is. `name` is for people. */
export function gatewayEvent({ url, dialect }: Gateway, name: string | null): string {
  return eventText('gateway', { name, url, dialect: dialect.name })
}

/**
 * Calls back with every `commit` and every `request` of a gateway, and with `emptied` when its journal was emptied. Returns
 * a function that ends this.
 */
export function subscribeToEvents(gateway: Gateway, send: (event: string, value: unknown) => void): () => void {
  const endCommits = gateway.subscribe((commit) => send('commit', commit))
  const endRequests = gateway.requests.subscribe((entry) => {
    if (entry) send('request', entry)
    else send('emptied', {})
  })
  return () => {
    endCommits()
    endRequests()
  }
}

/** The controls whose bodies have no secrets and no snapshots. */
const TOLD = /^\/(clock|dns|faults|provisioning\/\w+|reset)$/

const LONGEST_BODY = 4096

/** Returns the event that tells of the use of a control, at a path below `/_fauxgate`, with its body where listeners may know it. */
export function controlUse({ method, url, body }: HttpRequest, path: string): object {
  const [, query] = url.split('?')
  const isTold = TOLD.test(path) && typeof body === 'string' && body !== '' && body.length <= LONGEST_BODY
  return {
    method,
    path: query && TOLD.test(path) ? `${path}?${query}` : path,
    ...(isTold && { body: JSON.parse(body) }),
  }
}
