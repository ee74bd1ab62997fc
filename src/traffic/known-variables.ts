import { LATEST_TIME } from '../core/schema/time.ts'
import { Duration, parseDuration, parseTimestamp, Timestamp } from '../service/policy/cel/time.ts'
import type { HeaderFields, PolicyMessage, PolicyRequest, PolicyResponse } from '../service/policy/visit.ts'
import { listTexts, toFieldText } from './field-value.ts'
import { portOf, splitTarget } from './target.ts'

/** The endpoint that a policy belongs to. */
export interface EndpointFacts {
  readonly id: string
  readonly url: string
  /** The edge that a route belongs to. */
  readonly edge_id?: string | null
}

/** The variables that an action has set. */
export interface ActionResult {
  readonly sets: object
  /** True if the caller supplied the variables. Omitted variables are then unknown. */
  readonly isStated: boolean
}

/** The source of variables' values. */
export interface Surroundings {
  readonly request: PolicyRequest
  readonly response: PolicyResponse | undefined
  /** The URL as sent by the visitor. */
  readonly sentUrl: string
  /** The gateway's time, in ms since the Unix epoch. */
  readonly now: number
  /** The request's arrival time, in ms since the Unix epoch. */
  readonly startedAt: number
  readonly ip: string
  readonly endpoint: EndpointFacts
  /** The facts that the caller supplies, by variable path. */
  readonly facts: ReadonlyMap<string, unknown>
  /** The variables of actions that have run, by action name in expressions. */
  readonly results: ReadonlyMap<string, ActionResult>
  /** Returns the variables of `set-vars` in this phase. */
  readonly vars: () => Readonly<Record<string, unknown>>
}

type Read = (surroundings: Surroundings) => unknown

/** The variables derived from the request, the response, and the gateway's state. Only the caller knows all others. */
export const KNOWN: Readonly<Record<string, Read>> = {
  'time.now': ({ now }) => new Date(now).toISOString(),
  ...ofEndpoint('endpoint.id', ({ id }) => id),
  ...ofEndpoint('endpoint.url', ({ url }) => url),
  ...ofEndpoint('endpoint.addr', ({ url }) => `${new URL(url).hostname}:${portOf(url)}`),
  ...ofEndpoint('endpoint.host', ({ url }) => new URL(url).hostname),
  ...ofEndpoint('endpoint.port', ({ url }) => portOf(url)),
  ...ofEndpoint('endpoint.protocol', ({ url }) => new URL(url).protocol.slice(0, -1)),
  'conn.client_ip': ({ ip }) => ip,
  'conn.ClientIP': ({ ip }) => ip,
  'conn.server_port': ({ endpoint }) => portOf(endpoint.url),
  'conn.server_region': () => 'us',
  'conn.ts.start': ({ startedAt }) => startedAt,
  'conn.tls.sni': ({ sentUrl }) => new URL(sentUrl).hostname,
  'req.method': ({ request }) => request.method,
  'req.Method': ({ request }) => request.method,
  'req.version': () => 'HTTP/1.1',
  'req.Version': () => 'HTTP/1.1',
  'req.host': ({ request }) => textOf(request.headers, 'host'),
  'req.Host': ({ request }) => textOf(request.headers, 'host'),
  'req.ts.header_received': ({ startedAt }) => startedAt,
  'req.ts.body_received': ({ startedAt }) => startedAt,
  'req.user_agent': ({ request }) => textOf(request.headers, 'user-agent'),
  'req.URL': ({ request }) => request.url,
  'req.Params': ({ request }) => toLists(splitTarget(request.url).query),
  ...ofMessage('req', 'content_length', 'ContentLength', ({ request }) => request),
  ...ofMessage('res', 'content_length', 'ContentLength', ({ response }) => response),
  'req.cookies': ({ request }) => readCookies(request.headers),
  'res.cookies': ({ response }) => response && readSetCookies(response.headers),
  'res.status_code': ({ response }) => response?.status,
  'res.StatusCode': ({ response }) => response?.status,
  // Ports receive URLs that a fetch would already have normalized. The path stays as forwarded.
  ...ofUrl('req.url', ({ href, hash }) => href.slice(0, href.length - hash.length)),
  ...ofUrl(
    'req.url.authority',
    ({ username, password, host }) => `${username}${password && `:${password}`}${username && '@'}${host}`,
  ),
  ...ofUrl('req.url.host', ({ hostname }) => hostname),
  'req.url.path': ({ request }) => decode(splitTarget(request.url).path),
  'req.url.raw_path': ({ request }) => splitTarget(request.url).path,
  ...ofUrl('req.url.port', ({ port }) => Number(port)),
  'req.url.query': ({ request }) => splitTarget(request.url).query,
  'req.url.query_params': ({ request }) => toLists(splitTarget(request.url).query),
  'req.url.raw': ({ sentUrl }) => sentUrl,
  ...ofUrl('req.url.scheme', ({ protocol }) => protocol.slice(0, -1)),
  'req.url.uri': ({ request }) => {
    const { path, query } = splitTarget(request.url)
    return query === '' ? path : `${path}?${query}`
  },
  ...ofUrl('req.url.user_password', ({ username, password }) => username && `${username}:${password}`),
}

function ofEndpoint(path: string, read: (endpoint: EndpointFacts) => unknown) {
  return { [path]: ({ endpoint }: Surroundings) => read(endpoint) }
}

function ofUrl(path: string, read: (url: URL) => unknown) {
  return { [path]: ({ request }: Surroundings) => read(new URL(request.url)) }
}

/** The variables shared by requests and responses. */
function ofMessage(
  root: string,
  length: string,
  olderLength: string,
  messageOf: (surroundings: Surroundings) => PolicyMessage | undefined,
): Readonly<Record<string, Read>> {
  const of = (read: (headers: HeaderFields) => unknown) => (surroundings: Surroundings) => {
    const message = messageOf(surroundings)
    return message && read(message.headers)
  }
  const readLength = (surroundings: Surroundings) => messageOf(surroundings)?.length
  const readType = of((headers) => mediaType(textOf(headers, 'content-type')))
  const readHeaders = of(listTexts)
  return {
    [`${root}.${length}`]: readLength,
    [`${root}.${olderLength}`]: readLength,
    [`${root}.content_encoding`]: of((headers) => splitList(headers.get('content-encoding'))),
    [`${root}.content_type`]: readType,
    [`${root}.ContentType`]: readType,
    [`${root}.content_type.raw`]: of((headers) => textOf(headers, 'content-type')),
    [`${root}.content_type.parameters`]: of((headers) => readParameters(textOf(headers, 'content-type'))),
    [`${root}.headers`]: readHeaders,
    [`${root}.Headers`]: of((headers) => toCanonicalNames(listTexts(headers))),
    [`${root}.location`]: of((headers) => textOf(headers, 'location')),
    [`${root}.trailers`]: () => ({}),
  }
}

function textOf(headers: HeaderFields, name: string): string {
  return toFieldText(headers.get(name) ?? '')
}

/**
 * Decodes each escape in a path separately, because an invalid escape or invalid UTF-8 must not hide other escapes from a rule that denies
 * a path.
 */
function decode(path: string): string {
  return path.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    const bytes = Uint8Array.from(escapes.slice(1).split('%'), (byte) => Number.parseInt(byte, 16))
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  })
}

function toLists(query: string): Record<string, string[]> {
  const parameters = new URLSearchParams(query)
  return Object.fromEntries([...parameters.keys()].map((name) => [name, parameters.getAll(name)]))
}

function splitList(text: string | undefined): string[] {
  return text === undefined ? [] : text.split(',').map((each) => each.trim())
}

function mediaType(text: string): string {
  return text.split(';', 1).join().trim().toLowerCase()
}

function readParameters(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split(';')
      .slice(1)
      .map((each) => {
        const [name = '', value = ''] = each.split('=').map((part) => part.trim())
        return [name.toLowerCase(), value.replace(/^"(.*)"$/, '$1')]
      }),
  )
}

/** Returns headers by Go's canonical names, such as `User-Agent`, which the older spelling uses. */
function toCanonicalNames(headers: Readonly<Record<string, readonly string[]>>) {
  const toCanonical = (name: string) => name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(headers).map(([name, values]) => [toCanonical(name), values]))
}

/** The default attributes of a cookie. The times are Go's zero times. */
const NO_ATTRIBUTES = {
  ...{ domain: '', path: '', same_site: '', secure: false, http_only: false, unparsed_attributes: {} },
  ...{ expires: parseTimestamp('0001-01-01T00:00:00Z'), max_age: new Duration(0n) },
}
/** The attributes that have separate fields. */
const ATTRIBUTES = ['domain', 'expires', 'httponly', 'max-age', 'path', 'samesite', 'secure']

type Cookies = Readonly<Record<string, readonly object[]>>

/** Reads the cookies of a request (RFC 6265, section 5.4). */
function readCookies(headers: HeaderFields): Cookies {
  const pairs = headers.all('cookie').flatMap((line) => toFieldText(line).split(';'))
  return collectCookies(pairs.map((pair) => ({ ...NO_ATTRIBUTES, ...readPair(pair) })))
}

/** Reads the cookies of a response (RFC 6265, section 5.2). Among cookies with the same name, the one with the longest path comes first. */
function readSetCookies(headers: HeaderFields): Cookies {
  const cookies = headers.all('set-cookie').map((line) => {
    const [pair = '', ...rest] = toFieldText(line).split(';')
    const attributes = rest.map(readPair)
    const all = new Map(attributes.map(({ name, value }) => [name.toLowerCase(), value]))
    const [ends, age] = [Date.parse(all.get('expires') ?? ''), all.get('max-age') ?? '']
    const unparsed = attributes.filter(({ name }) => name !== '' && !ATTRIBUTES.includes(name.toLowerCase()))
    return {
      ...NO_ATTRIBUTES,
      ...readPair(pair),
      domain: all.get('domain') ?? '',
      path: all.get('path') ?? '',
      same_site: all.get('samesite') ?? '',
      secure: all.has('secure'),
      http_only: all.has('httponly'),
      ...(ends >= 0 && ends <= LATEST_TIME && { expires: Timestamp.fromMs(ends) }),
      ...(/^-?\d{1,9}$/.test(age) && { max_age: parseDuration(`${age}s`) }),
      unparsed_attributes: Object.fromEntries(unparsed.map(({ name, value }) => [name, value])),
    }
  })
  return collectCookies(cookies.sort((a, b) => b.path.length - a.path.length))
}

function readPair(text: string): { name: string; value: string } {
  const [name = '', ...rest] = text.split('=')
  return { name: name.trim(), value: rest.join('=').trim() }
}

function collectCookies(all: readonly { readonly name: string; readonly value: string }[]): Cookies {
  const names = new Set(all.map(({ name }) => name).filter((name) => name !== ''))
  return Object.fromEntries([...names].map((name) => [name, all.filter((each) => each.name === name)]))
}
