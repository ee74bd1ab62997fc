import type * as v from 'valibot'
import { type Called, inWordsOf, type OtherNames, plainBody } from './dialect-body.ts'
import type { CatalogueError } from './errors.ts'
import { type ListInput, type ListQuery, listQuery, readListQuery } from './list-query.ts'
import type { RuleContext } from './reading.ts'
import { bodyReader } from './request-body.ts'
import { partsOf } from './schema-parts.ts'
import type { Transaction } from './transaction.ts'

/** The HTTP methods that operations use. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The ids of a path, by parameter, such as `{ id: 'rd_…' }`. Where an operation is defined: their prefixes. */
export type PathIds = Readonly<Record<string, string>>

/** What a client sent in a body or a query, before it is read. */
type Reader = (raw: unknown, ids: PathIds, context: RuleContext) => unknown

/**
 * One operation of the API, defined once: the direct API, the HTTP routes and the OpenAPI document derive from it.
 * An operation has a body or a query, never both.
 */
export interface Operation<Ids extends PathIds = PathIds, Input = unknown, Result = unknown> {
  /** Group and verb, such as `reserved_domains.create`. */
  readonly name: string
  readonly method: Method
  readonly path: string
  readonly status: 200 | 201 | 204
  /** One line for the documentation. */
  readonly summary: string
  /** The prefix of each id in the path. */
  readonly ids: Ids
  readonly body?: v.GenericSchema
  /** Whether the dialect's envelope may stand around the body. */
  readonly wrappable?: boolean
  /** What is said of fields for which dialects have other names. */
  readonly otherNames?: OtherNames
  readonly query?: v.GenericSchema
  readonly response?: v.GenericSchema
  /** The errors that `run` may refuse with, beside those that every operation of its kind has and those of its schemas. */
  readonly errors?: readonly CatalogueError[]
  /** Reads and checks the body or the query; absent where neither is allowed. */
  readonly read?: Reader
  /** The rules, the change, and the answer in the wire's form. */
  run(tx: Transaction, ids: PathIds, input: unknown): Result
  /** Carries the input's type for the direct API; never set. */
  readonly input?: Input
}

interface Definition<Ids extends PathIds> {
  name: string
  method: Method
  path: string
  status: 200 | 201 | 204
  summary: string
  ids: Ids
  response?: v.GenericSchema
  errors?: readonly CatalogueError[]
}

/** Defines an operation without body and query. */
export function operation<Ids extends PathIds, Result>(
  definition: Definition<Ids> & { run: (tx: Transaction, ids: Ids) => Result },
): Operation<Ids, undefined, Result> {
  return definition
}

/**
 * Defines an operation with a body. `wrappable` allows the dialect's envelope around it, as on the PUT of a module.
 */
export function operationWithBody<Ids extends PathIds, S extends v.GenericSchema, Result>(
  definition: Definition<Ids> & {
    body: S
    wrappable?: boolean
    /** What is said of fields for which dialects have other names. */
    otherNames?: OtherNames
    run: (tx: Transaction, ids: Ids, body: v.InferOutput<S>) => Result
  },
): Operation<Ids, v.InferInput<S>, Result> {
  const { run, ...rest } = definition
  const { name, body: schema, wrappable = false, otherNames = {} } = definition
  const read = bodyReader(schema)
  const fields = Object.keys(partsOf(schema).entries ?? {})
  const words = { operation: name, group: groupOf(name), fields, wrappable, otherNames }
  return {
    ...rest,
    errors: [...(definition.errors ?? []), ...(otherNames.both ? [otherNames.both] : [])],
    read(raw, ids, context): ReadBody<v.InferOutput<S>> {
      const { body, called, problems } = plainBody(raw, words, context.dialect)
      const extraFields = context.dialect.extraFields[name]
      return { called, body: inWordsOf(called, () => read(body, ids, context, { problems, extraFields })) }
    },
    run: (tx, ids: Ids, { called, body }: ReadBody<v.InferOutput<S>>) => inWordsOf(called, () => run(tx, ids, body)),
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
): Operation<Record<never, never>, ListInput, Result> {
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
