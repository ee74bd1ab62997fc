import type * as v from 'valibot'
import { bodyReader } from '../schema/body.ts'
import { errorsIn, partsOf } from '../schema/documentation.ts'
import type { CatalogueError } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import type { RuleContext } from '../schema/rule.ts'
import { type Called, inWordsOf, type OtherNames, plainBody } from './dialect-body.ts'
import { type ListInput, type ListQuery, listQuery, readListQuery } from './list.ts'
import type { Transaction } from './transaction.ts'

/** The HTTP methods that operations use. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The ids of a path, by parameter, such as `{ id: 'rd_…' }`. Where an operation is defined: their prefixes. */
export type PathIds = Readonly<Record<string, string>>

/** What a client sent in a body or a query, before it is read. */
type Reader = (raw: unknown, ids: PathIds, context: RuleContext) => unknown

/** The function of an operation in the direct API: the ids of its path, then its body or query. */
export type CallOf<Ids, Input, Result> = (...given: [...IdArguments<Ids>, ...InputArguments<Input>]) => Result

/** A single id is passed as it is, several by name. */
type IdArguments<Ids> = keyof Ids extends never ? [] : keyof Ids extends 'id' ? [id: string] : [ids: Ids]

/** An input that can be empty can be left out. */
export type InputArguments<Input> = [Input] extends [undefined]
  ? []
  : Record<never, never> extends Input
    ? [input?: Input | undefined]
    : [input: Input]

/**
 * One operation of the API, defined once: the direct API, the HTTP routes and the OpenAPI document derive from it.
 * An operation has a body or a query, never both. Its type is that of its function in the direct API.
 */
export interface Operation<Call extends (...given: never[]) => unknown = (...given: never[]) => unknown> {
  /** Group and verb, such as `reserved_domains.create`. */
  readonly name: string
  /** The HTTP method. */
  readonly method: Method
  /** The path below the base URL, with the names of its ids, such as `/reserved_domains/{id}`. */
  readonly path: string
  /** The HTTP status of its answer. */
  readonly status: 200 | 201 | 204
  /** One line for the documentation. */
  readonly summary: string
  /** The prefix of each id in the path. */
  readonly ids: PathIds
  /** The schema of the body. */
  readonly body?: v.GenericSchema
  /** Whether the dialect's envelope may stand around the body. */
  readonly wrappable?: boolean
  /** What is said of fields for which dialects have other names. */
  readonly otherNames?: OtherNames
  /** The schema of the query. */
  readonly query?: v.GenericSchema
  /** The schema of the answer; absent where there is none. */
  readonly response?: v.GenericSchema
  /** The errors that `run` may refuse with, beside those that every operation of its kind has and those of its schemas. */
  readonly errors?: readonly CatalogueError[]
  /** Reads and checks the body or the query; absent where neither is allowed. */
  readonly read?: Reader
  /** The rules, the change, and the answer in the wire's form. */
  run(tx: Transaction, ids: PathIds, input: unknown): unknown
  /** Carries the type of its function in the direct API; never set. */
  readonly call?: Call
}

/** What every definition of an operation says. */
interface Definition<Ids extends PathIds>
  extends Pick<Operation, 'name' | 'method' | 'path' | 'status' | 'summary' | 'response' | 'errors'> {
  /** The prefix of each id in the path. */
  readonly ids: Ids
}

/** An operation whose body is sent as one type and read as another. */
interface DefinitionWithBody<Ids extends PathIds, Sent, Body, Result> extends Definition<Ids> {
  /** The schema of the body. */
  readonly body: v.GenericSchema<Sent, Body>
  /** Whether the dialect's envelope may stand around the body. */
  readonly wrappable?: boolean
  /** What is said of fields for which dialects have other names. */
  readonly otherNames?: OtherNames
  /** The rules, the change, and the answer in the wire's form. */
  readonly run: (tx: Transaction, ids: Ids, body: Body) => Result
}

/** Defines an operation without body and query. */
export function operation<Ids extends PathIds, Result>(
  definition: Definition<Ids> & { run: (tx: Transaction, ids: Ids) => Result },
): Operation<CallOf<Ids, undefined, Result>> {
  return definition
}

/**
 * Defines an operation with a body. `wrappable` allows the dialect's envelope around it, as on the PUT of a module.
 */
export function operationWithBody<Ids extends PathIds, Sent, Body, Result>(
  definition: DefinitionWithBody<Ids, Sent, Body, Result>,
): Operation<CallOf<Ids, Sent, Result>> {
  const { run, ...rest } = definition
  const { name, body: schema, wrappable = false, otherNames = {} } = definition
  const read = bodyReader(schema)
  const fields = Object.keys(partsOf(schema).entries ?? {})
  const words = { operation: name, group: groupOf(name), fields, wrappable, otherNames }
  return {
    ...rest,
    errors: [...(definition.errors ?? []), ...(otherNames.both ? [otherNames.both] : [])],
    read(raw, ids, context): ReadBody<Body> {
      const { body, called, problems } = plainBody(raw, words, context.dialect)
      const extraFields = context.dialect.extraFields[name]
      return { called, body: inWordsOf(called, () => read(body, ids, context, { problems, extraFields })) }
    },
    run: (tx, ids: Ids, { called, body }: ReadBody<Body>) => inWordsOf(called, () => run(tx, ids, body)),
  }
}

/** The group of an operation: what its name begins with. */
function groupOf(name: string): string {
  return name.slice(0, name.indexOf('.'))
}

/** A body that was read, and what the client called its fields. */
interface ReadBody<Body> {
  readonly called: Called | undefined
  readonly body: Body
}

/** Defines a list operation: its query is the paging and the filter of every list (rules: lists#paging). */
export function listOperation<Result>(
  definition: Omit<Definition<Record<never, never>>, 'ids' | 'method' | 'status'> & {
    prefix: string
    /** The schema of one listed item: a filter can name its fields. */
    item: v.GenericSchema
    run: (tx: Transaction, query: ListQuery) => Result
  },
): Operation<CallOf<Record<never, never>, ListInput, Result>> {
  const { prefix, item, run, ...rest } = definition
  return {
    ...rest,
    method: 'GET',
    status: 200,
    ids: {},
    query: listQuery,
    read: (raw, _ids, { dialect }) => readListQuery(raw, prefix, item, dialect),
    run: (tx, _ids, query: ListQuery) => run(tx, query),
  }
}

/** What any request can be refused with over HTTP, whatever the operation (rules: requests#order-of-checks). */
const OF_ANY_REQUEST = [
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
]

/** What a body can be refused with before its fields are looked at. */
const OF_A_SENT_BODY = [
  general.content_type_missing,
  general.content_type_unsupported,
  general.body_too_large,
  general.body_unreadable,
  general.body_unparsable,
]

const OF_FIELDS = [general.field_unknown, general.field_invalid]

/** GET and DELETE have no body; what is sent all the same is looked at. */
const OF_NO_BODY = [general.body_too_large, general.body_unreadable, general.body_unparsable, general.body_unexpected]

const OF_A_QUERY = [general.query_unknown, general.field_invalid]

const OF_IDS = [general.id_unparsable, general.id_wrong_prefix]

/**
 * Every error that an operation can answer with, by the catalogue's numbers: those of any request, of its path, its body or
 * query, those that the rules in its schemas declare, and those that its `run` declares.
 */
export function errorsOf(operation: Operation): readonly CatalogueError[] {
  const sent = operation.body ? OF_A_SENT_BODY : OF_NO_BODY
  return byNumber([...OF_ANY_REQUEST, ...sent, ...directErrorsOf(operation)])
}

/** The errors of an operation that a direct call can meet too: those of {@link errorsOf} that are not of HTTP. */
export function directErrorsOf({ body, query, ids, errors = [] }: Operation): readonly CatalogueError[] {
  return byNumber([
    ...(Object.keys(ids).length > 0 ? OF_IDS : []),
    ...(body ? [...OF_FIELDS, ...errorsIn(body)] : []),
    ...(query ? [...OF_A_QUERY, ...errorsIn(query)] : []),
    ...errors,
  ])
}

function byNumber(errors: readonly CatalogueError[]): readonly CatalogueError[] {
  return [...new Set(errors)].sort((a, b) => a.number - b.number)
}
