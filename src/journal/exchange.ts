import type { RawCommit } from '../engine/commits.ts'
import type { Operation } from '../operation/operation.ts'
import type { RequestBody } from '../schema/body.ts'

/** A request and its response, from which an entry of the journal is made when it is first read. */
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
  readonly request: RequestBody
  readonly status: number
  readonly responseHeaders: Readonly<Record<string, string>>
  readonly response: string | null
  readonly commit: RawCommit | null
  readonly fault: string | null
}

/** The most characters that the journal stores of a method, a path or a query. It stores these even of some dropped requests. */
const LONGEST_NAME = 65_536

const BYTES_OF_ENTRY = 512
const BYTES_OF_OBJECT = 64
const BYTES_OF_VALUE = 16
export const BYTES_OF_CHARACTER = 2

/** Returns the exchange with a method, a path and a query that are not too long. */
export function withShortNames(exchange: Exchange): Exchange {
  const { method, path, query } = exchange
  if (method.length + path.length + query.length <= LONGEST_NAME) return exchange
  return { ...exchange, method: cut(method), path: cut(path), query: cut(query) }
}

function cut(text: string): string {
  if (text.length <= LONGEST_NAME) return text
  // A copy: a slice would keep all of the text in memory.
  const start: string = JSON.parse(JSON.stringify(text.slice(0, LONGEST_NAME)))
  return `${start}… [cut: ${LONGEST_NAME} of ${text.length} characters]`
}

/** Returns how many bytes an exchange counts for in the journal. */
export function bytesOf(exchange: Exchange): number {
  const { method, path, query, authorization, requestHeaders, request, responseHeaders, response, commit } = exchange
  let length = method.length + path.length + query.length + authorization.length + (response?.length ?? 0)
  if (typeof request === 'string') length += request.length
  for (const text of requestHeaders) length += text.length
  for (const name in responseHeaders) length += name.length + (responseHeaders[name]?.length ?? 0)
  let bytes = BYTES_OF_ENTRY + BYTES_OF_CHARACTER * length
  for (const { before, after } of commit?.changes ?? []) bytes += weightOf(before) + weightOf(after)
  return bytes
}

function weightOf(value: unknown): number {
  if (typeof value === 'string') return BYTES_OF_CHARACTER * value.length
  if (typeof value !== 'object' || value === null) return 0
  let bytes = BYTES_OF_OBJECT
  for (const [name, inner] of Object.entries(value)) {
    bytes += BYTES_OF_VALUE + BYTES_OF_CHARACTER * name.length + weightOf(inner)
  }
  return bytes
}
