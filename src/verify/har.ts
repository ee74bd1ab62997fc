import { isObject } from '../schema/values.ts'
import { type Exchange, jsonOf } from './exchange.ts'

/** An exchange with its time. */
export interface RecordedExchange extends Exchange {
  /** The time of the request, in ms since 1970. */
  readonly at: number
}

/** Where a recording comes from. */
export interface RecordingFacts {
  /** The version of this format. */
  readonly format: 1
  /** The program that sent the requests, such as `fauxgate verify`. */
  readonly client: string
  /** The version of that program. */
  readonly version: string
  readonly dialect: string
  /** The base URL of the service. */
  readonly url: string
  /** What was replaced, by its kind, each value once. */
  readonly replaced: readonly Replaced[]
}

/** A value that was replaced. */
export interface Replaced {
  readonly kind: 'secret' | 'id' | 'name' | 'address'
  /** Its replacement. */
  readonly placeholder: string
  /** The number of places. */
  readonly times: number
}

/** A recording: the requests and answers, in order. */
export interface Recording {
  readonly facts: RecordingFacts
  readonly exchanges: readonly RecordedExchange[]
}

/** Writes a recording as HAR 1.2. */
export function harText({ facts, exchanges }: Recording): string {
  const creator = { name: 'fauxgate', version: facts.version }
  const log = { version: '1.2', creator, _fauxgate: facts, entries: exchanges.map((each) => entryOf(each, facts)) }
  return `${JSON.stringify({ log }, null, 1)}\n`
}

const UNKNOWN = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1, bodySize: -1 }

function entryOf({ at, request, response }: RecordedExchange, { url }: RecordingFacts): object {
  const { method, path, body, binary, headers = {} } = request
  const address = new URL(url + path)
  const { 'content-type': mimeType = '' } = response.headers
  return {
    startedDateTime: new Date(at).toISOString(),
    time: 0,
    request: {
      ...UNKNOWN,
      method,
      url: address.href,
      headers: pairs(Object.entries(headers).map(([name, value]) => [name, value ?? LEFT_OUT])),
      queryString: pairs([...address.searchParams]),
      ...((body !== undefined || binary !== undefined) && {
        postData: { mimeType: headers['content-type'] ?? 'application/json', text: body ?? '', ...notKept(binary) },
      }),
    },
    response: {
      ...UNKNOWN,
      status: response.status,
      statusText: '',
      headers: pairs(Object.entries(response.headers)),
      redirectURL: '',
      content:
        response.binary === undefined
          ? { size: response.text.length, mimeType, text: response.text }
          : { size: response.binary, mimeType, ...notKept(response.binary) },
    },
    cache: {},
    timings: { send: 0, wait: 0, receive: 0 },
  }
}

/** The fields of a body that is no text. */
function notKept(bytes: number | undefined): object {
  return bytes === undefined
    ? {}
    : { _binary: bytes, comment: `The body, ${bytes} bytes, is no text and was not kept.` }
}

/** The value of a usual header that a request was sent without. */
const LEFT_OUT = ''

function pairs(all: readonly (readonly [string, string])[]): object[] {
  return all.map(([name, value]) => ({ name, value }))
}

/**
 * Reads a recording.
 * @throws Error that says what it is not.
 */
export function recordingIn(text: string, file: string): Recording {
  const log = partOf(parsed(text, file), 'log', file)
  const facts = partOf(log, '_fauxgate', file)
  if (facts.format !== 1)
    throw new Error(
      `${file} has the format ${JSON.stringify(facts.format)}. Allowed: 1. Update fauxgate, or record it again with this version.`,
    )
  const { client = '', version = '', dialect = '', url = '', replaced = [] } = facts as Partial<RecordingFacts> // It wrote them itself.
  const entries = Array.isArray(log.entries) ? log.entries : []
  const known: RecordingFacts = { format: 1, client, version, dialect, url, replaced }
  return { facts: known, exchanges: entries.map((entry) => exchangeOf(entry, known, file)) }
}

function parsed(text: string, file: string): Json {
  try {
    const value: unknown = JSON.parse(text)
    if (isJson(value)) return value
  } catch {
    // Said below.
  }
  throw new Error(
    `${file} is not JSON of a recording. Allowed: a HAR file of "fauxgate record" or "fauxgate verify --record".`,
  )
}

type Json = Readonly<Record<string, unknown>>

const isJson = (value: unknown): value is Json => isObject(value)

function partOf(value: Json, name: string, file: string): Json {
  const part = value[name]
  if (isJson(part)) return part
  throw new Error(`${file} has no ${name}. Allowed: a HAR file of "fauxgate record" or "fauxgate verify --record".`)
}

function exchangeOf(entry: unknown, { url }: RecordingFacts, file: string): RecordedExchange {
  const whole = isJson(entry) ? entry : {}
  const [request, response] = [partOf(whole, 'request', file), partOf(whole, 'response', file)]
  const content = isJson(response.content) ? response.content : {}
  const posted = isJson(request.postData) ? request.postData : undefined
  const text = String(content.text ?? '')
  const address = String(request.url)
  return {
    at: Date.parse(String(whole.startedDateTime)),
    request: {
      method: String(request.method),
      path: address.startsWith(url) ? address.slice(url.length) : address,
      headers: Object.fromEntries(
        headersIn(request.headers).map(([name, value]) => [name, value === LEFT_OUT ? null : value]),
      ),
      ...(posted && (binaryIn(posted) ?? { body: String(posted.text ?? '') })),
    },
    response: {
      status: Number(response.status),
      headers: Object.fromEntries(headersIn(response.headers)),
      text,
      body: jsonOf(text),
      ...binaryIn(content),
    },
  }
}

function headersIn(value: unknown): [string, string][] {
  const list = Array.isArray(value) ? value.filter(isJson) : []
  return list.map(({ name, value: text }) => [String(name).toLowerCase(), String(text)])
}

function binaryIn({ _binary: binary }: Json): { readonly binary: number } | undefined {
  return typeof binary === 'number' ? { binary } : undefined
}
