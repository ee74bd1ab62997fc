import { quote } from '../../core/schema/text.ts'
import { DECISIONS, type Decision } from './decisions.ts'
import { readHttpUrl } from './url-text.ts'
import { type ActionOutcome, type IncomingResponse, type OutgoingRequest, SendFailure, type Visit } from './visit.ts'

/** The config of `http-request`. */
interface SendConfig {
  readonly url: string
  readonly method: string
  readonly query_params: readonly { readonly key: string; readonly value: string | undefined }[] | undefined
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly body: string | undefined
  readonly max_redirects: number
  /** The time limit, in ms. */
  readonly timeout: number
  readonly retry_condition: ((values: object) => unknown) | undefined
}

const MAX_RETRIES = 3
const TIMED_OUT = 3602

/** The headers that the service adds. According to the action's page, the first header is always the same. */
const OWN_HEADERS = {
  'ngrok-report-abuse': 'https://ngrok.com/abuse',
  'ngrok-req-type': 'http-request',
  'user-agent': 'ngrok/cloud',
}

/** A failed attempt also has a response if it ended because of too many redirects. */
type Attempt =
  | { readonly response: IncomingResponse; readonly failure?: undefined }
  | { readonly response: IncomingResponse | undefined; readonly failure: SendFailure }

/** Executes `http-request`: sends a request and retries it while the retry condition is true. */
export async function sendWithRetries(config: SendConfig, visit: Visit): Promise<ActionOutcome> {
  const { method, headers, body = '', timeout } = config
  const url = withQuery(config)
  const own = { ...OWN_HEADERS, 'ngrok-req-id': visit.newId('req') }
  const request = { method, url, headers: toLowerCase({ ...own, ...headers }), ...(body !== '' && { body }) }
  const req = { method, header: toLists(request.headers), url, body }
  const until = visit.now + timeout
  const attempts: Attempt[] = []
  for (;;) {
    const attempt = await attemptOnce(visit, request, config.max_redirects, until)
    attempts.push(attempt)
    const { response, failure } = attempt
    const isTimedOut = failure?.number === TIMED_OUT
    if (!isTimedOut && attempts.length <= MAX_RETRIES && isRetried(config, attempts.length, { req, ...attempt }))
      continue
    const sets = {
      req,
      attempts: attempts.flatMap((each) => (each.response ? toAttempt(each.response) : [])),
      ...(response && { res: toResult(response) }),
    }
    const decision = findDecision(attempts, config)
    if (!failure) return { did: `got ${response.status} from ${url}`, sets, decision }
    const { message, number } = failure
    const ends = { status: 502, ...(number === undefined ? { body: message } : { error: number }) }
    return {
      did: `failed: ${message}`,
      sets: { ...sets, ...(number === undefined && { error: { code: '', message } }) },
      ends,
      isRefusal: true,
      decision,
    }
  }
}

/** Returns the decision that the attempts depend on. */
function findDecision(attempts: readonly Attempt[], { max_redirects }: SendConfig): Decision | undefined {
  const statuses = attempts.map(({ response }) => response?.status ?? 0)
  if (statuses.slice(0, -1).some((status) => status >= 400 && status < 500)) return DECISIONS.failedAttempt
  const last = statuses.at(-1) ?? 0
  return max_redirects === 0 && last >= 300 && last < 400 ? DECISIONS.unfollowed : undefined
}

/** Returns whether the retry condition is true after a failed attempt. A condition that cannot be evaluated counts as false. */
function isRetried(
  { retry_condition }: SendConfig,
  attempts: number,
  { req, response, failure }: Attempt & { readonly req: object },
): boolean {
  const hasFailed = failure !== undefined || (response?.status ?? 0) >= 400
  if (!retry_condition || !hasFailed) return false
  // The page of the action writes `statusCode`, and its variables have `status_code`.
  const res = response && { ...toResult(response), statusCode: response.status }
  const last = { req, ...(res && { res }), error: failure?.message ?? '' }
  return retry_condition({ attempts: BigInt(attempts), last_attempt: last }) === true
}

async function attemptOnce(visit: Visit, first: OutgoingRequest, redirects: number, until: number): Promise<Attempt> {
  try {
    let request = first
    for (let left = redirects; ; left--) {
      if (!readHttpUrl(request.url))
        throw new SendFailure(undefined, `${quote(request.url)} is not an http or https URL`)
      const response = await visit.send(request, until)
      const [location] = response.headers.location ?? []
      if (response.status < 300 || response.status > 399 || location === undefined) return { response }
      if (redirects === 0) return { response }
      if (left === 0) throw new SendFailure(3214, `there were more than ${redirects} redirects`, response)
      request = {
        ...request,
        url: URL.canParse(location, request.url) ? new URL(location, request.url).href : location,
      }
    }
  } catch (error) {
    if (error instanceof SendFailure) return { failure: error, response: error.response }
    throw error
  }
}

function withQuery({ url, query_params = [] }: SendConfig): string {
  const full = readHttpUrl(url)
  if (query_params.length === 0 || !full) return url
  for (const { key, value = '' } of query_params) full.searchParams.append(key, value)
  return full.href
}

function toLowerCase(headers: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function toLists(headers: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
}

function toResult({ status, headers, body }: IncomingResponse) {
  return { resolved_ip: '', header: headers, status_code: status, time_ms: '0', body }
}

function toAttempt({ status, headers }: IncomingResponse) {
  return { resolved_ip: '', response_header: headers, response_status_code: status, response_time_ms: '0' }
}
