import * as v from 'valibot'
import type { Collection } from './collection.ts'
import type { OtherNames } from './dialect-body.ts'
import { documentationOf, documented, named } from './documentation.ts'
import { type CatalogueError, refuse } from './errors.ts'
import { general } from './general-errors.ts'
import type { ListQuery } from './list-query.ts'
import { listOperation, type Operation, operation, operationWithBody } from './operation.ts'
import type { Transaction } from './transaction.ts'
import type { Frozen, View } from './view.ts'

/** Families by their names in the direct API. */
export type Families = Readonly<Record<string, Family>>

/** A resource family: its operations and errors, the collections it keeps, and what it does when a record is due. */
export interface Family<Operations = Readonly<Record<string, Operation>>, Errors = ErrorsByKey> {
  readonly operations: Operations
  /** The errors that are this family's own, or of what it is made of. */
  readonly errors: Errors
  /** What the ids of its resources begin with. */
  readonly prefix?: string
  // biome-ignore lint/suspicious/noExplicitAny: each family knows its own records
  readonly collections: readonly Collection<any>[]
  /** Handles a due record, at its due time (rules: provisioning-jobs#renewal). */
  // biome-ignore lint/suspicious/noExplicitAny: each family knows its own records
  readonly onDue?: (tx: Transaction, record: any) => void
  /** What must hold between a record and the others; a snapshot in which it does not is damaged. */
  // biome-ignore lint/suspicious/noExplicitAny: each family knows its own records
  readonly relations?: (record: any, others: OtherRecords, report: ReportRelation) => void
}

/** Errors by their keys, as `declareErrors` makes them. */
export type ErrorsByKey = Readonly<Record<string, CatalogueError>>

/** The records of a state, to look one up. */
export type OtherRecords = Pick<Transaction, 'get' | 'find'>

/** Reports what does not hold: in which field of the record, what stands there, and what is allowed. */
export type ReportRelation = (path: readonly string[], received: unknown, allowed: string) => void

/** A record of a top-level resource. */
export interface ResourceRecord {
  readonly id: string
  readonly created_at: number
  readonly description?: string | undefined
  readonly metadata?: string | undefined
}

/** Declares a family of top-level resources with create, get, list, update and delete. */
export function resource<
  Items extends string,
  R extends ResourceRecord,
  Shape extends v.GenericSchema<object>,
  CreateBody extends v.GenericSchema,
  UpdateBody extends v.GenericSchema,
  More extends Record<string, Operation> = Record<never, never>,
  Errors extends ErrorsByKey = Record<never, never>,
>(definition: {
  /** The operations' group, for example `reserved_domains`. */
  name: string
  path: string
  /** The key of a page's items in a list's answer. */
  items: Items
  prefix: string
  /** How messages call one of them, for example "reserved domain". */
  what: string
  collection: Collection<R>
  /** The errors of this family. */
  errors?: Errors
  /** The schema of a response. */
  shape: Shape
  view: View<R, Frozen<v.InferOutput<Shape>>>
  create: {
    body: CreateBody
    /** The errors that `run` may refuse with; those of the body's schema are known. */
    errors?: readonly CatalogueError[]
    /** What is said of fields for which dialects have other names. */
    otherNames?: OtherNames
    run: (tx: Transaction, body: v.InferOutput<CreateBody>) => NoInfer<R>
  }
  update: {
    body: UpdateBody
    errors?: readonly CatalogueError[]
    otherNames?: OtherNames
    run: (tx: Transaction, record: NoInfer<R>, body: v.InferOutput<UpdateBody>) => NoInfer<R>
  }
  delete?: {
    errors?: readonly CatalogueError[]
    /** The rules of a deletion, and what goes with the record. */
    before: (tx: Transaction, record: R) => void
  }
  /** What happens when a record is due. */
  onDue?: (tx: Transaction, record: NoInfer<R>) => void
  /** What must hold between a record and the others. */
  relations?: (record: NoInfer<R>, others: OtherRecords, report: ReportRelation) => void
  more?: More
}) {
  const { name, path, items, prefix, what, collection, shape, view, create, update } = definition
  const one = `${path}/{id}`
  const ids = { id: prefix }
  const found = (tx: Transaction, id: string) => required(tx, collection, id, what)
  const page = pageOf(items, shape, what)
  const operations = {
    create: operationWithBody({
      name: `${name}.create`,
      method: 'POST',
      path,
      status: 201,
      summary: `Create a ${what}`,
      ids: {},
      body: create.body,
      ...(create.otherNames && { otherNames: create.otherNames }),
      errors: create.errors ?? [],
      response: shape,
      run: (tx, _ids, body) => tx.show(view, create.run(tx, body)),
    }),
    get: operation({
      name: `${name}.get`,
      method: 'GET',
      path: one,
      status: 200,
      summary: `Get a ${what}`,
      ids,
      errors: [general.not_found],
      response: shape,
      run: (tx, { id }) => tx.show(view, found(tx, id)),
    }),
    list: listOperation({
      name: `${name}.list`,
      path,
      summary: `List ${what}${what.endsWith('s') ? 'es' : 's'}, newest first`,
      prefix,
      item: shape,
      response: page,
      run: (tx, query) => pageAt(tx, query, { collection, view, path, items }),
    }),
    update: operationWithBody({
      name: `${name}.update`,
      method: 'PATCH',
      path: one,
      status: 200,
      summary: `Change a ${what}`,
      ids,
      body: update.body,
      ...(update.otherNames && { otherNames: update.otherNames }),
      errors: [general.not_found, ...(update.errors ?? [])],
      response: shape,
      run: (tx, { id }, body) => tx.show(view, update.run(tx, found(tx, id), body)),
    }),
    delete: operation({
      name: `${name}.delete`,
      method: 'DELETE',
      path: one,
      status: 204,
      summary: `Delete a ${what}`,
      ids,
      errors: [general.not_found, ...(definition.delete?.errors ?? [])],
      run: (tx, { id }) => {
        const record = found(tx, id)
        definition.delete?.before(tx, record)
        tx.remove(collection, record)
      },
    }),
    ...(definition.more ?? ({} as More)),
  }
  const { onDue, relations, errors = {} as Errors } = definition
  const rules = { ...(onDue && { onDue }), ...(relations && { relations }) }
  return familyOf({ operations, errors, prefix, collections: [collection], ...rules })
}

/** The fields of every page of a list, beside its items. */
export const pageTail = {
  uri: documented(v.string(), 'The URL of the list.', { json: { format: 'uri' } }),
  next_page_uri: documented(v.nullable(v.string()), 'The URL of the next page; null on the last one.', {
    json: { format: 'uri' },
  }),
}

/** The schema of a page of a list. */
function pageOf(items: string, shape: v.GenericSchema<object>, what: string) {
  const { name } = documentationOf(shape)
  const page = v.object({
    [items]: documented(v.array(shape), 'The items of the page, newest first.'),
    ...pageTail,
  })
  return name === undefined ? page : named(page, `${name}List`, `A page of the list of every ${what}.`)
}

/** Puts a family together; the types of its records stay inside. */
export function familyOf<Operations, Errors extends ErrorsByKey>(
  family: Family<Operations, Errors>,
): Family<Operations, Errors> {
  return family
}

/** The record of a path's id, or the refusal that there is none. */
export function required<R extends object>(tx: Transaction, collection: Collection<R>, id: string, what: string): R {
  return tx.get(collection, id) ?? refuse(general.not_found, { what, received: id }, { id })
}

/** A page of a list. */
export type Page<Items extends string, Shown> = { readonly [K in Items]: readonly Shown[] } & {
  readonly uri: string
  readonly next_page_uri: string | null
}

function pageAt<R extends ResourceRecord, Shown extends object, Items extends string>(
  tx: Transaction,
  query: ListQuery,
  list: { collection: Collection<R>; view: View<R, Shown>; path: string; items: Items },
): Page<Items, Shown> {
  const shown: Shown[] = []
  let last: string | undefined
  let more = false
  for (const record of tx.newestFirst(list.collection, query.before_id)) {
    const item = tx.show(list.view, record)
    if (query.filter && !query.filter(item, tx.now)) continue
    more = shown.length === query.limit
    if (more) break
    shown.push(item)
    last = record.id
  }
  const uri = tx.wire.url + list.path
  const next_page_uri = more && last ? `${uri}?${nextQuery(query, last)}` : null
  return Object.freeze({ [list.items]: Object.freeze(shown), uri, next_page_uri }) as Page<Items, Shown>
}

function nextQuery(query: ListQuery, before_id: string): string {
  return new URLSearchParams({ before_id, ...query.sent }).toString()
}

interface Described {
  readonly description?: string | undefined
  readonly metadata?: string | undefined
}

/**
 * `description` and `metadata` of a record after a request: the given ones, else the record's. An empty text sets
 * nothing where nothing was set before (rules: fields#absent-until-set).
 */
export function described(body: Described, record: Described = {}): Described {
  return {
    ...descriptionOf(record),
    ...(isSet(body.description, record.description) && { description: body.description }),
    ...(isSet(body.metadata, record.metadata) && { metadata: body.metadata }),
  }
}

function isSet(given: string | undefined, before: string | undefined): boolean {
  return given !== undefined && (given !== '' || before !== undefined)
}

/** `description` and `metadata` in a response: absent until they were set (rules: fields#absent-until-set). */
export function descriptionOf(record: Described): { description?: string; metadata?: string } {
  return {
    ...(record.description !== undefined && { description: record.description }),
    ...(record.metadata !== undefined && { metadata: record.metadata }),
  }
}
