import { CONTROL_PATH } from '../control/control.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { eventText, hearEvents, overviewEvent } from '../gateway/gateway-events.ts'
import { inspected } from '../gateway/inspected.ts'
import type { HttpRequest, HttpResponse } from '../http/messages.ts'
import type { ObjectState } from './platform.ts'

/** The path below a sandbox's URL at which it tells what happens. */
export const EVENTS_PATH = `${CONTROL_PATH}/events`

/** What a listener chooses of the subprotocols that it is offered. */
const PROTOCOL = 'fauxgate'

/** What stands before the key in the subprotocol that carries it, since a browser can send no header with a WebSocket. */
const KEY_PROTOCOL = 'fauxgate-key.'

/** What a listener says to show that it is there, and what it hears back. */
const BEAT = ':'

/** How much one piece of work tells, in characters; what comes after that is missed. */
const MOST_TOLD = 1024 * 1024

/** How many may listen to one sandbox. */
export const MOST_LISTENERS = 64

/** The code by which a WebSocket is closed because who listens may no longer. */
const POLICY_VIOLATION = 1008

/**
 * Those who hear what happens in a sandbox, by WebSockets: its object can sleep while they are open, and tells them on when
 * it is awake again (rules: sandboxes#listening).
 */
export class Listeners {
  readonly #state: ObjectState
  /** Undefined while nobody listens. */
  #sockets: WebSocket[] | undefined
  #deafen: (() => void) | undefined
  #told = 0
  #overview = ''

  constructor(state: ObjectState) {
    this.#state = state
    this.#look()
  }

  get count(): number {
    return this.#sockets?.length ?? 0
  }

  /** Lets somebody hear what happens from now on, beginning with the overview. */
  add(gateway: Gateway): Response {
    const { 0: theirs, 1: ours } = new WebSocketPair()
    this.#state.acceptWebSocket(ours)
    this.#state.setWebSocketAutoResponse(new WebSocketRequestResponsePair(BEAT, BEAT))
    this.#look()
    ours.send(overviewEvent(gateway))
    this.follow(gateway)
    const answer = { status: 101, headers: { 'Sec-WebSocket-Protocol': PROTOCOL }, webSocket: theirs }
    return new Response(null, answer)
  }

  /** Tells what happens in a gateway, if anybody listens. */
  follow(gateway: Gateway): void {
    if (this.#sockets) this.#deafen ??= hearEvents(gateway, (event, value) => this.#tell(event, value))
  }

  /** Takes it that a piece of work has ended, such as a request, by which more may have changed than was told. */
  worked(gateway: Gateway, request?: HttpRequest, answer?: HttpResponse): void {
    if (!this.#sockets) return
    if (request && answer) this.#controlUsed(request, answer)
    const hasMissed = this.#told > MOST_TOLD
    this.#told = 0
    if (hasMissed) this.#tell('missed', {})
    const { now, ...rest } = inspected(gateway).overview()
    const text = JSON.stringify(rest.manual ? { now, ...rest } : rest)
    if (hasMissed || text !== this.#overview) this.#tell('overview', { now, ...rest })
    this.#overview = text
    this.#told = 0
  }

  /** Takes it that one of them has gone. */
  left(socket: WebSocket): void {
    this.#look(socket)
  }

  /** Lets all of them go, and says why. */
  end(why: string): void {
    for (const socket of this.#sockets ?? []) socket.close(POLICY_VIOLATION, why)
    this.#sockets = undefined
    this.forget()
  }

  /** Takes it that there is another gateway from now on. */
  forget(): void {
    this.#deafen?.()
    this.#deafen = undefined
  }

  /** Not every use of a control makes a commit. */
  #controlUsed({ method, url }: HttpRequest, { status }: HttpResponse): void {
    if (method === 'GET' || status >= 300 || !url.startsWith(`${CONTROL_PATH}/`)) return
    const [path] = url.slice(CONTROL_PATH.length).split('?', 1)
    this.#tell('control', { method, path })
  }

  #tell(event: string, value: unknown): void {
    if (!this.#sockets || this.#told > MOST_TOLD) return
    const text = eventText(event, value)
    this.#told += text.length
    if (this.#told > MOST_TOLD) return
    for (const socket of this.#sockets) this.#send(socket, text)
  }

  #send(socket: WebSocket, text: string): void {
    try {
      socket.send(text)
    } catch {
      // It is closing; the platform says so presently.
      this.#look(socket)
    }
  }

  #look(except?: WebSocket): void {
    const sockets = this.#state.getWebSockets().filter((each) => each !== except && each.readyState === 1)
    this.#sockets = sockets.length > 0 ? sockets : undefined
    if (!this.#sockets) this.forget()
  }
}

/** Whether a request asks for a WebSocket. */
export function isSocket(header: (name: string) => string | null): boolean {
  return header('upgrade')?.toLowerCase() === 'websocket'
}

/** The key that a WebSocket was offered with, or null. */
export function offeredKey(protocols: string | null): string | null {
  const offered = protocols?.split(',').map((each) => each.trim())
  const own = offered?.find((each) => each.startsWith(KEY_PROTOCOL))
  if (own === undefined) return null
  try {
    return decodeURIComponent(own.slice(KEY_PROTOCOL.length))
  } catch {
    return null
  }
}
