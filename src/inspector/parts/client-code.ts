import type { JournalEntry } from '../../journal/entry.ts'
import type { Page } from '../page.ts'
import { matchIds } from '../service.ts'

const AUTOMATIC_HEADERS =
  /^(accept.*|connection|content-length|cookie|host|origin|referer|sec-.*|transfer-encoding|user-agent)$/

type SentRequest = Pick<JournalEntry, 'method' | 'path' | 'query' | 'request' | 'operation'> & {
  readonly requestHeaders?: JournalEntry['requestHeaders']
}

/** Returns the headers to send a request with: those in the journal, and those that every request needs. */
export function clientHeaders(page: Page, { requestHeaders = {}, request }: SentRequest): Record<string, string> {
  const known = Object.entries(requestHeaders).filter(
    ([name, text]) => !AUTOMATIC_HEADERS.test(name) && text !== '[redacted]',
  )
  const version = Object.entries(page.service?.versionHeader ?? {}).map(([name, text]) => [name.toLowerCase(), text])
  return {
    authorization: 'Bearer key',
    ...Object.fromEntries(version),
    ...(request !== null && { 'content-type': 'application/json' }),
    ...Object.fromEntries(known),
  }
}

/** Returns the reason why a test cannot send a request again verbatim; undefined if it can. */
export function findReplayProblem({ method, path, query, request }: JournalEntry): string | undefined {
  if (typeof request === 'string' && request.startsWith('[')) return 'the journal does not have its body'
  if (`${path}${query}${JSON.stringify(request)}`.includes('[redacted]')) return 'a secret in it is hidden'
  return request !== null && (method === 'GET' || method === 'HEAD') ? 'a GET cannot have a body here' : undefined
}

/** Returns the reason why a client cannot send a request again verbatim; undefined if it can. */
export function findClientReplayProblem(page: Page, entry: JournalEntry): string | undefined {
  const why = findReplayProblem(entry)
  if (why) return `${why}.`
  const hidden = Object.entries(entry.requestHeaders).filter(([, text]) => text.includes('[redacted]'))
  const [name] = hidden.find(([each]) => each !== 'authorization' || page.overview?.keys) ?? []
  return name && `the header ${name} is hidden.`
}

/** Returns a command for a POSIX shell that sends a body verbatim. It is not in `-d`, where a first `@` names a file. */
export function toCurl(page: Page, sent: SentRequest): string {
  const body = bodyText(sent)
  const url = buildUrl(page, sent)
  // curl leaves out a header without a value unless a semicolon is in place of the colon.
  const headers = Object.entries(clientHeaders(page, sent)).map(([name, text]) =>
    quoteForShell(text === '' ? `${name};` : `${name}: ${text}`),
  )
  const isPlain = body === undefined || !CONTROL_CHARACTER.test(body)
  const parts = [
    isPlain ? 'curl' : `printf ${quoteForShell(toPrintfFormat(body))} | curl`,
    ...(sent.method === (body === undefined ? 'GET' : 'POST') ? [] : [`-X ${sent.method}`]),
    // Brackets and braces would be several URLs, and `/../` would be resolved.
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
    ...(/\/\./.test(url) ? ['--path-as-is'] : []),
    ...headers.map((header) => `-H ${header}`),
    ...(body === undefined ? [] : [isPlain ? `--data-raw ${quoteForShell(body)}` : '--data-binary @-']),
    quoteForShell(url),
  ]
  return parts.join(' ')
}

/** Characters that a terminal acts on when a command is pasted, and U+0000, which no argument can contain. */
const CONTROL_CHARACTER = /\p{Cc}/u

/** Returns the text as the format of `printf`, with bytes in octal where a terminal, a format or an option would begin. */
function toPrintfFormat(text: string): string {
  const octal = (byte: number) => `\\${byte.toString(8).padStart(3, '0')}`
  return text.replace(/^-|[\p{Cc}\\%]/gu, (found) => Array.from(new TextEncoder().encode(found), octal).join(''))
}

export function toFetch(page: Page, sent: SentRequest): string {
  const body = bodyText(sent)
  const init = { method: sent.method, headers: clientHeaders(page, sent), ...(body !== undefined && { body }) }
  return `await fetch(${JSON.stringify(buildUrl(page, sent))}, ${JSON.stringify(init, null, 2)})`
}

export function toDirectCall(page: Page, { operation, path, query, request }: SentRequest): string | undefined {
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
  return toCurl(page, { method: 'POST', path: '/reserved_domains', query: '', request: FIRST_DOMAIN, operation: null })
}

function bodyText({ request }: SentRequest): string | undefined {
  if (request === null || request === undefined) return undefined
  return typeof request === 'string' ? request : JSON.stringify(request)
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
