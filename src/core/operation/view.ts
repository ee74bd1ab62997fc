import type { CommonDialect } from '../schema/dialect.ts'

/** A gateway's certificate authority, for code that does not issue certificates. */
export interface Authority {
  /** The root certificate as PEM, for clients to trust. */
  readonly certificatePem: string
}

/** The inputs of a view, in addition to the record: the gateway's base URL, dialect, and certificate authority. */
export interface Wire {
  /** The base URL, without a trailing slash. */
  readonly url: string
  /** The dialect of the gateway. */
  readonly dialect: CommonDialect
  /** The issuer of automatic certificates. */
  readonly authority: Authority
}

/** A function that converts a record to a response. It must be pure, because its result is cached with the record. */
export type View<R, Resource> = (record: R, wire: Wire) => Resource

/**
 * Returns a reference for a response, `{ id, uri }`, from a list's path and an ID, or null if the ID is null.
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
