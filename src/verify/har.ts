import { utf8Length } from '../core/schema/platform.ts'
import type { Exchange } from './exchange.ts'

/** An exchange with its time. */
export interface RecordedExchange extends Exchange {
  /** The time of the request, in ms since the Unix epoch. */
  readonly at: number
  /** The one-based number of the entry in the file that it was read from. */
  readonly number?: number
  /** The reason that the exchange cannot be compared, determined when the file was read. */
  readonly missing?: string
}

/** The origin of a recording, and the values that were replaced in it. */
export interface RecordingInfo {
  /** The version of this format. */
  readonly format: 1
  /** The program that sent the requests, such as `fauxgate verify`. */
  readonly client: string
  /** The version of that program. */
  readonly version: string
  readonly dialect: string
  /** The base URL of the service. */
  readonly url: string
  /** The replaced values, each listed once, with its kind. */
  readonly replaced: readonly Replaced[]
}

/** A value that was replaced. */
export interface Replaced {
  readonly kind: 'secret' | 'id' | 'name' | 'address'
  /** Its replacement. */
  readonly placeholder: string
  /** The number of places where it was replaced. */
  readonly times: number
}

/** A recording: the requests and responses, in order. */
export interface Recording {
  readonly info: RecordingInfo
  readonly exchanges: readonly RecordedExchange[]
  /** Sentences about what is missing from the recording. */
  readonly warnings?: readonly string[]
}

/** Formats a recording as HAR 1.2. */
export function harText({ info, exchanges }: Recording): string {
  const creator = { name: 'fauxgate', version: info.version }
  const log = { version: '1.2', creator, _fauxgate: info, entries: exchanges.map((each) => entryOf(each, info)) }
  return `${JSON.stringify({ log }, null, 1)}\n`
}

const UNKNOWN_PARTS = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1, bodySize: -1 }

function entryOf({ at, request, response }: RecordedExchange, { url }: RecordingInfo): object {
  const { method, path, body, binary, headers = {} } = request
  const address = new URL(url + path)
  const { 'content-type': mimeType = '' } = response.headers
  return {
    startedDateTime: new Date(at).toISOString(),
    time: 0,
    request: {
      ...UNKNOWN_PARTS,
      method,
      url: address.href,
      headers: pairs(Object.entries(headers).map(([name, value]) => [name, value ?? ABSENT_HEADER])),
      queryString: pairs([...address.searchParams]),
      ...((body !== undefined || binary !== undefined) && {
        postData: { mimeType: headers['content-type'] ?? 'application/json', text: body ?? '', ...withoutText(binary) },
      }),
    },
    response: {
      ...UNKNOWN_PARTS,
      status: response.status,
      statusText: '',
      headers: pairs(Object.entries(response.headers)),
      redirectURL: '',
      content:
        response.binary === undefined
          ? { size: utf8Length(response.text), mimeType, text: response.text }
          : { size: response.binary, mimeType, ...withoutText(response.binary) },
    },
    cache: {},
    timings: { send: 0, wait: 0, receive: 0 },
  }
}

/** Returns the fields of a body that is not text or is too long. */
function withoutText(bytes: number | undefined): object {
  return bytes === undefined
    ? {}
    : { _binary: bytes, comment: `The body (${bytes} bytes) is not text or is too long, so it was not kept.` }
}

/** The value of a standard header that was not sent with a request. */
export const ABSENT_HEADER = ''

function pairs(all: readonly (readonly [string, string])[]): object[] {
  return all.map(([name, value]) => ({ name, value }))
}
