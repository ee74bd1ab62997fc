import { REDACTED } from '../../core/schema/secret-texts.ts'
import { isObject } from '../../core/schema/values.ts'
import type { JournalEntry } from '../../generated/controls.ts'
import type { ControlHost } from '../control.ts'

/** The parameters that select a page of a list. All others, such as a filter, select the list. */
const PAGING = ['limit', 'before_id', 'beforeId']

/** A request for a page of a list. */
interface PageRequest {
  /** The path and the parameters that select the list, decoded and in a fixed order. */
  readonly list: string
  readonly limit: string | null
  /** The ID before which the page begins, or null for the first page. */
  readonly cursor: string | null
}

function readPageRequest({ path, query }: JournalEntry): PageRequest {
  const sent = new URLSearchParams(query)
  const others = [...sent].filter(([name]) => !PAGING.includes(name)).map(([name, value]) => `${name}=${value}`)
  return {
    list: JSON.stringify([path, ...others.sort()]),
    limit: sent.get('limit'),
    cursor: sent.get('before_id') || sent.get('beforeId') || null,
  }
}

/** Returns the cursor of the next page (the last ID on this page), or null if there is no next page. */
function readNextCursor({ response }: JournalEntry): string | null {
  const next = isObject(response) ? response.next_page_uri : undefined
  return typeof next === 'string' ? new URLSearchParams(next.split('?')[1]).get('before_id') : null
}

/** Returns the items of a page. */
export function readItems(response: unknown): readonly unknown[] {
  return (isObject(response) ? Object.values(response).find(Array.isArray) : undefined) ?? []
}

function readLastId({ status, response }: JournalEntry): string | undefined {
  const last = status === 200 ? readItems(response).at(-1) : undefined
  return isObject(last) && typeof last.id === 'string' ? last.id : undefined
}

/**
 * Returns the operation IDs of the requests whose list has another page, unless a later request asked for that page or received part of it.
 * IDs sort in creation order, and lists begin with the newest item (rules: lists#cursor). A request with `limit=1` only checks whether the
 * list has items.
 */
export function findUnreadPages(newestFirst: Iterable<JournalEntry>): ReadonlySet<string> {
  const unread = new Set<string>()
  /** For each list, the oldest ID before which a later request asked for items. */
  const asked = new Map<string, string>()
  /** For each list, the oldest ID that a later request received. */
  const received = new Map<string, string>()
  const note = (oldest: Map<string, string>, list: string, id: string | null | undefined) => {
    if (id && id < (oldest.get(list) ?? '\u{ffff}')) oldest.set(list, id)
  }
  for (const entry of newestFirst) {
    if (entry.method !== 'GET') continue
    const { list, limit, cursor } = readPageRequest(entry)
    const next = readNextCursor(entry)
    const isAsked =
      next !== null && ((asked.get(list) ?? '\u{ffff}') <= next || (received.get(list) ?? '\u{ffff}') < next)
    if (next !== null && limit !== '1' && !isAsked) unread.add(entry.operationId)
    note(asked, list, cursor)
    note(received, list, readLastId(entry))
  }
  return unread
}

/**
 * Returns, by operation ID, a note on the first page of each list that repeats items from an earlier page, because the cursor was not the
 * last ID on that page.
 */
export function findRepeatedItems(oldestFirst: Iterable<JournalEntry>): ReadonlyMap<string, string> {
  const notes = new Map<string, string>()
  const noted = new Set<string>()
  /** For each list, the IDs on the page that was read last. */
  const pages = new Map<string, readonly unknown[]>()
  for (const entry of oldestFirst) {
    if (entry.method !== 'GET' || entry.status !== 200) continue
    const { list, cursor } = readPageRequest(entry)
    const ids = readItems(entry.response).map((each) => (isObject(each) ? each.id : undefined))
    const before = pages.get(list) ?? []
    const repeated = cursor !== null && before.includes(cursor) ? ids.filter((id) => before.includes(id)).length : 0
    pages.set(list, ids)
    if (repeated === 0 || noted.has(list)) continue
    noted.add(list)
    notes.set(
      entry.operationId,
      `${repeated} of its ${ids.length} items were on the previous page: see that page's next_page_uri.`,
    )
  }
  return notes
}

/**
 * Notes that a list was empty because of its filter, if the list would still be empty. A client that looks for a resource before creating
 * it would find it now. A redacted filter cannot be tried again.
 */
export function describeEmptyFilter({ api, engine }: ControlHost, entry: JournalEntry): string | undefined {
  const { cursor } = readPageRequest(entry)
  const filter = new URLSearchParams(entry.query).get('filter')
  const operation = api.operations.find(({ name }) => name === entry.operation)
  const isEmpty = entry.method === 'GET' && entry.status === 200 && readItems(entry.response).length === 0
  if (!operation || !isEmpty || !filter || cursor || filter.includes(REDACTED)) return undefined
  if (Object.keys(operation.ids).length > 0) return undefined
  const list = (raw: object) => engine.execute(operation, {}, raw).result
  const all = list({})
  const count = readItems(all).length
  if (count === 0 || readItems(list({ filter, limit: 1 })).length > 0) return undefined
  const isMore = isObject(all) && typeof all.next_page_uri === 'string'
  return `The filter ${filter} matches 0 of ${isMore ? 'more than ' : ''}${count} ${operation.name.split('.')[0]}.`
}
