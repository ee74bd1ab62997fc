import { utf8Text } from '../core/schema/platform.ts'
import { formatCount } from '../core/schema/text.ts'
import { isObject } from '../core/schema/values.ts'
import { type DialectName, dialectNames, dialects } from '../service/resources/dialects.ts'
import { type ApiRequest, type Exchange, tryParseJson } from './exchange.ts'
import { ABSENT_HEADER, type RecordedExchange, type Recording, type RecordingInfo } from './har.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * Reads a HAR file: a recording of fauxgate, or one of another program, such as a browser or a proxy.
 * @throws Error that says what is missing.
 */
export function parseHar(text: string, file: string): Recording {
  const har = tryParseJson(text)
  if (har === undefined) throw new Error(`${file} is not JSON. Allowed: a HAR 1.2 file.`)
  const log = requirePart(har, 'log', file)
  const entries = (Array.isArray(log.entries) ? log.entries : []).map((each) => parseEntry(each, file))
  return isObject(log._fauxgate)
    ? readOwnRecording(log._fauxgate, entries, file)
    : readOtherRecording(log, entries, file)
}

function requirePart(value: unknown, name: string, file: string): Json {
  const part = isObject(value) ? value[name] : undefined
  if (isObject(part)) return part
  throw new Error(`${file} has no ${name}. Allowed: a HAR 1.2 file.`)
}

/** Reads a recording that fauxgate has written. */
function readOwnRecording(info: Json, exchanges: readonly RecordedExchange[], file: string): Recording {
  if (info.format !== 1)
    throw new Error(
      `${file} has the format ${JSON.stringify(info.format)}. Allowed: 1. Update fauxgate, or record it again with this version.`,
    )
  const { client = '', version = '', dialect = '', url = '', replaced = [] } = info as Partial<RecordingInfo> // It wrote them itself.
  const headersOf = ({ request: { headers = {} } }: RecordedExchange) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value === ABSENT_HEADER ? null : value]))
  return {
    info: { format: 1, client, version, dialect, url, replaced },
    exchanges: exchanges.map((each) => withPathBelow(url, each, headersOf(each))),
  }
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']

/** Reads a HAR file of another program: the requests to the host whose responses look like this API. */
function readOtherRecording(log: Json, exchanges: readonly RecordedExchange[], file: string): Recording {
  const first = exchanges.find((each) => dialectOf(each) !== undefined)
  const dialect = first && dialectOf(first)
  if (!dialect) throw new Error(`${file} has no request to this API: ${reasonWithoutApi(exchanges)}.`)
  const url = new URL(first.request.path).origin
  const apiExchanges = exchanges.filter(
    ({ request, response }) =>
      request.path.startsWith(`${url}/`) &&
      METHODS.includes(request.method) &&
      dialectOf({ request, response }) === dialect,
  )
  const { name = 'Another program', version = '' } = isObject(log.creator) ? log.creator : {}
  const leftOut = exchanges.length - apiExchanges.length
  return {
    info: { format: 1, client: '', version: '', dialect, url, replaced: [] },
    exchanges: apiExchanges
      .map((each) => withPathBelow(url, each, apiHeaders(each, dialect)))
      .sort((one, other) => one.at - other.at),
    warnings: [
      `${`${name} ${version}`.trim()} wrote the file: the client is unknown, and so is its version; no secret was replaced`,
      ...(leftOut > 0 ? [`${formatCount(leftOut, 'request')} left out: not of this API`] : []),
    ],
  }
}

const dialectHeaders = ({ versionHeader, operationIdHeader }: (typeof dialects)[DialectName]) => [
  versionHeader,
  operationIdHeader,
]

/** Returns the dialect whose headers a request or its response has. */
function dialectOf({ request, response }: Exchange): DialectName | undefined {
  const received = { ...request.headers, ...response.headers }
  return dialectNames.find((name) => dialectHeaders(dialects[name]).some((header) => header.toLowerCase() in received))
}

function reasonWithoutApi(exchanges: readonly RecordedExchange[]): string {
  const headers = Object.values(dialects).flatMap(dialectHeaders)
  const hosts = [...new Set(exchanges.flatMap(({ request }) => new URL(request.path).host || []))]
  const named = `${hosts.slice(0, 3).join(', ')}${hosts.length > 3 ? ', …' : ''}`
  return `none has a header ${headers.join(', ')}. ${named === '' ? 'It names no host' : `Its hosts are ${named}`}`
}

/** Returns the headers that the API reads. Without `authorization` in the file, a replay sends the usual key. */
function apiHeaders({ request: { headers = {}, body } }: Exchange, dialect: DialectName): ApiRequest['headers'] {
  const version = dialects[dialect].versionHeader.toLowerCase()
  const { authorization, 'content-type': type } = headers
  return {
    [version]: headers[version] ?? null,
    ...(authorization !== undefined && { authorization }),
    ...(body !== undefined && { 'content-type': type ?? null }),
  }
}

/** Returns an exchange with other headers, and with the path of its request below a base URL. */
function withPathBelow(base: string, { at, request, response }: RecordedExchange, headers: ApiRequest['headers']) {
  const path = request.path.startsWith(base) ? request.path.slice(base.length) : request.path
  return { at, request: { ...request, path, headers }, response }
}

/** Reads an entry. The path of its request is the whole URL. */
function parseEntry(value: unknown, file: string): RecordedExchange {
  const whole = isObject(value) ? value : {}
  const [request, response] = [requirePart(whole, 'request', file), requirePart(whole, 'response', file)]
  const url = String(request.url)
  if (!URL.canParse(url)) throw new Error(`${file} has a request without a URL. Allowed: a HAR 1.2 file.`)
  const at = Date.parse(String(whole.startedDateTime))
  if (Number.isNaN(at)) throw new Error(`${file} has a request without a startedDateTime. Allowed: a HAR 1.2 file.`)
  const status = Number(response.status)
  const isEmpty = status === 204 || status === 304 || request.method === 'HEAD'
  const sent = parseBody(request.postData, Math.max(0, Number(request.bodySize) || 0))
  const { text = '', binary } = parseBody(response.content, isEmpty ? 0 : Number(response.bodySize))
  return {
    at,
    request: {
      method: String(request.method),
      path: new URL(url).href,
      headers: parseHeaders(request.headers),
      body: sent.text,
      binary: sent.binary,
    },
    response: { status, headers: parseHeaders(response.headers), text, body: tryParseJson(text), binary },
  }
}

function parseHeaders(value: unknown): Record<string, string> {
  const list = Array.isArray(value) ? value.filter(isObject) : []
  return Object.fromEntries(list.map(({ name, value: text }) => [String(name).toLowerCase(), String(text)]))
}

/**
 * Reads a body: its text, or the size of one without a text in the file. `sent` is its size in bytes on the way; 0 if
 * there was none, and negative if nobody knows.
 */
function parseBody(value: unknown, sent: number): { readonly text?: string; readonly binary?: number } {
  const { text, encoding, size = sent, _binary: binary } = isObject(value) ? value : {}
  if (typeof binary === 'number') return { binary }
  if (typeof text !== 'string') return size === 0 || sent === 0 ? {} : { binary: Number(size) }
  if (encoding !== 'base64') return text === '' ? {} : { text }
  try {
    const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0))
    return { text: utf8Text(bytes) }
  } catch {
    return { binary: text.length }
  }
}
