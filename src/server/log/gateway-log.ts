import { CONTROL_PATH } from '../../control/address.ts'
import { readClock, stopwatch } from '../../core/engine/clock.ts'
import { DUE } from '../../core/operation/collection.ts'
import type { Families } from '../../core/operation/family.ts'
import { createRedactor, findKeysInHeader, findSecretHeaderValues, redactText } from '../../core/schema/secret-texts.ts'
import { haveSameItems } from '../../core/schema/values.ts'
import type { HttpRequest, HttpResponse } from '../../gateway/http/messages.ts'
import { findOperation } from '../../gateway/http/router.ts'
import { splitUrl } from '../../gateway/http/url.ts'
import { tableOf } from '../../gateway/table.ts'
import { type Transport, withTransport } from '../../gateway/transport.ts'
import type { Gateway } from '../../gateway/types.ts'
import { tryParseJson } from '../../verify/exchange.ts'
import { readErrorBody } from '../errors.ts'
import { pathOf } from '../gateways.ts'
import type { Log, LoggedRequest, LoggedTransition } from './log.ts'

/** Returns a gateway with the same state that logs requests and provisioning. The log does not show keys. */
export function withLog(gateway: Gateway, log: Log, families: Families | undefined, keys: readonly string[]): Gateway {
  const { router } = tableOf(gateway.dialect, families)
  /** The running operation's transitions. They are logged after its request. */
  let pending: LoggedTransition[] | undefined
  gateway.transport.watchTransitions((transitions, operation) => {
    if (pending && !operation.endsWith(DUE)) pending.push(...transitions)
    else transitions.forEach(log.provisioning)
  })
  /** Functions that log the requests whose responses a fault or the store delays. */
  const delayed = new WeakMap<HttpResponse, (outcome: Outcome) => void>()

  const redactPath = createPathRedactor(keys)
  const logRequest = (request: HttpRequest, path: string, { status, error, message }: Outcome, duration: number) => {
    const { method } = request
    const operation = findOperation(router.find(path), method)?.name ?? null
    const at = readClock(gateway.clock)
    log.request({
      at,
      method,
      path: pathOf(gateway) + redactPath(path, request),
      operation,
      status,
      error,
      message,
      duration,
    })
  }

  const exchange = (request: HttpRequest): HttpResponse => {
    const elapsed = stopwatch()
    const transitions: LoggedTransition[] = []
    pending = transitions
    const response = gateway.transport.exchange(request)
    pending = undefined
    const { path } = splitUrl(request.url, gateway.url)
    const finish = (outcome: Outcome) => {
      if (!request.isInspector && !isControlRead(request, path)) logRequest(request, path, outcome, elapsed())
      transitions.forEach(log.provisioning)
    }
    if (response.delivery || response.safe) delayed.set(response, finish)
    else finish(outcomeOf(response))
    return response
  }

  const delivered: Transport['delivered'] = async (response, options) => {
    const finish = delayed.get(response)
    try {
      const whole = await gateway.transport.delivered(response, options)
      finish?.(outcomeOf(whole))
      return whole
    } catch (error) {
      finish?.(noResponse('the client disconnected'))
      throw error
    }
  }

  const callerRefusal: Transport['callerRefusal'] = (request) => {
    const elapsed = stopwatch()
    const response = gateway.transport.callerRefusal(request)
    if (response) logRequest(request, splitUrl(request.url, gateway.url).path, outcomeOf(response), elapsed())
    return response
  }

  const refused: Transport['refused'] = (error, values) => {
    const response = gateway.transport.refused(error, values)
    const unread = { method: '-', path: '-', operation: null, duration: null }
    log.request({ at: readClock(gateway.clock), ...unread, ...outcomeOf(response) })
    return response
  }

  const sibling = (own: { readonly families?: Families | undefined }) =>
    withLog(gateway.transport.sibling(own), log, own.families ?? families, keys)

  return withTransport(gateway, { exchange, callerRefusal, delivered, refused, sibling })
}

/** Returns a function that removes these keys, and the keys in a request's headers, from the request's path. */
function createPathRedactor(keys: readonly string[]): (path: string, request: HttpRequest) => string {
  // Most requests have the same headers, or at least the same keys, as the request before.
  let lastHeaders: readonly string[] = []
  let lastSent = ''
  let redactor = createRedactor(keys)
  return (path, { header, rawHeaders = ['authorization', header('authorization') ?? ''] }) => {
    if (!haveSameItems(rawHeaders, lastHeaders)) {
      const values = findSecretHeaderValues(rawHeaders)
      const sent = values.join('\n')
      if (sent !== lastSent) redactor = createRedactor([...keys, ...values.flatMap(findKeysInHeader)])
      lastSent = sent
      lastHeaders = rawHeaders
    }
    return redactText(path, redactor)
  }
}

/** Returns true for a request that only reads a control. Pages constantly send such requests. */
function isControlRead({ method }: HttpRequest, path: string): boolean {
  const isControl = path === CONTROL_PATH || path.startsWith(`${CONTROL_PATH}/`)
  return isControl && ['GET', 'HEAD', 'OPTIONS'].includes(method)
}

type Outcome = Pick<LoggedRequest, 'status' | 'error' | 'message'>

function noResponse(message: string): Outcome {
  return { status: null, error: null, message }
}

function outcomeOf({ status, body, delivery, problem }: HttpResponse): Outcome {
  if (delivery?.drop) return noResponse('a fault broke the connection')
  if (status < 400 || body === null) return { status, error: null, message: null }
  const { error, message } = readErrorBody(tryParseJson(body))
  return { status, error, message: problem ?? message }
}
