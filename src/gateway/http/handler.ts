import type { ControlLog } from '../../control/control-log.ts'
import { faultRecords } from '../../control/faults/fault.ts'
import { applyFault } from '../../control/faults/matching.ts'
import type { JournaledExchange } from '../../control/journal/exchange.ts'
import type { Journal } from '../../control/journal/journal.ts'
import { findSentSecrets, redactRequestText } from '../../control/journal/redact.ts'
import type { RawCommit } from '../../core/engine/commits.ts'
import { refuseAsStoreFailed } from '../../core/engine/persistence/persistence.ts'
import type { RateLimiter } from '../../core/engine/rate-limiter.ts'
import type { Operation, PathIds } from '../../core/operation/operation.ts'
import type { RequestBody } from '../../core/schema/body.ts'
import { createErrorFacts } from '../../core/schema/error-facts.ts'
import { Refusal } from '../../core/schema/errors.ts'
import type { SecretNames } from '../../core/schema/secret-fields.ts'
import { createRedactor, type Redactor, redactText } from '../../core/schema/secret-texts.ts'
import { deepFreeze } from '../../core/schema/values.ts'
import type { ArmedFault } from '../../generated/controls.ts'
import { type CallerChecks, type RequestChecks, requireCaller, requirePermitted } from './access.ts'
import type { Arrival, ArrivalHooks } from './arrival.ts'
import { type ControlApi, toControlRefusal } from './control-api.ts'
import { createCorsHeaders, createPreflightResponse, isPreflight } from './cors.ts'
import { createBareResponse, createErrorResponse, createVariedResponse } from './error-response.ts'
import { createFaultyResponse, type FaultEffect, replacesOperation } from './fault-effects.ts'
import { createJsonCache, type ToJson } from './json-cache.ts'
import {
  createJsonResponse,
  createJsonTextResponse,
  type HttpRequest,
  type HttpResponse,
  NO_CONTENT,
} from './messages.ts'
import { readJsonBody, readQuery } from './request.ts'
import { findOperation, type Router, requireOperation } from './router.ts'
import { splitUrl } from './url.ts'

interface HandlerOptions extends CallerChecks, RequestChecks {
  readonly router: Router<Operation>
  readonly controlApi: ControlApi
  readonly ownKeys: readonly string[]
  readonly secretNames: SecretNames
  readonly emptyJsonOnDelete: boolean
  /** True if the `msg` of errors varies between requests. */
  readonly hasVariedErrors: boolean
  readonly journal: Journal
  readonly controlLog: ControlLog
  readonly rateLimiter: RateLimiter | undefined
  readonly hooks: ArrivalHooks
}

/** A function that handles one request synchronously, without timers and without host I/O. */
export type Handler = (request: HttpRequest) => HttpResponse

/** Creates a gateway's HTTP handler: from request to operation to response, with a journal entry. */
export function createHandler(options: HandlerOptions): Handler {
  const toJson = createJsonCache()
  return (request) => new Call(options, toJson, request).respond()
}

const NO_HEADERS: readonly string[] = []

/** The handling of one request. */
class Call {
  readonly #options: HandlerOptions
  readonly #toJson: ToJson
  readonly #request: HttpRequest
  readonly #path: string
  readonly #query: string
  readonly #operationId: string
  readonly #isControl: boolean
  /** Alternating names and values, or undefined if the journal omits the request. */
  readonly #headers: readonly string[] | undefined
  /** True once the caller may call the operation. */
  #isAdmitted = false
  #operation: Operation | null = null
  #commit: RawCommit | null = null
  #fault: ArmedFault | null = null

  constructor(options: HandlerOptions, toJson: ToJson, request: HttpRequest) {
    const { engine, controlApi, journal } = options
    const { path, query } = splitUrl(request.url, engine.url)
    this.#options = options
    this.#toJson = toJson
    this.#request = request
    this.#path = path
    this.#query = query
    this.#operationId = engine.state.nextOperationId()
    this.#isControl = controlApi.isControlPath(path)
    // The headers are read immediately, because the caller may change the list while the response waits for a store.
    if (!this.#isControl && !request.isInspector) this.#headers = (journal.isOn && request.rawHeaders) || NO_HEADERS
  }

  respond(): HttpResponse {
    const { engine, hooks } = this.#options
    const response = hooks.arrival && this.#isForHook ? hooks.arrival(this.#createArrival()) : this.#respondAsUsual()
    const now = this.#entryTime
    if (!response.safe && !engine.flushed) return this.#addToJournal(response, now)
    const safe = this.#settle(response).then((final) => {
      return this.#addToJournal(final, response.safe ? this.#entryTime : now)
    })
    // The sender of the response sees a rejection. A rejection that nobody handles must not end the process.
    safe.catch(() => undefined)
    return { ...this.#addHeaders(response), safe }
  }

  /** The time of the journal entry: the time of the change, or now. Controls aren't journaled. */
  get #entryTime(): number {
    if (this.#isControl) return 0
    return this.#commit?.now ?? this.#options.engine.lastNow
  }

  get #isForHook(): boolean {
    return !this.#isControl && !this.#request.isInspector && !isPreflight(this.#request)
  }

  #respondAsUsual(): HttpResponse {
    const { engine, controlApi, rateLimiter } = this.#options
    const countedBefore = rateLimiter?.times
    const response = this.#catchRefusal(() => {
      engine.reserveOperationIds()
      return this.#isControl ? controlApi.respond(this.#request, this.#path, this.#query) : this.#checkAndExecute()
    })
    // Otherwise, a client that waits as a fault's 429 says could be over the limit when it retries.
    if (rateLimiter && countedBefore && response.status === 429) rateLimiter.times = countedBefore
    return response
  }

  #createArrival(): Arrival {
    const { router, ownKeys, secretNames } = this.#options
    const { method, body, peer, signal } = this.#request
    const route = router.find(this.#path)
    const operation = findOperation(route, method) ?? null
    return {
      method,
      path: this.#path,
      query: this.#query,
      body,
      operation,
      isConnected: () => peer !== undefined && !signal?.aborted,
      hideSecrets: (text) =>
        redactRequestText(text, { names: secretNames.of(operation), redactor: createRedactor(ownKeys) }),
      respond: () => ({ response: this.#respondAsUsual(), hasChanged: this.#commit !== null }),
      fail: (fault, usual) => this.#applyEffect(fault, usual, operation, route?.ids ?? {}, undefined),
    }
  }

  #catchRefusal(work: () => HttpResponse): HttpResponse {
    try {
      return work()
    } catch (error) {
      return this.#createErrorResponse(error)
    }
  }

  /** Returns the response for an error. Rethrows errors from test code inside an operation, so the caller of `fetch` sees them. */
  #createErrorResponse(error: unknown): HttpResponse {
    const refusal = this.#isControl ? toControlRefusal(error, this.#request) : error
    if (!(refusal instanceof Refusal)) throw error
    // A rejected call hasn't changed anything, or the engine has undone what the store didn't persist.
    this.#commit = null
    const { dialect } = this.#options
    const secrets = this.#findSecrets()
    const facts = createErrorFacts(refusal, dialect, secrets)
    const path = redactText(this.#path, secrets)
    const bare = this.#isControl ? undefined : createBareResponse(facts, path, dialect)
    if (bare) return bare
    const create = this.#isControl || !this.#options.hasVariedErrors ? createErrorResponse : createVariedResponse
    return create(facts, this.#operationId)
  }

  #findSecrets(): Redactor {
    const { body: request, rawHeaders: requestHeaders = [] } = this.#request
    const authorization = this.#request.header('authorization') ?? ''
    const sent = { authorization, requestHeaders, query: this.#query, request }
    const { ownKeys, secretNames } = this.#options
    const names = this.#isControl ? secretNames : secretNames.of(this.#operation)
    return createRedactor([...ownKeys, ...findSentSecrets(sent, names)])
  }

  /** Runs the checks in order (rules: requests#order-of-checks), and then the operation. Throws the error of the first check that fails. */
  #checkAndExecute(): HttpResponse {
    const { engine, router, dialect, rateLimiter } = this.#options
    const request = this.#request
    const route = router.require(this.#path, request.method)
    if (isPreflight(request)) return createPreflightResponse(request, route)
    const operation = requireOperation(route, request.method, this.#path)
    this.#operation = operation
    requireCaller(request, this.#options)
    const requirePermittedBody = requirePermitted(request, operation, this.#options)
    this.#isAdmitted = true
    if (!request.isInspector) rateLimiter?.take(engine.now)
    const body = readJsonBody(request)
    requirePermittedBody(body)
    const parameters = readQuery(operation, this.#query, dialect)
    const input = operation.query ? parameters : body
    if (request.isInspector || engine.state.records.table(faultRecords).size === 0)
      return this.#execute(operation, route.ids, input)
    // The fault's count and the request's change form one commit.
    return engine.runCall(() => this.#executeWithFaults(operation, route.ids, input))
  }

  #execute(operation: Operation, ids: PathIds, input: unknown): HttpResponse {
    const { engine, emptyJsonOnDelete } = this.#options
    const { result, commit } = engine.execute(operation, ids, input, this.#request)
    this.#commit = commit
    if (operation.status === 204) return emptyJsonOnDelete ? createJsonResponse(200, {}) : NO_CONTENT
    // The response to a change is sent once. The response for an unchanged record may be sent again, so its JSON is cached.
    if (commit || !engine.state.isLastView(result)) return createJsonResponse(operation.status, result)
    return createJsonTextResponse(operation.status, this.#toJson(result))
  }

  #executeWithFaults(operation: Operation, ids: PathIds, input: unknown): HttpResponse {
    const { engine } = this.#options
    const request = { operation: operation.name, method: this.#request.method, path: this.#path, ids }
    const fault = applyFault(engine, { ...request, input: deepFreeze(input) })
    if (!fault) return this.#execute(operation, ids, input)
    this.#fault = fault
    const usual = replacesOperation(fault) ? undefined : this.#catchRefusal(() => this.#execute(operation, ids, input))
    return this.#applyEffect(fault, usual, operation, ids, input)
  }

  #applyEffect(
    fault: FaultEffect,
    usual: HttpResponse | undefined,
    operation: Operation | null,
    ids: PathIds,
    input: unknown,
  ): HttpResponse {
    const { engine, dialect, hasVariedErrors } = this.#options
    return createFaultyResponse(fault, usual, {
      operation,
      ids,
      input,
      operationId: this.#operationId,
      hasVariedErrors,
      dialect,
      catalogue: engine.context.catalogue,
      now: engine.now,
    })
  }

  /** Resolves with the response once the work has ended and the store has flushed the changes, or with the error of either step. */
  async #settle(response: HttpResponse): Promise<HttpResponse> {
    const settled = response.safe
      ? await response.safe.catch((error: unknown) => this.#createErrorResponse(error))
      : response
    try {
      await this.#options.engine.flushed
      return settled
    } catch (error) {
      return this.#catchRefusal(() => refuseAsStoreFailed(error))
    }
  }

  #addToJournal(response: HttpResponse, now: number): HttpResponse {
    const { journal, controlLog } = this.#options
    const complete = this.#addHeaders(response)
    if (this.#headers) journal.add(this.#createExchange(response, complete, now))
    else if (this.#commit) controlLog.addWrite(this.#createExchange(response, complete, now))
    return complete
  }

  #createExchange(response: HttpResponse, complete: HttpResponse, now: number): JournaledExchange {
    return {
      operationId: this.#operationId,
      operation: this.#operation,
      method: this.#request.method,
      path: this.#path,
      query: this.#query,
      authorization: this.#request.header('authorization') ?? '',
      now,
      requestHeaders: this.#headers ?? NO_HEADERS,
      request: this.#getStoredBody(),
      status: response.status,
      responseHeaders: complete.headers,
      response: response.body,
      commit: this.#commit,
      fault: this.#fault?.id ?? null,
      problem: response.problem,
    }
  }

  /** Returns the body for the journal. A server's journal does not store the bodies of clients without access (rules: requests#body). */
  #getStoredBody(): RequestBody {
    const { body, peer } = this.#request
    return this.#isAdmitted || peer === undefined || body === '' ? body : { unread: 'refused' }
  }

  #addHeaders({ status, headers: own, body, delivery, problem }: HttpResponse): HttpResponse {
    const { dialect } = this.#options
    const headers: Record<string, string> = { [dialect.operationIdHeader]: this.#operationId }
    const origin = this.#request.header('origin')
    const cors = origin === null ? undefined : createCorsHeaders(origin, dialect)
    // Spreading both objects would take as long as finding the resource.
    Object.assign(headers, own, cors)
    const sent = this.#request.method === 'HEAD' ? null : body
    if (problem !== undefined) return { status, headers, body: sent, problem }
    return delivery ? { status, headers, body: sent, delivery } : { status, headers, body: sent }
  }
}
