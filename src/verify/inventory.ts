import { isObject } from '../schema/values.ts'
import type { Asking } from './asker.ts'
import { type Answer, errorOf } from './exchange.ts'

/** The ids in a list, with each item as JSON; or the reason why the list could not be read. */
export type Listed =
  | { readonly items: ReadonlyMap<string, string> }
  | { readonly problem: string; readonly status?: number }

/** The most pages of a list that are read. */
const MOST_PAGES = 100

/** Reads a whole list, page after page. */
export async function listed(asker: Asking, path: string, base: string): Promise<Listed> {
  const items = new Map<string, string>()
  let next = `${path}?limit=100`
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await asker.ask({ method: 'GET', path: next })
    if ('failed' in answer) return { problem: answer.failed }
    if (answer.status === 400 && page === 0) {
      // A server with a smaller limit of pages differs. The scenario reports that.
      next = path
      continue
    }
    if (answer.status !== 200) return { problem: refusalOf(answer), status: answer.status }
    const found = itemsIn(answer)
    if (!found) return { problem: notTheApi(answer) }
    for (const item of found) items.set(String(item.id), JSON.stringify(item))
    // A page of this API has the field.
    const { next_page_uri: following } = answer.body as { readonly next_page_uri?: unknown }
    if (typeof following !== 'string' || !following.startsWith(`${base}${path}?`)) return { items }
    next = following.slice(base.length)
  }
  return { problem: `more than ${MOST_PAGES} pages` }
}

/** Returns the items of a page, which has exactly one list. */
function itemsIn({ body }: Answer): readonly { readonly id?: unknown }[] | undefined {
  if (!isObject(body)) return undefined
  const lists = Object.values(body).filter(Array.isArray)
  return lists.length === 1 ? lists[0] : undefined
}

/** Says what a service refused, in its own words, for people. */
export function refusalOf(answer: Answer): string {
  const { error_code, msg } = errorOf(answer)
  const words = [error_code, msg].filter((each) => typeof each === 'string').join(': ')
  return `answered ${answer.status}${words && ` (${words.slice(0, 300)})`}`
}

function notTheApi({ status, headers, text }: Answer): string {
  const type = headers['content-type'] ?? 'no content type'
  return `answered ${status} with ${text === '' ? 'no body' : type}, which is no list of this API`
}
