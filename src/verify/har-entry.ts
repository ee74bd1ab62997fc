import { utf8Text } from '../core/schema/platform.ts'
import { isObject } from '../core/schema/values.ts'
import { type ApiRequest, type ApiResponse, parseObjectOrArray, tryParseJson } from './exchange.ts'
import type { RecordedExchange } from './har.ts'

type Json = Readonly<Record<string, unknown>>

/** The head of a HAR entry. It shows whether the entry belongs to this API. */
export interface EntryHead {
  /** The one-based number of the entry in the file. */
  readonly number: number
  /** The method, in uppercase. */
  readonly method: string
  /** The complete URL, or undefined if the entry has none. */
  readonly url: URL | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly responseHeaders: Readonly<Record<string, string>>
  readonly entry: Json
}

/** Reads the head of an entry. It doesn't throw, even if the entry is invalid. */
export function readHead(value: unknown, number: number): EntryHead {
  const entry = isObject(value) ? value : {}
  const request = partOf(entry.request)
  const url = typeof request.url === 'string' && URL.canParse(request.url) ? new URL(request.url) : undefined
  return {
    number,
    method: typeof request.method === 'string' ? request.method.toUpperCase() : '',
    url: url && /^https?:$/.test(url.protocol) ? url : undefined,
    headers: parseHeaders(request.headers),
    responseHeaders: parseHeaders(partOf(entry.response).headers),
    entry,
  }
}

const partOf = (value: unknown): Json => (isObject(value) ? value : {})

function parseHeaders(value: unknown): Record<string, string> {
  const list = Array.isArray(value) ? value.filter(isObject) : []
  return Object.fromEntries(list.map(({ name, value: text }) => [String(name).toLowerCase(), String(text)]))
}

const FIRST_TIME = Date.parse('1970-01-01T00:00:00Z')
const LAST_TIME = Date.parse('9999-12-31T23:59:59Z')

/** The methods of requests to this API. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']

/**
 * Reads an exchange. `missing` says why the entry cannot be compared. In files from other programs (`isForeign`), a size of -1 means that
 * the size is unknown.
 */
export function readExchange(
  { number, method, url, headers, responseHeaders, entry }: EntryHead,
  path: string,
  sentHeaders: ApiRequest['headers'],
  isForeign: boolean,
): RecordedExchange {
  const time = Date.parse(String(entry.startedDateTime))
  const isKnown = time >= FIRST_TIME && time <= LAST_TIME
  const sent = partOf(entry.request)
  const received = partOf(entry.response)
  const body = parsePostData(sent.postData)
  const content = parseContent(received, method, isForeign)
  const { text = '', binary } = content
  const request: ApiRequest = { method, path, headers: sentHeaders, body: body.text, binary: body.binary }
  const response: ApiResponse = {
    status: typeof received.status === 'number' ? received.status : 0,
    headers: responseHeaders,
    text,
    body: tryParseJson(text),
    binary,
  }
  const reasons = [
    ...(url ? [] : ['its request has no http or https URL']),
    ...(isKnown ? [] : ['its startedDateTime is not a time in the years 1970 to 9999']),
    ...(isObject(entry.response) ? [] : ['it has no response']),
    ...(typeof received.status === 'number' ? [] : ['its response has no status']),
    unsendableReason(request, headers),
    body.missing,
    ...(isForeign ? [unknownBodyReason(request, sent, headers)] : []),
    content.missing,
  ]
  const missing = reasons.find((reason) => reason !== undefined)
  return { number, at: isKnown ? time : 0, request, response, ...(missing !== undefined && { missing }) }
}

/** Returns why a client cannot send a request, or undefined if it can. The text does not repeat headers. */
function unsendableReason({ method, body }: ApiRequest, headers: Readonly<Record<string, string>>): string | undefined {
  if (!METHODS.includes(method)) return 'requests with its method are not compared'
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) return `a ${method} with a body cannot be sent`
  if (body !== undefined && isTooDeep(body)) return 'its body is nested too deeply'
  return Object.entries(headers).every(isHeader) ? undefined : 'it has a header that cannot be sent'
}

function isTooDeep(body: string): boolean {
  return typeof tryParseJson(body) === 'object' && tryParseJson(body) !== null && parseObjectOrArray(body) === undefined
}

/** Returns whether a header can be sent. HTTP/2 pseudo-headers, such as `:authority`, are omitted. */
function isHeader([name, value]: readonly [string, string]): boolean {
  if (name.startsWith(':')) return true
  try {
    new Headers([[name, value]])
    return true
  } catch {
    return false
  }
}

/** Returns why it is unknown whether a request had a body, or undefined if it is known. */
function unknownBodyReason({ method, body }: ApiRequest, sent: Json, headers: Readonly<Record<string, string>>) {
  const takesBody = method === 'POST' || method === 'PUT' || method === 'PATCH'
  const isKnown = body !== undefined || headers['content-length'] === '0' || sent.bodySize === 0
  return takesBody && !isKnown ? NO_TEXT : undefined
}

const NO_TEXT = 'the text of a body is not in the recording'
const OTHER_FILE = "its body is in another file: record with content: 'embed'"

interface Body {
  readonly text?: string
  /** The size in bytes of a body that is not text. */
  readonly binary?: number
  readonly missing?: string
}

/** Reads a request body: its text, or the fields of a form. */
function parsePostData(value: unknown): Body {
  if (!isObject(value)) return {}
  const { text, params, mimeType, _binary: binary, _file: file } = value
  if (typeof binary === 'number') return { binary }
  if (typeof text === 'string' && text !== '') return { text }
  if (file !== undefined) return { missing: OTHER_FILE }
  if (!Array.isArray(params) || params.length === 0) return {}
  if (!String(mimeType).startsWith('application/x-www-form-urlencoded')) return { missing: NO_TEXT }
  const fields = params.filter(isObject).map(({ name, value = '' }) => [String(name), String(value)])
  return { text: String(new URLSearchParams(fields)) }
}

/** Reads a response body. */
function parseContent(response: Json, method: string, isForeign: boolean): Body {
  const { status, bodySize, _error: error } = response
  const { text, encoding, size, _binary: binary, _file: file } = partOf(response.content)
  if (typeof binary === 'number') return { binary }
  if (file !== undefined && typeof text !== 'string') return { missing: OTHER_FILE }
  if (typeof text === 'string' && text !== '') return encoding === 'base64' ? decode(text) : { text }
  const isEmpty = status === 204 || status === 304 || method === 'HEAD'
  if (isEmpty || !isForeign) return {}
  const length = Number(parseHeaders(response.headers)['content-length'] ?? 0)
  const isUnread = error !== undefined || length > 0 || (size === 0 && bodySize === -1)
  if (isUnread) return { missing: 'its response was not read to the end' }
  return typeof size === 'number' && size > 0 ? { binary: size } : {}
}

/** Decodes a Base64 body. Some programs mark JSON as encoded even though it isn't. */
function decode(text: string): Body {
  if (parseObjectOrArray(text) !== undefined) return { text }
  try {
    const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0))
    return { text: utf8Text(bytes) }
  } catch {
    return { binary: text.length }
  }
}
