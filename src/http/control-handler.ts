import { refuse } from '../contract/errors.ts'
import { quote } from '../contract/quote.ts'
import type { ControlHost, ControlOperation } from '../control/control-operation.ts'
import { bodyOfAnyMethod, jsonBody } from './body.ts'
import { isPreflight, preflightAnswer } from './cors.ts'
import { type HttpRequest, type HttpResponse, jsonAnswer, NO_CONTENT } from './messages.ts'
import { operationFor, type Router } from './router.ts'
import { hostName, queryParameters } from './url.ts'

const CONTROL_PATH = '/_fauxgate'

/** The control API as the HTTP handler sees it. */
export interface ControlHandler {
  /** Whether a path belongs to it. */
  isOwn(path: string): boolean
  /** Answers a request to it, or throws a `Refusal`. */
  answer(request: HttpRequest, path: string, query: string): HttpResponse
}

/**
 * Makes the handler of the control API. It needs no key; instead it is there for this machine only: a page of another
 * site cannot use it, neither directly nor by a name that it makes resolve to this machine.
 */
export function controlHandlerOf(host: ControlHost, router: Router<ControlOperation>): ControlHandler {
  return {
    isOwn: (path) => path.startsWith(`${CONTROL_PATH}/`),
    answer(request, path, query) {
      requireLocal(request)
      const route = router.require(path.slice(CONTROL_PATH.length), request.method)
      if (isPreflight(request)) return preflightAnswer(request, route)
      const operation = operationFor(route, request.method, path)
      return shown(operation, operation.run(host, sentTo(operation, request, query)))
    },
  }
}

function sentTo(operation: ControlOperation, request: HttpRequest, query: string): object {
  const parameters = queryParameters(query)
  if (operation.from !== 'body') return { ...parameters, ...bodyOfAnyMethod(request) }
  const [received] = Object.keys(parameters)
  if (received !== undefined) refuse('query_unknown', { received: quote(received), allowed: 'none' })
  return jsonBody(request)
}

function shown({ mediaType }: ControlOperation, result: unknown): HttpResponse {
  if (result === undefined) return NO_CONTENT
  return mediaType
    ? { status: 200, headers: { 'Content-Type': mediaType }, body: String(result) }
    : jsonAnswer(200, result)
}

/** Refuses what does not come from this machine: by the name it asked for, or by the page that asks. */
function requireLocal(request: HttpRequest): void {
  const asked = request.header('host') ?? request.url
  if (!isLoopback(hostName(asked))) refuse('control_forbidden', { what: 'host', received: quote(asked) })
  const origin = request.header('origin')
  if (origin !== null && !isLoopback(hostName(origin))) {
    refuse('control_forbidden', { what: 'origin', received: quote(origin) })
  }
  // Browsers call two loopback hosts two sites; without an origin there is only this header to go by.
  const site = request.header('sec-fetch-site')
  if (origin === null && site === 'cross-site')
    refuse('control_forbidden', { what: 'Sec-Fetch-Site', received: quote(site) })
}

function isLoopback(host: string | null): boolean {
  return host !== null && /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host)
}
