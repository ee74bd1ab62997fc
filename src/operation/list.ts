import * as v from 'valibot'
import { compileFilter, type Filter, LONGEST_FILTER } from '../filter/filter.ts'
import type { ListParameters } from '../generated/resources.ts'
import type { CommonDialect } from '../schema/dialect.ts'
import { documentationOf, documented, named } from '../schema/documentation.ts'
import { type Problem, problem, Refusal, refuse } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import { idPattern, idProblem } from '../schema/ids.ts'
import { fieldPath, quote } from '../schema/text.ts'
import { isObject } from '../schema/values.ts'
import type { Collection } from './collection.ts'
import type { Transaction } from './transaction.ts'
import type { View } from './view.ts'

const LARGEST_PAGE = 100

export const listQuery = named(
  v.object({
    limit: v.optional(
      documented(v.union([v.number(), v.string()]), 'The number of items of a page.', {
        json: { type: 'integer', minimum: 1, maximum: LARGEST_PAGE, default: LARGEST_PAGE, examples: [10] },
        errors: [general.limit_not_a_number, general.limit_out_of_range],
        rules: 'lists#paging',
      }),
    ),
    before_id: v.optional(
      documented(
        v.string(),
        'Only items that were created before the one with this id, which need not exist any more.',
        {
          json: { pattern: `^$|${idPattern('[a-z]+')}` },
          errors: [general.id_unparsable, general.id_wrong_prefix],
          rules: 'lists#cursor',
        },
      ),
    ),
    filter: v.optional(
      documented(v.string(), 'A predicate over `obj` in a subset of CEL, such as `obj.description == "checkout"`.', {
        json: { maxLength: LONGEST_FILTER },
        errors: [general.filter_invalid],
        rules: 'filters#language',
      }),
    ),
  }),
  'ListParameters',
  'The page of a list to return.',
)

export type { ListParameters as ListInput }

/** A list query that was read. */
export interface ListQuery {
  /** The number of items of the page. */
  readonly limit: number
  /** Only items that were created before the one with this id. */
  readonly before_id: string | undefined
  /** Decides of each item whether it is in the list. */
  readonly filter: Filter | undefined
  /** The parameters as sent, for the next page's URI. */
  readonly sent: { readonly limit?: string; readonly filter?: string }
}

const NAMES = Object.keys(listQuery.entries)

/** Reads the query of a list operation (rules: lists#paging). Throws all problems as one refusal. */
export function readListQuery(raw: unknown, prefix: string, item: v.GenericSchema, dialect: CommonDialect): ListQuery {
  if (!isObject(raw)) {
    const allowed = `an object of ${NAMES.join(', ')}`
    return refuse(general.field_invalid, { field: 'query', received: quote(raw), allowed })
  }
  const { limit, before_id, filter } = namedParameters(raw, NAMES, dialect)
  const problems: Problem[] = []
  const query = {
    limit: limit === undefined ? LARGEST_PAGE : readLimit(limit, problems),
    before_id: before_id ? readCursor(before_id, prefix, problems) : undefined,
    filter: filter ? compileFilter(filter, item, dialect, problems) : undefined,
    sent: { ...(limit && { limit }), ...(filter && { filter }) },
  }
  const [first, ...others] = problems
  if (first) throw new Refusal([first, ...others])
  return query
}

export function namedParameters(
  raw: object,
  names: readonly string[],
  dialect: CommonDialect,
): Record<string, string | undefined> {
  const parameters: Record<string, string | undefined> = {}
  for (const [sent, value] of Object.entries(raw)) {
    if (value === undefined || value === null) continue
    const name = (Object.hasOwn(dialect.queryAliases, sent) && dialect.queryAliases[sent]) || sent
    if (!names.includes(name)) refuseParameter(sent, names)
    if (parameters[name] !== undefined) refuse(general.query_repeated, { field: name, received: quote(name) })
    if (!['string', 'number', 'boolean'].includes(typeof value)) {
      refuse(general.field_invalid, { field: name, received: quote(value), allowed: 'a text or a number' })
    }
    parameters[name] = String(value)
  }
  return parameters
}

export function refuseParameter(name: string, supported: readonly string[]): never {
  const allowed = supported.join(', ') || 'none'
  return refuse(general.query_unknown, { field: fieldPath([name]), received: quote(name), allowed })
}

function readLimit(text: string, problems: Problem[]): number {
  const limit = Number(text)
  const isNumber = /^-?\d+$/.test(text)
  if (!isNumber || limit < 1 || limit > LARGEST_PAGE) {
    const error = isNumber ? general.limit_out_of_range : general.limit_not_a_number
    problems.push(problem(error, { field: 'limit', received: quote(text) }))
  }
  return limit
}

function readCursor(text: string, prefix: string, problems: Problem[]): string {
  const error = idProblem(text, prefix)
  if (error) problems.push(problem(error, { field: 'before_id', received: quote(text), prefix }))
  return text
}

/** A page of a list. */
export type Page<Items extends string, Shown> = { readonly [K in Items]: readonly Shown[] } & {
  /** The URL of the list. */
  readonly uri: string
  /** The URL of the next page; null on the last one. */
  readonly next_page_uri: string | null
}

export const pageTail = {
  uri: documented(v.string(), 'The URL of the list.', { json: { format: 'uri' } }),
  next_page_uri: documented(v.nullable(v.string()), 'The URL of the next page; null on the last one.', {
    json: { format: 'uri' },
  }),
}

export function pageOf(items: string, shape: v.GenericSchema<object>, what: string) {
  const { name } = documentationOf(shape)
  const page = v.object({
    [items]: documented(v.array(shape), 'The items of the page, newest first.'),
    ...pageTail,
  })
  return name === undefined ? page : named(page, `${name}List`, `A page of the list of every ${what}.`)
}

interface List<R extends object> {
  readonly collection: Collection<R>
  readonly view: View<R, object>
  readonly path: string
  readonly items: string
}

export function pageAt<R extends { readonly id: string }>(tx: Transaction, query: ListQuery, list: List<R>): object {
  const { limit, before_id, filter, sent } = query
  const shown: object[] = []
  let last: string | undefined
  let hasMore = false
  for (const record of tx.newestFirst(list.collection, before_id)) {
    const item = tx.show(list.view, record)
    if (filter && !filter(item, tx.now)) continue
    hasMore = shown.length === limit
    if (hasMore) break
    shown.push(item)
    last = record.id
  }
  const uri = tx.wire.url + list.path
  const next = hasMore && last ? `${uri}?${new URLSearchParams({ before_id: last, ...sent })}` : null
  return Object.freeze({ [list.items]: Object.freeze(shown), uri, next_page_uri: next })
}
