import type { KeptBody } from './kept-body.ts'
import type { Trace } from './trace.ts'
import type { Visitor } from './visitor.ts'

/** The edge, the route and the backend that receive a request, instead of those for its URL. */
export interface Target {
  readonly edge?: string | undefined
  readonly route?: string | undefined
  readonly backend?: string | undefined
}

/** Returns that nothing is known yet. */
export const noSecrets = (): KnownSecrets => ({ texts: [], shown: [] })

/** A request through the gateway, as it happened, secrets included. */
export interface VisitorExchange {
  /** The time at which it arrived, in ms since 1970. */
  readonly at: number
  readonly method: string
  readonly url: string
  readonly ip: string
  /** The visitor, as the caller described it. */
  readonly from: Visitor
  /** The facts about the visitor, by the paths of variables. */
  readonly facts: ReadonlyMap<string, unknown>
  /** The edge, the route and the backend that the caller named. */
  readonly target: Target
  readonly body: KeptBody
  readonly headers: readonly (readonly [string, string])[]
  /** The status of the response, or null if the connection closed, or if the run failed. */
  readonly status: number | null
  readonly responseHeaders: readonly (readonly [string, string])[]
  /** The id of the endpoint, edge or route that received the request, or null if none did. */
  readonly endpoint: string | null
  /** The URL of the upstream, or the id of the backend, that got the request; null if none did. */
  readonly upstream: string | null
  /** The code of the gateway's own error, or null if there was none. */
  readonly error: string | null
  readonly trace: Trace
  readonly secrets: KnownSecrets
}

/** The facts about the secrets of a request that its headers alone do not tell. */
export interface KnownSecrets {
  /** Strings that no output may show, such as secrets of vaults that expressions read. */
  readonly texts: string[]
  /** The headers of a signature that the gateway has verified by its own secret. Outputs show them. */
  readonly shown: string[]
}
