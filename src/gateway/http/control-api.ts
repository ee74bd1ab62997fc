import { CONTROL_PATH } from '../../control/address.ts'
import type { ControlCall, ControlHost } from '../../control/control.ts'
import { refuseParameter } from '../../core/operation/list.ts'
import { MAX_BODY_BYTES } from '../../core/schema/body.ts'
import { problem, Refusal } from '../../core/schema/errors.ts'
import { general } from '../../core/schema/general-errors.ts'
import { printError } from '../../core/schema/print.ts'
import { type ControlAccess, requireAccess } from './access.ts'
import { createPreflightResponse, isPreflight } from './cors.ts'
import { createJsonResponse, type HttpRequest, type HttpResponse, NO_CONTENT } from './messages.ts'
import { parseQuery, readAnyJsonBody, readJsonBody } from './request.ts'
import { findOperation, type Router, requireOperation } from './router.ts'

const CONTROL_PREFIX = `${CONTROL_PATH}/`

export interface ControlApi {
  isControlPath(path: string): boolean
  requireAccess(request: HttpRequest): void
  /** Returns the maximum size of a request body in bytes. */
  maxBodyBytes(method: string, path: string): number
  respond(request: HttpRequest, path: string, query: string): HttpResponse
}

/**
 * Creates the control API over HTTP. It accepts clients with the control key. Without a key, it accepts only this machine. A page from
 * another site can't use it, even through a name that resolves to this machine.
 */
export function createControlApi(host: ControlHost, router: Router<ControlCall>, access: ControlAccess): ControlApi {
  const isControlPath = (path: string) => path.startsWith(CONTROL_PREFIX)
  return {
    isControlPath,
    requireAccess: (request) => requireAccess(request, access),
    maxBodyBytes(method, path) {
      const route = isControlPath(path) ? router.find(path.slice(CONTROL_PATH.length)) : undefined
      return findOperation(route, method)?.maxBytes ?? MAX_BODY_BYTES
    },
    respond(request, path, query) {
      requireAccess(request, access)
      const route = router.require(path.slice(CONTROL_PATH.length), request.method)
      if (isPreflight(request)) return createPreflightResponse(request, route)
      const call = requireOperation(route, request.method, path)
      return createResponse(call, call.run(host, readInput(call, request, query), request.signal))
    },
  }
}

/**
 * Returns the error for an exception that a call throws, or that its promise rejects with. An exception other than the call's own errors is
 * printed and becomes `internal_failure`, so a control call can't end the server's process.
 */
export function toControlRefusal(error: unknown, { signal }: HttpRequest): Refusal {
  if (error instanceof Refusal) return error
  // Work for a disconnected client ends with the signal's abort reason.
  if (!signal?.aborted) printError(error)
  return new Refusal([problem(general.internal_failure, {})], { cause: error })
}

function readInput(call: ControlCall, request: HttpRequest, query: string): object {
  const parameters = parseQuery(query)
  if (call.from !== 'body') return { ...parameters, ...readAnyJsonBody(request) }
  const [received] = Object.keys(parameters)
  if (received !== undefined) refuseParameter(received, [])
  return readJsonBody(request)
}

function createResponse(call: ControlCall, result: unknown): HttpResponse {
  if (result instanceof Promise) return { ...NO_CONTENT, safe: result.then((value) => createResponse(call, value)) }
  const { mediaType } = call
  if (result === undefined) return NO_CONTENT
  return mediaType
    ? { status: 200, headers: { 'Content-Type': mediaType }, body: String(result) }
    : createJsonResponse(200, result)
}
