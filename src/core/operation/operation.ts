import type * as v from 'valibot'
import type { FilterableField } from '../filter/filter.ts'
import { bodyReader, type SentBody } from '../schema/body.ts'
import type { CommonDialect } from '../schema/dialect.ts'
import { type CatalogueError, Problems } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import type { RuleContext } from '../schema/rule.ts'
import { listErrors, partsOf } from '../schema/schema-parts.ts'
import { type Aliases, type OtherNames, toStandardBody, withAliases } from './dialect-body.ts'
import { createListQuery, type ListInput, type ListQuery, type Matching, omitPathIds, readListQuery } from './list.ts'
import type { Transaction } from './transaction.ts'

/** The HTTP methods that operations use. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The IDs of a path, by parameter, such as `{ id: 'rd_…' }`. In the definition of an operation: their prefixes. */
export type PathIds = Readonly<Record<string, string>>

/** An operation's function in the direct API. It takes the IDs in the path, then the body or query. */
export type CallOf<Ids, Input, Result> = (...args: [...IdArguments<Ids>, ...InputArguments<Input>]) => Result

/** The arguments for the IDs of a path: a single ID is a string, several IDs are one object. */
type IdArguments<Ids> = keyof Ids extends never ? [] : IsOne<keyof Ids> extends true ? [id: string] : [ids: Ids]

type IsOne<Name, All = Name> = Name extends unknown ? ([All] extends [Name] ? true : false) : never

/** The argument for a body or query; optional if the body or query can be empty. */
export type InputArguments<Input> = [Input] extends [undefined]
  ? []
  : Record<never, never> extends Input
    ? [input?: Input | undefined]
    : [input: Input]

/** The nouns for a resource. */
export interface Nouns {
  readonly one: string
  readonly many: string
  /** The owner of the resource, such as `a route`. */
  readonly owner?: string
  /** The fields to show in tables, starting with the field by which people identify a resource. */
  readonly tableFields?: readonly string[]
}

/** The fields that define an operation. */
interface Definition<Ids extends PathIds> {
  /** The group and the verb, such as `reserved_domains.create`. */
  readonly name: string
  /** The HTTP method. */
  readonly method: Method
  /** The path under the base URL, with the names of its IDs in braces, such as `/reserved_domains/{id}`. */
  readonly path: string
  /** The HTTP status of its response. */
  readonly status: 200 | 201 | 204
  /** A one-line summary for the documentation. */
  readonly summary: string
  /** The nouns for the family's resources, set on the operation that returns a single resource. */
  readonly nouns?: Nouns
  /** The prefix of each ID in the path. */
  readonly ids: Ids
  /** The schema of the response; absent for a response without a body. */
  readonly response?: v.GenericSchema
  /** The errors that `run` may throw, in addition to the errors of its schemas and of every operation of its kind. */
  readonly errors?: readonly CatalogueError[]
  /** True if the operation is not in the API reference and exists only in dialects that list it. */
  readonly isExtra?: true
}

interface BodyDefinition<Schema extends v.GenericSchema> {
  /** The schema of the body. */
  readonly body: Schema
  /** True if the body may be wrapped in the dialect's envelope, as in the PUT of a module. */
  readonly wrappable?: boolean
  /** The rules for fields that have other names in dialects. */
  readonly otherNames?: OtherNames
  /** Throws an error for a body before its fields are read. */
  readonly permits?: (body: object, context: RuleContext) => void
}

/**
 * An API operation, defined once: the direct API, the HTTP routes, and the OpenAPI document are derived from it. An operation takes a body
 * or a query, never both. Its type is that of its function in the direct API.
 */
export interface Operation<Call extends (...args: never[]) => unknown = (...args: never[]) => unknown>
  extends Definition<PathIds>,
    Partial<BodyDefinition<v.GenericSchema>> {
  /** The schema of the query. */
  readonly query?: v.GenericSchema
  /** The fields that list filters can use, if the dialect restricts them. */
  readonly filterable?: readonly FilterableField[] | undefined
  /** For each additional query parameter of a list: the item field to compare the parameter with. */
  readonly matching?: Matching | undefined
  /** Reads and checks the body, which must be an object, or the query. Absent if the operation takes neither. */
  readonly read?: (raw: unknown, ids: PathIds, context: RuleContext) => unknown
  /** Replacements for errors, such as those of a schema that is shared with other operations. */
  readonly inPlaceOf?: ReadonlyMap<CatalogueError, CatalogueError>
  /** Applies the rules and the change, and returns the response. */
  run(tx: Transaction, ids: PathIds, input: unknown): unknown
  /** Never set. Its type is that of the function in the direct API. */
  readonly call?: Call
}

/**
 * Defines an operation without a body or query.
 *
 * @example
 * ```ts
 * const reset = operation({
 *   name: 'widgets.reset',
 *   method: 'POST',
 *   path: '/widgets/{id}/reset',
 *   status: 204,
 *   summary: 'Reset a widget',
 *   ids: { id: 'wid' },
 *   run: (tx, { id }) => void tx.put(records, { ...required(tx, records, id, 'widget'), size: 0 }),
 * })
 * ```
 */
export function operation<Ids extends PathIds, Result>(
  definition: Definition<Ids> & { run: (tx: Transaction, ids: Ids) => Result },
): Operation<CallOf<Ids, undefined, Result>> {
  return definition
}

/**
 * Defines an operation with a body, like `operation`. `body` is its schema, and `run` receives the parsed body as its third
 * argument.
 *
 * @example
 * ```ts
 * const paint = operationWithBody({ ...facts, body: paintBody, run: (tx, { id }, body) => repaint(tx, id, body) })
 * ```
 */
export function operationWithBody<Ids extends PathIds, Schema extends v.GenericSchema, Result>(
  definition: Definition<Ids> &
    BodyDefinition<Schema> & { readonly run: (tx: Transaction, ids: Ids, body: v.InferOutput<Schema>) => Result },
): Operation<CallOf<Ids, v.InferInput<Schema>, Result>> {
  const { name, body: schema, wrappable = false, otherNames = {}, permits, errors = [], run } = definition
  const fields = Object.keys(partsOf(schema).entries ?? {})
  const facts = { name, group: groupOf(definition), fields, wrappable, otherNames }
  const reader = bodyReader(schema)
  return {
    ...definition,
    errors: [...errors, ...(otherNames.both ? [otherNames.both] : [])],
    read(raw, ids, context): ReadBody<v.InferOutput<Schema>> {
      const problems = new Problems()
      // The direct API and the HTTP handler reject every other value.
      const { body, aliases } = toStandardBody(raw as SentBody, facts, context.dialect, problems)
      permits?.(body, context)
      const extraFields = context.dialect.extraFields[name]
      const read = () => reader(body, ids, context, { problems, extraFields })
      return { aliases, body: aliases ? withAliases(aliases, read) : read() }
    },
    run: (tx, ids: Ids, { aliases, body }: ReadBody<v.InferOutput<Schema>>) =>
      aliases ? withAliases(aliases, () => run(tx, ids, body)) : run(tx, ids, body),
  }
}

interface ReadBody<Body> {
  readonly aliases: Aliases | undefined
  readonly body: Body
}

/** Returns whether the dialect's service supports an operation. */
export function isOperationOf({ extraOperations }: CommonDialect, { name, isExtra }: Operation): boolean {
  return isExtra !== true || extraOperations.includes(name)
}

export function groupOf({ name }: Pick<Operation, 'name'>): string {
  return name.slice(0, name.indexOf('.'))
}

/** The additional parameters of a list in the direct API. */
export type Matched<Parameter extends string> = {
  readonly [Name in Parameter]?: string | readonly string[] | undefined
}

// (rules: lists#paging)
/**
 * Defines a list operation, with the standard query parameters `limit`, `before_id`, and `filter`.
 *
 * @example
 * ```ts
 * const listParts = listOperation({ ...facts, prefix: 'part', item: partShape, run: (tx, query) => pageAt(tx, query, parts) })
 * ```
 */
export function listOperation<Result, Ids extends PathIds = Record<never, never>, Parameter extends string = never>(
  definition: Omit<Definition<Ids>, 'ids' | 'method' | 'status'> & {
    /** The prefix of each ID in the path. Default: no IDs. */
    ids?: Ids
    /** The prefix of the items' IDs. */
    prefix: string
    /** The schema of a listed item, whose fields filters can use. */
    item: v.GenericSchema
    /** The fields that filters can use in dialects that restrict them; `[]` allows no filter. Default: all fields. */
    filterable?: readonly FilterableField[] | undefined
    /** Additional query parameters, each with the item field that must match one of the sent values. Default: none. */
    matching?: Matching<Parameter> | undefined
    run: (tx: Transaction, query: ListQuery, ids: Ids) => Result
  },
): Operation<CallOf<Ids, ListInput & Matched<Parameter>, Result>> {
  const { ids = {}, prefix, item, filterable, matching, run, ...rest } = definition
  return {
    ...rest,
    method: 'GET',
    status: 200,
    ids,
    query: createListQuery(rest.name, matching),
    filterable,
    matching,
    read: (raw, pathIds, { dialect }) =>
      readListQuery(omitPathIds(raw, pathIds), { prefix, item, filterable, matching }, dialect),
    run: (tx, pathIds: Ids, query: ListQuery) => run(tx, query, pathIds),
  }
}

/** The errors that any HTTP request can cause, regardless of its operation (rules: requests#order-of-checks). */
const REQUEST_ERRORS = [
  general.auth_missing,
  general.auth_unparsable,
  general.auth_invalid,
  general.version_missing,
  general.version_unsupported,
  general.too_many_requests,
  general.gateway_busy,
  general.store_failed,
  general.query_unknown,
  general.query_repeated,
  general.body_too_large,
  general.body_unreadable,
  general.body_unparsable,
]

const CONTENT_TYPE_ERRORS = [general.content_type_missing, general.content_type_unsupported]
const ID_ERRORS = [general.id_unparsable, general.id_wrong_prefix]
type IdRule = Partial<Pick<CommonDialect, 'malformedIds'>>

const FIELD_ERRORS = [general.field_unknown, general.field_invalid]
const QUERY_ERRORS = [general.query_unknown, general.field_invalid]

/**
 * Returns every error that an operation can return over HTTP, ordered by error code, except errors about API keys and errors from other
 * families' rules. With a dialect, omits the errors of IDs in the path if that dialect treats malformed IDs as not found.
 *
 * @example
 * ```ts
 * errorsOf(widgets.operations.create).map(({ key }) => key)
 * ```
 */
export function errorsOf(operation: Operation, dialect: IdRule = {}): readonly CatalogueError[] {
  // GET and DELETE requests with a body are rejected.
  const ofBody = operation.body ? CONTENT_TYPE_ERRORS : [general.body_unexpected]
  return sortByNumber([...REQUEST_ERRORS, ...ofBody, ...listDirectErrors(operation, dialect)])
}

/** Returns the errors of {@link errorsOf} that direct calls can also throw. */
export function listDirectErrors(operation: Operation, { malformedIds }: IdRule = {}): readonly CatalogueError[] {
  const { body, query, ids } = operation
  return sortByNumber([
    ...(Object.keys(ids).length > 0 && malformedIds !== 'not found' ? ID_ERRORS : []),
    ...(body ? FIELD_ERRORS : []),
    ...(query ? QUERY_ERRORS : []),
    ...listOwnErrors(operation),
  ])
}

/** Returns the errors of an operation and its schemas, without the general errors that all operations of its kind have. */
export function listOwnErrors({ body, query, errors = [], inPlaceOf }: Operation): CatalogueError[] {
  const ofSchemas = [body, query].flatMap((schema) => (schema ? [...listErrors(schema)] : []))
  return [...errors, ...ofSchemas].map((error) => inPlaceOf?.get(error) ?? error)
}

/** Returns each error once, sorted by error code. */
export function sortByNumber(errors: readonly CatalogueError[]): readonly CatalogueError[] {
  return [...new Set(errors)].sort((a, b) => a.number - b.number)
}
