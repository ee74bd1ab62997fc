import type * as v from 'valibot'
import type { FilterableField } from '../filter/filter.ts'
import { type CatalogueError, refuse } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import { timestamp } from '../schema/time.ts'
import type { Frozen } from '../schema/values.ts'
import { limitErrors, requirePermitted, requireWithin } from './account.ts'
import type { Collection } from './collection.ts'
import type { OtherNames } from './dialect-body.ts'
import type { Declaration, ErrorsByKey, Family, OtherRecords, ReportRelation } from './family.ts'
import { type AccountLimit, accountLimits, type LimitsByName } from './limit.ts'
import { type ListInput, type Matching, type Page, pageAt, pageOf } from './list.ts'
import {
  type InputArguments,
  listOperation,
  type Matched,
  type Operation,
  operation,
  operationWithBody,
} from './operation.ts'
import { type Related, shownBy } from './related.ts'
import type { Transaction } from './transaction.ts'
import type { View, Wire } from './view.ts'

/** A record of a top-level resource. */
export interface ResourceRecord extends Described {
  /** The id, which begins with the prefix of its kind. */
  readonly id: string
  /** The time of its creation, in ms since 1970. */
  readonly created_at: number
}

/** A kind of resources that can be read: its names, its records, and the schema of answers. */
export interface ReadableKind {
  /** The operations' group, for example `reserved_domains`. */
  readonly name: string
  /** The path of its list, for example `/reserved_domains`. */
  readonly path: string
  /** The key of a page's items in a list's answer. */
  readonly items: string
  /** The prefix of its ids, for example `rd`. */
  readonly prefix: string
  /**
   * The prefixes of all kinds that have the same collection, the one of the records' keys first. Ids are taken with any of
   * them. One of the kinds gives the collection to its family; the others have `collections: []`.
   */
  readonly prefixes?: readonly [string, ...string[]]
  /** The name of one resource in messages and summaries, for example "reserved address". */
  readonly what: string
  /** The name of several, for example "reserved addresses". Default: `what` followed by "s". */
  readonly plural?: string
  /** The article before `what`. Default: "an" before a, e, i, o and u, else "a". */
  readonly article?: 'a' | 'an'
  /** The records. */
  readonly collection: Collection<object>
  /** The schema of a response. */
  readonly shape: v.GenericSchema<{ readonly id: string }>
  /** The fields that filters can name where the dialect asks for that; `[]` for no filter. Default: all. */
  readonly filterable?: readonly FilterableField[]
  /** Further query parameters of the list, each with the field of an item that must have one of the values sent. */
  readonly matching?: Matching
}

/** A kind of resources: also the schemas of bodies, its errors, and what else it has. */
export interface ResourceKind extends ReadableKind {
  /** The records. */
  readonly collection: Collection<ResourceRecord>
  /** The schema of the body that creates one. */
  readonly createBody: v.GenericSchema
  /** The schema of the body that changes one. */
  readonly updateBody: v.GenericSchema
  /** The errors of this kind. */
  readonly errors?: ErrorsByKey
  /**
   * The limits of the account that this kind comes under, by their names in `account.limits`. Default: one with the name of
   * the kind, on the number of its records.
   */
  readonly limits?: LimitsByName
  /** The declarations that tests can make, by their names in `gateway.declare`. */
  readonly declares?: Readonly<Record<string, Declaration>>
  /** Further operations, by their names in the direct API. */
  readonly more?: Readonly<Record<string, Operation>>
}

/** The record type of a kind. */
export type RecordOf<Kind extends ReadableKind> = Kind['collection'] extends Collection<infer R> ? R : never

/** The response type of a kind. */
export type ShownOf<Kind extends ReadableKind> =
  Kind['shape'] extends v.GenericSchema<unknown, infer Shown> ? Frozen<Shown> : never

/** The rules of a kind of resources. */
export interface ResourceRules<Kind extends ResourceKind> {
  /** Makes the wire's form of a record. */
  readonly view: View<RecordOf<Kind>, ShownOf<Kind>>
  /** Returns the fields of a response that follow from other records, in place of the view's. */
  related?(tx: Transaction, record: RecordOf<Kind>): Partial<ShownOf<Kind>>
  /** The creation. */
  readonly create: BodyRules & {
    /** Applies the rules of a creation, and returns the record that it put. */
    run(tx: Transaction, body: v.InferOutput<Kind['createBody']>): RecordOf<Kind>
    /** Returns what only the response to the creation has, such as a token that is shown once. */
    once?(record: RecordOf<Kind>): Partial<ShownOf<Kind>>
  }
  /** The change by a body. */
  readonly update: BodyRules & {
    /** Applies the rules of a change, and returns the record that it put. */
    run(tx: Transaction, record: RecordOf<Kind>, body: v.InferOutput<Kind['updateBody']>): RecordOf<Kind>
    /** Returns what only the response to the change has, other than later reads. */
    once?(tx: Transaction, record: RecordOf<Kind>, before: RecordOf<Kind>): Partial<ShownOf<Kind>>
  }
  /** The deletion, if it needs more than removing the record. */
  readonly delete?: {
    /** The errors that `before` may refuse with. */
    readonly errors?: readonly CatalogueError[]
    /** Applies the rules of a deletion, and removes what belongs to the record. */
    before(tx: Transaction, record: RecordOf<Kind>): void
  }
  /** Handles a due record. */
  onDue?(tx: Transaction, record: RecordOf<Kind>): void
  /** Rules that this kind adds to operations of other families, by the operation's name. */
  readonly before?: Family['before']
  /** Reports relations between a record and the others that do not hold, as in a damaged snapshot. */
  relations?(record: RecordOf<Kind>, others: OtherRecords, report: ReportRelation): void
}

interface BodyRules {
  /** The errors that `run` may refuse with, beside those of the body's schema. */
  readonly errors?: readonly CatalogueError[]
  /** The rules for fields that have other names in dialects. */
  readonly otherNames?: OtherNames
}

type MatchedOf<Kind extends ReadableKind> = Kind extends { readonly matching: Matching<infer Name> }
  ? Matched<Name>
  : unknown

/** The operations that read resources of a kind. */
export type ReadOperations<Kind extends ReadableKind> = {
  /** Returns one. */
  readonly get: Operation<(id: string) => ShownOf<Kind>>
  /** Returns a page of them. */
  readonly list: Operation<(query?: ListInput & MatchedOf<Kind>) => Page<Kind['items'], ShownOf<Kind>>>
}

type ResourceOperations<Kind extends ResourceKind> = ReadOperations<Kind> & WriteOperations<Kind>

type WriteOperations<Kind extends ResourceKind> = {
  readonly create: Operation<(...args: InputArguments<v.InferInput<Kind['createBody']>>) => ShownOf<Kind>>
  readonly update: Operation<(id: string, ...args: InputArguments<v.InferInput<Kind['updateBody']>>) => ShownOf<Kind>>
  readonly delete: Operation<(id: string) => void>
}

/** The limits of a kind: its own, or the one that every kind has. */
type LimitsOf<Kind extends ResourceKind> = Kind extends { readonly limits: infer Limits extends LimitsByName }
  ? Limits
  : { readonly [Name in Kind['name']]: AccountLimit }

/** The family of a kind of resources: create, get, list, update, delete, and its further operations. */
export type ResourceFamily<Kind extends ResourceKind> = Family<
  ResourceOperations<Kind> & (Kind extends { readonly more: infer More } ? More : unknown),
  Kind extends { readonly errors: infer Errors } ? Errors : Record<never, never>,
  Kind extends { readonly declares: infer Declares } ? Declares : Record<never, never>,
  LimitsOf<Kind>
>

/**
 * Declares a family of top-level resources with create, get, list, update and delete. All types follow from the kind.
 *
 * @example
 * ```ts
 * const widgets = resource(
 *   { name: 'widgets', path: '/widgets', items: 'widgets', prefix: 'wid', what: 'widget', collection: records, shape, createBody, updateBody },
 *   {
 *     view: (record, wire) => shownHead(record, wire, '/widgets'),
 *     create: { run: (tx, body) => tx.put(records, newHead(tx, 'wid', body)) },
 *     update: { run: (tx, record, body) => tx.put(records, { ...record, ...described(body, record) }) },
 *   },
 * )
 * ```
 */
export function resource<const Kind extends ResourceKind>(kind: Kind, rules: ResourceRules<Kind>): ResourceFamily<Kind>
export function resource(
  kind: ResourceKind,
  rules: ResourceRules<ResourceKind>,
): Family<unknown, unknown, unknown, LimitsByName> {
  const { name, path, prefix, what, plural = `${what}s`, collection, shape, errors = {}, more = {} } = kind
  const { limits = accountLimits({ [name]: { what: plural } }) } = kind
  const { view, related, create, update, onDue, before, relations } = rules
  const show = shownBy(view, related)
  const { article, ofOne, keyOf } = namesOf(kind)
  const found = (tx: Transaction, id: string) => required(tx, collection, id, what, keyOf(id))
  const operations = {
    create: operationWithBody({
      name: `${name}.create`,
      method: 'POST',
      path,
      status: 201,
      summary: `Create ${article} ${what}`,
      ids: {},
      body: kind.createBody,
      ...(create.otherNames && { otherNames: create.otherNames }),
      errors: [...(create.errors ?? []), ...limitErrors(limits, false)],
      response: shape,
      permits: (body, context) => requirePermitted(limits, body, context),
      run(tx, _ids, body) {
        const record = create.run(tx, body)
        requireWithin(tx, limits, collection, record)
        const shown = show(tx, record)
        return create.once ? Object.freeze({ ...shown, ...create.once(record) }) : shown
      },
    }),
    ...readOperations(kind, view, related),
    update: operationWithBody({
      ...ofOne,
      name: `${name}.update`,
      method: 'PATCH',
      status: 200,
      summary: `Change ${article} ${what}`,
      body: kind.updateBody,
      ...(update.otherNames && { otherNames: update.otherNames }),
      errors: [general.not_found, ...(update.errors ?? []), ...limitErrors(limits, true)],
      response: shape,
      run(tx, { id }, body) {
        const before = found(tx, id)
        requirePermitted(limits, body as object, tx, before) // Every body is one.
        const record = update.run(tx, before, body)
        requireWithin(tx, limits, collection, record, before)
        const shown = show(tx, record)
        return update.once ? Object.freeze({ ...shown, ...update.once(tx, record, before) }) : shown
      },
    }),
    delete: operation({
      ...ofOne,
      name: `${name}.delete`,
      method: 'DELETE',
      status: 204,
      summary: `Delete ${article} ${what}`,
      errors: [general.not_found, ...(rules.delete?.errors ?? [])],
      run(tx, { id }) {
        const record = found(tx, id)
        rules.delete?.before(tx, record)
        tx.remove(collection, record)
      },
    }),
    ...more,
  }
  const handlers = {
    ...(onDue && { onDue }),
    ...(before && { before }),
    ...(kind.declares && { declares: kind.declares }),
    ...(relations && { relations }),
  }
  return { operations, errors, prefix, collections: [collection], limits, ...handlers }
}

function namesOf({ path, prefix, prefixes: [ofKey, ...others] = [prefix], what, article }: ReadableKind) {
  return {
    article: article ?? (/^[aeiou]/i.test(what) ? 'an' : 'a'),
    ofOne: { path: `${path}/{id}`, ids: { id: [ofKey, ...others].join('|') } },
    keyOf: (id: string) => (others.length > 0 ? ofKey + id.slice(id.indexOf('_')) : id),
  }
}

/**
 * Declares the operations `get` and `list` alone, for a family whose resources no body makes. `related` returns the fields that
 * follow from other records.
 */
export function readOperations<const Kind extends ReadableKind>(
  kind: Kind,
  view: View<RecordOf<Kind>, ShownOf<Kind>>,
  related?: Related<RecordOf<Kind>, ShownOf<Kind>>,
): ReadOperations<Kind>
export function readOperations(
  kind: ReadableKind,
  viewOfKind: (...args: never[]) => unknown,
  relatedOfKind?: (...args: never[]) => unknown,
): unknown {
  const view = viewOfKind as View<object, { readonly id: string }> // It is of the kind's records, as stated above.
  // So is this.
  const related = relatedOfKind as Related<object, { readonly id: string }> | undefined
  const show = shownBy(view, related)
  const { name, path, items, what, plural = `${what}s`, collection, shape, filterable, matching } = kind
  const { article, ofOne, keyOf } = namesOf(kind)
  return {
    get: operation({
      ...ofOne,
      name: `${name}.get`,
      method: 'GET',
      status: 200,
      summary: `Get ${article} ${what}`,
      errors: [general.not_found],
      response: shape,
      run: (tx, { id }) => show(tx, required(tx, collection, id, what, keyOf(id))),
    }),
    list: listOperation({
      name: `${name}.list`,
      path,
      summary: `List ${plural}, newest first`,
      prefix: ofOne.ids.id,
      item: shape,
      filterable,
      matching,
      response: pageOf(items, shape, what),
      run: (tx, query) => pageAt(tx, query, { collection, keyOf, view, path, items, ...(related && { related }) }),
    }),
  }
}

/** Returns the record with the id of a path, or refuses the request. */
export function required<R extends object>(
  tx: Transaction,
  collection: Collection<R>,
  id: string,
  what: string,
  key = id,
): R {
  return tx.get(collection, key) ?? refuse(general.not_found, { what, received: id }, { id })
}

interface Described {
  /** The purpose of the resource, in words for people. */
  readonly description?: string | undefined
  /** Data that programs keep with the resource. */
  readonly metadata?: string | undefined
}

/**
 * Returns `description` and `metadata` of a record after a request: the sent ones, else the record's. An empty text sets
 * nothing if nothing was set before (rules: fields#absent-until-set).
 */
export function described(body: Described, record: Described = {}): Described {
  const isSet = (name: keyof Described) => body[name] || (body[name] === '' && record[name] !== undefined)
  return {
    ...descriptionOf(record),
    ...(isSet('description') && { description: body.description }),
    ...(isSet('metadata') && { metadata: body.metadata }),
  }
}

/** Returns `description` and `metadata` for a response: absent until they were set (rules: fields#absent-until-set). */
export function descriptionOf({ description, metadata }: Described): { description?: string; metadata?: string } {
  return { ...(description !== undefined && { description }), ...(metadata !== undefined && { metadata }) }
}

/** Makes the fields that every new record begins with: a new id, the time, and `description` and `metadata` of the body. */
export function newHead(tx: Transaction, prefix: string, body: Described = {}): ResourceRecord {
  return { id: tx.newId(prefix), created_at: tx.now, ...described(body) }
}

/** Makes the fields that every response begins with, of a record and the path of its list, such as `/widgets`. */
export function shownHead({ id, created_at, ...texts }: ResourceRecord, { url }: Wire, path: string) {
  return { id, uri: `${url}${path}/${id}`, created_at: timestamp(created_at), ...descriptionOf(texts) }
}
