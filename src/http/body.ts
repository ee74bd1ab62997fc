import { jsonObject, LARGEST_BODY } from '../schema/body.ts'
import { refuse } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import { utf8Length } from '../schema/platform.ts'
import { quote } from '../schema/text.ts'
import { jsonProblem } from './json-problem.ts'
import type { HttpRequest } from './messages.ts'

const JSON_TYPE = 'application/json'
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/**
 * The JSON object that a request's body holds (rules: requests#body). No body counts as an empty object.
 */
export function jsonBody(request: HttpRequest): object {
  const { method, body } = request
  if (!WITH_BODY.has(method)) return withoutBody(request)
  if (body === '') return {}
  requireJsonType(request.header('content-type'))
  return parsed(readText(body))
}

/** The JSON object that a request's body holds, also where the method usually has none. */
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
  if (body.unread === 'body_unreadable') return refuse(general.body_unreadable, {})
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
    return refuse(general.body_unparsable, { received: `not JSON: ${jsonProblem(text)}` })
  }
  return jsonObject(value)
}
