import { atCaller } from '../../core/schema/caller-stack.ts'
import { platform } from '../../core/schema/platform.ts'
import { type Fetch, isRequest } from './fetch.ts'

/** The maximum number of redirects that fetch follows. */
const MAX_REDIRECTS = 20

const STATUSES = [301, 302, 303, 307, 308]

/** The headers that are dropped together with the body. */
const OF_BODY = ['content-encoding', 'content-language', 'content-location', 'content-length', 'content-type']

/** A function that sends one request without following redirects. */
type SendOnce = (url: string, request: Request) => Promise<Response>

/** Sends a request, and follows redirects as the global `fetch` does. `next` sends the redirected requests. */
export async function followRedirects(
  send: Fetch,
  next: SendOnce,
  ...[input, init]: Parameters<Fetch>
): Promise<Response> {
  const mode = init?.redirect ?? (isRequest(input) ? input.redirect : 'follow')
  if (mode === 'manual') return send(input, init)
  // Sending consumes the body, which a redirect may need again. A stream in `init` cannot be sent twice.
  const isStream = init?.body instanceof ReadableStream
  const kept = isRequest(input) ? input.clone() : input
  let response = await send(input, init)
  let request: Request | undefined
  let url = isRequest(input) ? input.url : String(input)
  for (let count = 0; ; count++) {
    const location = response.headers.get('location')
    if (location === null || !STATUSES.includes(response.status)) return count === 0 ? response : mark(response, url)
    if (mode === 'error') throw atCaller(new TypeError(`${url} redirects to ${location}, but redirect is "error".`))
    if (count === MAX_REDIRECTS) throw atCaller(new TypeError(`${url} redirected more than ${MAX_REDIRECTS} times.`))
    request ??= new (platform('Request'))(kept, isStream ? { ...init, body: null } : init)
    const from = url
    url = new URL(location, from).href
    request = await redirect(request, response.status, from, url)
    response = await next(url, request.clone())
  }
}

/** Returns the redirected request. */
async function redirect(request: Request, status: number, from: string, to: string): Promise<Request> {
  const { method, signal } = request
  const isGet = method === 'GET' || method === 'HEAD'
  const becomesGet = status === 303 ? !isGet : [301, 302].includes(status) && method === 'POST'
  const headers = new (platform('Headers'))(request.headers)
  const body = becomesGet || isGet ? '' : await request.clone().text()
  if (becomesGet) for (const name of OF_BODY) headers.delete(name)
  if (new URL(from).origin !== new URL(to).origin) for (const name of ['authorization', 'cookie']) headers.delete(name)
  const sent = body === '' ? {} : { body }
  return new (platform('Request'))(to, {
    method: becomesGet ? 'GET' : method,
    headers,
    signal,
    redirect: 'manual',
    ...sent,
  })
}

/** Marks a response as redirected, as fetch does. */
function mark(response: Response, url: string): Response {
  return Object.defineProperties(response, { redirected: { value: true }, url: { value: url } })
}
