// Made from the table of families by `npm run types:generate`; a test says when that is due.

import type { ListPage, ListParameters, Resource } from './shared.ts'

/** What a weighted backend is created with. */
export interface WeightedBackendCreate {
  /** What the resource is for, in words for people. */
  readonly description?: string | undefined
  /** Anything that programs keep with the resource; the service does not read it. */
  readonly metadata?: string | undefined
  /**
   * The share of the traffic that each child backend gets: its id to its weight. An integer from 0 to 10000. Refused as
   * `weight_out_of_range`, `child_backend_invalid`. (rules: weighted-backends#weights)
   */
  readonly backends?: Readonly<Record<string, number>> | undefined
}

/** What is changed of a weighted backend; without `backends`, it has none any more. */
export type WeightedBackendUpdate = WeightedBackendCreate

/** A backend that shares traffic among child backends. */
export interface WeightedBackend extends Resource {
  /**
   * The share of the traffic that each child backend gets: its id to its weight. An integer from 0 to 10000. (rules:
   * weighted-backends#weights)
   */
  readonly backends: Readonly<Record<string, number>>
}

/** A page of the list of every weighted backend. */
export interface WeightedBackendList extends ListPage {
  /** The items of the page, newest first. */
  readonly backends: readonly WeightedBackend[]
}

/** The calls of `gateway.weightedBackends`. */
export interface WeightedBackends {
  /**
   * Create a weighted backend: `POST /backends/weighted`.
   * @throws GatewayError what fields are refused as; 400: `field_unknown` 214, `field_invalid` 215,
   * `child_backend_not_found` 6501.
   */
  create(body?: WeightedBackendCreate): WeightedBackend
  /**
   * Get a weighted backend: `GET /backends/weighted/{id}`; the id starts with `bkdwd_`.
   * @throws GatewayError 400: `id_unparsable` 223, `id_wrong_prefix` 227; 404: `not_found` 90404.
   */
  get(id: string): WeightedBackend
  /**
   * List weighted backends, newest first: `GET /backends/weighted`.
   * @throws GatewayError what parameters are refused as; 400: `field_invalid` 215, `query_unknown` 231.
   */
  list(query?: ListParameters): WeightedBackendList
  /**
   * Change a weighted backend: `PATCH /backends/weighted/{id}`; the id starts with `bkdwd_`.
   * @throws GatewayError what fields are refused as; 400: `field_unknown` 214, `field_invalid` 215, `id_unparsable`
   * 223, `id_wrong_prefix` 227, `child_backend_not_found` 6501; 404: `not_found` 90404.
   */
  update(id: string, body?: WeightedBackendUpdate): WeightedBackend
  /**
   * Delete a weighted backend: `DELETE /backends/weighted/{id}`; the id starts with `bkdwd_`.
   * @throws GatewayError 400: `id_unparsable` 223, `id_wrong_prefix` 227, `weighted_backend_in_use` 6502; 404:
   * `not_found` 90404.
   */
  delete(id: string): void
}
