import { type DialectName, dialectNames, dialects } from '../resources/dialects.ts'
import { counted } from '../schema/text.ts'
import { isObject } from '../schema/values.ts'
import { jsonOf } from './exchange.ts'
import { LEFT_OUT, type RecordedExchange, type Recording, type RecordingFacts } from './har.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * Reads a HAR file: a recording of fauxgate, or one of another program, such as a browser or a proxy.
 * @throws Error that says what is missing.
 */
export function recordingIn(text: string, file: string): Recording {
  const whole = jsonOf(text)
  if (!isObject(whole)) throw new Error(`${file} is not JSON. Allowed: a HAR 1.2 file.`)
  const log = partOf(whole, 'log', file)
  const entries = (Array.isArray(log.entries) ? log.entries : []).map((each) => entryIn(each, file))
  return isObject(log._fauxgate) ? own(log._fauxgate, entries, file) : foreign(log, entries, file)
}

function partOf(value: Json, name: string, file: string): Json {
  const part = value[name]
  if (isObject(part)) return part
  throw new Error(`${file} has no ${name}. Allowed: a HAR 1.2 file.`)
}

/** Reads a recording that fauxgate has written. */
function own(facts: Json, entries: readonly Entry[], file: string): Recording {
  if (facts.format !== 1)
    throw new Error(
      `${file} has the format ${JSON.stringify(facts.format)}. Allowed: 1. Update fauxgate, or record it again with this version.`,
    )
  const { client = '', version = '', dialect = '', url = '', replaced = [] } = facts as Partial<RecordingFacts> // It wrote them itself.
  const headersOf = ({ headers }: Entry) => headers.map(([name, value]) => [name, value === LEFT_OUT ? null : value])
  return {
    facts: { format: 1, client, version, dialect, url, replaced },
    exchanges: entries.map((each) => exchangeOf(each, url, Object.fromEntries(headersOf(each)))),
  }
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']

/** Reads a HAR file of another program: the requests to the host whose answers look like this API. */
function foreign(log: Json, entries: readonly Entry[], file: string): Recording {
  const first = entries.find((each) => dialectOf(each) !== undefined)
  const dialect = first && dialectOf(first)
  if (!dialect) throw new Error(`${file} has no request to this API: ${reasonWithoutApi(entries)}.`)
  const url = new URL(first.url).origin
  const asked = entries.filter(
    (each) => each.url.startsWith(`${url}/`) && METHODS.includes(each.method) && dialectOf(each) === dialect,
  )
  const { name = 'Another program', version = '' } = isObject(log.creator) ? log.creator : {}
  const left = entries.length - asked.length
  return {
    facts: { format: 1, client: '', version: '', dialect, url, replaced: [] },
    exchanges: asked
      .map((each) => exchangeOf(each, url, apiHeaders(each, dialect)))
      .sort((one, other) => one.at - other.at || 0),
    warnings: [
      `${`${name} ${version}`.trim()} wrote the file: the client is unknown, and so is its version; no secret was replaced`,
      ...(left > 0 ? [`${counted(left, 'request')} left out: not of this API`] : []),
    ],
  }
}

const namesOf = ({ versionHeader, operationIdHeader }: (typeof dialects)[DialectName]) => [
  versionHeader,
  operationIdHeader,
]

/** Returns the dialect whose headers a request or its answer has. */
function dialectOf({ headers, answerHeaders }: Entry): DialectName | undefined {
  const received = [...headers, ...answerHeaders].map(([name]) => name)
  return dialectNames.find((name) => namesOf(dialects[name]).some((header) => received.includes(header.toLowerCase())))
}

function reasonWithoutApi(entries: readonly Entry[]): string {
  const headers = Object.values(dialects).flatMap(namesOf)
  const hosts = [...new Set(entries.map(({ url }) => new URL(url).host))]
  const of = hosts.length === 0 ? '' : ` Its hosts are ${hosts.slice(0, 3).join(', ')}${hosts.length > 3 ? ', …' : ''}`
  return `none has a header ${headers.join(', ')}.${of || ' It has no entries'}`
}

/** The headers that the API reads. A key that the program left out of the file was sent all the same. */
function apiHeaders({ headers, body }: Entry, dialect: DialectName): Readonly<Record<string, string | null>> {
  const all = Object.fromEntries(headers)
  const version = dialects[dialect].versionHeader.toLowerCase()
  const { authorization, 'content-type': type } = all
  return {
    [version]: all[version] ?? null,
    ...(authorization !== undefined && { authorization }),
    ...(body.text !== undefined && { 'content-type': type ?? null }),
  }
}

/** An entry of a HAR file. */
interface Entry {
  readonly at: number
  readonly method: string
  readonly url: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Body
  readonly status: number
  readonly answerHeaders: readonly (readonly [string, string])[]
  readonly answer: Body
}

/** A body: its text, or the size of one without a text in the file. */
interface Body {
  readonly text?: string
  readonly binary?: number
}

function entryIn(value: unknown, file: string): Entry {
  const whole = isObject(value) ? value : {}
  const [request, response] = [partOf(whole, 'request', file), partOf(whole, 'response', file)]
  const url = String(request.url)
  if (!URL.canParse(url)) throw new Error(`${file} has a request without a URL. Allowed: a HAR 1.2 file.`)
  const status = Number(response.status)
  const isEmpty = status === 204 || status === 304 || request.method === 'HEAD'
  return {
    at: Date.parse(String(whole.startedDateTime)),
    method: String(request.method),
    url: new URL(url).href,
    headers: headersIn(request.headers),
    body: bodyIn(request.postData, Math.max(0, Number(request.bodySize) || 0)),
    status,
    answerHeaders: headersIn(response.headers),
    answer: bodyIn(response.content, isEmpty ? 0 : Number(response.bodySize)),
  }
}

function exchangeOf(entry: Entry, base: string, headers: Readonly<Record<string, string | null>>): RecordedExchange {
  const { at, method, url, body, status, answerHeaders, answer } = entry
  const { text = '', binary } = answer
  return {
    at,
    request: {
      method,
      path: url.startsWith(base) ? url.slice(base.length) : url,
      headers,
      body: body.text,
      binary: body.binary,
    },
    response: { status, headers: Object.fromEntries(answerHeaders), text, body: jsonOf(text), binary },
  }
}

function headersIn(value: unknown): [string, string][] {
  const list = Array.isArray(value) ? value.filter(isObject) : []
  return list.map(({ name, value: text }) => [String(name).toLowerCase(), String(text)])
}

/** Reads a body. `sent` is its size in bytes on the way; 0 if there was none, and negative if nobody knows. */
function bodyIn(value: unknown, sent: number): Body {
  const { text, encoding, size = sent, _binary: binary } = isObject(value) ? value : {}
  if (typeof binary === 'number') return { binary }
  if (typeof text !== 'string') return size === 0 || sent === 0 ? {} : { binary: Number(size) }
  if (encoding !== 'base64') return text === '' ? {} : { text }
  try {
    const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0))
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { binary: text.length }
  }
}
