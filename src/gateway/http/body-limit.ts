import type { Operation } from '../../core/operation/operation.ts'
import { MAX_BODY_BYTES } from '../../core/schema/body.ts'
import { Refusal } from '../../core/schema/errors.ts'
import { type CallerChecks, requireCaller } from './access.ts'
import type { ControlApi } from './control-api.ts'
import { isPreflight } from './cors.ts'
import type { HttpRequest } from './messages.ts'
import { type Router, requireOperation } from './router.ts'
import { splitUrl } from './url.ts'

interface LimitOptions extends CallerChecks {
  readonly engine: { readonly url: string }
  readonly controlApi: ControlApi
  readonly router: Router<Operation>
}

/** A function that returns the maximum number of bytes in a request's body. */
export type BodyLimit = (request: HttpRequest) => number

/**
 * Creates the function that limits the body of a request, given the request's head. The limit is 0 if the head alone determines the
 * response, so a client without access uses little memory (rules: requests#body).
 */
export function createBodyLimit(options: LimitOptions): BodyLimit {
  const findLimit = (request: HttpRequest): number => {
    const { engine, controlApi, router } = options
    const { path } = splitUrl(request.url, engine.url)
    if (isPreflight(request)) return 0
    if (controlApi.isControlPath(path)) {
      controlApi.requireAccess(request)
      return controlApi.maxBodyBytes(request.method, path)
    }
    requireOperation(router.require(path, request.method), request.method, path)
    requireCaller(request, options)
    return MAX_BODY_BYTES
  }
  return (request) => {
    try {
      return findLimit(request)
    } catch (error) {
      if (error instanceof Refusal) return 0
      throw error
    }
  }
}
