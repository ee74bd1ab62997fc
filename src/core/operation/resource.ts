import type * as v from 'valibot'
import { requireSync } from '../schema/arguments.ts'
import { refuse } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import { chooseArticle } from '../schema/text.ts'
import { listLimitErrors, requirePermitted, requireWithin } from './account.ts'
import type { Collection } from './collection.ts'
import type { Family } from './family.ts'
import { type AccountLimit, accountLimits, type LimitsByName } from './limit.ts'
import { createShow, type ListInput, type Matching, type Page, pageAt, pageOf, type Related } from './list.ts'
import {
  type InputArguments,
  listOperation,
  type Matched,
  type Operation,
  operation,
  operationWithBody,
} from './operation.ts'
import type { ItemsOf, ReadableKind, RecordOf, ResourceKind, ResourceOf, ResourceRules } from './resource-kind.ts'
import type { Transaction } from './transaction.ts'
import type { View } from './view.ts'

type MatchedOf<Kind extends ReadableKind> = Kind extends { readonly matching: Matching<infer Name> }
  ? Matched<Name>
  : unknown

/** The operations that read resources of a kind. */
export type ReadOperations<Kind extends ReadableKind> = {
  /** Returns one resource. */
  readonly get: Operation<(id: string) => ResourceOf<Kind>>
  /** Returns a page of resources. */
  readonly list: Operation<(query?: ListInput & MatchedOf<Kind>) => Page<ItemsOf<Kind>, ResourceOf<Kind>>>
}

type ResourceOperations<Kind extends ResourceKind> = ReadOperations<Kind> & WriteOperations<Kind>

type WriteOperations<Kind extends ResourceKind> = {
  readonly create: Operation<(...args: InputArguments<v.InferInput<Kind['createBody']>>) => ResourceOf<Kind>>
  readonly update: Operation<
    (id: string, ...args: InputArguments<v.InferInput<Kind['updateBody']>>) => ResourceOf<Kind>
  >
  readonly delete: Operation<(id: string) => void>
}

/** A kind's own limits, or else the default limit. */
type LimitsOf<Kind extends ResourceKind> = Kind extends { readonly limits: infer Limits extends LimitsByName }
  ? Limits
  : { readonly [Name in Kind['name']]: AccountLimit }

/** A family for a kind of resource, with create, get, list, update, delete, and additional operations. */
export type ResourceFamily<Kind extends ResourceKind> = Family<
  ResourceOperations<Kind> & (Kind extends { readonly more: infer More } ? More : unknown),
  Kind extends { readonly errors: infer Errors } ? Errors : Record<never, never>,
  Kind extends { readonly declares: infer Declares } ? Declares : Record<never, never>,
  LimitsOf<Kind>
>

/**
 * Declares a family of top-level resources with create, get, list, update, and delete operations. All types are inferred from the kind.
 *
 * @example
 * ```ts
 * const widgets = resource(
 *   { name: 'widgets', prefix: 'wid', what: 'widget', collection: records, shape, createBody, updateBody },
 *   {
 *     view: (record, wire) => viewHead(record, wire, '/widgets'),
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
  const { name, prefix, what, collection, shape, errors = {}, more = {} } = kind
  const { limits = accountLimits({ [name]: { what: choosePlural(kind), ...kind.limit } }) } = kind
  const { view, related, create, update, delete: deletion, ...handlers } = rules
  const show = createShow(view, related)
  const { path, article, oneResource, keyOf } = deriveNames(kind)
  const findRecord = (tx: Transaction, id: string) => required(tx, collection, id, what, keyOf(id))
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
      errors: [...(create.errors ?? []), ...listLimitErrors(limits, false)],
      response: shape,
      permits: (body, context) => requirePermitted(limits, body, context),
      run(tx, _ids, body) {
        const record = requireSync(`\`create\` of ${name}`, create.run(tx, body))
        requireWithin(tx, limits, collection, record)
        const response = show(tx, record)
        return create.once ? { ...response, ...create.once(record) } : response
      },
    }),
    ...readOperations(kind, view, related),
    update: operationWithBody({
      ...oneResource,
      name: `${name}.update`,
      method: 'PATCH',
      status: 200,
      summary: `Change ${article} ${what}`,
      body: kind.updateBody,
      ...(update.otherNames && { otherNames: update.otherNames }),
      errors: [general.not_found, ...(update.errors ?? []), ...listLimitErrors(limits, true)],
      response: shape,
      run(tx, { id }, body) {
        // Otherwise, a family that modified the record itself would change it outside the transaction.
        const before = Object.freeze(findRecord(tx, id))
        requirePermitted(limits, body as object, tx, before) // A body is an object.
        const record = requireSync(`\`update\` of ${name}`, update.run(tx, before, body))
        requireWithin(tx, limits, collection, record, before)
        const response = show(tx, record)
        return update.once ? { ...response, ...update.once(tx, record, before) } : response
      },
    }),
    delete: operation({
      ...oneResource,
      name: `${name}.delete`,
      method: 'DELETE',
      status: 204,
      summary: `Delete ${article} ${what}`,
      errors: [general.not_found, ...(deletion?.errors ?? [])],
      run(tx, { id }) {
        const record = findRecord(tx, id)
        deletion?.before(tx, record)
        tx.remove(collection, record)
      },
    }),
    ...more,
  }
  const declares = kind.declares && { declares: kind.declares }
  return { operations, errors, prefix, collections: [collection], limits, view, ...declares, ...handlers }
}

/** Returns the plural. @throws TypeError if the plural needs more than an "s" and isn't declared */
function choosePlural({ what, plural }: ReadableKind): string {
  if (plural === undefined && /(?:[^aeiou]y|s|x|z|ch|sh)$/i.test(what)) {
    throw new TypeError(`The plural of "${what}" needs more than an "s". Declare it, for example plural: 'policies'.`)
  }
  return plural ?? `${what}s`
}

function deriveNames(kind: ReadableKind) {
  const { name, path = `/${name}`, items = name, prefix, prefixes: [ofKey, ...others] = [prefix], what, article } = kind
  return {
    path,
    items,
    article: article ?? chooseArticle(what),
    oneResource: { path: `${path}/{id}`, ids: { id: [ofKey, ...others].join('|') } },
    keyOf: (id: string) => (others.length > 0 ? ofKey + id.slice(id.indexOf('_')) : id),
  }
}

/**
 * Declares the operations `get` and `list`, for a family whose resources are not created by an operation. `related` computes
 * fields of a response from other records.
 *
 * @example
 * ```ts
 * const operations = readOperations(kind, view)
 * ```
 */
export function readOperations<const Kind extends ReadableKind>(
  kind: Kind,
  view: View<RecordOf<Kind>, ResourceOf<Kind>>,
  related?: Related<RecordOf<Kind>, ResourceOf<Kind>>,
): ReadOperations<Kind>
export function readOperations(
  kind: ReadableKind,
  viewOfKind: (...args: never[]) => unknown,
  relatedOfKind?: (...args: never[]) => unknown,
): unknown {
  const view = viewOfKind as View<object, { readonly id: string }> // The signature above has the type.
  // The signature above has this type too.
  const related = relatedOfKind as Related<object, { readonly id: string }> | undefined
  const show = createShow(view, related)
  const { name, what, collection, shape, filterable, matching, tableFields } = kind
  const { path, items, article, oneResource, keyOf } = deriveNames(kind)
  return {
    get: operation({
      ...oneResource,
      name: `${name}.get`,
      method: 'GET',
      status: 200,
      summary: `Get ${article} ${what}`,
      nouns: { one: what, many: choosePlural(kind), ...(tableFields && { tableFields }) },
      errors: [general.not_found],
      response: shape,
      run: (tx, { id }) => show(tx, required(tx, collection, id, what, keyOf(id))),
    }),
    list: listOperation({
      name: `${name}.list`,
      path,
      summary: `List ${choosePlural(kind)}, newest first`,
      prefix: oneResource.ids.id,
      item: shape,
      filterable,
      matching,
      response: pageOf(items, shape, choosePlural(kind)),
      run: (tx, query) => pageAt(tx, query, { collection, keyOf, view, path, items, ...(related && { related }) }),
    }),
  }
}

/**
 * Returns the record with the ID from a path.
 *
 * @example
 * ```ts
 * const widget = required(tx, widgetRecords, id, 'widget')
 * ```
 * @throws Refusal with `not_found` and with `what` in its message
 */
export function required<R extends object>(
  tx: Transaction,
  collection: Collection<R>,
  id: string,
  what: string,
  key = id,
): R {
  return tx.get(collection, key) ?? refuse(general.not_found, { what, received: id }, { id })
}
