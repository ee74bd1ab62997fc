import type { TrafficEntry } from '../../control/traffic/entry.ts'
import { findSecretTexts } from '../../control/traffic/journal.ts'
import { manualClock } from '../../core/engine/manual-clock.ts'
import { describeThrown, quote } from '../../core/schema/text.ts'
import type { Duration } from '../../core/schema/time.ts'
import { createNgrok } from '../../gateway/ngrok.ts'
import { checkFound, type FileProblem } from '../../service/policy/files/check-file.ts'
import type { FoundPolicy } from '../../service/policy/files/found.ts'
import { codeOfProblem, type PlacedPolicyProblem } from '../../service/policy/problem.ts'
import { readText } from '../../service/policy/text.ts'
import type { VisitorExchange } from '../../traffic/exchange.ts'
import { findDecision, nameOf } from '../../traffic/trace.ts'
import { formatFailures, formatTrace } from '../../traffic/trace-text.ts'
import { createCannedResponse } from '../../traffic/upstreams.ts'
import { PolicyCoverage } from './coverage.ts'
import type { Expected, PolicyTest, PolicyTestFile, TestStep } from './read.ts'

/** A difference between a response and the expected value. */
export interface Mismatch {
  /** The part of the response, such as `status` or `headers.retry-after`. */
  readonly what: string
  readonly expected: string
  readonly received: string
}

/** The result of a policy test. */
export interface PolicyTestResult {
  readonly name: string
  /** The line of the test in its file or, if there are differences, of the step that has them. */
  readonly line: number
  readonly differences: readonly Mismatch[]
  /** The request with the differences, such as `GET https://api.example.com/`; empty if the test passed. */
  readonly request: string
  /** The trace of that request, as text. */
  readonly trace: string
  /** The conditions that failed, as text. Their rules did not apply. */
  readonly failures: readonly string[]
}

type Visited = ReturnType<typeof createVisited>

/** The tests in a file, for one policy. Each test has its own gateway. */
export class PolicyTestRun {
  readonly #file: PolicyTestFile
  readonly #policy: string
  readonly coverage: PolicyCoverage
  readonly #warnings: readonly FileProblem[]

  /** @throws TypeError with the policy's errors, if there are any */
  constructor(file: PolicyTestFile, policy: FoundPolicy, problemsOfFile: readonly PlacedPolicyProblem[] = []) {
    const { protocol = policy.protocol, place = policy.place } = file
    const known = { ...(protocol && { protocol }), ...(place && { place }) }
    const problems = checkFound(policy, known)
    const errors = problems.filter(({ severity }) => severity === 'error')
    if (errors.length > 0)
      throw new TypeError(
        errors.map((each) => `${each.line}:${each.column}: ${each.message} [${codeOfProblem(each)}]`).join('\n'),
      )
    // A policy can be tested even if nothing reads it yet.
    const ofFile = problemsOfFile.map((each) => ({ ...each, severity: 'warning' as const, policy: '', source: '' }))
    this.#warnings = [...ofFile, ...problems]
    const slice = policy.slice()
    const read = readText(slice.text)
    this.#file = { ...file, ...known }
    // Each gateway parses the policy, and JSON is parsed much faster than YAML.
    this.#policy = JSON.stringify(read.value)
    this.coverage = new PolicyCoverage(slice, read, known, problems)
  }

  /** The warnings of `policy check` about the policy, without the secrets of the requests so far. */
  get warnings(): readonly FileProblem[] {
    return this.#warnings.map(({ message, hint, source, ...rest }) => ({
      ...rest,
      message: this.coverage.redact(message),
      ...(hint !== undefined && { hint: this.coverage.redact(hint) }),
      source: this.coverage.mask(source),
    }))
  }

  async run({ name, line, steps }: PolicyTest): Promise<PolicyTestResult> {
    const gateway = createVisited(this.#file, this.#policy, steps)
    const observed: Observed = { gateway, decided: new Set(), failures: new Set(), visits: [] }
    gateway.transport.hooks.onDecided = (part) => observed.decided.add(part)
    gateway.transport.hooks.onVisited = (exchange) => void observed.visits.push(exchange)
    for (const step of steps) {
      if ('advance' in step)
        gateway.clock.advance(step.advance as Duration) // Checked when the file was read.
      else {
        const failed = await this.#runRequest(observed, step)
        if (failed) return { name, line: step.line, ...failed, failures: [...observed.failures] }
      }
    }
    return { name, line, differences: [], request: '', trace: '', failures: [...observed.failures] }
  }

  /**
   * Returns whether an expectation compares something that depends on the policy. That a header is absent depends on it only if the
   * policy names the header.
   */
  #compares({ headers = {}, ...others }: Expected = {}): boolean {
    const isNamed = (name: string) => this.#policy.toLowerCase().includes(name.toLowerCase())
    const compared = Object.entries(headers).filter(([name, value]) => value !== null || isNamed(name))
    return compared.length + Object.values(others).filter((value) => value !== undefined).length > 0
  }

  /** Sends a request, and compares the last response. Returns undefined if the response is as expected. */
  async #runRequest(
    observed: Observed,
    { request, repeat = 1, expect: expected }: Extract<TestStep, { request: object }>,
  ) {
    const { gateway, decided, visits, failures } = observed
    const { url, method = 'GET', headers, body, from } = request
    const sent = `${method} ${url}`
    let response: Response | undefined
    let text = ''
    for (let count = 0; count < repeat; count++) {
      decided.clear()
      visits.length = 0
      try {
        const init = { method, ...(headers && { headers }), ...(body !== undefined && { body }), ...(from && { from }) }
        response = await gateway.traffic.fetch(url, init)
      } catch (error) {
        // If the gateway closes a connection, fetch rejects.
        if (!(error instanceof TypeError && error.message === 'fetch failed')) return fail(sent, describeThrown(error))
        response = undefined
      }
      // The rules for messages run as the body is read.
      text = (await response?.text()) ?? ''
      const exchange = visits.at(-1)
      // The journal entry has no secrets, so rules and expressions that contain secrets differ there.
      this.coverage.add(exchange?.trace ?? [], decided, count === repeat - 1 && this.#compares(expected))
      if (exchange) this.coverage.hide(findSecretTexts(exchange))
      const shown = gateway.traffic.last()?.trace ?? []
      for (const failure of formatFailures(shown)) failures.add(this.coverage.redact(failure))
    }
    const entry = gateway.traffic.last()
    const differences = compare(expected ?? {}, response, text, visits.at(-1), entry)
    if (differences.length === 0) return undefined
    return { differences, request: sent, trace: this.coverage.redact(entry ? formatTrace(entry) : '') }
  }
}

/** A gateway, and the facts about the last request of a test. */
interface Observed {
  readonly gateway: Visited
  /** The parts of expressions that determined a value. */
  readonly decided: Set<string>
  /** The conditions that failed in any request of the test, as text. */
  readonly failures: Set<string>
  /** The last request, including secrets; empty if the gateway received none. */
  readonly visits: VisitorExchange[]
}

function fail(request: string, received: string) {
  return { differences: [{ what: 'the request', expected: 'a response', received }], request, trace: '' }
}

/** Creates a gateway with the policy at each origin that the test visits, and with the rest of the file. */
function createVisited(
  { start, upstreams, secrets, ipPolicies, place }: PolicyTestFile,
  policy: string,
  steps: readonly TestStep[],
) {
  // A test of a policy does not wait for certificates.
  const gateway = createNgrok({ clock: manualClock(start), seed: 'policy tests', provisioningDelay: 0 })
  for (const [vault_name, values] of Object.entries(secrets)) {
    gateway.vaults.create({ name: vault_name })
    for (const [name, value] of Object.entries(values)) gateway.vaultSecrets.create({ vault_name, name, value })
  }
  let traffic_policy = policy
  for (const [id, ranges] of Object.entries(ipPolicies)) {
    const { id: ip_policy_id } = gateway.ipPolicies.create({})
    for (const action of ['allow', 'deny'] as const)
      for (const cidr of ranges[action]) gateway.ipPolicyRules.create({ ip_policy_id, action, cidr })
    traffic_policy = traffic_policy.replaceAll(id, ip_policy_id)
  }
  const origins = new Set(steps.flatMap((step) => ('request' in step ? new URL(step.request.url).origin : [])))
  // A URL with a path is one that the policy fetches, not an endpoint's.
  const others = Object.keys(upstreams).filter((url) => !origins.has(url) && new URL(url).pathname.length <= 1)
  // Requests that pass a cloud endpoint's policy have no upstream.
  const isCloud = place === 'cloud'
  if (isCloud) {
    for (const domain of new Set([...origins].map((url) => new URL(url).hostname)))
      gateway.reservedDomains.create({ domain })
    for (const url of origins) gateway.endpoints.create({ url, type: 'cloud', bindings: ['public'], traffic_policy })
  }
  gateway.declare.tunnelSession({
    endpoints: [
      ...[...(isCloud ? [] : origins)].map((url) => ({ url, traffic_policy })),
      ...others.map((url) => ({
        url,
        ...(new URL(url).hostname.endsWith('.internal') && { binding: 'internal' as const }),
      })),
    ],
  })
  for (const url of isCloud ? [] : origins) if (!upstreams[url]) gateway.traffic.upstream(url, () => new Response(null))
  for (const [url, canned] of Object.entries(upstreams))
    gateway.traffic.upstream(url, () => createCannedResponse(canned))
  return gateway
}

function compare(
  { status, headers = {}, body, contains, rule, upstream, error }: Expected,
  response: Response | undefined,
  received: string,
  exchange: VisitorExchange | undefined,
  shown: TrafficEntry | undefined,
): Mismatch[] {
  const found: Mismatch[] = []
  const add = (what: string, expected: unknown, actual: unknown, shownActual = actual) => {
    if (expected !== undefined && expected !== actual)
      found.push({ what, expected: describe(expected), received: describe(shownActual) })
  }
  const decision = exchange && findDecision(exchange.trace)
  add('status', status, response?.status ?? null)
  for (const [name, value] of Object.entries(headers))
    add(`headers.${name}`, value, response?.headers.get(name) ?? null)
  add('body', body, received)
  if (contains !== undefined && !received.includes(contains))
    found.push({ what: 'body', expected: `a string with ${quote(contains)}`, received: quote(received) })
  add('rule', rule, decision ? nameOf(decision) : null, shown?.rule ?? null)
  add('upstream', upstream, exchange?.upstream ?? null, shown?.upstream ?? null)
  add('error', error, exchange?.error ?? null)
  return found
}

function describe(value: unknown): string {
  return value === null ? 'none' : quote(value)
}
