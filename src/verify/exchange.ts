import { isObject } from '../schema/values.ts'

/** A request and its answer: what a run compares, what a recording keeps, and what a replay sends again. */
export interface Exchange {
  readonly request: AskedRequest
  readonly response: Answer
}

/** A request as it was sent, without the key. */
export interface AskedRequest {
  readonly method: string
  /** The path and query below the base URL. */
  readonly path: string
  /** The text of the body, if there was one. */
  readonly body?: string | undefined
  /** The size in bytes of a body that is no text. Such a body is not kept. */
  readonly binary?: number | undefined
  /** Headers beside those of every request; null for a usual one that was left out. */
  readonly headers?: Readonly<Record<string, string | null>> | undefined
}

/** An answer that was read to its end. */
export interface Answer {
  readonly status: number
  /** The headers, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The JSON of the body; undefined if the body is empty or no JSON. */
  readonly body: unknown
  /** The size in bytes of a body that is no text. Such a body is not kept. */
  readonly binary?: number | undefined
}

/** The most characters of an answer that are read. */
const LONGEST_ANSWER = 20_000_000

/**
 * Reads a response to its end.
 * @throws Error if it is longer than {@link LONGEST_ANSWER}, and what the reading of the body throws.
 */
export async function answerOf(response: Response): Promise<Answer> {
  // `text()` would hide a byte order mark.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer())
  if (text.length > LONGEST_ANSWER) throw new Error(`The answer has more than ${LONGEST_ANSWER} characters.`)
  return { status: response.status, headers: Object.fromEntries(response.headers), text, body: jsonOf(text) }
}

/** Begins a text of some programs, and is no JSON. */
export const BYTE_ORDER_MARK = '\ufeff'

/** Returns the JSON of a text, or undefined if it is none. A byte order mark before it is left out. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text)
  } catch {
    return undefined
  }
}

/** Returns the object or list that a text is as JSON, or undefined if it is none. */
export function containerIn(text: string): unknown {
  return /^\s*[{[]/.test(text) ? jsonOf(text) : undefined
}

/** Returns the media type of an answer without parameters, or an empty text. */
export function mediaTypeOf({ headers }: Answer): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

/** Returns the code and the message of an error's answer, as far as it has them. */
export function errorOf({ body }: Answer): { readonly error_code?: unknown; readonly msg?: unknown } {
  return isObject(body) ? body : {}
}
