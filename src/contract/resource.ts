import * as v from 'valibot'
import type { Collection } from './collection.ts'
import { documentationOf, documented, type Facts, named } from './documentation.ts'
import { refuse } from './errors.ts'
import type { ListQuery } from './list-query.ts'
import { listOperation, type Operation, operation, operationWithBody } from './operation.ts'
import type { Transaction } from './transaction.ts'
import type { Frozen, View } from './view.ts'

/** A resource family: its operations, the collections it keeps, and what it does when a record is due. */
export interface Family<Operations = Record<string, Operation>> {
  readonly operations: Operations
  // biome-ignore lint/suspicious/noExplicitAny: each family knows its own records
  readonly collections: readonly Collection<any>[]
  /** Handles a due record, at its due time (decisions, "Provisioning jobs", 5). */
  // biome-ignore lint/suspicious/noExplicitAny: each family knows its own records
  readonly onDue?: (tx: Transaction, record: any) => void
  /** What must hold between a record and the others; a snapshot in which it does not is damaged. */
  // biome-ignore lint/suspicious/noExplicitAny: each family knows its own records
  readonly relations?: (record: any, others: OtherRecords, report: ReportRelation) => void
}

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
  /** The schema of a response. */
  shape: Shape
  view: View<R, Frozen<v.InferOutput<Shape>>>
  create: { body: CreateBody; run: (tx: Transaction, body: v.InferOutput<CreateBody>) => NoInfer<R> }
  update: {
    body: UpdateBody
    run: (tx: Transaction, record: NoInfer<R>, body: v.InferOutput<UpdateBody>) => NoInfer<R>
  }
  /** The rules of a deletion, and what goes with the record. */
  beforeDelete?: (tx: Transaction, record: R) => void
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
      run: (tx, query) => listPage(tx, query, { collection, view, path, items }),
    }),
    update: operationWithBody({
      name: `${name}.update`,
      method: 'PATCH',
      path: one,
      status: 200,
      summary: `Change a ${what}`,
      ids,
      body: update.body,
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
      run: (tx, { id }) => {
        const record = found(tx, id)
        definition.beforeDelete?.(tx, record)
        tx.remove(collection, record)
      },
    }),
    ...(definition.more ?? ({} as More)),
  }
  const { onDue, relations } = definition
  return familyOf(operations, [collection], { ...(onDue && { onDue }), ...(relations && { relations }) })
}

/** The schema of a page of a list. */
function pageOf(items: string, shape: v.GenericSchema<object>, what: string) {
  const { name } = documentationOf(shape)
  const page = v.object({
    [items]: documented(v.array(shape), 'The items of the page, newest first.'),
    uri: documented(v.string(), 'The URL of the list.', URI),
    next_page_uri: documented(v.nullable(v.string()), 'The URL of the next page; null on the last one.', URI),
  })
  return name === undefined ? page : named(page, `${name}List`, `A page of the list of every ${what}.`)
}

const URI: Facts = { json: { format: 'uri' } }

/** Puts a family together; the types of its records stay inside. */
export function familyOf<Operations>(
  operations: Operations,
  collections: Family['collections'],
  rules: Pick<Family, 'onDue' | 'relations'> = {},
): Family<Operations> {
  return { operations, collections, ...rules }
}

/** The record of a path's id, or the refusal that there is none. */
export function required<R extends object>(tx: Transaction, collection: Collection<R>, id: string, what: string): R {
  return tx.get(collection, id) ?? refuse('not_found', { what, received: id }, { id })
}

/** A page of a list. */
export type Page<Items extends string, Shown> = { readonly [K in Items]: readonly Shown[] } & {
  readonly uri: string
  readonly next_page_uri: string | null
}

function listPage<R extends ResourceRecord, Shown extends object, Items extends string>(
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
 * nothing where nothing was set before (decisions, "Wire").
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

/** `description` and `metadata` in a response: absent until they were set (decisions, "Wire"). */
export function descriptionOf(record: Described): { description?: string; metadata?: string } {
  return {
    ...(record.description !== undefined && { description: record.description }),
    ...(record.metadata !== undefined && { metadata: record.metadata }),
  }
}
