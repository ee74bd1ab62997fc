import type { JournalEntry } from '../connection.ts'
import { idsOf } from '../document.ts'
import type { Page } from '../page.ts'

/** What a client sends by itself. */
const BY_ITSELF =
  /^(accept.*|connection|content-length|cookie|host|origin|referer|sec-.*|transfer-encoding|user-agent)$/

type Shown = Pick<JournalEntry, 'method' | 'path' | 'query' | 'request' | 'operation'> & {
  readonly requestHeaders?: JournalEntry['requestHeaders']
}

/** The headers to send a request with: its own, as far as the journal has them, and those that every one needs. */
export function clientHeaders(page: Page, { requestHeaders = {}, request }: Shown): Record<string, string> {
  const own = Object.entries(requestHeaders).filter(([name, text]) => !BY_ITSELF.test(name) && text !== '[redacted]')
  const version = Object.entries(page.service?.versionHeader ?? {}).map(([name, text]) => [name.toLowerCase(), text])
  return {
    authorization: 'Bearer key',
    ...Object.fromEntries(version),
    ...(request !== null && { 'content-type': 'application/json' }),
    ...Object.fromEntries(own),
  }
}

/** A request as a line for the shell. */
export function asCurl(page: Page, entry: Shown): string {
  const body = bodyText(entry)
  const headers = Object.entries(clientHeaders(page, entry)).map((header) => ` -H ${quoted(header.join(': '))}`)
  const data = body === undefined ? '' : ` -d ${quoted(body)}`
  const method = entry.method === (body === undefined ? 'GET' : 'POST') ? '' : ` -X ${entry.method}`
  return `curl${method}${headers.join('')}${data} ${quoted(addressOf(page, entry))}`
}

/** A request as a call of `fetch`. */
export function asFetch(page: Page, entry: Shown): string {
  const body = bodyText(entry)
  const init = {
    method: entry.method,
    headers: clientHeaders(page, entry),
    ...(body !== undefined && { body }),
  }
  return `await fetch(${JSON.stringify(addressOf(page, entry))}, ${JSON.stringify(init, null, 2)})`
}

/** A request as a call of the direct API; undefined for one of no operation. */
export function asDirect(page: Page, { operation, path, query, request }: Shown): string | undefined {
  const known = page.service?.operationNamed(operation)
  if (!known) return undefined
  const [family = '', name = ''] = known.name.split('.')
  const ids = Object.entries(idsOf(known.path, path) ?? {})
  const first =
    ids.length === 1 ? [JSON.stringify(ids[0]?.[1])] : ids.length > 1 ? [JSON.stringify(Object.fromEntries(ids))] : []
  const parameters = Object.fromEntries(new URLSearchParams(query))
  const input = request ?? (query === '' ? undefined : parameters)
  const args = [...first, ...(input === undefined ? [] : [JSON.stringify(input)])]
  return `gateway.${camel(family)}.${camel(name)}(${args.join(', ')})`
}

/** The line that creates a first domain. */
export function curlToCreate(page: Page): string {
  const request = { domain: 'app.example.com', certificate_management_policy: { authority: 'letsencrypt' } }
  return asCurl(page, { method: 'POST', path: '/reserved_domains', query: '', request, operation: null })
}

/** The body of an entry as it is sent; undefined where there is none. */
function bodyText({ request }: Pick<JournalEntry, 'request'>): string | undefined {
  if (request === null || request === undefined) return undefined
  return typeof request === 'string' ? request : JSON.stringify(request)
}

function addressOf(page: Page, { path, query }: Shown): string {
  return `${location.origin}${page.connection.base}${path}${query === '' ? '' : `?${query}`}`
}

function camel(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
