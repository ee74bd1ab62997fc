import type { RawCommit } from '../engine/commits.ts'
import type { Change, Commit } from '../operation/collection.ts'
import type { Operation } from '../operation/operation.ts'
import type { RequestBody } from '../schema/body.ts'

/** A request and its response as they came, from which an entry of the journal is made when somebody looks at it. */
export interface Exchange {
  readonly operationId: string
  readonly operation: Operation | null
  readonly method: string
  readonly path: string
  readonly query: string
  readonly authorization: string
  readonly now: number
  /** Names and values in turn. */
  readonly requestHeaders: readonly string[]
  readonly request: RequestBody | CutBody
  readonly status: number
  readonly responseHeaders: Readonly<Record<string, string>>
  readonly response: string | CutBody | null
  readonly commit: RawCommit | Commit | null
  readonly fault: string | null
}

/** The beginning of a body that is too long for the journal. */
export interface CutBody {
  readonly start: string
  /** The length of the whole body, in characters. */
  readonly length: number
}

/** The most characters that the journal has of one text. */
export const LONGEST_TEXT = 65_536

/** The most bytes that the records of one commit may take. */
const MOST_OF_COMMIT = 131_072

const BYTES_OF_ENTRY = 512
const BYTES_OF_OBJECT = 64
const BYTES_OF_VALUE = 16
export const BYTES_OF_CHARACTER = 2

/** Cuts an exchange to what the journal has room for, and counts its bytes there. */
export function withinLimits(exchange: Exchange): { readonly exchange: Exchange; readonly bytes: number } {
  const isLong = charactersOf(exchange) > LONGEST_TEXT
  const bytes = weightOfCommit(exchange.commit)
  const isHeavy = bytes > MOST_OF_COMMIT
  if (!isLong && !isHeavy) return { exchange, bytes: bytes + bytesOfTexts(exchange) }
  const texts = isLong ? cut(exchange) : exchange
  const commit = isHeavy && exchange.commit ? lightCommit(exchange.commit) : exchange.commit
  return { exchange: { ...texts, commit }, bytes: weightOfCommit(commit) + bytesOfTexts(texts) }
}

function bytesOfTexts(exchange: Exchange): number {
  return BYTES_OF_ENTRY + BYTES_OF_CHARACTER * charactersOf(exchange)
}

function charactersOf(exchange: Exchange): number {
  const { method, path, query, authorization, requestHeaders, request, responseHeaders, response } = exchange
  let length = method.length + path.length + query.length + authorization.length
  length += lengthOf(request) + lengthOf(response)
  for (const text of requestHeaders) length += text.length
  for (const name in responseHeaders) length += name.length + (responseHeaders[name]?.length ?? 0)
  return length
}

function lengthOf(body: Exchange['request' | 'response']): number {
  if (typeof body === 'string') return body.length
  return body && 'start' in body ? body.start.length : 0
}

function cut(exchange: Exchange): Exchange {
  const { method, path, query, authorization, requestHeaders, request, responseHeaders, response } = exchange
  return {
    ...exchange,
    method: cutText(method),
    path: cutText(path),
    query: cutText(query),
    authorization: cutText(authorization),
    requestHeaders: cutHeaders(requestHeaders),
    request: typeof request === 'string' ? cutBody(request) : request,
    responseHeaders: Object.fromEntries(Object.entries(responseHeaders).map(([name, text]) => [name, cutText(text)])),
    response: typeof response === 'string' ? cutBody(response) : response,
  }
}

/** Copies the beginning of a text: a slice would keep all of the text in memory. */
function beginning(text: string): string {
  return JSON.parse(JSON.stringify(text.slice(0, LONGEST_TEXT)))
}

function cutBody(text: string): string | CutBody {
  const start = beginning(text)
  return start.length === text.length ? start : { start, length: text.length }
}

function cutText(text: string): string {
  const start = beginning(text)
  return start.length === text.length ? start : `${start}…${cutNote(start.length, text.length)}`
}

export function cutNote(length: number, whole: number): string {
  return ` [cut: ${length} of ${whole} characters]`
}

/** Keeps headers that together are no longer than one text, and counts the others. */
function cutHeaders(headers: readonly string[]): string[] {
  const fitting: string[] = []
  let length = 0
  for (let at = 0; at < headers.length; at += 2) {
    const pair = headers.slice(at, at + 2)
    length += pair.join('').length
    if (length > LONGEST_TEXT) return [...fitting, '…', `[cut: ${at / 2} of ${headers.length / 2} headers]`]
    fitting.push(...pair.map(beginning))
  }
  return fitting
}

function weightOfCommit(commit: Exchange['commit']): number {
  let bytes = 0
  for (const { before, after } of commit?.changes ?? []) bytes += weightOf(before) + weightOf(after)
  return bytes
}

function lightCommit(commit: RawCommit | Commit): Commit {
  const shown = 'shown' in commit ? commit.shown() : commit
  const most = MOST_OF_COMMIT / (2 * shown.changes.length)
  const light = (record: object | undefined) =>
    weightOf(record) > most ? { cut: `a record of more than ${most} bytes` } : record
  const changes = shown.changes.map(
    (change): Change => ({ ...change, before: light(change.before), after: light(change.after) }),
  )
  return { ...shown, changes }
}

function weightOf(value: unknown): number {
  if (typeof value === 'string') return BYTES_OF_CHARACTER * value.length
  if (typeof value !== 'object' || value === null) return 0
  let bytes = BYTES_OF_OBJECT
  const isList = Array.isArray(value)
  for (const name in value) {
    const inner = (value as Record<string, unknown>)[name] // Its own name.
    bytes += BYTES_OF_VALUE + (isList ? 0 : BYTES_OF_CHARACTER * name.length) + weightOf(inner)
  }
  return bytes
}
