import { CONTROL_PATH, type ControlCall, type ControlHost } from '../control/control.ts'
import { refuseParameter } from '../operation/list.ts'
import { LARGEST_BODY } from '../schema/body.ts'
import { type ControlAccess, requireAccess } from './access.ts'
import { isPreflight, preflightAnswer } from './cors.ts'
import { type HttpRequest, type HttpResponse, jsonAnswer, NO_CONTENT } from './messages.ts'
import { bodyOfAnyMethod, jsonBody, queryParameters } from './request.ts'
import { operationFor, type Router } from './router.ts'

const CONTROLS = `${CONTROL_PATH}/`

export interface ControlApi {
  isOwn(path: string): boolean
  requireAccess(request: HttpRequest): void
  /** Returns the most bytes of a body that a request to a path may have. */
  mostBytes(method: string, path: string): number
  answer(request: HttpRequest, path: string, query: string): HttpResponse
}

/**
 * Makes the control API over HTTP. It is open to whoever has the control key. Without one, it is open to this machine
 * only: a page of another site cannot use it, neither directly nor by a name that it makes resolve to this machine.
 */
export function controlApiOf(host: ControlHost, router: Router<ControlCall>, access: ControlAccess): ControlApi {
  const isOwn = (path: string) => path.startsWith(CONTROLS)
  const mostBytes = (method: string, path: string) => {
    const route = isOwn(path) ? router.find(path.slice(CONTROL_PATH.length)) : undefined
    return route?.methods.get(method)?.maxBytes ?? LARGEST_BODY
  }
  return {
    isOwn,
    requireAccess: (request) => requireAccess(request, access),
    mostBytes,
    answer(request, path, query) {
      requireAccess(request, access)
      const route = router.require(path.slice(CONTROL_PATH.length), request.method)
      if (isPreflight(request)) return preflightAnswer(request, route)
      const call = operationFor(route, request.method, path)
      return answerOf(call, call.run(host, sentTo(call, request, query)))
    },
  }
}

function sentTo(call: ControlCall, request: HttpRequest, query: string): object {
  const parameters = queryParameters(query)
  if (call.from !== 'body') return { ...parameters, ...bodyOfAnyMethod(request) }
  const [received] = Object.keys(parameters)
  if (received !== undefined) refuseParameter(received, [])
  return jsonBody(request)
}

function answerOf({ mediaType }: ControlCall, result: unknown): HttpResponse {
  if (result === undefined) return NO_CONTENT
  return mediaType
    ? { status: 200, headers: { 'Content-Type': mediaType }, body: String(result) }
    : jsonAnswer(200, result)
}
