import * as v from 'valibot'
import { documented, named } from '../../core/schema/documentation.ts'
import { refuse } from '../../core/schema/errors.ts'
import { general } from '../../core/schema/general-errors.ts'
import { integerFrom } from '../../core/schema/options.ts'
import { platform } from '../../core/schema/platform.ts'
import { anyObject } from '../../core/schema/schema.ts'
import { hideUrlSecrets } from '../../core/schema/secret-texts.ts'
import { quote, quoteSecret, toError } from '../../core/schema/text.ts'
import { MessageHeaders } from '../../traffic/message-headers.ts'
import { refusals } from '../../traffic/refusals.ts'
import { findHostProblem, HOST_SIZES } from '../../traffic/target.ts'
import { isUpstreamKey, UPSTREAM_KEYS } from '../../traffic/upstreams.ts'
import { parseVisitable } from '../../traffic/visitor.ts'
import { type ControlHost, controlCall } from '../control.ts'
import { times, visitor } from './schemas.ts'

const text = (sentence: string) => v.exactOptional(documented(v.string(), sentence))
const headers = (sentence: string) => v.exactOptional(documented(v.record(v.string(), v.string()), sentence))
const URL_OF_UPSTREAM = 'The URL of the upstream, or the ID of a backend.'

const request = named(
  v.object({
    url: documented(v.string(), 'The URL of the request.'),
    method: text('The method. Default: GET.'),
    headers: headers('The headers, by name.'),
    body: text('The body, as a string.'),
    from: v.exactOptional(documented(visitor, 'The visitor.')),
    edge: text('The edge that receives the request. Required in the standard dialect.'),
    route: text('The route of the edge.'),
    backend: text("The backend that receives the request. Default: the route's backend."),
  }),
  'TrafficRequest',
  'A visitor request through the gateway.',
)

const outcome = named(
  v.object({
    number: documented(v.number(), 'The number of the request in the traffic journal.'),
    status: documented(
      v.nullable(v.number()),
      'The status of the response; null if the gateway closed the connection, or the visitor rejected its certificate.',
    ),
    headers: documented(
      v.record(v.string(), v.string()),
      'The headers of the response. Multiple values are joined by commas.',
    ),
    body: documented(v.string(), 'The body of the response, as a string.'),
    incomplete: v.exactOptional(
      documented(v.string(), 'The reason that the body ends early. Absent if the body is complete.'),
    ),
    rule: documented(
      v.nullable(v.string()),
      'The rule that responded or closed the connection, by its name, or by its position if it has no name; null if no rule did.',
    ),
    trace: documented(v.array(anyObject()), 'The trace of the request: each rule with its expressions and actions.'),
  }),
  'TrafficOutcome',
  'The response to a visitor request, and its trace.',
)

const send = controlCall({
  method: 'POST',
  path: '/traffic',
  summary: 'Send a request through the gateway, as a visitor would',
  from: 'body',
  schema: request,
  response: outcome,
  errors: Object.values(refusals),
  run: (host, sent, signal) => sendRequest(host, sent, signal),
})

async function sendRequest(
  { traffic }: ControlHost,
  { url, ...init }: v.InferOutput<typeof request>,
  signal: AbortSignal | undefined,
) {
  requireSendable(url, init)
  let number = 0
  const response = await fetchOrUndefined(() =>
    traffic.fetch(url, { ...init, ...(signal && { signal }) }, (recorded) => {
      number = recorded
    }),
  )
  const { rule = null, trace = [] } = traffic.journal.get(number) ?? {}
  if (!response) return { number, status: null, headers: {}, body: '', rule, trace }
  const headers = new MessageHeaders(response.headers).toRecord()
  return { number, status: response.status, headers, ...(await readText(response)), rule, trace }
}

/** The maximum size of a response body in the outcome, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024

/** Reads as much of a body as arrives, as a string. */
async function readText({ body }: Response): Promise<{ readonly body: string; readonly incomplete?: string }> {
  const decoder = new (platform('TextDecoder'))()
  const reader = body?.getReader()
  let text = ''
  let size = 0
  try {
    for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
      size += part.value.length
      if (size > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`)
      text += decoder.decode(part.value, { stream: true })
    }
  } catch (error) {
    void reader?.cancel().catch(() => undefined)
    return { body: text + decoder.decode(), incomplete: `The body ended early: ${toError(error).message}.` }
  }
  return { body: text + decoder.decode() }
}

/** Rejects requests that `fetch` cannot send. */
function requireSendable(
  url: string,
  { method = 'GET', headers = {}, body }: Omit<v.InferOutput<typeof request>, 'url'>,
): void {
  const refuseField = (field: string, received: string, allowed: string) =>
    refuse(general.field_invalid, { field, received, allowed })
  const { username, password, hostname = '' } = parseVisitable(url) ?? {}
  if (findHostProblem(hostname) !== undefined)
    refuseField('url', quote(hideUrlSecrets(url)), `a URL whose host has ${HOST_SIZES}`)
  if (username !== '' || password !== '')
    refuseField('url', quote(hideUrlSecrets(url)), 'a URL such as "https://app.example.com/", without credentials')
  if (!isMethod(method)) refuseField('method', quote(method), 'a method that fetch can send, such as "POST"')
  for (const [name, value] of Object.entries(headers)) {
    if (!isHeader(name, value)) refuseField(`headers.${name}`, quoteSecret(value), 'an HTTP header name and value')
  }
  if (body !== undefined && /^(get|head)$/i.test(method))
    refuseField('body', quoteSecret(body), 'none for GET and HEAD requests')
}

function isMethod(method: string): boolean {
  try {
    return new (platform('Request'))('http://localhost', { method }).method !== ''
  } catch {
    return false
  }
}

function isHeader(name: string, value: string): boolean {
  try {
    return [...new (platform('Headers'))({ [name]: value })].length > 0
  } catch {
    return false
  }
}

/** Returns undefined if the gateway closes the connection, or the visitor rejects its certificate. */
async function fetchOrUndefined(fetch: () => Promise<Response>): Promise<Response | undefined> {
  try {
    return await fetch()
  } catch (error) {
    // A request that fetch cannot send has another message.
    if (error instanceof TypeError && error.message === 'fetch failed') return undefined
    throw error
  }
}

const after = documented(
  v.pipe(
    v.union([v.number(), v.pipe(v.string(), v.regex(/^\d+$/), v.transform(Number))], 'an integer'),
    integerFrom(0, Number.MAX_SAFE_INTEGER),
  ),
  'Only requests after the one with this `number`.',
  { json: { type: 'integer', minimum: 0 } },
)

const list = controlCall({
  method: 'GET',
  path: '/traffic',
  summary: 'List recent visitor requests, oldest first',
  commands: [{ name: 'traffic' }],
  from: 'query',
  schema: v.object({ after: v.exactOptional(after) }),
  response: v.array(anyObject()),
  mediaType: 'application/json',
  run: ({ traffic }, { after = 0 }) => traffic.journal.json(after),
})

const clear = controlCall({
  method: 'DELETE',
  path: '/traffic',
  summary: 'Remove all upstreams and clear the traffic journal',
  commands: [{ name: 'traffic clear' }],
  run: ({ traffic }) => traffic.clear(),
})

const upstream = named(
  v.object({
    url: documented(v.string(), URL_OF_UPSTREAM),
    status: v.exactOptional(documented(integerFrom(200, 599), 'The status of the response. Default: 200.')),
    headers: headers('The headers of the response.'),
    body: text('The body of the response.'),
    times,
  }),
  'CannedUpstream',
  'An upstream that returns the same response to every request.',
)

const setUpstream = controlCall({
  method: 'PUT',
  path: '/traffic/upstreams',
  summary: 'Set the response of an upstream',
  commands: [{ name: 'upstream', words: { url: 'URL' }, example: 'https://app.internal --body hello' }],
  from: 'body',
  schema: upstream,
  run({ traffic }, { url, times, ...canned }) {
    requireKey(url)
    traffic.upstreams.addCanned(url, canned, times)
  },
})

const removeUpstream = controlCall({
  method: 'DELETE',
  path: '/traffic/upstreams',
  summary: 'Remove an upstream',
  commands: [{ name: 'upstream remove', words: { url: 'URL' }, example: 'https://app.internal' }],
  from: 'query',
  schema: v.object({ url: documented(v.string(), URL_OF_UPSTREAM) }),
  errors: [general.not_found],
  run({ traffic }, { url }) {
    requireKey(url)
    if (!traffic.upstreams.remove(url))
      refuse(general.not_found, { what: 'upstream with the URL', received: quote(url) }, { url })
  },
})

/** Rejects a string that is neither a URL nor the ID of a backend. */
function requireKey(url: string): void {
  if (!isUpstreamKey(url)) refuse(general.field_invalid, { field: 'url', received: quote(url), allowed: UPSTREAM_KEYS })
}

export const trafficCalls = { send, list, clear, setUpstream, removeUpstream }
