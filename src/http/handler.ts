import { faultRecords } from '../control/faults/fault.ts'
import { applyFault } from '../control/faults/matching.ts'
import type { RawCommit } from '../engine/commits.ts'
import type { Engine } from '../engine/engine.ts'
import { refuseAsFailed } from '../engine/persistence/persistence.ts'
import type { RateLimiter } from '../engine/rate-limiter.ts'
import type { ArmedFault } from '../generated/controls.ts'
import type { Journal } from '../journal/journal.ts'
import { secretsSent } from '../journal/redact.ts'
import { namedParameters } from '../operation/list.ts'
import type { Operation, PathIds } from '../operation/operation.ts'
import type { CommonDialect } from '../schema/dialect.ts'
import { type ErrorFacts, factsOf } from '../schema/error-facts.ts'
import { type CatalogueError, problem, Refusal } from '../schema/errors.ts'
import type { SecretNames } from '../schema/secret-fields.ts'
import { type SecretTexts, secretTexts } from '../schema/secret-texts.ts'
import { deepFreeze } from '../schema/values.ts'
import type { KeyCheck } from './access.ts'
import { requireCaller } from './admission.ts'
import type { Arrival, ArrivalHooks } from './arrival.ts'
import type { ControlApi } from './control-api.ts'
import { corsHeaders, isPreflight, preflightAnswer } from './cors.ts'
import { type FaultEffect, faultyAnswer, isBefore } from './fault-effects.ts'
import { type JsonOf, jsonTexts } from './json-texts.ts'
import { type HttpRequest, type HttpResponse, jsonAnswer, jsonTextAnswer, NO_CONTENT } from './messages.ts'
import { jsonBody, queryParameters } from './request.ts'
import { operationFor, type Router } from './router.ts'
import { splitUrl } from './url.ts'

interface HandlerOptions {
  readonly engine: Engine
  readonly router: Router<Operation>
  readonly controlApi: ControlApi
  readonly dialect: CommonDialect
  readonly isValidKey: KeyCheck
  readonly ownKeys: readonly string[]
  readonly secretNames: SecretNames
  readonly emptyJsonOnDelete: boolean
  readonly journal: Journal
  readonly rateLimiter: RateLimiter | undefined
  readonly hooks: ArrivalHooks
}

/** Answers one request at once: no timers, no host I/O, nothing to wait for. */
export type Handler = (request: HttpRequest) => HttpResponse

/** Makes the HTTP handler of a gateway: request to operation to response, and an entry in the journal. */
export function handlerOf(options: HandlerOptions): Handler {
  const jsonOf = jsonTexts()
  return (request) => new Call(options, jsonOf, request).respond()
}

const NO_HEADERS: readonly string[] = []

class Call {
  readonly #parts: HandlerOptions
  readonly #jsonOf: JsonOf
  readonly #request: HttpRequest
  readonly #path: string
  readonly #query: string
  readonly #operationId: string
  readonly #isControl: boolean
  /** Names and values in turn; undefined if the journal leaves the request out. */
  readonly #headers: readonly string[] | undefined
  #operation: Operation | null = null
  #commit: RawCommit | null = null
  #fault: ArmedFault | null = null

  constructor(parts: HandlerOptions, jsonOf: JsonOf, request: HttpRequest) {
    const { engine, controlApi, journal } = parts
    const { path, query } = splitUrl(request.url, engine.url)
    this.#parts = parts
    this.#jsonOf = jsonOf
    this.#request = request
    this.#path = path
    this.#query = query
    this.#operationId = engine.state.nextOperationId()
    this.#isControl = controlApi.isOwn(path)
    // The headers are read at once, because the caller may change the list while the response waits for a store.
    if (!this.#isControl && !request.isInspector) this.#headers = (journal.isOn && request.rawHeaders) || NO_HEADERS
  }

  respond(): HttpResponse {
    const { engine, hooks } = this.#parts
    const isSeen = !this.#isControl && !this.#request.isInspector && !isPreflight(this.#request)
    const response = hooks.arrival && isSeen ? hooks.arrival(this.#arrival()) : this.#usual()
    const now = engine.lastNow
    const { safe } = engine
    if (!safe) return this.#journaled(response, now)
    const later = this.#onceSafe(safe, response).then((final) => this.#journaled(final, now))
    return { ...this.#complete(response), safe: later }
  }

  #usual(): HttpResponse {
    const { engine, controlApi } = this.#parts
    return this.#orError(() => {
      engine.keepOperationIds()
      return this.#isControl ? controlApi.answer(this.#request, this.#path, this.#query) : this.#answered()
    })
  }

  #arrival(): Arrival {
    const { router } = this.#parts
    const { method, body, peer } = this.#request
    const route = router.find(this.#path)
    const operation = route?.methods.get(method === 'HEAD' ? 'GET' : method) ?? null
    return {
      method,
      path: this.#path,
      query: this.#query,
      body,
      operation,
      isServed: peer !== undefined,
      answer: () => ({ response: this.#usual(), hasChanged: this.#commit !== null }),
      fail: (fault, usual) => this.#faulty(fault, usual, operation, route?.ids ?? {}, undefined),
    }
  }

  #orError(work: () => HttpResponse): HttpResponse {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      // A refused call has changed nothing; a change that the store did not persist was undone.
      this.#commit = null
      return errorResponse(factsOf(error, this.#parts.dialect, this.#secretsOfRequest()), this.#operationId)
    }
  }

  #secretsOfRequest(): SecretTexts {
    const { body: request, rawHeaders: requestHeaders = [] } = this.#request
    const authorization = this.#request.header('authorization') ?? ''
    const sent = { authorization, requestHeaders, query: this.#query, request }
    const { ownKeys, secretNames } = this.#parts
    const names = this.#isControl ? secretNames : secretNames.of(this.#operation)
    return secretTexts([...ownKeys, ...secretsSent(sent, names)])
  }

  /** Runs the checks in their order (rules: requests#order-of-checks). The first failure makes the response. */
  #answered(): HttpResponse {
    const { engine, router, dialect, rateLimiter } = this.#parts
    const request = this.#request
    const route = router.require(this.#path, request.method)
    if (isPreflight(request)) return preflightAnswer(request, route)
    const operation = operationFor(route, request.method, this.#path)
    this.#operation = operation
    requireCaller(request, this.#parts)
    if (!request.isInspector) rateLimiter?.take(engine.now)
    const body = jsonBody(request)
    const parameters = parametersFor(operation, this.#query, dialect)
    const input = operation.query ? parameters : body
    if (request.isInspector || engine.state.records.table(faultRecords).size === 0)
      return this.#executed(operation, route.ids, input)
    // The fault counts the request: both are one commit.
    return engine.called(() => this.#executedWithFaults(operation, route.ids, input))
  }

  #executed(operation: Operation, ids: PathIds, input: unknown): HttpResponse {
    const { engine, emptyJsonOnDelete } = this.#parts
    const { result, commit } = engine.execute(operation, ids, input)
    this.#commit = commit
    if (operation.status === 204) return emptyJsonOnDelete ? jsonAnswer(200, {}) : NO_CONTENT
    // The response to a change is sent once; only the response of an unchanged record may be sent again.
    if (commit || !engine.state.isLastView(result)) return jsonAnswer(operation.status, result)
    return jsonTextAnswer(operation.status, this.#jsonOf(result))
  }

  #executedWithFaults(operation: Operation, ids: PathIds, input: unknown): HttpResponse {
    const { engine } = this.#parts
    const { name } = operation
    const { method } = this.#request
    const fault = applyFault(engine, { operation: name, method, path: this.#path, ids, input: deepFreeze(input) })
    if (!fault) return this.#executed(operation, ids, input)
    this.#fault = fault
    const usual = isBefore(fault) ? undefined : this.#orError(() => this.#executed(operation, ids, input))
    return this.#faulty(fault, usual, operation, ids, input)
  }

  #faulty(
    fault: FaultEffect,
    usual: HttpResponse | undefined,
    operation: Operation | null,
    ids: PathIds,
    input: unknown,
  ): HttpResponse {
    const { engine, dialect } = this.#parts
    return faultyAnswer(fault, usual, {
      operation,
      ids,
      input,
      operationId: this.#operationId,
      dialect,
      catalogue: engine.context.catalogue,
      now: engine.now,
    })
  }

  /** Resolves with the response once its changes are safe in the store, or with the error if they were lost. */
  async #onceSafe(safe: Promise<void>, response: HttpResponse): Promise<HttpResponse> {
    try {
      await safe
      return response
    } catch (error) {
      return this.#orError(() => refuseAsFailed(error))
    }
  }

  #journaled(response: HttpResponse, now: number): HttpResponse {
    const complete = this.#complete(response)
    if (!this.#headers) return complete
    this.#parts.journal.add({
      operationId: this.#operationId,
      operation: this.#operation,
      method: this.#request.method,
      path: this.#path,
      query: this.#query,
      authorization: this.#request.header('authorization') ?? '',
      now,
      requestHeaders: this.#headers,
      request: this.#request.body,
      status: response.status,
      responseHeaders: complete.headers,
      response: response.body,
      commit: this.#commit,
      fault: this.#fault?.id ?? null,
    })
    return complete
  }

  #complete({ status, headers: own, body, delivery }: HttpResponse): HttpResponse {
    const { dialect } = this.#parts
    const headers: Record<string, string> = { [dialect.operationIdHeader]: this.#operationId }
    const cors = corsHeaders(this.#request, dialect)
    // Spreading both would take as long as finding the resource.
    Object.assign(headers, own, cors)
    const sent = this.#request.method === 'HEAD' ? null : body
    return delivery ? { status, headers, body: sent, delivery } : { status, headers, body: sent }
  }
}

/** Renders an error (rules: errors#body). No other code does. */
export function errorResponse(error: Omit<ErrorFacts, 'key'>, operation_id: string): HttpResponse {
  const { code, status, message, details, headers } = error
  const body = { error_code: code, status_code: status, msg: message, details: { operation_id, ...details } }
  return jsonAnswer(status, body, headers)
}

/** Answers bytes that never became a request, with the usual error and an operation id. */
export type Refused = <Values extends object>(
  // The shape of an error of the catalogue: whoever imports a gateway's types loads none of the catalogue's.
  error: {
    readonly key: string
    readonly number: number
    readonly status: number
    readonly message: (values: Values) => string
  },
  values: NoInfer<Values>,
) => HttpResponse

export function refusedOf({ engine, dialect }: Pick<HandlerOptions, 'engine' | 'dialect'>): Refused {
  return (error, values) => {
    const operationId = engine.state.nextOperationId()
    const response = errorResponse(factsOf(refusalOf(engine, error, values), dialect), operationId)
    return { ...response, headers: { [dialect.operationIdHeader]: operationId, ...response.headers } }
  }
}

/** Returns the refusal, or the store's error if the store could not reserve the id. */
function refusalOf<Values extends object>(
  engine: Engine,
  error: CatalogueError<string, Values>,
  values: Values,
): Refusal {
  try {
    engine.keepOperationIds()
    return new Refusal([problem(error, values)])
  } catch (failure) {
    if (failure instanceof Refusal) return failure
    throw failure
  }
}

const NO_PARAMETERS = Object.freeze({})

function parametersFor(operation: Operation, query: string, dialect: CommonDialect): object {
  if (query === '') return NO_PARAMETERS
  const parameters = queryParameters(query, Object.keys(operation.matching ?? {}))
  if (!operation.query) namedParameters(parameters, [], dialect)
  return parameters
}
