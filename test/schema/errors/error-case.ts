import type { ErrorKey } from '../../../src/generated/resources.ts'
import type { Gateway, GatewayOptions } from '../../../src/index.ts'
import type { RequestParts } from '../../support/client.ts'

/** A way to provoke one error of the catalogue, with the facts that its answer must show. */
export interface ErrorCase {
  readonly key: ErrorKey
  readonly options?: GatewayOptions
  /** Makes the resources that must exist before, and returns the id that goes to the request. */
  readonly setUp?: (gateway: Gateway) => string
  /** Method, path and the rest of the HTTP request. */
  readonly send: (id: string) => readonly [method: string, path: string, sending?: RequestParts]
  /** The same call through the direct API, where it can be made. */
  readonly direct?: (gateway: Gateway, id: string) => unknown
  /** Pieces of the message: what was received, what is allowed. */
  readonly says: readonly string[] | ((id: string) => readonly string[])
  /** Texts that the whole answer must not repeat. */
  readonly hides?: readonly string[]
  /**
   * The path of the field, or of the fields, at fault: each one's entry in `details` repeats the message. Every case
   * has it whose cause is the value of a field.
   */
  readonly field?: string | readonly string[]
  /** Entries of `details` about what was not found. */
  readonly facts?: Readonly<Record<string, string>>
  /** Response headers beside the ones of every error. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Returns a function that makes the case of a body that cannot be, sent to a path and passed to a call. Its message has the
 * name of the field and what else it `says`.
 */
export function bodiesOf(method: string, path: string, call: (gateway: Gateway, body: never) => unknown) {
  return (key: ErrorKey, body: object, field: string, ...says: string[]): ErrorCase => ({
    key,
    send: () => [method, path, { json: body }],
    direct: (gateway) => call(gateway, wrong(body)),
    says: [field, ...says],
    field,
  })
}

/** Returns a value that the type checker would not let a caller send. */
export function wrong(value: unknown): never {
  return value as never
}
