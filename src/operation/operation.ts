import type * as v from 'valibot'
import type { CatalogueError } from '../schema/errors.ts'
import type { RuleContext } from '../schema/reading.ts'
import { partsOf } from '../schema/schema-parts.ts'
import { type Called, inWordsOf, type OtherNames, plainBody } from './dialect-body.ts'
import { type ListInput, type ListQuery, listQuery, readListQuery } from './list-query.ts'
import { bodyReader } from './request-body.ts'
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
