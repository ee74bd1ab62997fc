import { isRequest } from '../gateway/http/fetch.ts'
import { splitUrl } from '../gateway/http/url.ts'

/** Returns the method of a request through `fetch`, and its name, such as `GET /reserved_addrs`. */
export function nameRequest(input: string | URL | Request, init: RequestInit | undefined, baseUrl: string) {
  const [url, sent] = isRequest(input) ? [input.url, input.method] : [String(input), 'GET']
  const method = String(init?.method ?? sent).toUpperCase()
  return { method, name: `${method} ${splitUrl(url, baseUrl).path}` }
}
