import type { JournalEntry } from '../../journal/entry.ts'
import type { Page } from '../page.ts'
import { idsOf } from '../service.ts'

const AUTOMATIC =
  /^(accept.*|connection|content-length|cookie|host|origin|referer|sec-.*|transfer-encoding|user-agent)$/

type Sent = Pick<JournalEntry, 'method' | 'path' | 'query' | 'request' | 'operation'> & {
  readonly requestHeaders?: JournalEntry['requestHeaders']
}

/** Returns the headers to send a request with: its own that the journal knows, and those that every request needs. */
export function clientHeaders(page: Page, { requestHeaders = {}, request }: Sent): Record<string, string> {
  const known = Object.entries(requestHeaders).filter(([name, text]) => !AUTOMATIC.test(name) && text !== '[redacted]')
  const version = Object.entries(page.service?.versionHeader ?? {}).map(([name, text]) => [name.toLowerCase(), text])
  return {
    authorization: 'Bearer key',
    ...Object.fromEntries(version),
    ...(request !== null && { 'content-type': 'application/json' }),
    ...Object.fromEntries(known),
  }
}

/** Returns a command for a shell. Its body is sent verbatim: of `-d`, curl would take one that begins with `@` for a file. */
export function asCurl(page: Page, sent: Sent): string {
  const body = bodyText(sent)
  const headers = Object.entries(clientHeaders(page, sent)).map((header) => ` -H ${quoted(header.join(': '))}`)
  const data = body === undefined ? '' : ` --data-raw ${quoted(body)}`
  const method = sent.method === (body === undefined ? 'GET' : 'POST') ? '' : ` -X ${sent.method}`
  return `curl${method}${headers.join('')}${data} ${quoted(urlOf(page, sent))}`
}

export function asFetch(page: Page, sent: Sent): string {
  const body = bodyText(sent)
  const init = { method: sent.method, headers: clientHeaders(page, sent), ...(body !== undefined && { body }) }
  return `await fetch(${JSON.stringify(urlOf(page, sent))}, ${JSON.stringify(init, null, 2)})`
}

export function asDirect(page: Page, { operation, path, query, request }: Sent): string | undefined {
  const known = page.service?.operations.find(({ name }) => name === operation)
  if (!known) return undefined
  const ids = idsOf(known.path, path) ?? {}
  const values = Object.values(ids)
  const input = request ?? (query === '' ? undefined : Object.fromEntries(new URLSearchParams(query)))
  const args = [values.length > 1 ? ids : values[0], input].filter((each) => each !== undefined)
  return `gateway.${camelCase(known.name)}(${args.map((each) => JSON.stringify(each)).join(', ')})`
}

const FIRST_DOMAIN = { domain: 'app.example.com', certificate_management_policy: { authority: 'letsencrypt' } }

export function curlToCreate(page: Page, path = '/reserved_domains'): string {
  const request = path === '/reserved_domains' ? FIRST_DOMAIN : {}
  return asCurl(page, { method: 'POST', path, query: '', request, operation: null })
}

function bodyText({ request }: Sent): string | undefined {
  if (request === null || request === undefined) return undefined
  return typeof request === 'string' ? request : JSON.stringify(request)
}

function urlOf(page: Page, { path, query }: Sent): string {
  return `${location.origin}${page.connection.base}${path}${query && `?${query}`}`
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
