import * as v from 'valibot'
import type { ListParameters } from '../../generated/core.ts'
import { compileFilter, type Filter, type Filtered, MAX_FILTER_LENGTH } from '../filter/filter.ts'
import { isSent } from '../schema/body.ts'
import type { CommonDialect } from '../schema/dialect.ts'
import { documentationOf, documented, named } from '../schema/documentation.ts'
import { Problems, problem, refuse } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import { findIdError, idPattern } from '../schema/ids.ts'
import { formatPath, quote, toTypeName } from '../schema/text.ts'
import { deepFreeze, isObject, pick } from '../schema/values.ts'
import type { Collection } from './collection.ts'
import type { Transaction } from './transaction.ts'
import type { View } from './view.ts'

const MAX_PAGE_SIZE = 100

export const listQuery = named(
  v.object({
    limit: v.optional(
      documented(v.union([v.number(), v.string()]), 'The number of items per page.', {
        json: { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE, default: MAX_PAGE_SIZE, examples: [10] },
        errors: [general.limit_not_a_number, general.limit_out_of_range],
        rules: 'lists#paging',
      }),
    ),
    before_id: v.optional(
      documented(v.string(), 'Only items created before the item with this ID, which may itself have been deleted.', {
        json: { pattern: `^$|${idPattern('[a-z][a-z0-9]*')}` },
        errors: [general.id_unparsable, general.id_wrong_prefix],
        rules: 'lists#cursor',
      }),
    ),
    filter: v.optional(
      documented(v.string(), 'A predicate over `obj` in a subset of CEL, such as `obj.description == "checkout"`.', {
        json: { maxLength: MAX_FILTER_LENGTH },
        errors: [general.filter_invalid],
        rules: 'filters#language',
      }),
    ),
  }),
  'ListParameters',
  'The requested page of a list.',
)

export type { ListParameters as ListInput }

/** A list query whose values have been checked. */
export interface ListQuery {
  /** The number of items on the page. */
  readonly limit: number
  /** An ID. The list contains only items created before the item with this ID. */
  readonly before_id: string | undefined
  /** Returns whether the list contains an item. */
  readonly filter: Filter | undefined
  /** The parameters as sent, for the URI of the next page. */
  readonly sent: Readonly<Record<string, string | readonly string[]>>
}

/**
 * For each additional parameter of a list: the item field to compare the parameter with. The list contains the items whose field has one of
 * the sent values.
 */
export type Matching<Name extends string = string> = Readonly<Record<Name, string>>

/** Returns the query schema for a list, such as `endpoints.list`, with additional parameters. */
export function createListQuery(list: string, matching: Matching = {}): v.GenericSchema {
  const additional = Object.entries(matching).map(([name, field]) => {
    const sentence = `Only items with this \`${field}\`. Repeat the parameter to match any of several values.`
    const values = documented(v.array(v.string()), sentence, { type: 'string | readonly string[]' })
    return [name, v.optional(values)]
  })
  if (additional.length === 0) return listQuery
  const all = v.object({ ...listQuery.entries, ...Object.fromEntries(additional) })
  return named(all, `${toTypeName(list)}Parameters`, 'The requested page of a list, with its items.')
}

const PARAMETER_NAMES = Object.keys(listQuery.entries)

/** Reads the query of a list operation (rules: lists#paging). Throws all problems as one error. */
export function readListQuery(
  raw: unknown,
  { prefix, matching, ...filtered }: Filtered & { prefix: string; matching?: Matching | undefined },
  dialect: CommonDialect,
): ListQuery {
  if (!isObject(raw)) {
    const allowed = `an object with ${[...PARAMETER_NAMES, ...Object.keys(matching ?? {})].join(', ')}`
    return refuse(general.field_invalid, { field: 'query', received: quote(raw), allowed })
  }
  const names = hasFilter(filtered, dialect) ? PARAMETER_NAMES : PARAMETER_NAMES.filter((name) => name !== 'filter')
  const values = matching && listValuesToMatch(raw, matching)
  const { limit, before_id, filter } = readParameters(raw, names, dialect, matching)
  const problems = new Problems()
  const query = {
    limit: limit === undefined ? MAX_PAGE_SIZE : readLimit(limit, problems),
    before_id: before_id ? readCursor(before_id, prefix, problems) : undefined,
    filter: combineFilters(
      matching && values && createMatcher(values, matching),
      filter ? compileFilter(filter, filtered, dialect, problems) : undefined,
    ),
    sent: { ...(limit && { limit }), ...(filter && { filter }), ...values },
  }
  problems.refuse()
  return query
}

type ValuesByParameter = Readonly<Record<string, readonly string[]>>

/** Returns the additional parameters' values, by parameter, or undefined if none was sent. */
function listValuesToMatch(raw: object, matching: Matching): ValuesByParameter | undefined {
  const sent = Object.entries(raw).flatMap(([name, value]) => {
    if (!Object.hasOwn(matching, name) || !isSent(value)) return []
    const values = [value]
      .flat()
      .map((each) => readText(name, each))
      .filter(isSent)
    return values.length === 0 ? [] : [[name, values] as const]
  })
  return sent.length === 0 ? undefined : Object.fromEntries(sent)
}

function createMatcher(valuesByParameter: ValuesByParameter, matching: Matching): Filter {
  const conditions = Object.entries(valuesByParameter).map(
    ([name, values]) => [String(matching[name]), values] as const,
  )
  return (item) => conditions.every(([field, values]) => values.some((value) => value === toText(valueAt(item, field))))
}

/** Returns the value at a path such as `edge.id`. */
function valueAt(item: object, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), item)
}

function combineFilters(first: Filter | undefined, second: Filter | undefined): Filter | undefined {
  return first && second ? (item, now) => first(item, now) && second(item, now) : (first ?? second)
}

/**
 * Returns whether a list accepts `filter`. A list accepts no `filter` if the dialect allows only declared fields and the list declares
 * none.
 */
export function hasFilter({ filterable }: Pick<Filtered, 'filterable'>, { filterFields }: CommonDialect): boolean {
  return filterFields === 'all' || filterable?.length !== 0
}

/** Returns a query without the path's IDs. ngrok's Rust client repeats these IDs in the query (rules: lists#ids-in-the-path). */
export function omitPathIds(raw: unknown, ids: Readonly<Record<string, string>>): unknown {
  return isObject(raw) ? pick({ ...raw }, (name, value) => !Object.hasOwn(ids, name) || value !== ids[name]) : raw
}

/** Reads the parameters of a query by name, after resolving the dialect's aliases. */
export function readParameters(
  raw: object,
  names: readonly string[],
  dialect: CommonDialect,
  matching: Matching = {},
): Record<string, string | undefined> {
  const parameters: Record<string, string | undefined> = {}
  for (const [sent, value] of Object.entries(raw)) {
    if (value === undefined || value === null || Object.hasOwn(matching, sent)) continue
    const name = (Object.hasOwn(dialect.queryAliases, sent) && dialect.queryAliases[sent]) || sent
    if (!names.includes(name)) refuseParameter(sent, [...names, ...Object.keys(matching)])
    if (parameters[name] !== undefined) refuse(general.query_repeated, { field: name, received: quote(name) })
    parameters[name] = readText(name, value)
  }
  return parameters
}

/** Returns a value in the form used in queries, or undefined if it isn't a string, number, or boolean. */
function toText(value: unknown): string | undefined {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined
}

function readText(field: string, value: unknown): string {
  return (
    toText(value) ?? refuse(general.field_invalid, { field, received: quote(value), allowed: 'a string or a number' })
  )
}

export function refuseParameter(name: string, supported: readonly string[]): never {
  const allowed = supported.join(', ') || 'none'
  return refuse(general.query_unknown, { field: formatPath([name]), received: quote(name), allowed })
}

function readLimit(text: string, problems: Problems): number {
  const limit = Number(text)
  const isNumber = /^-?\d+$/.test(text)
  if (!isNumber || limit < 1 || limit > MAX_PAGE_SIZE) {
    const error = isNumber ? general.limit_out_of_range : general.limit_not_a_number
    problems.add(() => problem(error, { field: 'limit', received: quote(isNumber ? limit : text) }))
  }
  return limit
}

function readCursor(text: string, prefix: string, problems: Problems): string {
  const error = findIdError(text, prefix)
  if (error) problems.add(() => problem(error, { field: 'before_id', received: quote(text), prefix }))
  return text
}

/** One page of a list. */
export type Page<Items extends string, Resource> = { readonly [K in Items]: readonly Resource[] } & {
  /** The URL of the list. */
  readonly uri: string
  /** The next page's URL, or null on the last page. */
  readonly next_page_uri: string | null
}

export const pageTail = {
  uri: documented(v.string(), "The list's URL.", { json: { format: 'uri' } }),
  next_page_uri: documented(v.nullable(v.string()), 'The URL of the next page; null on the last page.', {
    json: { format: 'uri' },
  }),
}

/**
 * Creates the schema of a page: items of a shape under the key `items`, and the URLs of the list and of the next page.
 *
 * @example
 * ```ts
 * const page = pageOf('widgets', shape, 'widgets')
 * ```
 */
export function pageOf(items: string, shape: v.GenericSchema<object>, what: string) {
  const { name } = documentationOf(shape)
  const page = v.object({ [items]: documented(v.array(shape), 'The items on this page, newest first.'), ...pageTail })
  return name === undefined ? page : named(page, `${name}List`, `One page of ${what}.`)
}

interface List<R extends object, Resource extends { readonly id: string }, Items extends string> {
  readonly collection: Collection<R>
  /** Returns the key of the record with an ID. Default: the ID. */
  readonly keyOf?: (id: string) => string
  /** Returns whether the list contains a record. Default: it contains every record. */
  readonly has?: (record: R) => boolean
  readonly view: View<R, Resource>
  /** Returns the fields of an item that are computed from other records. Default: none. */
  readonly related?: Related<R, Resource>
  readonly path: string
  readonly items: Items
}

/** A function that computes fields of a response from other records. It runs for each response. */
export type Related<R, Resource> = (tx: Transaction, record: R) => Partial<Resource>

/** Returns a function that creates the response for a record: its view, with the fields computed from other records. */
export function createShow<R extends object, Resource extends object>(
  view: View<R, Resource>,
  related: Related<R, Resource> | undefined,
): (tx: Transaction, record: R) => Resource {
  if (!related) return (tx, record) => tx.show(view, record)
  // The engine freezes the responses of operations, but declarations also show records.
  return (tx, record) => deepFreeze({ ...tx.show(view, record), ...related(tx, record) })
}

function toSearchParameters(query: ListQuery['sent']): URLSearchParams {
  const parameters = new URLSearchParams()
  for (const [name, values] of Object.entries(query)) {
    for (const value of typeof values === 'string' ? [values] : values) parameters.append(name, value)
  }
  return parameters
}

/**
 * Returns one page of a list, newest first, for a query of `listOperation`. `has` selects the records to list.
 *
 * @example
 * ```ts
 * pageAt(tx, query, { collection: widgetRecords, view, path: '/widgets', items: 'widgets' })
 * ```
 */
export function pageAt<R extends object, Resource extends { readonly id: string }, Items extends string>(
  tx: Transaction,
  query: ListQuery,
  list: List<R, Resource, Items>,
): Page<Items, Resource> {
  const { limit, before_id, filter, sent } = query
  const { keyOf = (id) => id, has = () => true } = list
  const show = createShow(list.view, list.related)
  const page: Resource[] = []
  let last: string | undefined
  let hasMore = false
  for (const record of tx.newestFirst(list.collection, before_id && keyOf(before_id))) {
    if (!has(record)) continue
    const item = show(tx, record)
    if (filter && !filter(item, tx.now)) continue
    hasMore = page.length === limit
    if (hasMore) break
    page.push(item)
    last = item.id
  }
  const uri = tx.wire.url + list.path
  const next = hasMore ? `${uri}?${toSearchParameters({ before_id: last ?? '', ...sent })}` : null
  // The type checker does not track computed names.
  return Object.freeze({ [list.items]: Object.freeze(page), uri, next_page_uri: next }) as Page<Items, Resource>
}
