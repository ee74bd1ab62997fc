import { CONTROL_PATH } from '../../control/control.ts'
import { readClock, stopwatch } from '../../engine/clock.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { HttpRequest, HttpResponse } from '../../http/messages.ts'
import { splitUrl } from '../../http/request.ts'
import type { Change, Commit } from '../../operation/collection.ts'
import type { Families } from '../../operation/family.ts'
import type { ShownTimelineEntry } from '../../provisioning/timeline.ts'
import { domains } from '../../resources/reserved-domains/records.ts'
import { keysInHeader, valuesOf, withoutSecrets } from '../../schema/secret-texts.ts'
import { isObject } from '../../schema/values.ts'
import { tableOf } from '../../table.ts'
import { type Log, type LoggedRequest, type LoggedTransition, ofLast } from './log.ts'

/** Facts of a gateway that its log needs. */
interface LoggedOptions {
  readonly families: Families | undefined
  /** The gateway's keys, which the log never shows. */
  readonly keys: readonly string[]
}

/** Returns the same gateway. It logs its requests and its provisioning. */
export function logged(gateway: Gateway, log: Log, { families, keys }: LoggedOptions): Gateway {
  const { router } = tableOf(families)
  /** Transitions of the running operation. They are logged after its request. */
  let pending: LoggedTransition[] | undefined
  followProvisioning(gateway, (transition, { operation }) => {
    if (pending && operation !== 'provisioning') pending.push(transition)
    else log.provisioning(transition)
  })
  const delayed = new WeakMap<HttpResponse, (outcome: 'answered' | 'left') => void>()

  // Most requests have the authorization of the one before.
  const secretsWith = ofLast((authorization: string) => valuesOf([...keys, ...keysInHeader(authorization)]))

  const requestFacts = (
    request: HttpRequest,
    path: string,
  ): Pick<LoggedRequest, 'at' | 'method' | 'path' | 'operation'> => {
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const secrets = secretsWith(request.header('authorization') ?? '')
    return {
      at: readClock(gateway.clock),
      method: request.method,
      path: withoutSecrets(path, secrets),
      operation: router.find(path)?.methods.get(method)?.name ?? null,
    }
  }

  const exchange = (request: HttpRequest): HttpResponse => {
    const worked = stopwatch()
    const transitions: LoggedTransition[] = []
    pending = transitions
    const answer = gateway.exchange(request)
    pending = undefined
    const { path } = splitUrl(request.url, gateway.url)
    const tell = (outcome: 'answered' | 'left') => {
      if (!request.isInspector && !isLook(request, path)) {
        const { at, method, path: safePath, operation } = requestFacts(request, path)
        const { status, error, message } = outcomeFacts(answer, outcome)
        log.request({ at, method, path: safePath, operation, status, error, message, duration: worked() })
      }
      transitions.forEach(log.provisioning)
    }
    if (answer.delivery) delayed.set(answer, tell)
    else tell('answered')
    return answer
  }

  const delivered: Gateway['delivered'] = async (answer, options) => {
    const tell = delayed.get(answer)
    try {
      const whole = await gateway.delivered(answer, options)
      tell?.('answered')
      return whole
    } catch (error) {
      tell?.('left')
      throw error
    }
  }

  const refused: Gateway['refused'] = (error, values) => {
    const answer = gateway.refused(error, values)
    const unread = { method: '-', path: '-', operation: null, duration: null }
    log.request({ at: readClock(gateway.clock), ...unread, ...outcomeFacts(answer, 'answered') })
    return answer
  }

  return Object.create(gateway, {
    exchange: { value: exchange },
    delivered: { value: delivered },
    refused: { value: refused },
  })
}

/** Tells whether somebody only looks at the controls, which pages do all the time. */
function isLook({ method }: HttpRequest, path: string): boolean {
  const isControl = path === CONTROL_PATH || path.startsWith(`${CONTROL_PATH}/`)
  return isControl && ['GET', 'HEAD', 'OPTIONS'].includes(method)
}

function outcomeFacts(
  { status, body, delivery }: HttpResponse,
  outcome: 'answered' | 'left',
): Pick<LoggedRequest, 'status' | 'error' | 'message'> {
  if (outcome === 'left') return { status: null, error: null, message: 'the client left' }
  if (delivery?.drop) return { status: null, error: null, message: 'a fault broke the connection' }
  if (status < 400 || body === null) return { status, error: null, message: null }
  const { error_code, msg } = errorIn(body)
  return { status, error: text(error_code), message: text(msg) }
}

function errorIn(body: string): Readonly<Record<string, unknown>> {
  try {
    const error: unknown = JSON.parse(body)
    return isObject(error) ? error : {}
  } catch {
    return {}
  }
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** Tells what the provisioning of each domain does, with the commit that did it. Answers what ends that. */
function followProvisioning(
  gateway: Gateway,
  tell: (transition: LoggedTransition, commit: Commit) => void,
): () => void {
  return gateway.subscribe((commit) => {
    for (const change of commit.changes) {
      if (change.collection === domains.name) for (const each of transitionsIn(gateway, change)) tell(each, commit)
    }
  }, domains.name)
}

function transitionsIn(gateway: Gateway, { key: id, before, after }: Change): LoggedTransition[] {
  const count = newEntries(timelineOf(before), timelineOf(after))
  if (count === 0) return []
  // A record of this collection.
  const { domain } = after as { readonly domain: string }
  const entries = timelineInWords(gateway, id).slice(-count)
  return entries.map(({ at, transition, message }) => ({ at, domain, id, transition, message }))
}

/** Nothing where the domain is gone by now. */
function timelineInWords(gateway: Gateway, id: string): readonly ShownTimelineEntry[] {
  try {
    return gateway.provisioning.timeline(id)
  } catch {
    return []
  }
}

function timelineOf(record: object | undefined): readonly unknown[] {
  // Of a record of this collection; without one, there is none.
  return (record as { readonly timeline?: readonly unknown[] } | undefined)?.timeline ?? []
}

/** How many entries of a timeline, of which the oldest give way, were not there before. */
function newEntries(before: readonly unknown[], after: readonly unknown[]): number {
  if (before.length === 0) return after.length
  const last = JSON.stringify(before.at(-1))
  return after.length - 1 - after.findLastIndex((entry) => JSON.stringify(entry) === last)
}
