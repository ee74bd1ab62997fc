import { isObject } from '../core/schema/values.ts'

/** A request and its response, in the form that runs compare and recordings store. */
export interface Exchange {
  readonly request: ApiRequest
  readonly response: ApiResponse
}

/** A request as it was sent, without the key. */
export interface ApiRequest {
  readonly method: string
  /** The path and query under the base URL. */
  readonly path: string
  /** The body as text, if any. */
  readonly body?: string | undefined
  /** The size in bytes of a body that is not text or is too long. Such a body is not stored. */
  readonly binary?: number | undefined
  /** Headers in addition to the standard headers, or null for a standard header that was omitted. */
  readonly headers?: Readonly<Record<string, string | null>> | undefined
}

/** A response that was read in full. */
export interface ApiResponse {
  readonly status: number
  /** The headers, by lowercase name. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The JSON of the body, or undefined if the body is empty or not JSON. */
  readonly body: unknown
  /** The size in bytes of a body that is not text or is too long. Such a body is not stored. */
  readonly binary?: number | undefined
}

const MAX_RESPONSE_BYTES = 20_000_000

/**
 * Reads a response in full. @throws UnreadableResponse if it exceeds {@link MAX_RESPONSE_BYTES}, and any error from reading the body.
 */
export async function readResponse(response: Response): Promise<ApiResponse> {
  const text = response.body === null ? '' : await readText(response.body)
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text,
    body: tryParseJson(text),
  }
}

/** The error for a response that is not read in full. Its message does not contain any of the response's text. */
export class UnreadableResponse extends Error {}

async function readText(body: ReadableStream<Uint8Array>): Promise<string> {
  // `Response.text` would hide a byte order mark, and read without a limit.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const parts: string[] = []
  let size = 0
  const reader = body.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.byteLength
    if (size > MAX_RESPONSE_BYTES) {
      await reader.cancel()
      throw new UnreadableResponse(`the response is larger than ${MAX_RESPONSE_BYTES / 1_000_000} MB`)
    }
    parts.push(decoder.decode(next.value, { stream: true }))
  }
  return parts.join('') + decoder.decode()
}

/** The character that some programs write before a string. It is not part of JSON. */
export const BYTE_ORDER_MARK = '\ufeff'

/** Returns the JSON value of a string, or undefined if it is not JSON. A leading byte order mark is ignored. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text)
  } catch {
    return undefined
  }
}

/** Parses a string as a JSON object or array. Returns undefined if it is neither, or is nested too deeply. */
export function parseObjectOrArray(text: string): unknown {
  const value = /^\s*[{[]/.test(text) ? tryParseJson(text) : undefined
  return isTooDeep(value) ? undefined : value
}

/** The maximum nesting of a body that is read. Functions that recurse for each level would otherwise overflow the stack. */
const MAX_DEPTH = 128

function isTooDeep(value: unknown): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []))
  }
  return false
}

/** Returns the media type of a response without parameters, or an empty string. */
export function mediaTypeOf({ headers }: ApiResponse): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

/** Returns the code and the message of an error response, if present. */
export function errorOf({ body }: ApiResponse): { readonly error_code?: unknown; readonly msg?: unknown } {
  return isObject(body) ? body : {}
}

/** Returns the text of a body field, or undefined if there is none. */
export function textAt({ body }: ApiResponse, field: string): string | undefined {
  const value = isObject(body) ? body[field] : undefined
  return typeof value === 'string' ? value : undefined
}
