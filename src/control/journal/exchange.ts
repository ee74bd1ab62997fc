import type { RawCommit } from '../../core/engine/commits.ts'
import type { Operation } from '../../core/operation/operation.ts'
import type { RequestBody } from '../../core/schema/body.ts'

/** A request and its response. The journal entry is created from them when it is first read. */
export interface JournaledExchange {
  readonly operationId: string
  readonly operation: Operation | null
  readonly method: string
  readonly path: string
  readonly query: string
  readonly authorization: string
  readonly now: number
  /** Alternating names and values. */
  readonly requestHeaders: readonly string[]
  readonly request: RequestBody
  readonly status: number
  readonly responseHeaders: Readonly<Record<string, string>>
  readonly response: string | null
  readonly commit: RawCommit | null
  readonly fault: string | null
  /** The problem with the request, if the response does not state it. */
  readonly problem: string | undefined
}

/** The maximum number of characters that the journal stores of a method, path, or query. */
const MAX_NAME_LENGTH = 65_536

export const BYTES_PER_ENTRY = 512
const BYTES_PER_OBJECT = 64
const BYTES_PER_VALUE = 16
export const BYTES_PER_CHARACTER = 2

/** Returns the exchange with its method, path, and query truncated to {@link MAX_NAME_LENGTH} characters each. */
export function shortenNames(exchange: JournaledExchange): JournaledExchange {
  const { method, path, query } = exchange
  if (method.length + path.length + query.length <= MAX_NAME_LENGTH) return exchange
  return { ...exchange, method: cut(method), path: cut(path), query: cut(query) }
}

function cut(text: string): string {
  if (text.length <= MAX_NAME_LENGTH) return text
  // A copy, because a slice keeps all of the text in memory.
  const start: string = JSON.parse(JSON.stringify(text.slice(0, MAX_NAME_LENGTH)))
  return `${start}… [truncated: ${MAX_NAME_LENGTH} of ${text.length} characters]`
}

/** Estimates the memory, in bytes, that an exchange takes up in the journal. */
export function countBytes(exchange: JournaledExchange): number {
  const { method, path, query, authorization, requestHeaders, request, responseHeaders, response, commit } = exchange
  let length = method.length + path.length + query.length + authorization.length + (response?.length ?? 0)
  if (typeof request === 'string') length += request.length
  for (const text of requestHeaders) length += text.length
  for (const name in responseHeaders) length += name.length + (responseHeaders[name]?.length ?? 0)
  let bytes = BYTES_PER_ENTRY + BYTES_PER_CHARACTER * length
  for (const { before, after } of commit?.changes ?? []) bytes += countValueBytes(before) + countValueBytes(after)
  return bytes
}

/** Estimates the memory, in bytes, that a value takes up. A value that is in several places counts each time, as in JSON. */
export function countValueBytes(value: unknown): number {
  if (typeof value === 'string') return BYTES_PER_CHARACTER * value.length
  if (typeof value !== 'object' || value === null) return 0
  if (value instanceof Uint8Array) return value.length
  let bytes = BYTES_PER_OBJECT
  if (value instanceof Map) for (const entry of value) bytes += countValueBytes(entry)
  // Object.entries would create an array per field of each changed record of each request.
  for (const name in value) {
    bytes += BYTES_PER_VALUE + BYTES_PER_CHARACTER * name.length + countValueBytes(Reflect.get(value, name))
  }
  return bytes
}
