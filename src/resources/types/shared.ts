// Made from the table of families by `npm run types:generate`; a test says when that is due.

/** Which page of a list is wanted. */
export interface ListParameters {
  /** How many items a page has. An integer from 1 to 100. Default: 100. */
  readonly limit?: number | string | undefined
  /** Only items that were created before the one with this id, which need not exist any more. */
  readonly before_id?: string | undefined
  /** A predicate over `obj` in a subset of CEL, such as `obj.description == "checkout"`. */
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
