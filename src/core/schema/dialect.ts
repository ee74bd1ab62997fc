// (rules: dialects#data)
/** The part of a dialect that all families share: what differs between services, as data. */
export interface CommonDialect {
  /** The name for people. Nothing depends on it. */
  readonly name: string
  /** The base URL of every URI in a response, without a trailing slash. */
  readonly baseUrl: string
  /** The request header that carries the API version. */
  readonly versionHeader: string
  /** The response header that carries the operation id. */
  readonly operationIdHeader: string
  /** The response header that carries the code of an error of the gateway, in what visitors get. */
  readonly errorCodeHeader: string
  /** The prefix of the number in an error's `error_code`. */
  readonly errorPrefix: string
  /** Operations that the API reference does not have and this service does, such as `widgets.detach_color`. */
  readonly extraOperations: readonly string[]
  /**
   * Fields that the API reference does not have and this service does. A key such as `widgets.create` lists fields of that
   * operation's body. A key such as `widgets` lists fields that every response of that group of operations has.
   */
  readonly extraFields: Readonly<Record<string, readonly string[]>>
  /** Body fields that are accepted and have no effect, by operation or by group of operations (`widgets`). */
  readonly ignoredFields: Readonly<Record<string, readonly string[]>>
  /** Other names of body fields, by group of operations, as `{ alias: field }`. */
  readonly fieldAliases: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Aliases, by group of operations, whose text may be a bare label without a dot; the family appends the domain. */
  readonly labelAliases: Readonly<Record<string, readonly string[]>>
  /** Other names of query parameters, as `{ alias: parameter }`. */
  readonly queryAliases: Readonly<Record<string, string>>
  /** The fields that filters of lists can name: all of an item, or only those that the family declares. */
  readonly filterFields: 'all' | 'declared'
  /**
   * The texts whose length has a limit. `listed`: those for which the API reference names a limit. `all`: also every
   * `description`, at 255 bytes, and every `metadata`, at 4096.
   */
  readonly textLimits: 'listed' | 'all'
  /** The key under which the body of a module's PUT may be wrapped beside `edge_id` and `id`, or null for never. */
  readonly moduleEnvelope: string | null
  /** The response to an id in a path that has another form than the ids of its kind: its own error, or that nothing was found. */
  readonly malformedIds: 'refused' | 'not found'
  /**
   * The response to a path or a method that the service does not have. `described`: an error with the reason. `bare`: the status
   * 404 and the path, as of a router without errors of the API.
   */
  readonly unknownPaths: 'described' | 'bare'
  /** HTTP statuses that differ from the error catalogue's, by the error's key. */
  readonly errorStatuses: Readonly<Partial<Record<string, number>>>
}

/** The options of a gateway that change rules. Each family reads its own, by `sectionReader`. */
export type RuleOptions = object
