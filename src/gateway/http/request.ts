import { readParameters } from '../../core/operation/list.ts'
import type { Operation } from '../../core/operation/operation.ts'
import { MAX_BODY_BYTES, requireJsonObject } from '../../core/schema/body.ts'
import type { CommonDialect } from '../../core/schema/dialect.ts'
import { refuse } from '../../core/schema/errors.ts'
import { general } from '../../core/schema/general-errors.ts'
import { locateJsonProblem } from '../../core/schema/json-text.ts'
import { utf8Length } from '../../core/schema/platform.ts'
import { formatPath, quote } from '../../core/schema/text.ts'
import type { HttpRequest } from './messages.ts'

/** Reads the parameters of a query. Throws an error for a repeated parameter (rules: requests#query). */
export function parseQuery(query: string): Record<string, string>
/** Parameters named in `lists` are read as lists of values, because a query can repeat them. */
export function parseQuery(query: string, lists: readonly string[]): Record<string, string | string[]>
export function parseQuery(query: string, lists: readonly string[] = []): Record<string, string | string[]> {
  const parameters: Record<string, string | string[]> = {}
  if (query === '') return parameters
  const sent = new URLSearchParams(query)
  for (const name of lists) {
    if (sent.has(name)) parameters[name] = sent.getAll(name)
    sent.delete(name)
  }
  for (const [name, value] of sent) {
    if (Object.hasOwn(parameters, name))
      refuse(general.query_repeated, { field: formatPath([name]), received: quote(name) })
    Object.defineProperty(parameters, name, { value, enumerable: true })
  }
  return parameters
}

const NO_PARAMETERS = Object.freeze({})

/** Reads an operation's query. Throws an error for parameters if the operation doesn't take any. */
export function readQuery(operation: Operation, query: string, dialect: CommonDialect): object {
  if (query === '') return NO_PARAMETERS
  const parameters = parseQuery(query, Object.keys(operation.matching ?? {}))
  if (!operation.query) readParameters(parameters, [], dialect)
  return parameters
}

const JSON_TYPE = 'application/json'
const METHODS_WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/** Reads the JSON object in a request's body (rules: requests#body). A missing body counts as an empty object. */
export function readJsonBody(request: HttpRequest): object {
  const { method, body } = request
  if (!METHODS_WITH_BODY.has(method)) return requireNoBody(request)
  if (body === '') return {}
  requireJsonType(request.header('content-type'))
  requireNoEncoding(request.header('content-encoding'))
  return parseJsonObject(readText(body))
}

/** Reads the JSON object in a request's body, even if requests with this method usually have no body. */
export function readAnyJsonBody(request: HttpRequest): object {
  return readJsonBody(request.body === '' ? request : { ...request, method: 'POST' })
}

/** Rejects the body of a GET or DELETE. An empty object is allowed, because some clients send one. */
function requireNoBody({ method, body }: HttpRequest): object {
  const text = readText(body)
  if (text === '' || (text.length < 16 && text.trim() === '{}')) return {}
  return refuse(general.body_unexpected, { method, bytes: utf8Length(text) })
}

function readText(body: HttpRequest['body']): string {
  if (typeof body === 'string') return body
  if (body.unread === 'body_too_large') return refuse(general.body_too_large, { limit: body.limit ?? MAX_BODY_BYTES })
  if (body.unread !== 'not UTF-8') return refuse(general.body_unreadable, {})
  return refuse(general.body_unparsable, { received: 'not UTF-8' })
}

function requireJsonType(header: string | null): void {
  if (header === JSON_TYPE) return
  if (header === null || header === '') refuse(general.content_type_missing, {})
  const type = header.split(';')[0]?.trim().toLowerCase()
  if (type !== JSON_TYPE) refuse(general.content_type_unsupported, { received: quote(header) })
}

function requireNoEncoding(header: string | null): void {
  if (header === null || /^(identity)?$/i.test(header)) return
  refuse(general.body_unparsable, { received: `encoded as ${quote(header)}. Send it without Content-Encoding` })
}

function parseJsonObject(text: string): object {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The parser's own message differs between runtimes, and quotes part of the body, which may contain a private key.
    const problem =
      text === '[object Object]' ? 'an object that was sent without JSON.stringify' : locateJsonProblem(text)
    return refuse(general.body_unparsable, { received: `not JSON: ${problem}` })
  }
  return requireJsonObject(value)
}
