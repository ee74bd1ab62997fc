import type { CommonDialect } from '../schema/dialect.ts'

/** The certificate authority of a gateway, for code that issues nothing. */
export interface Authority {
  /** The root certificate, PEM: clients trust it. */
  readonly certificatePem: string
}

/** The inputs of a view besides the record: the gateway's base URL, its dialect, and its certificate authority. */
export interface Wire {
  /** The base URL, without a trailing slash. */
  readonly url: string
  /** The dialect of the gateway. */
  readonly dialect: CommonDialect
  /** The issuer of automatic certificates. */
  readonly authority: Authority
}

/** A function that makes the response of a record. It must be pure, because its result is cached with the record. */
export type View<R, Resource> = (record: R, wire: Wire) => Resource

/**
 * Makes a reference of a response, `{ id, uri }`, from the path of a list and an id; null if the id is null.
 *
 * @example
 * ```ts
 * refTo(wire, '/widgets', 'wid_1') // { id: 'wid_1', uri: 'https://api.gateway.test/widgets/wid_1' }
 * ```
 */
export function refTo(wire: Wire, path: string, id: string): { id: string; uri: string }
export function refTo(wire: Wire, path: string, id: string | null): { id: string; uri: string } | null
export function refTo(wire: Wire, path: string, id: string | null) {
  return id === null ? null : { id, uri: `${wire.url}${path}/${id}` }
}
