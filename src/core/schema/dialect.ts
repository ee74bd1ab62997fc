// (rules: dialects#data)
/** The part of a dialect that applies to all families. It describes the differences between services. */
export interface CommonDialect {
  /** A human-readable name. Nothing depends on it. */
  readonly name: string
  /** The base URL of the URIs in responses, without a trailing slash. */
  readonly baseUrl: string
  /** The request header that carries the API version. */
  readonly versionHeader: string
  /** The response header that carries the operation ID. */
  readonly operationIdHeader: string
  /** The response header with the code of a gateway error, in responses to visitors. */
  readonly errorCodeHeader: string
  /** The prefix of the number in an error's `error_code`. */
  readonly errorPrefix: string
  /** Operations of this service that the API reference doesn't list, such as `widgets.detach_color`. */
  readonly extraOperations: readonly string[]
  /**
   * Fields of this service that the API reference doesn't list. A key such as `widgets.create` lists fields of that operation's body. A key
   * such as `widgets` lists fields of every response in that group of operations.
   */
  readonly extraFields: Readonly<Record<string, readonly string[]>>
  /** Body fields that are accepted but have no effect, by operation or by group of operations (`widgets`). */
  readonly ignoredFields: Readonly<Record<string, readonly string[]>>
  /** Other names of body fields, by group of operations, as `{ alias: field }`. */
  readonly fieldAliases: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Aliases, by group of operations, that accept a bare label without a dot. The family appends the domain. */
  readonly labelAliases: Readonly<Record<string, readonly string[]>>
  /** Other names of query parameters, as `{ alias: parameter }`. */
  readonly queryAliases: Readonly<Record<string, string>>
  /** The fields that list filters can use: all fields of an item, or only those that the family declares. */
  readonly filterFields: 'all' | 'declared'
  /**
   * The strings that have a maximum length. `listed`: only strings for which the API reference states a limit. `all`: in addition, every
   * `description` (255 bytes) and every `metadata` (4,096 bytes).
   */
  readonly textLimits: 'listed' | 'all'
  /** The key that may wrap the body of a module's PUT next to `edge_id` and `id`, or null if the body is never wrapped. */
  readonly moduleEnvelope: string | null
  /** The response to a malformed ID in a path: either a specific error or the error for a nonexistent resource. */
  readonly malformedIds: 'refused' | 'not found'
  /**
   * The response to an unknown path or method. `described`: an error with the reason. `bare`: the path with a 404 status, as from a router
   * without API errors.
   */
  readonly unknownPaths: 'described' | 'bare'
  /** HTTP statuses that differ from the error catalogue, by error key. */
  readonly errorStatuses: Readonly<Partial<Record<string, number>>>
}

/** The gateway options that affect rules. Each family reads its own options with `sectionReader`. */
export type RuleOptions = object
