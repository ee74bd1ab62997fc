import type { CommonDialect } from '../schema/dialect.ts'

/** The certificate authority of a gateway, as far as nothing is issued by it. */
export interface Authority {
  /** The root certificate, PEM: what a client trusts. */
  readonly certificatePem: string
}

/** What a record is shown with: the gateway's base URL, its dialect, and who makes its automatic certificates. */
export interface Wire {
  /** The base URL, without a trailing slash. */
  readonly url: string
  /** The dialect of the gateway. */
  readonly dialect: CommonDialect
  /** Who makes automatic certificates. */
  readonly authority: Authority
}

/** Makes the wire's form of a record. Pure, so that its result can be kept as long as the record and the URL stay. */
export type View<R, Shown> = (record: R, wire: Wire) => Shown

/** The wire's form of a reference, or null where there is none. */
export function refTo(wire: Wire, path: string, id: string): { id: string; uri: string }
export function refTo(wire: Wire, path: string, id: string | null): { id: string; uri: string } | null
export function refTo(wire: Wire, path: string, id: string | null) {
  return id === null ? null : { id, uri: `${wire.url}${path}/${id}` }
}
