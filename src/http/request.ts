import { jsonObject, LARGEST_BODY } from '../schema/body.ts'
import { refuse } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import { jsonProblem } from '../schema/json-text.ts'
import { utf8Length } from '../schema/platform.ts'
import { fieldPath, quote } from '../schema/text.ts'
import type { HttpRequest } from './messages.ts'

/** Reads the parameters of a query, each at most once (rules: requests#query). */
export function queryParameters(query: string): Record<string, string>
/** Also reads parameters that can be sent several times: each as the list of its values. */
export function queryParameters(query: string, lists: readonly string[]): Record<string, string | string[]>
export function queryParameters(query: string, lists: readonly string[] = []): Record<string, string | string[]> {
  const parameters: Record<string, string | string[]> = {}
  if (query === '') return parameters
  const sent = new URLSearchParams(query)
  for (const name of lists) {
    if (sent.has(name)) parameters[name] = sent.getAll(name)
    sent.delete(name)
  }
  for (const [name, value] of sent) {
    if (Object.hasOwn(parameters, name))
      refuse(general.query_repeated, { field: fieldPath([name]), received: quote(name) })
    Object.defineProperty(parameters, name, { value, enumerable: true })
  }
  return parameters
}

const JSON_TYPE = 'application/json'
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Reads the JSON object of a request's body (rules: requests#body). No body counts as an empty object.
 */
export function jsonBody(request: HttpRequest): object {
  const { method, body } = request
  if (!WITH_BODY.has(method)) return withoutBody(request)
  if (body === '') return {}
  requireJsonType(request.header('content-type'))
  return parsed(readText(body))
}

/** Reads the JSON object of a request's body, also if the method usually has none. */
export function bodyOfAnyMethod(request: HttpRequest): object {
  return jsonBody(request.body === '' ? request : { ...request, method: 'POST' })
}

/** GET and DELETE have no body; an empty object is let through because some clients send it. */
function withoutBody({ method, body }: HttpRequest): object {
  const text = readText(body)
  if (text === '' || (text.length < 16 && text.trim() === '{}')) return {}
  return refuse(general.body_unexpected, { method, bytes: utf8Length(text) })
}

function readText(body: HttpRequest['body']): string {
  if (typeof body === 'string') return body
  if (body.unread === 'body_too_large') return refuse(general.body_too_large, { limit: body.limit ?? LARGEST_BODY })
  if (body.unread !== 'not UTF-8') return refuse(general.body_unreadable, {})
  return refuse(general.body_unparsable, { received: 'not UTF-8' })
}

function requireJsonType(header: string | null): void {
  if (header === JSON_TYPE) return
  if (header === null || header === '') refuse(general.content_type_missing, {})
  const type = header?.split(';')[0]?.trim().toLowerCase()
  if (type !== JSON_TYPE) refuse(general.content_type_unsupported, { received: quote(header) })
}

function parsed(text: string): object {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The parser's own message repeats a piece of the body, which may hold a private key, and differs between runtimes.
    const isObjectAsText = text === '[object Object]'
    const problem = isObjectAsText ? 'an object that was sent without JSON.stringify' : jsonProblem(text)
    return refuse(general.body_unparsable, { received: `not JSON: ${problem}` })
  }
  return jsonObject(value)
}
