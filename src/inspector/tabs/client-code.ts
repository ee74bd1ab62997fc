import type { JournalEntry } from '../../generated/controls.ts'
import type { Page } from '../page.ts'
import { matchIds } from '../service.ts'
import { toEscape } from '../shared/visible.ts'

const AUTOMATIC_HEADERS =
  /^(accept.*|connection|content-length|cookie|host|origin|referer|sec-.*|transfer-encoding|user-agent)$/

type SentRequest = Pick<JournalEntry, 'method' | 'path' | 'query' | 'requestHeaders' | 'request'>

/** Returns the headers for resending a request. A made-up API key replaces a hidden API key. */
export function clientHeaders({ requestHeaders }: SentRequest): Record<string, string> {
  const known = Object.entries(requestHeaders).filter(([name, text]) => {
    return !AUTOMATIC_HEADERS.test(name) && (text !== '[redacted]' || name === 'authorization')
  })
  return Object.fromEntries(known.map(([name, text]) => [name, text === '[redacted]' ? 'Bearer key' : text]))
}

/** Returns why a client cannot resend a request verbatim, or undefined if it can. */
export function findReplayProblem(page: Page, entry: JournalEntry): string | undefined {
  const { path, query, request, requestHeaders, status } = entry
  const sent = JSON.stringify([path, query, request])
  const [, field] = /"(\w+)":\[?"\[redacted\]"/.exec(sent) ?? []
  if (field || sent.includes('[redacted]')) return `${field ?? 'a secret'} in it is hidden.`
  if (sent.includes('… [truncated: ')) return 'the journal has truncated it.'
  if (typeof request === 'string' && request.startsWith('[')) return 'the journal does not have its body.'
  const hidden = Object.entries(requestHeaders).filter(([, text]) => text.includes('[redacted]'))
  const isKeyChecked = page.overview?.keys || status === 401
  const [name] = hidden.find(([each]) => each !== 'authorization' || isKeyChecked) ?? []
  return name && `the header ${name} is hidden.`
}

/** Returns a POSIX shell command that sends a request again, without `-d`, because that reads a leading `@` as a file name. */
export function toCurl(page: Page, sent: SentRequest): string {
  const body = bodyText(sent)
  const url = buildUrl(page, sent)
  // curl omits a header without a value unless a semicolon replaces the colon.
  const headers = Object.entries(clientHeaders(sent)).map(([name, text]) =>
    quoteForShell(text === '' ? `${name};` : `${name}: ${text}`),
  )
  // With `-X HEAD`, curl would wait for a body.
  const method = sent.method === 'HEAD' ? '--head' : `-X ${sent.method}`
  const parts = [
    'curl',
    ...(sent.method === (body === undefined ? 'GET' : 'POST') ? [] : [method]),
    // curl would expand brackets and braces to several URLs, and resolve `/../`.
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
    ...(/\/\./.test(url) ? ['--path-as-is'] : []),
    ...headers.map((header) => `-H ${header}`),
    ...(body === undefined ? [] : [`--data-raw ${quoteForShell(body)}`]),
    quoteForShell(url),
  ]
  return parts.join(' ')
}

export function toFetch(page: Page, sent: SentRequest): string {
  const body = bodyText(sent)
  const init = { method: sent.method, headers: clientHeaders(sent), ...(body !== undefined && { body }) }
  return `await fetch(${JSON.stringify(buildUrl(page, sent))}, ${JSON.stringify(init, null, 2)})`
}

export function toDirectCall(page: Page, { operation, path, query, request }: JournalEntry): string | undefined {
  const known = page.service?.operations.find(({ name }) => name === operation)
  if (!known) return undefined
  const ids = matchIds(known.path, path) ?? {}
  const values = Object.values(ids)
  const input = request ?? (query === '' ? undefined : Object.fromEntries(new URLSearchParams(query)))
  const args = [values.length > 1 ? ids : values[0], input].filter((each) => each !== undefined)
  return `gateway.${toCamelCase(known.name)}(${args.map((each) => JSON.stringify(each)).join(', ')})`
}

const FIRST_DOMAIN = { domain: 'app.example.com', certificate_management_policy: { authority: 'letsencrypt' } }

export function curlToCreate(page: Page): string {
  const requestHeaders = {
    authorization: 'Bearer key',
    ...page.versionHeader,
    'content-type': 'application/json',
  }
  return toCurl(page, { method: 'POST', path: '/reserved_domains', query: '', requestHeaders, request: FIRST_DOMAIN })
}

/** Returns a body as JSON, without the characters that a terminal interprets when a command is pasted. */
function bodyText({ request }: SentRequest): string | undefined {
  return request === null ? undefined : JSON.stringify(request).replace(/\p{Cc}/gu, toEscape)
}

function buildUrl(page: Page, { path, query }: SentRequest): string {
  return `${location.origin}${page.connection.base}${path}${query && `?${query}`}`
}

function toCamelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
