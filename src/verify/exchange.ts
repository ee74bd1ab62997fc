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
  /** The JSON of the body; undefined where the body is empty or no JSON. */
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
  const text = await response.text()
  if (text.length > LONGEST_ANSWER) throw new Error(`The answer has more than ${LONGEST_ANSWER} characters.`)
  return { status: response.status, headers: Object.fromEntries(response.headers), text, body: jsonOf(text) }
}

/** Returns the JSON of a text, or undefined if it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the media type of an answer without parameters, or an empty text. */
export function mediaTypeOf({ headers }: Answer): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

/** Returns the code and the message of an error's answer, as far as it has them. */
export function errorOf({ body }: Answer): { readonly error_code?: unknown; readonly msg?: unknown } {
  return typeof body === 'object' && body !== null ? body : {}
}
