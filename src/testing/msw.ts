import { type HttpHandler, HttpResponse, http } from 'msw'
import { atCaller } from '../core/schema/caller-stack.ts'
import { quote } from '../core/schema/text.ts'
import { isStalled } from '../core/schema/truncated-stream.ts'
import type { Fetch } from '../gateway/http/fetch.ts'
import { isBelow } from '../gateway/http/url.ts'

/**
 * Returns handlers for Mock Service Worker that handle every request under a gateway's `url`, in Node and in browsers. They read the URL
 * for each request, so they still work when a gateway starts or stops being served. All other requests go to other handlers and
 * `onUnhandledRequest`. If a fault breaks the connection, clients of `node:http` see `ECONNRESET`, and `fetch` rejects. A fault with
 * `ending: 'stall'` reaches only `fetch`: for clients of `node:http`, serve the gateway. If two gateways have the same URL, the first
 * gateway responds, so give each its own `baseUrl`.
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
      ({ request }) =>
        gateway.fetch(request).then(
          (response) => requirePossible(response, request),
          (error) => breakConnection(error, request),
        ),
    ),
  ]
}

/** Returns true for a request of `node:http`: MSW 2 shows the host only for such requests, and MSW 3 shows the mode only for `fetch`. */
const isOfNodeHttp = ({ headers }: Request) => headers.has('host') && !headers.has('sec-fetch-mode')

/** @throws Error for a body that stalls, if the client uses `node:http`: MSW raises the client's timeout as an uncaught error. */
function requirePossible(response: Response, request: Request): Response {
  if (!isStalled(response) || !isOfNodeHttp(request)) return response
  throw new Error(
    "A fault with ending: 'stall' cannot reach a node:http client through Mock Service Worker. For such clients, serve " +
      'the gateway with serve from fauxgate/node.',
  )
}

/**
 * Returns the response for a broken connection, or for a client that has disconnected. MSW would turn the rejection into a
 * response with status 500.
 */
function breakConnection(error: unknown, request: Request): Response {
  if (!isBroken(error) && !request.signal.aborted) throw error
  // MSW destroys the socket of such a response, so Node reports ECONNRESET.
  if (isOfNodeHttp(request)) return new HttpResponse(new ReadableStream({ start: (body) => body.error(error) }))
  // MSW makes this response the `cause` of the error.
  return Object.assign(HttpResponse.error(), { code: 'ECONNRESET' })
}

function isBroken(error: unknown): boolean {
  // The cause of a fault's error has a code.
  return error instanceof TypeError && Object(error.cause).code === 'ECONNRESET'
}
