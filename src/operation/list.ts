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

/** The query of every list operation. */
export const listQuery = named(
  v.object({
    limit: v.optional(
      documented(v.union([v.number(), v.string()]), 'How many items a page has.', {
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
  'Which page of a list is wanted.',
)

export type { ListParameters as ListInput }

/** A list query that was read: the page's size, the cursor, and the filter with its source. */
export interface ListQuery {
  /** How many items the page has. */
  readonly limit: number
  /** Only items that were created before the one with this id. */
  readonly before_id: string | undefined
  /** What says of each item whether it is in the list. */
  readonly filter: Filter | undefined
  /** The parameters as sent, for the next page's URI. */
  readonly sent: { readonly limit?: string; readonly filter?: string }
}

const NAMES = Object.keys(listQuery.entries)

/**
 * Reads the query of a list operation (rules: lists#paging). Finds all problems in one pass.
 */
export function readListQuery(raw: unknown, prefix: string, item: v.GenericSchema, dialect: CommonDialect): ListQuery {
  const parameters = namedParameters(parametersOf(raw), NAMES, dialect)
  const problems: Problem[] = []
  const limit = readLimit(parameters.limit, problems)
  const before_id = readCursor(parameters.before_id, prefix, problems)
  const filter = parameters.filter ? compileFilter(parameters.filter, item, dialect, problems) : undefined
  const [first] = problems
  if (first) throw new Refusal([first, ...problems.slice(1)])
  const { limit: sentLimit, filter: sentFilter } = parameters
  return {
    limit,
    before_id,
    filter,
    sent: { ...(sentLimit && { limit: sentLimit }), ...(sentFilter && { filter: sentFilter }) },
  }
}

/** What the direct API was called with; over HTTP it is always an object. */
function parametersOf(raw: unknown): object {
  if (isObject(raw)) return raw
  return refuse(general.field_invalid, {
    field: 'query',
    received: quote(raw),
    allowed: `an object of ${NAMES.join(', ')}`,
  })
}

/** Brings query parameters to their own names and texts, and refuses the ones that the operation does not have. */
export function namedParameters(
  raw: object,
  names: readonly string[],
  dialect: CommonDialect,
): Record<string, string | undefined> {
  const parameters: Record<string, string | undefined> = {}
  for (const [sent, value] of Object.entries(raw)) {
    if (value === undefined || value === null) continue
    const alias = Object.hasOwn(dialect.queryAliases, sent) ? dialect.queryAliases[sent] : undefined
    const name = alias ?? sent
    if (!names.includes(name)) refuseParameter(sent, names)
    if (parameters[name] !== undefined)
      refuse(general.query_repeated, { field: fieldPath([name]), received: quote(name) })
    parameters[name] = textOf(name, value)
  }
  return parameters
}

/** Refuses a query parameter that is none of those which there are. */
export function refuseParameter(name: string, supported: readonly string[]): never {
  const allowed = supported.join(', ') || 'none'
  return refuse(general.query_unknown, { field: fieldPath([name]), received: quote(name), allowed })
}

function textOf(field: string, value: unknown): string {
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return isPlain
    ? String(value)
    : refuse(general.field_invalid, { field, received: quote(value), allowed: 'a text or a number' })
}

function readLimit(text: string | undefined, problems: Problem[]): number {
  if (text === undefined) return LARGEST_PAGE
  const limit = Number(text)
  const isNumber = /^-?\d+$/.test(text)
  if (isNumber && limit >= 1 && limit <= LARGEST_PAGE) return limit
  const error = isNumber ? general.limit_out_of_range : general.limit_not_a_number
  problems.push(problem(error, { field: 'limit', received: quote(text) }))
  return limit
}

function readCursor(text: string | undefined, prefix: string, problems: Problem[]): string | undefined {
  if (!text) return undefined
  const error = idProblem(text, prefix)
  if (error) problems.push(problem(error, { field: 'before_id', received: quote(text), prefix }))
  return text
}

/** A page of a list: its items under their own key, and where it stands. */
export type Page<Items extends string, Shown> = { readonly [K in Items]: readonly Shown[] } & {
  /** The URL of the list. */
  readonly uri: string
  /** The URL of the next page; null on the last one. */
  readonly next_page_uri: string | null
}

/** The fields of every page of a list, beside its items. */
export const pageTail = {
  uri: documented(v.string(), 'The URL of the list.', { json: { format: 'uri' } }),
  next_page_uri: documented(v.nullable(v.string()), 'The URL of the next page; null on the last one.', {
    json: { format: 'uri' },
  }),
}

/** The schema of a page of a list. */
export function pageOf(items: string, shape: v.GenericSchema<object>, what: string) {
  const { name } = documentationOf(shape)
  const page = v.object({
    [items]: documented(v.array(shape), 'The items of the page, newest first.'),
    ...pageTail,
  })
  return name === undefined ? page : named(page, `${name}List`, `A page of the list of every ${what}.`)
}

/** What a list has: its records, how they are shown, its path, and the key of its items. */
interface List<R extends object> {
  readonly collection: Collection<R>
  readonly view: View<R, object>
  readonly path: string
  readonly items: string
}

/** The page of a list that a query asks for. */
export function pageAt<R extends { readonly id: string }>(tx: Transaction, query: ListQuery, list: List<R>): object {
  const shown: object[] = []
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
  return Object.freeze({ [list.items]: Object.freeze(shown), uri, next_page_uri })
}

function nextQuery(query: ListQuery, before_id: string): string {
  return new URLSearchParams({ before_id, ...query.sent }).toString()
}
