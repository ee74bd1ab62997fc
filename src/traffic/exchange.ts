import type { KeptBody } from './kept-body.ts'
import type { Trace } from './trace.ts'
import type { Visitor } from './visitor.ts'

/** The edge, route, and backend that receive a request, instead of those selected by its URL. */
export interface Target {
  readonly edge?: string | undefined
  readonly route?: string | undefined
  readonly backend?: string | undefined
}

/** Returns the initial state, in which nothing is known yet. */
export const noSecrets = (): KnownSecrets => ({ texts: [], shown: [] })

/** A request through the gateway, as it happened, including secrets. */
export interface VisitorExchange {
  /** The arrival time, in ms since the Unix epoch. */
  readonly at: number
  readonly method: string
  readonly url: string
  readonly ip: string
  /** The visitor, as described by the caller. */
  readonly from: Visitor
  /** The facts about the visitor, by variable path. */
  readonly facts: ReadonlyMap<string, unknown>
  /** The edge, route, and backend named by the caller. */
  readonly target: Target
  readonly body: KeptBody
  readonly headers: readonly (readonly [string, string])[]
  /** The status of the response, or null if the connection was closed or the run failed. */
  readonly status: number | null
  readonly responseHeaders: readonly (readonly [string, string])[]
  /** The ID of the endpoint, edge, or route that received the request, or null if none did. */
  readonly endpoint: string | null
  /** The URL of the upstream, or the ID of the backend, that received the request, or null if none did. */
  readonly upstream: string | null
  /** The gateway's own error code, or null. */
  readonly error: string | null
  readonly trace: Trace
  readonly secrets: KnownSecrets
}

/** Facts about a request's secrets that its headers don't reveal. */
export interface KnownSecrets {
  /** Strings that must not be in any output, such as vault secrets read by expressions. */
  readonly texts: string[]
  /** The headers of a signature that the gateway has verified with its own secret. Outputs can show these headers. */
  readonly shown: string[]
}
