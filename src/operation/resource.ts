import type * as v from 'valibot'
import { type CatalogueError, refuse } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import type { Frozen } from '../schema/values.ts'
import type { Collection } from './collection.ts'
import type { OtherNames } from './dialect-body.ts'
import type { ErrorsByKey, Family, OtherRecords, ReportRelation } from './family.ts'
import { type ListInput, type Page, pageAt, pageOf } from './list.ts'
import { type InputArguments, listOperation, type Operation, operation, operationWithBody } from './operation.ts'
import type { Transaction } from './transaction.ts'
import type { View } from './view.ts'

/** A record of a top-level resource. */
export interface ResourceRecord {
  /** The id, which begins with the prefix of its kind. */
  readonly id: string
  /** When it was created, in ms since 1970. */
  readonly created_at: number
  /** What the resource is for, in words for people. */
  readonly description?: string | undefined
  /** Anything that programs keep with the resource. */
  readonly metadata?: string | undefined
}

/** What a kind of resources is: its names, what is kept of it, and the schemas of what is sent and answered. */
export interface ResourceKind {
  /** The operations' group, for example `reserved_domains`. */
  readonly name: string
  /** The path of its list, for example `/reserved_domains`. */
  readonly path: string
  /** The key of a page's items in a list's answer. */
  readonly items: string
  /** What ids begin with, for example `rd`. */
  readonly prefix: string
  /** How messages call one of them, for example "reserved domain". */
  readonly what: string
  /** The records. */
  readonly collection: Collection<ResourceRecord>
  /** The schema of a response. */
  readonly shape: v.GenericSchema<object>
  /** The schema of what one is created with. */
  readonly createBody: v.GenericSchema
  /** The schema of what can be changed of one. */
  readonly updateBody: v.GenericSchema
  /** The errors that are its own. */
  readonly errors?: ErrorsByKey
  /** Further operations, by their names in the direct API. */
  readonly more?: Readonly<Record<string, Operation>>
}

/** What is kept of a resource of this kind. */
export type RecordOf<Kind extends ResourceKind> = Kind['collection'] extends Collection<infer R> ? R : never

/** What is answered of a resource of this kind. */
export type ShownOf<Kind extends ResourceKind> =
  Kind['shape'] extends v.GenericSchema<unknown, infer Shown> ? Frozen<Shown> : never

/** What is done with resources of a kind. */
export interface ResourceRules<Kind extends ResourceKind> {
  /** Makes the wire's form of a record. */
  readonly view: View<RecordOf<Kind>, ShownOf<Kind>>
  /** Makes a record of a body. */
  readonly create: BodyRules & {
    /** The rules of a creation, and the record that was put. */
    run(tx: Transaction, body: v.InferOutput<Kind['createBody']>): RecordOf<Kind>
  }
  /** Changes a record by a body. */
  readonly update: BodyRules & {
    /** The rules of a change, and the record that was put. */
    run(tx: Transaction, record: RecordOf<Kind>, body: v.InferOutput<Kind['updateBody']>): RecordOf<Kind>
  }
  /** What a deletion needs beside removing the record. */
  readonly delete?: {
    /** The errors that `before` may refuse with. */
    readonly errors?: readonly CatalogueError[]
    /** The rules of a deletion, and what goes with the record. */
    before(tx: Transaction, record: RecordOf<Kind>): void
  }
  /** What happens when a record is due. */
  onDue?(tx: Transaction, record: RecordOf<Kind>): void
  /** What must hold between a record and the others; a snapshot in which it does not is damaged. */
  relations?(record: RecordOf<Kind>, others: OtherRecords, report: ReportRelation): void
}

/** What holds of an operation with a body beside its work. */
interface BodyRules {
  /** The errors that `run` may refuse with; those of the body's schema are known. */
  readonly errors?: readonly CatalogueError[]
  /** What is said of fields for which dialects have other names. */
  readonly otherNames?: OtherNames
}

/** The operations that every kind of resources has. */
type ResourceOperations<Kind extends ResourceKind> = {
  readonly create: Operation<(...given: InputArguments<v.InferInput<Kind['createBody']>>) => ShownOf<Kind>>
  readonly get: Operation<(id: string) => ShownOf<Kind>>
  readonly list: Operation<(query?: ListInput) => Page<Kind['items'], ShownOf<Kind>>>
  readonly update: Operation<(id: string, ...given: InputArguments<v.InferInput<Kind['updateBody']>>) => ShownOf<Kind>>
  readonly delete: Operation<(id: string) => void>
}

/** The family of a kind of resources: create, get, list, update, delete, and its further operations. */
export type ResourceFamily<Kind extends ResourceKind> = Family<
  ResourceOperations<Kind> & (Kind extends { readonly more: infer More } ? More : unknown),
  Kind extends { readonly errors: infer Errors } ? Errors : Record<never, never>
>

/**
 * Declares a family of top-level resources with create, get, list, update and delete: what the resources are, and what is
 * done with them. All types follow from the first.
 *
 * @example
 * ```ts
 * const widgets = resource(
 *   { name: 'widgets', path: '/widgets', items: 'widgets', prefix: 'wid', what: 'widget', collection: records, shape, createBody, updateBody },
 *   {
 *     view: (record, { url }) => ({ id: record.id, uri: `${url}/widgets/${record.id}`, created_at: timestamp(record.created_at) }),
 *     create: { run: (tx, body) => tx.put(records, { id: tx.newId('wid'), created_at: tx.now, ...described(body) }) },
 *     update: { run: (tx, record, body) => tx.put(records, { ...record, ...described(body, record) }) },
 *   },
 * )
 * ```
 */
export function resource<const Kind extends ResourceKind>(kind: Kind, rules: ResourceRules<Kind>): ResourceFamily<Kind>
export function resource(kind: ResourceKind, rules: ResourceRules<ResourceKind>): Family<unknown, unknown> {
  const { name, path, items, prefix, what, collection, shape, createBody, updateBody, errors = {}, more = {} } = kind
  const { view, create, update, onDue, relations } = rules
  const one = `${path}/{id}`
  const ids = { id: prefix }
  const found = (tx: Transaction, id: string) => required(tx, collection, id, what)
  const operations = {
    create: operationWithBody({
      name: `${name}.create`,
      method: 'POST',
      path,
      status: 201,
      summary: `Create a ${what}`,
      ids: {},
      body: createBody,
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
      response: pageOf(items, shape, what),
      run: (tx, query) => pageAt(tx, query, { collection, view, path, items }),
    }),
    update: operationWithBody({
      name: `${name}.update`,
      method: 'PATCH',
      path: one,
      status: 200,
      summary: `Change a ${what}`,
      ids,
      body: updateBody,
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
      errors: [general.not_found, ...(rules.delete?.errors ?? [])],
      run(tx, { id }) {
        const record = found(tx, id)
        rules.delete?.before(tx, record)
        tx.remove(collection, record)
      },
    }),
    ...more,
  }
  const further = { ...(onDue && { onDue }), ...(relations && { relations }) }
  return { operations, errors, prefix, collections: [collection], ...further }
}

/** The record of a path's id, or the refusal that there is none. */
export function required<R extends object>(tx: Transaction, collection: Collection<R>, id: string, what: string): R {
  return tx.get(collection, id) ?? refuse(general.not_found, { what, received: id }, { id })
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
