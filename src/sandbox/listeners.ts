import { CONTROL_PATH } from '../control/control.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { eventText, inspected, overviewEvent, subscribeToEvents } from '../gateway/inspected.ts'
import type { HttpRequest, HttpResponse } from '../http/messages.ts'
import type { Header } from './keys.ts'
import type { ObjectState } from './objects.ts'

export const EVENTS_PATH = `${CONTROL_PATH}/events`

const PROTOCOL = 'fauxgate'

/** The beginning of the subprotocol that carries the key: a browser sends no headers with a WebSocket. */
const KEY_PROTOCOL = 'fauxgate-key.'

/** The message by which a listener shows that it is there, and the answer to it. */
const BEAT = ':'

/** The most characters of events that one piece of work sends. Then the listener is told that it missed the rest. */
const MOST_SENT = 1024 * 1024

export const MOST_LISTENERS = 64

/** The code that closes a WebSocket that may no longer listen. */
const POLICY_VIOLATION = 1008

/**
 * The WebSockets on which clients hear what happens in a sandbox. Its object can sleep while they are open, and continues
 * when it is awake again (rules: sandboxes#listening).
 */
export class Listeners {
  readonly #state: ObjectState
  #sockets: readonly WebSocket[] = []
  /** Ends the subscription to the gateway, which there is while anybody listens. */
  #unsubscribe: (() => void) | undefined
  /** The characters that the present piece of work has sent. */
  #sent = 0
  #overview = ''

  constructor(state: ObjectState) {
    this.#state = state
    this.#refresh()
  }

  get count(): number {
    return this.#sockets.length
  }

  /** Accepts a listener, which first hears the overview. */
  add(gateway: Gateway): Response {
    const { 0: theirs, 1: ours } = new WebSocketPair()
    this.#state.acceptWebSocket(ours)
    this.#state.setWebSocketAutoResponse(new WebSocketRequestResponsePair(BEAT, BEAT))
    this.#refresh()
    ours.send(overviewEvent(gateway))
    this.follow(gateway)
    const init = { status: 101, headers: { 'Sec-WebSocket-Protocol': PROTOCOL }, webSocket: theirs }
    return new Response(null, init)
  }

  /** Sends what happens in a gateway, if anybody listens. */
  follow(gateway: Gateway): void {
    if (this.count > 0) this.#unsubscribe ??= subscribeToEvents(gateway, (event, value) => this.#send(event, value))
  }

  /** Ends a piece of work, such as a request: sends the use of a control, and the overview if it changed. */
  worked(gateway: Gateway, request?: HttpRequest, response?: HttpResponse): void {
    if (this.count === 0) return
    if (request && response) this.#sendControl(request, response)
    const hasMissed = this.#sent > MOST_SENT
    this.#sent = 0
    if (hasMissed) this.#send('missed', {})
    const overview = inspected(gateway).overview()
    // The time of a system clock changes by itself.
    const text = JSON.stringify(overview.manual ? overview : { ...overview, now: '' })
    if (hasMissed || text !== this.#overview) this.#send('overview', overview)
    this.#overview = text
    this.#sent = 0
  }

  /** Drops a listener that has closed its WebSocket. */
  left(socket: WebSocket): void {
    this.#refresh(socket)
  }

  /** Closes all WebSockets with a reason. */
  end(reason: string): void {
    for (const socket of this.#sockets) socket.close(POLICY_VIOLATION, reason)
    this.#keep([])
  }

  /** Not every use of a control makes a commit. */
  #sendControl({ method, url }: HttpRequest, { status }: HttpResponse): void {
    if (method === 'GET' || status >= 300 || !url.startsWith(`${CONTROL_PATH}/`)) return
    const [path] = url.slice(CONTROL_PATH.length).split('?', 1)
    this.#send('control', { method, path })
  }

  #send(event: string, value: unknown): void {
    if (this.#sent > MOST_SENT) return
    const text = eventText(event, value)
    this.#sent += text.length
    if (this.#sent > MOST_SENT) return
    for (const socket of this.#sockets) {
      try {
        socket.send(text)
      } catch {
        // It is closing; the platform calls `webSocketClose` presently.
        this.#refresh(socket)
      }
    }
  }

  #refresh(except?: WebSocket): void {
    this.#keep(this.#state.getWebSockets().filter((each) => each !== except && each.readyState === 1))
  }

  #keep(sockets: readonly WebSocket[]): void {
    this.#sockets = sockets
    if (sockets.length > 0) return
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
  }
}

export function isSocket(header: Header): boolean {
  return header('upgrade')?.toLowerCase() === 'websocket'
}

/** Returns the key in the subprotocols that a WebSocket was offered with, or null. */
export function offeredKey(protocols: string | null): string | null {
  const offered = protocols?.split(',').map((each) => each.trim())
  const protocol = offered?.find((each) => each.startsWith(KEY_PROTOCOL))
  if (protocol === undefined) return null
  try {
    return decodeURIComponent(protocol.slice(KEY_PROTOCOL.length))
  } catch {
    return null
  }
}
