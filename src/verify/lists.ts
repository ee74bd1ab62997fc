import { isObject } from '../core/schema/values.ts'
import type { Sender } from './client.ts'
import { type ApiResponse, errorOf } from './exchange.ts'
import { valueText } from './texts.ts'

/** The items of a list as JSON, by ID, or the reason that the list could not be read. */
export type ListResult = { readonly items: ItemsById } | { readonly problem: string; readonly status?: number }

export type ItemsById = ReadonlyMap<string, string>

const MAX_PAGES = 100

/** Reads a whole list, page by page. */
export async function readList(client: Sender, path: string): Promise<ListResult> {
  const items = new Map<string, string>()
  let next = `${path}?limit=100`
  for (let page = 0; page < MAX_PAGES; page++) {
    const response = await client.send({ method: 'GET', path: next })
    if ('failed' in response) return { problem: response.failed }
    if (response.status === 400 && page === 0) {
      // The server's maximum page size is smaller. The scenario reports this difference.
      next = path
      continue
    }
    if (response.status !== 200) return { problem: refusalText(response), status: response.status }
    const itemsOfPage = itemsIn(response)
    if (!itemsOfPage) return { problem: unexpectedBodyText(response) }
    for (const item of itemsOfPage) items.set(String(item.id), JSON.stringify(item))
    // Pages of this API contain the field.
    const { next_page_uri: following }: { readonly next_page_uri?: unknown } = Object(response.body)
    if (typeof following !== 'string') return { items }
    if (!following.startsWith(`${client.url}${path}?`))
      return { problem: `its next page is at ${valueText(following)}` }
    next = following.slice(client.url.length)
  }
  return { problem: `more than ${MAX_PAGES} pages` }
}

/** Returns the items of a page. A page contains exactly one list of objects. */
function itemsIn({ body }: ApiResponse): readonly { readonly id?: unknown }[] | undefined {
  if (!isObject(body)) return undefined
  const [items, ...others] = Object.values(body).filter(Array.isArray)
  return items?.every(isObject) && others.length === 0 ? items : undefined
}

/** Describes an error response in the service's own words. */
export function refusalText(response: ApiResponse): string {
  const { error_code, msg } = errorOf(response)
  const words = [error_code, msg].filter((each) => typeof each === 'string').join(': ')
  return `responded with ${response.status}${words && ` (${words.slice(0, 300)})`}`
}

function unexpectedBodyText({ status, headers, text }: ApiResponse): string {
  const type = headers['content-type'] ?? 'no content type'
  return `responded with ${status} and ${text === '' ? 'no body' : type}, which is not a list from this API`
}
