import { formatCount } from '../../core/schema/text.ts'
import type { JournalEntry, UsedControls } from '../../generated/controls.ts'

/** The history that a server has recorded. */
export interface History {
  readonly used: UsedControls
  readonly journal: readonly JournalEntry[]
  readonly url: string
  readonly dialect: string
  /** The header that names the version of the API. */
  readonly versionHeader: Readonly<Record<string, string>>
  /** The number of visitor requests. */
  readonly visits: number
  readonly now: string
  /** Returns whether an ID belongs to the `initial` option, given its seed. */
  readonly isInitial: (id: string) => boolean
}

/** Lists the parts of the history that the copied test cannot repeat: earlier events, and changes that the server did not see. */
export function listMissing({ used, visits, dialect }: History): string[] {
  const { later, requests, dropped, others, agent, own } = used
  return [
    ...(later ? ['anything that existed before the journal began, such as resources from an earlier start'] : []),
    ...(requests > 0 ? [`${formatCount(requests, 'earlier request')} that the journal has dropped`] : []),
    ...(dropped > 0 ? [formatCount(dropped, 'earlier control')] : []),
    ...(others > 0 ? [`${formatCount(others, 'change')} by calls in the gateway's own process`] : []),
    ...(agent > 0 ? [`${formatCount(agent, 'change')} by requests to the agent's API`] : []),
    ...(own.length > 0 ? ['your own families'] : []),
    ...(visits > 0 ? [`${formatCount(visits, 'visitor request')}, which "Copy as policy test" repeats`] : []),
    ...(dialect === 'ngrok' || dialect === 'standard' ? [] : [`the ${dialect} dialect`]),
  ]
}

/** Returns why the test's request would receive a different response, or undefined if it would not. */
export function findHeaderProblem(
  { method, path, status, request, requestHeaders, fault }: JournalEntry,
  versionHeader: History['versionHeader'],
): string | undefined {
  if (method === 'OPTIONS') return "it is a browser's preflight"
  if (new URL(path, 'http://localhost').pathname !== path) return 'fetch would change its path'
  if (status < 400 || fault !== null) return undefined
  if (status >= 500) return 'the test does not reproduce server failures'
  const all = Object.entries({ authorization: '[redacted]', ...versionHeader })
  const [wrong] = all.find(([name, text]) => requestHeaders[name.toLowerCase()] !== text) ?? []
  const isJson = request === null || /^application\/json\b/.test(requestHeaders['content-type'] ?? '')
  const name = wrong ?? (isJson ? undefined : 'content-type')
  if (name) return `its header ${name} is missing or has another value`
  return status === 401 || status === 403 ? 'its API key is not in the journal' : undefined
}

/** Returns why a test can't resend a request verbatim, or undefined if it can. */
export function findReplayProblem({ method, path, query, request }: JournalEntry): string | undefined {
  if (typeof request === 'string' && request.startsWith('[')) return 'its body is not in the journal'
  const text = `${path}${query}${JSON.stringify(request)}`
  if (text.includes('… [truncated: ')) return 'the journal has truncated it'
  if (text.includes('[redacted]')) return describeHidden(text)
  return request !== null && (method === 'GET' || method === 'HEAD') ? 'a GET cannot have a body here' : undefined
}

/** Returns the name of the first field that is hidden in a request's JSON. */
export function describeHidden(text: string): string {
  return `${/"(\w+)":\[?"\[redacted\]"/.exec(text)?.[1] ?? 'a secret'} in it is hidden`
}
