import { CONTROL_PATH } from '../control/address.ts'
import { readClock, systemClock } from '../core/engine/clock.ts'
import type { HttpRequest, HttpResponse } from '../gateway/http/messages.ts'
import {
  createControlEvent,
  createGatewayEvent,
  createOverviewEvent,
  describeChanges,
  findControlRefusal,
  formatEvent,
  subscribeToEvents,
  toInspected,
} from '../gateway/inspected.ts'
import type { Gateway } from '../gateway/types.ts'
import { errors } from './errors.ts'
import { toWorkerResponse } from './http.ts'
import { isWebSocketRequest } from './keys.ts'
import type { ListenerSocket, ObjectState } from './objects.ts'

export const EVENTS_PATH = `${CONTROL_PATH}/events`

const PROTOCOL = 'fauxgate'

/** The message that a listener sends to keep its WebSocket open, and also the response. */
const HEARTBEAT = ':'

/** The maximum number of characters of events that one request or alarm sends. Beyond that, listeners receive `missed`. */
const MAX_SENT_CHARACTERS = 1024 * 1024

const MAX_LISTENERS = 64

/** The close code for a WebSocket whose key has expired or whose sandbox was removed. */
const POLICY_VIOLATION = 1008

/**
 * The WebSockets that receive the events of a sandbox. The object can sleep while they are open, and sends events again when
 * it wakes (rules: sandboxes#listening).
 */
export class Listeners {
  readonly #state: ObjectState
  #sockets: readonly ListenerSocket[] = []
  /** Ends the subscription to the gateway. Undefined while there are no listeners. */
  #unsubscribe: (() => void) | undefined
  /** The number of characters that the current request or alarm has sent. */
  #sent = 0
  #overview = ''
  /** True if the state has changed since the last `changed`. */
  #hasChanged = false

  constructor(state: ObjectState) {
    this.#state = state
    this.#refresh()
  }

  get count(): number {
    return this.#sockets.length
  }

  /** Accepts the WebSocket of a listener that may use the controls. A stream would keep the object awake. */
  accept(gateway: Gateway, head: HttpRequest, until: number | null, name: string): Response {
    const refusal = findControlRefusal(gateway, head)
    if (refusal) return toWorkerResponse(refusal)
    if (!isWebSocketRequest(head.header)) {
      // Browsers log a response of 400 or more as an error.
      const status = head.isInspector ? 204 : 426
      return new Response(null, { status, headers: { Upgrade: 'websocket' } })
    }
    if (this.count < MAX_LISTENERS) return this.#add(gateway, until, name)
    return toWorkerResponse(gateway.transport.refused(errors.too_many_listeners, { most: MAX_LISTENERS }))
  }

  /** Adds a listener, which is removed when its key expires. Its first events are `gateway` and `overview`. */
  #add(gateway: Gateway, until: number | null, name: string): Response {
    const { 0: theirs, 1: ours } = new WebSocketPair()
    this.#state.acceptWebSocket(ours)
    ours.serializeAttachment(until)
    this.#state.setWebSocketAutoResponse(new WebSocketRequestResponsePair(HEARTBEAT, HEARTBEAT))
    this.#refresh()
    ours.send(createGatewayEvent(gateway, name))
    ours.send(createOverviewEvent(gateway))
    this.follow(gateway)
    const init = { status: 101, headers: { 'Sec-WebSocket-Protocol': PROTOCOL }, webSocket: theirs }
    return new Response(null, init)
  }

  /** Subscribes to a gateway's events if there are listeners. */
  follow(gateway: Gateway): void {
    if (this.count === 0) return
    const changed = () => {
      this.#hasChanged = true
    }
    this.#unsubscribe ??= subscribeToEvents(gateway, changed, (event, value) => this.#send(event, value))
  }

  /** Must be called after each request and alarm. Reports the use of a control and whether anything has changed. */
  afterEvent(gateway: Gateway, request?: HttpRequest, response?: HttpResponse): void {
    if (this.count === 0) return
    if (request && response) this.#sendControl(request, response)
    const hasMissed = this.#sent > MAX_SENT_CHARACTERS
    this.#sent = 0
    if (hasMissed) this.#send('missed', {})
    const overview = toInspected(gateway).overview()
    if (this.#hasChanged) this.#send('changed', describeChanges(gateway))
    this.#hasChanged = false
    // The system clock's time always changes, so it is not compared.
    const text = JSON.stringify(overview.manual ? overview : { ...overview, now: '' })
    if (hasMissed || text !== this.#overview) this.#send('overview', overview)
    this.#overview = text
    this.#sent = 0
  }

  /** Drops a listener that has closed its WebSocket. */
  remove(socket: WebSocket): void {
    this.#refresh(socket)
  }

  /** Closes all WebSockets with a reason. */
  closeAll(reason: string): void {
    for (const socket of this.#sockets) socket.close(POLICY_VIOLATION, reason)
    this.#keep([])
  }

  /** Reports the use of a control, because not every control creates a commit. */
  #sendControl(request: HttpRequest, response: HttpResponse): void {
    const { url } = request
    if (!url.startsWith(`${CONTROL_PATH}/`)) return
    const [path = ''] = url.slice(CONTROL_PATH.length).split('?', 1)
    const event = createControlEvent(request, response, path)
    if (event) this.#send('control', event)
  }

  #send(event: string, value: unknown): void {
    if (this.#sent > MAX_SENT_CHARACTERS) return
    const text = formatEvent(event, value)
    this.#sent += text.length
    if (this.#sent > MAX_SENT_CHARACTERS) return
    const now = readClock(systemClock)
    for (const socket of this.#sockets) {
      const until = socket.deserializeAttachment() ?? null
      try {
        if (until !== null && until <= now) socket.close(POLICY_VIOLATION, 'The key has expired.')
        else socket.send(text)
      } catch {
        // The WebSocket is closing. The platform will call `webSocketClose`.
        this.#refresh(socket)
      }
    }
  }

  #refresh(except?: WebSocket): void {
    this.#keep(this.#state.getWebSockets().filter((each) => each !== except && each.readyState === 1))
  }

  #keep(sockets: readonly ListenerSocket[]): void {
    this.#sockets = sockets
    if (sockets.length > 0) return
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
  }
}
