// Made from the table of families by `npm run types:generate`; a test says when that is due.

import type { ListPage, ListParameters, Ref, Resource } from './shared.ts'

/** What a reserved address is created with. */
export interface ReservedAddressCreate {
  /** What the resource is for, in words for people. */
  readonly description?: string | undefined
  /**
   * Anything that programs keep with the resource; the service does not read it. At most 4096 bytes in UTF-8. Refused
   * as `address_metadata_too_long`. (rules: limits#texts)
   */
  readonly metadata?: string | undefined
  /**
   * The datacenter region that the address is in. Default: `us`. Refused as `address_region_invalid`. (rules:
   * limits#regions)
   */
  readonly region?: 'au' | 'eu' | 'ap' | 'us' | 'jp' | 'in' | 'sa' | undefined
  /**
   * The id of the endpoint configuration to link to the address. Refused as `id_unparsable`, `id_wrong_prefix`. (rules:
   * references#any)
   */
  readonly endpoint_configuration_id?: string | undefined
}

/** What is changed of a reserved address: at least one field. */
export type ReservedAddressUpdate = Omit<ReservedAddressCreate, 'region'>

/** A TCP address that is held for the account. */
export interface ReservedAddress extends Resource {
  /** The TCP address, `hostname:port`, that no other one has; ports are 10000 to 29999. */
  readonly addr: string
  /** The datacenter region that the address is in. (rules: limits#regions) */
  readonly region: string
  /** The linked endpoint configuration, or null. (rules: reserved-addresses#endpoint-configuration) */
  readonly endpoint_configuration: Ref | null
}

/** A page of the list of every reserved address. */
export interface ReservedAddressList extends ListPage {
  /** The items of the page, newest first. */
  readonly reserved_addrs: readonly ReservedAddress[]
}

/** The calls of `gateway.reservedAddrs`. */
export interface ReservedAddrs {
  /**
   * Create a reserved address: `POST /reserved_addrs`.
   * @throws GatewayError what fields are refused as; 400: `field_unknown` 214, `field_invalid` 215,
   * `endpoint_configuration_not_found` 90411; 409: `address_pool_exhausted` 503.
   */
  create(body?: ReservedAddressCreate): ReservedAddress
  /**
   * Get a reserved address: `GET /reserved_addrs/{id}`; the id starts with `ra_`.
   * @throws GatewayError 400: `id_unparsable` 223, `id_wrong_prefix` 227; 404: `not_found` 90404.
   */
  get(id: string): ReservedAddress
  /**
   * List reserved addresses, newest first: `GET /reserved_addrs`.
   * @throws GatewayError what parameters are refused as; 400: `field_invalid` 215, `query_unknown` 231.
   */
  list(query?: ListParameters): ReservedAddressList
  /**
   * Change a reserved address: `PATCH /reserved_addrs/{id}`; the id starts with `ra_`.
   * @throws GatewayError what fields are refused as; 400: `field_unknown` 214, `field_invalid` 215,
   * `address_update_empty` 506, `endpoint_configuration_not_found` 90411; 404: `not_found` 90404.
   */
  update(id: string, body?: ReservedAddressUpdate): ReservedAddress
  /**
   * Delete a reserved address: `DELETE /reserved_addrs/{id}`; the id starts with `ra_`.
   * @throws GatewayError 400: `id_unparsable` 223, `id_wrong_prefix` 227; 404: `not_found` 90404.
   */
  delete(id: string): void
}
