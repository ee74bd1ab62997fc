import { isObject } from '../../core/schema/values.ts'
import type { TokenSource } from './config.ts'
import { TokenProblem } from './token-problem.ts'

/** The request that contains the tokens. */
export interface TokenRequest {
  readonly method: string
  readonly headers: Headers
  /** Reads the body. Called only to find a token in the body, and only if the request may have a body. */
  readonly readBody?: () => Promise<Uint8Array>
}

/** The name of a header (RFC 9110, 5.6.2). `Headers` throws for other strings. */
const NAME_OF_HEADER = /^[\w!#$%&'*+.^`|~-]+$/

const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH']

/**
 * Returns the text of a token without its prefix (rules: json-web-tokens#places).
 *
 * @throws TokenProblem if it is not where its source says
 */
export async function findToken(request: TokenRequest, source: TokenSource): Promise<string> {
  const { method, prefix = '' } = source
  const text = method === 'header' ? readHeader(request, source) : await readField(request, source)
  if (!text.startsWith(prefix))
    throw new TokenProblem(3413, `The text in ${place(source)} does not start with the prefix "${prefix}".`)
  const token = text.slice(prefix.length).trim()
  if (token !== '') return token
  throw new TokenProblem(3406, `There is no token in ${place(source)}.`)
}

/** Describes the location of a token for messages. */
export function place({ method, name }: TokenSource): string {
  return method === 'header' ? `the header ${name}` : `the body field ${name}`
}

function readHeader({ headers }: TokenRequest, source: TokenSource): string {
  const text = NAME_OF_HEADER.test(source.name) ? headers.get(source.name) : null
  if (text === null) throw new TokenProblem(3408, `The request does not have ${place(source)}.`)
  return text
}

async function readField(request: TokenRequest, source: TokenSource): Promise<string> {
  const { method, readBody } = request
  if (!METHODS_WITH_BODY.includes(method)) {
    const allowed = METHODS_WITH_BODY.join(', ')
    throw new TokenProblem(
      3415,
      `A token in the body requires one of the methods ${allowed}. This request uses ${method}.`,
    )
  }
  const readFields = chooseReader(request)
  const value = readFields(new TextDecoder().decode(await readBody?.())).get(source.name.toLowerCase())
  if (typeof value === 'string') return value
  throw new TokenProblem(3406, `There is no text in ${place(source)}.`)
}

/** Returns a function that reads body fields by lowercase name. If several fields have the same name, it returns the first. */
function chooseReader({ headers }: TokenRequest): (text: string) => Map<string, unknown> {
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type === 'application/json') return (text) => toFields(Object.entries(readJson(text)))
  if (type === 'application/x-www-form-urlencoded') return (text) => toFields([...readForm(text)])
  throw new TokenProblem(
    3414,
    'A token in the body requires the content type application/json or application/x-www-form-urlencoded.',
  )
}

function toFields(entries: readonly (readonly [string, unknown])[]): Map<string, unknown> {
  return new Map([...entries].reverse().map(([name, value]) => [name.toLowerCase(), value]))
}

function readJson(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {} // The message below covers anything that isn't an object.
  throw new TokenProblem(3411, 'The body is not a JSON object, although its content type says so.')
}

/** Parses a form as strictly as Go, without semicolons and with two hexadecimal digits after each `%`. */
function readForm(text: string): URLSearchParams {
  if (/;|%(?![0-9a-f]{2})/i.test(text))
    throw new TokenProblem(3412, 'The body is not a form, although its content type says so.')
  return new URLSearchParams(text)
}
