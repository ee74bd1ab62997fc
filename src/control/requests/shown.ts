import { counted } from '../../contract/counted.ts'
import type { Journal, JournalEntry } from './journal.ts'

/** How many unknown requests a message names. */
const MOST_NAMED = 20

const LONGEST_BODY = 80

/** A request in one line, for people: what was asked, what was answered, and what was wrong, which a fault is too. */
export function shownRequest({ method, path, query, request, status, response }: JournalEntry, fault?: string): string {
  const { error_code, msg } = (status >= 400 && typeof response === 'object' && response ? response : {}) as Answered
  const reason = fault === undefined ? msg : `by the fault ${fault}`
  return [
    `${method} ${path}${query === '' ? '' : `?${query}`}`,
    request === null ? '' : ` ${cut(typeof request === 'string' ? request : JSON.stringify(request))}`,
    ` → ${status}`,
    error_code === undefined ? '' : ` ${error_code}`,
    reason === undefined ? '' : `: ${reason}`,
  ].join('')
}

/** What the answer of an error has. */
interface Answered {
  readonly error_code?: string
  readonly msg?: string
}

function cut(text: string): string {
  return text.length > LONGEST_BODY ? `${text.slice(0, LONGEST_BODY)}…` : text
}

/** Which requests were for paths and methods that the API does not have; undefined where none was. */
export function unknownRequests(journal: Journal): string | undefined {
  // A preflight is of no operation either, but it is answered.
  const unknown = [...journal.newestFirst({ operation: null })].filter(({ status }) => status >= 400)
  if (unknown.length === 0) return undefined
  const lines = unknown
    .slice(0, MOST_NAMED)
    .reverse()
    .map((entry) => shownRequest(entry))
  const earlier = unknown.length > MOST_NAMED ? [`… and ${unknown.length - MOST_NAMED} earlier`] : []
  const are = counted(unknown.length, 'request is for no operation', 'requests are for no operation')
  return `${are} of the API:\n${[...earlier, ...lines].map((line) => `  ${line}`).join('\n')}`
}
