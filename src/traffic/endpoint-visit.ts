import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { utf8Bytes } from '../core/schema/platform.ts'
import { lookUp } from '../core/schema/values.ts'
import { applicationSessionRecords } from '../service/ngrok/application-records.ts'
import { rules as ipRules } from '../service/ngrok/ip-policies.ts'
import { vaults } from '../service/ngrok/vault-records.ts'
import { secrets } from '../service/ngrok/vault-secrets.ts'
import type { Config } from '../service/policy/action.ts'
import { isInRange } from '../service/policy/cel/addresses.ts'
import { EvaluationProblem, type Values } from '../service/policy/cel/values.ts'
import type { Phase } from '../service/policy/phases.ts'
import type {
  ActionOutcome,
  BreakerSettings,
  BreakerState,
  ClientTls,
  IncomingResponse,
  OutgoingRequest,
  SignIn,
  Visit,
} from '../service/policy/visit.ts'
import { createCompressor } from './codings.ts'
import type { CompiledPhase } from './compile.ts'
import type { ActionResult, EndpointFacts } from './known-variables.ts'
import type { UpstreamResponse, VisitorRequest } from './message.ts'
import type { PolicyRun } from './policy-run.ts'
import { countInWindow, enterBreaker, leaveBreaker, releaseBreaker } from './records.ts'
import { continueSession, endSession } from './sign-ins.ts'
import { createRoots } from './variables.ts'
import type { WholeVisit } from './visit-context.ts'
import { DEFAULT_IP } from './visitor.ts'

/** A visit to one endpoint, from the perspective of its policy and modules. */
export class EndpointVisit implements Visit, PolicyRun {
  phase: Phase = 'on_tcp_connect'
  place = ''
  response: UpstreamResponse | undefined
  event: Map<string, string> | undefined
  /** False for rules that the trace omits. */
  isTraced = true
  #vars: Record<string, unknown> = Object.create(null)
  readonly #results = new Map<string, ActionResult>()
  /** The values of expressions, cached until something changes them. */
  #values: { readonly phase: CompiledPhase; readonly values: Values } | undefined
  readonly #breakers: { readonly key: string; readonly settings: BreakerSettings }[] = []

  constructor(
    readonly request: VisitorRequest,
    readonly endpoint: EndpointFacts,
    readonly whole: WholeVisit,
  ) {}

  /** Returns a visit for the messages of an event stream response, with the results of the actions that have already run. */
  forMessages(): EndpointVisit {
    const visit = new EndpointVisit(this.request, this.endpoint, this.whole)
    visit.response = this.response
    for (const [action, sets] of this.#results) visit.#results.set(action, sets)
    return visit
  }

  get policy(): string {
    return this.endpoint.id
  }

  get visit(): this {
    return this
  }

  get trace(): WholeVisit['context']['trace'] {
    return this.isTraced ? this.whole.context.trace : []
  }

  get now(): number {
    return this.whole.context.host.now
  }

  get clientIp(): string {
    return this.whole.context.visitor.ip ?? DEFAULT_IP
  }

  get identity() {
    return this.whole.context.visitor.identity
  }

  get message() {
    return this.response ?? this.request
  }

  codeOf(number: number): string {
    return `${this.whole.context.host.dialect.errorPrefix}${number}`
  }

  start(phase: Phase): void {
    this.phase = phase
    this.#vars = Object.create(null)
    this.#values = undefined
  }

  given(type: string): Config | undefined {
    return lookUp(this.whole.context.visitor.actions ?? {}, type)
  }

  keep(action: string, sets: object, isStated: boolean): void {
    this.#results.set(action, { sets, isStated })
    this.#values = undefined
  }

  values(phase: CompiledPhase): Values {
    if (this.#values?.phase === phase) return this.#values.values
    const { sentUrl, startedAt, facts, host } = this.whole.context
    const { request, response, now, clientIp: ip, endpoint } = this
    const values: Values = {
      roots: createRoots(phase.variables, {
        ...{ request, response, sentUrl, now, startedAt, ip, endpoint, facts },
        results: this.#results,
        vars: () => this.#vars,
      }),
      secret: (vault, name) => this.#readSecret(vault, name),
      randomInteger: (below) => host.transact((tx) => tx.randomInteger(below)),
    }
    this.#values = { phase, values }
    return values
  }

  #readSecret(vault: string, name: string): string {
    const { reader, secrets: known } = this.whole.context
    const owner = reader.find(vaults, 'name', vault)
    const secret = owner && reader.find(secrets, 'place', `${owner.id} ${name}`)
    if (!owner) throw new EvaluationProblem(`there is no vault ${vault}`)
    if (!secret) throw new EvaluationProblem(`the vault ${vault} has no secret ${name}`)
    if (!known.texts.includes(secret.value)) known.texts.push(secret.value)
    return secret.value
  }

  newId(prefix: string): string {
    return this.whole.context.host.transact((tx) => tx.newId(prefix))
  }

  setVariable(name: string, value: unknown): void {
    // The value may be the map of all variables, which must not contain itself.
    this.#vars = { ...this.#vars, [name]: value }
    // Values that were read earlier stay unchanged.
    this.#values = undefined
  }

  get pattern() {
    return this.whole.compiled.expressions.pattern
  }

  isInRange = isInRange

  compressor(algorithm: string) {
    const compressor = createCompressor(algorithm)
    return compressor && (this.whole.context.meter?.count(compressor) ?? compressor)
  }

  ipPolicyRules(id: string) {
    return this.whole.context.reader.findAll(ipRules, 'policy', id)
  }

  countRequest(name: string, key: readonly unknown[], capacity: number, window: number): number | undefined {
    // Key values may be secrets, such as a header with a token.
    const digest = bytesToHex(sha256(utf8Bytes(key.map(String).join('\n')))).slice(0, 32)
    const bucket = `${this.policy}/${name}/${digest}`
    return this.whole.context.host.transact((tx) => countInWindow(tx, bucket, capacity, window))
  }

  passBreaker(settings: BreakerSettings): BreakerState {
    const key = `${this.policy}/${this.place}`
    const state = this.whole.context.host.transact((tx) => enterBreaker(tx, key, settings))
    if (state !== 'open') this.#breakers.push({ key, settings })
    return state
  }

  /** Reports the upstream's response, or undefined if there was none, to the breakers that let the request pass. */
  settleBreakers(status: number | undefined): void {
    if (this.#breakers.length === 0) return
    this.whole.context.host.transact((tx) => {
      for (const { key, settings } of this.#breakers.splice(0)) {
        if (status === undefined) releaseBreaker(tx, key)
        else leaveBreaker(tx, key, settings, status >= 500)
      }
    })
  }

  continueSession(signIn: SignIn): boolean {
    const { reader, host, visitor } = this.whole.context
    // Other dialects don't include application users.
    if (!reader.has(applicationSessionRecords)) return true
    const user_agent = this.request.headers.get('user-agent') ?? ''
    const { endpoint, clientIp: ip_address } = this
    const at = { endpoint, user_agent, ip_address, country_code: visitor.country ?? null }
    return host.transact((tx) => continueSession(tx, signIn, at))
  }

  endSession({ person }: SignIn): void {
    const { reader, host } = this.whole.context
    if (reader.has(applicationSessionRecords)) host.transact((tx) => endSession(tx, person, this.endpoint.id))
  }

  checkTls(required: ClientTls): ActionOutcome {
    return this.whole.checkTls(required)
  }

  forward(url: string): Promise<ActionOutcome> {
    return this.whole.forward(url, this.request)
  }

  send(request: OutgoingRequest, until: number): Promise<IncomingResponse> {
    return this.whole.send(request, until)
  }

  async verifyWebhook(provider: string, secret: string): Promise<ActionOutcome> {
    const { signatureHeaders, verifyWebhook } = await import('./webhooks/index.ts')
    const { now, whole } = this
    const verdict = await verifyWebhook(this.#toRead(), { provider, secret, now, readUrl: whole.readUrl })
    if ('challenge' in verdict)
      return { did: `responded to the ${provider} challenge`, ends: verdict.challenge, isIdle: true }
    if (verdict.verified) {
      whole.context.secrets.shown.push(...signatureHeaders(provider))
      return { did: `verified the ${provider} webhook`, sets: { verified: true } }
    }
    const ends = { status: 403, error: 3204 }
    return {
      did: `rejected the ${provider} webhook: ${verdict.reason}`,
      sets: { verified: false },
      ends,
      isRefusal: true,
      decision: verdict.decision,
    }
  }

  /** Returns the request for a check that may need its body. */
  #toRead() {
    const { method, url, headers } = this.request
    return { method, url, headers: new Headers([...headers]), readBody: () => this.request.bytes() }
  }

  async validateJwt(config: object): Promise<ActionOutcome> {
    const { validateJwt } = await import('./jwt/index.ts')
    const { now, whole } = this
    const result = await validateJwt(this.#toRead(), config, {
      now,
      readUrl: whole.readUrl,
      cache: whole.compiled.keys,
    })
    whole.context.secrets.texts.push(...result.tokens.map(({ signature }) => signature))
    const sets = { tokens: result.tokens }
    if (result.ok) return { did: 'accepted the tokens', sets }
    return {
      did: `rejected the tokens: ${result.reason}`,
      sets,
      ends: { status: 401, error: result.number },
      isRefusal: true,
      decision: result.decision,
    }
  }
}
