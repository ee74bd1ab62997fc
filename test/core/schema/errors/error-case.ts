import type { ErrorKey } from '../../../../src/generated/resources.ts'
import type { Gateway, GatewayOptions } from '../../../../src/index.ts'
import type { RequestParts } from '../../../support/client.ts'

/** A way to provoke one error of the catalogue, and the expected response. */
export interface ErrorCase {
  readonly key: ErrorKey
  readonly options?: GatewayOptions
  /** Creates the resources that must exist before, and returns the id for the request. */
  readonly setUp?: (gateway: Gateway) => string
  /** Method, path and the rest of the HTTP request. */
  readonly send: (id: string) => readonly [method: string, path: string, sending?: RequestParts]
  /** The same call through the direct API, if possible. */
  readonly direct?: (gateway: Gateway, id: string) => unknown
  /** Parts of the message: what was received, what is allowed. */
  readonly texts: readonly string[] | ((id: string) => readonly string[])
  /** Texts that the response must not have. */
  readonly secrets?: readonly string[]
  /**
   * The path of the wrong field or fields. The entry of each in `details` repeats the message. Every case that the
   * value of a field causes has it.
   */
  readonly field?: string | readonly string[]
  /** Entries of `details` about a missing resource. */
  readonly details?: Readonly<Record<string, string>>
  /** Response headers in addition to those of every error. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Returns a function that creates the case of a rejected body, for a path and a direct call. The message must have the
 * name of the field and the other texts.
 */
export function bodyCases(method: string, path: string, call: (gateway: Gateway, body: never) => unknown) {
  return (key: ErrorKey, body: object, field: string, ...texts: string[]): ErrorCase => ({
    key,
    send: () => [method, path, { json: body }],
    direct: (gateway) => call(gateway, asWrongType(body)),
    texts: [field, ...texts],
    field,
  })
}

/** Returns a value with a type that any call accepts. */
export function asWrongType(value: unknown): never {
  return value as never
}
