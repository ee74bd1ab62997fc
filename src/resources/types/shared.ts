// Made from the table of families by `npm run types:generate`; a test says when that is due.

/** What every resource has. */
export interface Resource {
  /** The id that the resource got when it was created; ids sort in the order of creation. (rules: ids#order) */
  readonly id: string
  /** The URL of the resource. */
  readonly uri: string
  /** When the resource was created: UTC, in whole seconds. (rules: time#timestamps) */
  readonly created_at: string
  /** What the resource is for, in words for people. Absent until it was set. (rules: fields#absent-until-set) */
  readonly description?: string
  /**
   * Anything that programs keep with the resource; the service does not read it. Absent until it was set. (rules:
   * fields#absent-until-set)
   */
  readonly metadata?: string
}

/** What every page of a list has, beside its items. */
export interface ListPage {
  /** The URL of the list. */
  readonly uri: string
  /** The URL of the next page; null on the last one. */
  readonly next_page_uri: string | null
}

/** Which page of a list is wanted. */
export interface ListParameters {
  /**
   * How many items a page has. An integer from 1 to 100. Default: 100. Refused as `limit_out_of_range`,
   * `limit_not_a_number`. (rules: lists#paging)
   */
  readonly limit?: number | string | undefined
  /**
   * Only items that were created before the one with this id, which need not exist any more. Refused as
   * `id_unparsable`, `id_wrong_prefix`. (rules: lists#cursor)
   */
  readonly before_id?: string | undefined
  /**
   * A predicate over `obj` in a subset of CEL, such as `obj.description == "checkout"`. Refused as `filter_invalid`.
   * (rules: filters#language)
   */
  readonly filter?: string | undefined
}

/** A reference to another resource. */
export interface Ref {
  /** The id of the resource that is referred to. */
  readonly id: string
  /** The URL of the resource that is referred to. */
  readonly uri: string
}

/** The ids in the path of a route module. */
export interface RouteIds {
  /** The id of the HTTPS edge, which starts with `edghts_`. Refused as `id_unparsable`, `id_wrong_prefix`, `edge_not_found`. */
  readonly edge_id: string
  /** The id of the route on that edge, which starts with `edghtsrt_`. Refused as `id_unparsable`, `id_wrong_prefix`, `not_found`. */
  readonly id: string
}

/** What every route module has beside its `replace`, at the path that this one names. */
export interface RouteModule<Module> {
  /**
   * Get the module of a route: `GET`.
   * @throws GatewayError what ids are refused as.
   */
  get(ids: RouteIds): Module
  /**
   * Remove the module of a route: `DELETE`.
   * @throws GatewayError what ids are refused as.
   */
  delete(ids: RouteIds): void
}
