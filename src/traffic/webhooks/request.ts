import { isObject } from '../../core/schema/values.ts'

/** A request as its sender has signed it. */
export interface SignedRequest {
  readonly method: string
  /** The whole URL to which the sender has sent the request, byte for byte. */
  readonly url: string
  readonly headers: Headers
  readonly body: Uint8Array
}

/** Returns the body as text. Bytes that are no UTF-8 become U+FFFD. */
export function bodyText(request: SignedRequest): string {
  return new TextDecoder().decode(request.body)
}

/** Returns the path of the URL with its query. */
export function pathOf(request: SignedRequest): string {
  const { pathname, search } = new URL(request.url)
  return pathname + search
}

/** Returns the JSON object in the body, or an empty object if the body is none. */
export function bodyObject(request: SignedRequest): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(bodyText(request))
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** Returns the text or number at a path such as `signature.token` of the JSON body, as text. */
export function bodyField(request: SignedRequest, path: string): string | undefined {
  let value: unknown = bodyObject(request)
  for (const name of path.split('.')) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

/** Returns the names and values of a form in the body in the order of names, and then of values, without repetitions. */
export function sortedForm(request: SignedRequest): readonly (readonly [name: string, value: string])[] {
  const isForm = request.headers.get('content-type')?.startsWith('application/x-www-form-urlencoded')
  return isForm ? sortedEntries(new URLSearchParams(bodyText(request))) : []
}

/** Returns the entries of a form or query in the order of names, and then of values, without repetitions. */
export function sortedEntries(parameters: URLSearchParams): readonly (readonly [name: string, value: string])[] {
  return [...new Set(parameters.keys())]
    .sort()
    .flatMap((name) => [...new Set(parameters.getAll(name))].sort().map((value) => [name, value] as const))
}
