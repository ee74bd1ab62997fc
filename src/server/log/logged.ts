import { CONTROL_PATH } from '../../control/control.ts'
import { readClock, stopwatch } from '../../engine/clock.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import { type Transport, withTransport } from '../../gateway/transport.ts'
import type { HttpRequest, HttpResponse } from '../../http/messages.ts'
import { splitUrl } from '../../http/request.ts'
import type { Change } from '../../operation/collection.ts'
import type { Families } from '../../operation/family.ts'
import type { Timeline, TimelineEntry } from '../../provisioning/timeline.ts'
import { domains } from '../../resources/reserved-domains/records.ts'
import { keysInHeader, keysInHeaders, secretTexts, withoutSecrets } from '../../schema/secret-texts.ts'
import { timestamp } from '../../schema/time.ts'
import { tableOf } from '../../table.ts'
import { jsonOf } from '../../verify/exchange.ts'
import type { Log, LoggedRequest, LoggedTransition } from './log.ts'

/** Returns the same gateway. It logs its requests and its provisioning, without the keys. */
export function logged(gateway: Gateway, log: Log, families: Families | undefined, keys: readonly string[]): Gateway {
  const { router } = tableOf(gateway.dialect, families)
  /** Transitions of the running operation. They are logged after its request. */
  let pending: LoggedTransition[] | undefined
  gateway.subscribe((commit) => {
    const transitions = commit.changes.flatMap((change) => transitionsIn(gateway, change))
    if (pending && commit.operation !== 'provisioning') pending.push(...transitions)
    else transitions.forEach(log.provisioning)
  }, domains.name)
  /** Logs the requests of responses that wait for a fault or for the store. */
  const delayed = new WeakMap<HttpResponse, (outcome: Outcome) => void>()

  const logRequest = (request: HttpRequest, path: string, outcome: Outcome, duration: number): void => {
    const method = request.method === 'HEAD' ? 'GET' : request.method
    log.request({
      at: readClock(gateway.clock),
      method: request.method,
      path: withoutSecrets(path, secretTexts([...keys, ...keysSent(request)])),
      operation: router.find(path)?.methods.get(method)?.name ?? null,
      ...outcome,
      duration,
    })
  }

  const exchange = (request: HttpRequest): HttpResponse => {
    const worked = stopwatch()
    const transitions: LoggedTransition[] = []
    pending = transitions
    const response = gateway.transport.exchange(request)
    pending = undefined
    const { path } = splitUrl(request.url, gateway.url)
    const finish = (outcome: Outcome) => {
      if (!request.isInspector && !isLook(request, path)) logRequest(request, path, outcome, worked())
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
      finish?.(noResponse('the client left'))
      throw error
    }
  }

  const refused: Transport['refused'] = (error, values) => {
    const response = gateway.transport.refused(error, values)
    const unread = { method: '-', path: '-', operation: null, duration: null }
    log.request({ at: readClock(gateway.clock), ...unread, ...outcomeOf(response) })
    return response
  }

  return withTransport(gateway, { exchange, delivered, refused })
}

function keysSent({ header, rawHeaders = [] }: HttpRequest): string[] {
  return [...keysInHeader(header('authorization') ?? ''), ...keysInHeaders(rawHeaders)]
}

/** Tells whether somebody only looks at the controls, which pages do all the time. */
function isLook({ method }: HttpRequest, path: string): boolean {
  const isControl = path === CONTROL_PATH || path.startsWith(`${CONTROL_PATH}/`)
  return isControl && ['GET', 'HEAD', 'OPTIONS'].includes(method)
}

type Outcome = Pick<LoggedRequest, 'status' | 'error' | 'message'>

function noResponse(message: string): Outcome {
  return { status: null, error: null, message }
}

function outcomeOf({ status, body, delivery }: HttpResponse): Outcome {
  if (delivery?.drop) return noResponse('a fault broke the connection')
  if (status < 400 || body === null) return { status, error: null, message: null }
  const { error_code, msg } = Object(jsonOf(body))
  return { status, error: text(error_code), message: text(msg) }
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function transitionsIn(gateway: Gateway, { collection, key: id, before, after }: Change): LoggedTransition[] {
  if (collection !== domains.name) return []
  const timeline = timelineOf(after)
  const count = newEntries(timelineOf(before), timeline)
  if (count === 0) return []
  // A record of this collection.
  const { domain } = after as { readonly domain: string }
  // One move of the clock may have made many commits, so the domain may have later entries by now.
  const inWords = timelineInWords(gateway, id)
  return timeline.slice(-count).map((entry) => {
    const { transition } = entry
    const at = timestamp(entry.at * 1000)
    const found = inWords.find((each) => each.at === at && each.transition === transition)
    return { at, domain, id, transition, message: found?.message ?? entry.note ?? '' }
  })
}

function timelineInWords(gateway: Gateway, id: string): readonly TimelineEntry[] {
  try {
    return gateway.provisioning.timeline(id)
  } catch {
    // The domain is gone by now.
    return []
  }
}

function timelineOf(record: object | undefined): Timeline {
  // Of a record of this collection; without one, there is none.
  return (record as { readonly timeline?: Timeline } | undefined)?.timeline ?? []
}

/** Counts the new entries of a timeline, whose oldest give way. */
function newEntries(before: Timeline, after: Timeline): number {
  if (before.length === 0) return after.length
  const last = JSON.stringify(before.at(-1))
  return after.length - 1 - after.findLastIndex((entry) => JSON.stringify(entry) === last)
}
