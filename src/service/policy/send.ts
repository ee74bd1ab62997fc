import { quote } from '../../core/schema/text.ts'
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
  /** In ms. */
  readonly timeout: number
  readonly retry_condition: ((values: object) => unknown) | undefined
}

const MAX_RETRIES = 3
const TIMED_OUT = 3602

/** The headers that the service adds. */
const OWN_HEADERS = { 'ngrok-req-type': 'http-request', 'user-agent': 'ngrok/cloud' }

type Attempt = { readonly response: IncomingResponse } | { readonly failure: SendFailure }

/** Carries out `http-request`: sends a request, and sends it again while the condition for retries is true. */
export async function sendWithRetries(config: SendConfig, visit: Visit): Promise<ActionOutcome> {
  const { method, headers, body = '', retry_condition, timeout } = config
  const url = withQuery(config)
  const request = { method, url, headers: toLowerCase({ ...OWN_HEADERS, ...headers }), ...(body !== '' && { body }) }
  const req = { method, header: toLists(request.headers), url, body }
  const until = visit.now + timeout
  const attempts: Attempt[] = []
  for (;;) {
    const attempt = await attemptOnce(visit, request, config.max_redirects, until)
    attempts.push(attempt)
    const last =
      'response' in attempt ? { res: toResult(attempt.response), error: '' } : { error: attempt.failure.message }
    const isRetried = retry_condition?.({ attempts: BigInt(attempts.length), last_attempt: { req, ...last } }) === true
    const isTimedOut = 'failure' in attempt && attempt.failure.number === TIMED_OUT
    if (isRetried && !isTimedOut && attempts.length <= MAX_RETRIES) continue
    const sets = { req, attempts: attempts.flatMap((each) => ('response' in each ? toAttempt(each.response) : [])) }
    if ('response' in attempt) {
      const { status } = attempt.response
      return { did: `got ${status} from ${url}`, sets: { ...sets, res: toResult(attempt.response) } }
    }
    const { message, number } = attempt.failure
    const ends = { status: 502, ...(number === undefined ? { body: message } : { error: number }) }
    return { did: `failed: ${message}`, sets, ends, isRefusal: true }
  }
}

async function attemptOnce(visit: Visit, first: OutgoingRequest, redirects: number, until: number): Promise<Attempt> {
  try {
    let request = first
    for (let left = redirects; ; left--) {
      if (!readHttpUrl(request.url)) throw new SendFailure(undefined, `${quote(request.url)} is no URL of http`)
      const response = await visit.send(request, until)
      const [location] = response.headers.location ?? []
      if (response.status < 300 || response.status > 399 || location === undefined) return { response }
      if (left <= 0) throw new SendFailure(undefined, `there were more than ${redirects} redirects`)
      request = {
        ...request,
        url: URL.canParse(location, request.url) ? new URL(location, request.url).href : location,
      }
    }
  } catch (error) {
    if (error instanceof SendFailure) return { failure: error }
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
