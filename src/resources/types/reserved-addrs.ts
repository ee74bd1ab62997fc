// Made from the table of families by `npm run types:generate`; a test says when that is due.

import type { ListParameters, Ref } from './shared.ts'

/** What a reserved address is created with. */
export interface ReservedAddressCreate {
  /** What the resource is for, in words for people. */
  readonly description?: string | undefined
  /**
   * Anything that programs keep with the resource; the service does not read it. At most 4096 bytes in UTF-8. Refused
   * as `address_metadata_too_long`.
   */
  readonly metadata?: string | undefined
  /** The datacenter region that the address is in. Default: `us`. Refused as `address_region_invalid`. */
  readonly region?: 'au' | 'eu' | 'ap' | 'us' | 'jp' | 'in' | 'sa' | undefined
  /** The id of the endpoint configuration to link to the address. Refused as `id_unparsable`, `id_wrong_prefix`. */
  readonly endpoint_configuration_id?: string | undefined
}

/** What is changed of a reserved address: at least one field. */
export interface ReservedAddressUpdate {
  /** What the resource is for, in words for people. */
  readonly description?: string | undefined
  /**
   * Anything that programs keep with the resource; the service does not read it. At most 4096 bytes in UTF-8. Refused
   * as `address_metadata_too_long`.
   */
  readonly metadata?: string | undefined
  /** The id of the endpoint configuration to link to the address. Refused as `id_unparsable`, `id_wrong_prefix`. */
  readonly endpoint_configuration_id?: string | undefined
}

/** A TCP address that is held for the account. */
export interface ReservedAddress {
  /** The id that the resource got when it was created; ids sort in the order of creation. */
  readonly id: string
  /** The URL of the resource. */
  readonly uri: string
  /** When the resource was created: UTC, in whole seconds. */
  readonly created_at: string
  /** What the resource is for, in words for people. Absent until it was set. */
  readonly description?: string
  /** Anything that programs keep with the resource; the service does not read it. Absent until it was set. */
  readonly metadata?: string
  /** The TCP address, `hostname:port`, that no other one has; ports are 10000 to 29999. */
  readonly addr: string
  /** The datacenter region that the address is in. One of `au`, `eu`, `ap`, `us`, `jp`, `in`, `sa`. */
  readonly region: string
  /** The linked endpoint configuration, or null. */
  readonly endpoint_configuration: Ref | null
}

/** A page of the list of every reserved address. */
export interface ReservedAddressList {
  /** The items of the page, newest first. */
  readonly reserved_addrs: readonly ReservedAddress[]
  /** The URL of the list. */
  readonly uri: string
  /** The URL of the next page; null on the last one. */
  readonly next_page_uri: string | null
}

/** A TCP address that is held for the account. The calls of `gateway.reservedAddrs`. */
export interface ReservedAddrs {
  /**
   * Create a reserved address: `POST /reserved_addrs`.
   * @throws GatewayError 400: `field_unknown` 214, `field_invalid` 215, `id_unparsable` 223, `id_wrong_prefix` 227,
   * `address_region_invalid` 500, `address_metadata_too_long` 505, `endpoint_configuration_not_found` 90411; 409:
   * `address_pool_exhausted` 503.
   */
  create(body?: ReservedAddressCreate): ReservedAddress
  /**
   * Get a reserved address: `GET /reserved_addrs/{id}`; the id starts with `ra_`.
   * @throws GatewayError 400: `id_unparsable` 223, `id_wrong_prefix` 227; 404: `not_found` 90404.
   */
  get(id: string): ReservedAddress
  /**
   * List reserved addresses, newest first: `GET /reserved_addrs`.
   * @throws GatewayError 400: `field_invalid` 215, `id_unparsable` 223, `id_wrong_prefix` 227, `query_unknown` 231,
   * `limit_out_of_range` 233, `limit_not_a_number` 244, `filter_invalid` 250.
   */
  list(query?: ListParameters): ReservedAddressList
  /**
   * Change a reserved address: `PATCH /reserved_addrs/{id}`; the id starts with `ra_`.
   * @throws GatewayError 400: `field_unknown` 214, `field_invalid` 215, `id_unparsable` 223, `id_wrong_prefix` 227,
   * `address_metadata_too_long` 505, `address_update_empty` 506, `endpoint_configuration_not_found` 90411; 404:
   * `not_found` 90404.
   */
  update(id: string, body?: ReservedAddressUpdate): ReservedAddress
  /**
   * Delete a reserved address: `DELETE /reserved_addrs/{id}`; the id starts with `ra_`.
   * @throws GatewayError 400: `id_unparsable` 223, `id_wrong_prefix` 227; 404: `not_found` 90404.
   */
  delete(id: string): void
}
