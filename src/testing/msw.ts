import { type HttpHandler, HttpResponse, http } from 'msw'
import { atCaller } from '../core/schema/caller-stack.ts'
import { quote } from '../core/schema/text.ts'
import type { Fetch } from '../gateway/http/fetch.ts'
import { isBelow } from '../gateway/http/url.ts'

/**
 * Returns handlers for Mock Service Worker that answer every request below a gateway's `url`, in Node and in browsers.
 * They read the URL at each request, so they follow a gateway that starts or stops being served. Other handlers and
 * `onUnhandledRequest` get all other requests. If a fault breaks the connection, the client sees a network error. If two
 * gateways have the same URL, the first one answers, so give each its own `baseUrl`.
 *
 * @example
 * ```ts
 * import { createNgrok } from 'fauxgate/ngrok'
 * import { handlers } from 'fauxgate/msw'
 * import { setupServer } from 'msw/node'
 * const gateway = createNgrok()
 * const server = setupServer(...handlers(gateway))
 * server.listen({ onUnhandledRequest: 'error' })
 * ```
 * @throws TypeError for a value that is not a gateway.
 */
export function handlers(gateway: { readonly url: string; readonly fetch: Fetch }): HttpHandler[] {
  if (!gateway || typeof gateway.fetch !== 'function') {
    throw atCaller(new TypeError(`handlers received ${quote(gateway)}. Allowed: a gateway.`))
  }
  return [
    http.all(
      ({ request }) => isBelow(request.url, gateway.url),
      ({ request }) => gateway.fetch(request).catch((error) => networkError(error, request)),
    ),
  ]
}

/**
 * Returns the response for a broken connection, or for a client that has left. MSW would turn the rejection into a response
 * with status 500.
 */
function networkError(error: unknown, { signal }: Request): Response {
  if (isBroken(error) || signal.aborted) return HttpResponse.error()
  throw error
}

function isBroken(error: unknown): boolean {
  // The cause of a fault's error has a code.
  return error instanceof TypeError && Object(error.cause).code === 'ECONNRESET'
}
