import * as v from 'valibot'
import { documentationOf, documented, named } from '../schema/documentation.ts'
import type { Collection } from './collection.ts'
import type { ListQuery } from './list-query.ts'
import type { Transaction } from './transaction.ts'
import type { View } from './view.ts'

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
