// Made from the table of families by `npm run types:generate`; a test says when that is due.

import type { RouteIds } from './shared.ts'

/** Compression as it is to be. */
export interface CompressionBody {
  /** Whether the module applies to the traffic of the route. Default: true. */
  readonly enabled?: boolean | undefined
}

/** Compresses answers on their way to clients. */
export interface Compression {
  /** Whether the module applies to the traffic of the route. */
  readonly enabled: boolean
}

/** Compresses answers on their way to clients. The calls of `gateway.compression`. */
export interface CompressionModule {
  /**
   * Replace the compression module of a route: `PUT /edges/https/{edge_id}/routes/{id}/compression`.
   * @throws GatewayError 400: `field_unknown` 214, `field_invalid` 215, `id_unparsable` 223, `id_wrong_prefix` 227;
   * 404: `edge_not_found` 7000, `not_found` 90404.
   */
  replace(ids: RouteIds, body?: CompressionBody): Compression
  /**
   * Get the compression module of a route: `GET /edges/https/{edge_id}/routes/{id}/compression`.
   * @throws GatewayError 400: `id_unparsable` 223, `id_wrong_prefix` 227; 404: `edge_not_found` 7000, `not_found`
   * 90404.
   */
  get(ids: RouteIds): Compression
  /**
   * Remove the compression module of a route: `DELETE /edges/https/{edge_id}/routes/{id}/compression`.
   * @throws GatewayError 400: `id_unparsable` 223, `id_wrong_prefix` 227; 404: `edge_not_found` 7000, `not_found`
   * 90404.
   */
  delete(ids: RouteIds): void
}
