// Made from the table of families by `npm run types:generate`; a test says when that is due.

import type { RouteIds, RouteModule } from './shared.ts'

/** Compression as it is to be. */
export interface CompressionBody {
  /** Whether the module applies to the traffic of the route. Default: true. (rules: route-modules#singletons) */
  readonly enabled?: boolean | undefined
}

/** Compresses answers on their way to clients. */
export interface Compression extends CompressionBody {
  readonly enabled: boolean
}

/** The calls of `gateway.compression`. */
export interface CompressionModule extends RouteModule<Compression> {
  /**
   * Replace the compression module of a route: `PUT /edges/https/{edge_id}/routes/{id}/compression`.
   * @throws GatewayError what ids are refused as; 400: `field_unknown` 214, `field_invalid` 215.
   */
  replace(ids: RouteIds, body?: CompressionBody): Compression
}
