import { isObject } from '../../core/schema/values.ts'

/** The head of a request that a webhook sender may have signed, and a function that reads the request's body. */
export interface SentRequest {
  readonly method: string
  /** The complete URL that the sender requested, byte for byte. */
  readonly url: string
  readonly headers: Headers
  readonly readBody: () => Promise<Uint8Array>
}

/** Thrown if the body is needed but has not been read. */
export class BodyNeeded extends Error {}

/** A request in the form in which its sender signed it. */
export class SignedRequest {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly #body: Uint8Array | undefined
  #object: Record<string, unknown> | undefined

  constructor({ method, url, headers }: SentRequest, body?: Uint8Array) {
    this.method = method
    this.url = url
    this.headers = headers
    this.#body = body
  }

  /** @throws BodyNeeded if the body has not been read */
  get body(): Uint8Array {
    if (!this.#body) throw new BodyNeeded()
    return this.#body
  }

  /** The body as text. Invalid UTF-8 bytes are replaced with U+FFFD. @throws BodyNeeded */
  get text(): string {
    return new TextDecoder().decode(this.body)
  }

  /** The JSON object in the body, or an empty object if the body is not one. @throws BodyNeeded */
  get object(): Record<string, unknown> {
    this.#object ??= readObject(this.text)
    return this.#object
  }
}

function readObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** Returns the text or number at a path such as `signature.token` of the JSON body, as text. */
export function bodyField(request: SignedRequest, path: string): string | undefined {
  let value: unknown = request.object
  for (const name of path.split('.')) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

/** Returns the names and values of a form in the body, sorted by name and then by value, without duplicates. */
export function sortedForm(request: SignedRequest): readonly (readonly [name: string, value: string])[] {
  const isForm = request.headers.get('content-type')?.startsWith('application/x-www-form-urlencoded')
  return isForm ? sortedEntries(new URLSearchParams(request.text)) : []
}

/** Returns the entries of a form or query, sorted by name and then by value, without duplicates. */
export function sortedEntries(parameters: URLSearchParams): readonly (readonly [name: string, value: string])[] {
  return [...new Set(parameters.keys())]
    .sort()
    .flatMap((name) => [...new Set(parameters.getAll(name))].sort().map((value) => [name, value] as const))
}
