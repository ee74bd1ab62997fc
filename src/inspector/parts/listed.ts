import type { Connection } from '../connection.ts'
import type { ServiceFamily } from '../document.ts'

/** A resource as the API shows it. */
export type Resource = Readonly<Record<string, unknown>> & { readonly id: string }

const PAGE = 100

/** Among how many resources is searched. */
const MOST_SEARCHED = 20_000

/** As many resources as are wanted, the newest first; all of them, where they are searched for a text. */
export async function listed(connection: Connection, family: ServiceFamily, text: string, wanted: number) {
  const all: Resource[] = []
  let hasMore = true
  while (hasMore && (all.length < wanted || all.length === 0 || (text && all.length < MOST_SEARCHED))) {
    const query = new URLSearchParams({ limit: String(PAGE), before_id: all.at(-1)?.id ?? '' })
    const body: Record<string, unknown> = await connection.service('GET', `${family.list?.path}?${query}`)
    hasMore = body.next_page_uri !== null
    all.push(...(body[family.items] as Resource[])) // A page has them under that name.
    if (all.length === 0) break
  }
  const lower = text.toLowerCase()
  return { hasMore, rows: text ? all.filter((each) => JSON.stringify(each).toLowerCase().includes(lower)) : all }
}
