import { expect } from 'vitest'
import type {
  ExpectedMessage,
  RuleOrAction,
  SentResponse,
  TrafficRow,
  TrafficStep,
} from '../../scripts/generate/evidence/traffic-pages.ts'
import { checkPolicy, createNgrok } from '../../src/gateway/ngrok.ts'
import { manualClock } from '../../src/index.ts'
import { checkPolicyFile } from '../../src/service/policy/files/check-file.ts'
import { URL_OF_APP } from './visits.ts'

const PHASES = ['on_tcp_connect', 'on_http_request', 'on_http_response', 'on_event_stream_message'] as const

/** The time of the first request of each row. */
const START = '2026-01-01T00:00:00Z'

/** The status of a response that an expression gives when it has its documented value. */
const HELD = 418

/** Checks the policy of a row, sends its requests, and compares the results with the documented ones. */
export async function runRow(row: TrafficRow): Promise<void> {
  const { cel, is, type, fails, phase = 'on_http_request', check = [], then = [] } = row
  if (cel !== undefined) {
    const expressions = [
      `(${cel}) == (${fails ? cel : is})`,
      ...(type === undefined ? [] : [`type(${cel}) == ${type}`]),
    ]
    // A rule whose condition fails does not apply, and the trace says so.
    const rule = { expressions, actions: [{ type: 'custom-response', config: { status_code: HELD } }] }
    const { cel: _, ...rest } = row
    const response = fails ? 200 : HELD
    await runRow({ ...rest, [phase]: [...(row[phase] ?? []), rule], ...(check.length === 0 && { response }) })
    return
  }
  const policy = JSON.stringify(policyOf(row)).replace(/<(\d+) letters>/g, (_, count) => 'x'.repeat(Number(count)))
  const problems = row.file === undefined ? checkPolicy(policy, row.place) : checkPolicyFile(row.file).problems
  // An error with a rule is one at run time, in a policy that the service accepts.
  const errors = problems.filter(({ severity, rule }) => severity === 'error' && rule === undefined)
  expect(
    errors.map(({ number }) => number),
    errors.map(({ message }) => message).join('\n'),
  ).toEqual(check)
  if (check.length > 0 || row.file !== undefined) return
  const visited = createVisited(row, policy)
  for (const step of [row, ...then])
    if ((step.request ?? step.response ?? step.upstream) !== undefined) await visited(step)
}

/** Returns the policy of a row. */
function policyOf(row: TrafficRow): Readonly<Record<string, readonly object[]>> {
  const toRule = (each: RuleOrAction) => ('type' in each ? { actions: [each] } : each)
  return Object.fromEntries(PHASES.flatMap((phase) => (row[phase] ? [[phase, row[phase].map(toRule)]] : [])))
}

/** Makes the gateway of a row. Returns a function that sends a request and compares its results. */
function createVisited(
  { fails, app, internal = {}, served = {}, vaults = {}, ip_policies = {} }: TrafficRow,
  policy: string,
) {
  const gateway = createNgrok({ clock: manualClock(START), seed: 'pages' })
  for (const [vault, secrets] of Object.entries(vaults)) {
    gateway.vaults.create({ name: vault })
    for (const [name, value] of Object.entries(secrets)) gateway.vaultSecrets.create({ vault_name: vault, name, value })
  }
  let traffic_policy = policy
  for (const [name, rules] of Object.entries(ip_policies)) {
    const { id } = gateway.ipPolicies.create({})
    for (const rule of rules) gateway.ipPolicyRules.create({ ...rule, ip_policy_id: id })
    traffic_policy = traffic_policy.replaceAll(`ipp_${name}`, id)
  }
  const others = Object.entries(internal).map(([url, { policy: own }]) => ({
    url,
    ...(own && { traffic_policy: JSON.stringify(own) }),
  }))
  gateway.declare.tunnelSession({ endpoints: [{ url: URL_OF_APP, traffic_policy }, ...others] })
  let received: Request[] = []
  for (const [url, sent] of Object.entries({ ...internal, ...served, [URL_OF_APP]: app ?? {} })) {
    gateway.traffic.upstream(url, async (request) => {
      received.push(request)
      if (sent.silent_for === undefined) return toResponse(sent)
      // The wait for the response begins when the function has returned its promise.
      await Promise.resolve()
      gateway.clock.advance(sent.silent_for)
      return new Promise<Response>(() => {})
    })
  }
  return async ({ wait, request = '/', response, upstream }: TrafficStep) => {
    if (wait !== undefined) gateway.clock.advance(wait)
    received = []
    const { path = '/', ...init } = typeof request === 'string' ? { path: request } : request
    const sending = gateway.traffic.fetch(URL_OF_APP + path, { redirect: 'manual', ...init })
    if (response === 'closed') {
      await expect(sending).rejects.toThrow('fetch failed')
      if (upstream === 'none') expect(received).toEqual([])
      return
    }
    const found = await sending
    const trace = JSON.stringify(
      gateway.traffic.last()?.trace,
      (_, value) => (typeof value === 'bigint' ? Number(value) : value),
      1,
    )
    if (fails) expect(trace).toContain('"error"')
    if (response !== undefined)
      await compare(typeof response === 'number' ? { status: response } : response, found, trace)
    if (upstream === undefined) return
    const [sent] = received
    if (upstream === 'none' || !sent) expect(received, trace).toHaveLength(upstream === 'none' ? 0 : 1)
    else await compare(upstream, sent, trace)
  }
}

function toResponse({ status = 200, headers = {}, body = 'from the app', letters }: SentResponse): Response {
  const hasBody = status !== 204 && status !== 304
  return new Response(hasBody ? (letters === undefined ? body : 'x'.repeat(letters)) : null, { status, headers })
}

/** Compares the named parts of a message with the documented ones. */
async function compare(expected: ExpectedMessage, message: Request | Response, trace: string): Promise<void> {
  const { body, headers = {}, error, path, ...plain } = expected
  const found: Record<string, unknown> = {}
  for (const name of Object.keys(plain)) found[name] = Reflect.get(message, name)
  if (path !== undefined) found.path = 'url' in message ? message.url.replace(/^\w+:\/\/[^/]+/, '') : undefined
  if (error !== undefined) found.error = Number(message.headers.get('ngrok-error-code')?.replace('ERR_NGROK_', ''))
  found.headers = Object.fromEntries(Object.keys(headers).map((name) => [name, message.headers.get(name)]))
  if (body !== undefined) {
    const text = await message.text()
    found.body = typeof body === 'string' ? text : JSON.parse(text)
  }
  expect(found, trace).toEqual({ ...expected, headers })
}
