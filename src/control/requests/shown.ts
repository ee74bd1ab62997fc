import type { JournalEntry } from '../../journal/entry.ts'
import type { Journal } from '../../journal/journal.ts'
import { counted } from '../../schema/text.ts'

/** How many unknown requests a message names. */
const MOST_NAMED = 20

const LONGEST_BODY = 80

/** A request in one line, for people: what was asked and what was answered. */
export function shownRequest({ method, path, query, request, ...answer }: JournalEntry): string {
  const { error_code } = answered(answer)
  return [
    `${method} ${path}${query === '' ? '' : `?${query}`}`,
    request === null ? '' : ` ${cut(typeof request === 'string' ? request : JSON.stringify(request))}`,
    ` → ${answer.status}`,
    error_code === undefined ? '' : ` ${error_code}`,
  ].join('')
}

/** What was wrong with a request, as its answer says it; undefined where nothing was. */
export function reasonOf(answer: Pick<JournalEntry, 'status' | 'response'>): string | undefined {
  return answered(answer).msg
}

function answered({ status, response }: Pick<JournalEntry, 'status' | 'response'>): Answered {
  // Every error is answered so; a fault's own body may have none of it.
  return (status >= 400 && typeof response === 'object' && response ? response : {}) as Answered
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
    .map((entry) => `${shownRequest(entry)}: ${reasonOf(entry)}`)
  const earlier = unknown.length > MOST_NAMED ? [`… and ${unknown.length - MOST_NAMED} earlier`] : []
  const are = counted(unknown.length, 'request is for no operation', 'requests are for no operation')
  return `${are} of the API:\n${[...earlier, ...lines].map((line) => `  ${line}`).join('\n')}`
}
