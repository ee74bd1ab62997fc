import { faults, meetFault } from '../control/faults/armed-faults.ts'
import type { RawCommit } from '../engine/commits.ts'
import type { Engine } from '../engine/engine.ts'
import { refuseAsFailed } from '../engine/persistence.ts'
import type { RateLimiter } from '../engine/rate-limiter.ts'
import type { ArmedFault } from '../generated/controls.ts'
import type { KeptJournal } from '../journal/journal.ts'
import { pairsOf, readBody, secretsOf } from '../journal/redact.ts'
import { namedParameters } from '../operation/list.ts'
import type { Operation, PathIds } from '../operation/operation.ts'
import type { CommonDialect } from '../schema/dialect.ts'
import { type ErrorFacts, factsOf } from '../schema/error-facts.ts'
import { type CatalogueError, problem, Refusal } from '../schema/errors.ts'
import type { SecretNames } from '../schema/secret-fields.ts'
import { valuesOf } from '../schema/secret-values.ts'
import { deepFreeze } from '../schema/values.ts'
import { authenticate, checkVersion } from './authenticate.ts'
import { jsonBody } from './body.ts'
import type { ControlApi } from './control-handler.ts'
import { corsHeaders, isPreflight, preflightAnswer } from './cors.ts'
import { faultyAnswer, isBefore } from './fault-effects.ts'
import { type HttpRequest, type HttpResponse, jsonAnswer, jsonTextAnswer, NO_CONTENT } from './messages.ts'
import { operationFor, type Router } from './router.ts'
import { ShownTexts } from './shown-texts.ts'
import { queryParameters, splitUrl } from './url.ts'

/** What the HTTP handler of a gateway is made of. */
export interface HandlerOptions {
  readonly engine: Engine
  readonly router: Router<Operation>
  readonly controlApi: ControlApi
  readonly dialect: CommonDialect
  readonly keys: readonly string[] | undefined
  /** All keys of the gateway: those of its API, and that of its controls. */
  readonly ownKeys: readonly string[]
  readonly secretNames: SecretNames
  readonly emptyJsonOnDelete: boolean
  readonly journal: KeptJournal
  readonly rateLimiter: RateLimiter | undefined
}

/** Answers one request at once: no timers, no host I/O, nothing to wait for. */
export type Handler = (request: HttpRequest) => HttpResponse

/** What a handler is made of, and what it keeps. */
type Own = HandlerOptions & { readonly texts: ShownTexts }

/** Makes the HTTP handler of a gateway: request to operation to response, and a line in the journal. */
export function handlerOf(given: HandlerOptions): Handler {
  const options: Own = Object.assign({ texts: new ShownTexts() }, given)
  const { engine, dialect, controlApi, journal } = options
  return (request) => {
    const operationId = engine.nextOperationId()
    const { path, query } = splitUrl(request.url, engine.url)
    const isControl = controlApi.isOwn(path)
    const isNoted = !isControl && !request.isInspector && journal.isKept
    // Read at once: whoever passed them in may change them while a store is waited for.
    const rawHeaders = isNoted ? (request.rawHeaders ?? []) : undefined
    const call: Call = {
      request,
      path,
      query,
      isControl,
      rawHeaders,
      operationId,
      operation: null,
      commit: null,
      fault: null,
    }
    const answer = answerOrError(options, call)
    const now = engine.lastNow
    const { safe } = engine
    if (!safe) return noted(options, call, answer, now)
    const later = onceSafe(safe, options, call, answer).then((answer) => noted(options, call, answer, now))
    return { ...whole(forOrigin(answer, call, dialect), call, dialect), safe: later }
  }
}

/** An answer as it is given, once the journal has it. */
function noted({ journal, dialect }: Own, call: Call, answer: HttpResponse, now: number): HttpResponse {
  const allowed = forOrigin(answer, call, dialect)
  if (call.rawHeaders) note(journal, call, call.rawHeaders, allowed, now)
  return whole(allowed, call, dialect)
}

/** An answer with what lets the page that asked read it. */
function forOrigin(answer: HttpResponse, { request }: Call, dialect: CommonDialect): HttpResponse {
  const cors = corsHeaders(request, dialect)
  return cors ? { ...answer, headers: { ...answer.headers, ...cors } } : answer
}

/** An answer with the id of its request, and without a body where nobody wants it. */
function whole(answer: HttpResponse, { request, operationId }: Call, dialect: CommonDialect): HttpResponse {
  const { status, headers: own, body, delivery } = answer
  const headers: Record<string, string> = { [dialect.operationIdHeader]: operationId }
  // Name by name: spread into one another, two objects take as long as finding the resource.
  for (const name in own) headers[name] = own[name] as string
  const sent = request.method === 'HEAD' ? null : body
  return delivery ? { status, headers, body: sent, delivery } : { status, headers, body: sent }
}

/** The answer once what it says is safe, or the error that it is not. */
async function onceSafe(
  safe: Promise<void>,
  options: HandlerOptions,
  call: Call,
  answer: HttpResponse,
): Promise<HttpResponse> {
  try {
    await safe
    return answer
  } catch (error) {
    return refusalsAnswered(options, call, () => refuseAsFailed(error))
  }
}

/** A request on its way, with what is found out about it. */
interface Call {
  readonly request: HttpRequest
  readonly path: string
  readonly query: string
  readonly isControl: boolean
  /** All headers, names and values by turns; undefined where the journal does without the request. */
  readonly rawHeaders: readonly string[] | undefined
  readonly operationId: string
  operation: Operation | null
  commit: RawCommit | null
  fault: ArmedFault | null
}

function note(
  journal: KeptJournal,
  call: Call,
  requestHeaders: readonly string[],
  { status, headers: responseHeaders, body }: HttpResponse,
  now: number,
): void {
  const { request, path, query, operationId, operation, commit, fault } = call
  journal.add({
    operationId,
    operation,
    method: request.method,
    path,
    query,
    urlLength: request.url.length,
    authorization: request.header('authorization') ?? '',
    now,
    requestHeaders: journal.shared(requestHeaders),
    request: request.body,
    status,
    responseHeaders,
    response: body,
    commit,
    fault: fault?.id ?? null,
    bytes: 0,
  })
}

function answerOrError(options: Own, call: Call): HttpResponse {
  const { request, path, query } = call
  const { engine, controlApi } = options
  if (!call.isControl) return refusalsAnswered(options, call, () => engine.called(() => answer(options, call)))
  return refusalsAnswered(options, call, () => {
    engine.keepOperationIds()
    return controlApi.answer(request, path, query)
  })
}

/** The answer of some work; a refusal is answered as an error. */
function refusalsAnswered(options: HandlerOptions, call: Call, work: () => HttpResponse): HttpResponse {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // What was refused has changed nothing; what the store did not keep was undone.
    call.commit = null
    return errorAnswer(factsOf(error, options.dialect, unspoken(call, options)), call.operationId)
  }
}

/** The checks in their order (rules: requests#order-of-checks); the first failure answers. */
function answer(options: Own, call: Call): HttpResponse {
  const { engine, router, dialect, keys, rateLimiter } = options
  const { request, path, query } = call
  const route = router.require(path, request.method)
  if (isPreflight(request)) return preflightAnswer(request, route)
  const operation = operationFor(route, request.method, path)
  call.operation = operation
  if (request.isInspector) options.controlApi.requireAccess(request)
  else authenticate(request, keys)
  checkVersion(request, dialect)
  if (!request.isInspector) rateLimiter?.take(engine.now)
  const body = jsonBody(request)
  const parameters = parametersFor(operation, query, dialect)
  const input = operation.query ? parameters : body
  const fault =
    request.isInspector || engine.isEmpty(faults) ? undefined : faultFor(engine, operation, call, route.ids, input)
  const execute = () => executed(options, call, operation, route.ids, input)
  if (!fault) return execute()
  call.fault = fault
  const usual = isBefore(fault) ? undefined : refusalsAnswered(options, call, execute)
  return faultyAnswer(fault, usual, {
    operation: operation.name,
    operationId: call.operationId,
    dialect,
    catalogue: engine.context.catalogue,
    now: engine.now,
  })
}

/** What no message to a request may repeat: the gateway's keys, and what the request itself carries as secrets. */
function unspoken({ request, query }: Call, { ownKeys, secretNames }: HandlerOptions): string[] {
  const authorization = request.header('authorization') ?? ''
  const headers = pairsOf(request.rawHeaders ?? [])
  const mayHave = typeof request.body === 'string' && secretNames.mayStandIn(request.body)
  const bodies = mayHave ? [readBody(request.body)] : []
  return valuesOf([...ownKeys, ...secretsOf({ authorization, headers, query, bodies }, secretNames)])
}

function executed(
  { engine, texts, emptyJsonOnDelete }: Own,
  call: Call,
  operation: Operation,
  ids: PathIds,
  input: unknown,
): HttpResponse {
  const { result, commit } = engine.execute(operation, ids, input)
  call.commit = commit
  if (operation.status === 204) return emptyJsonOnDelete ? jsonAnswer(200, {}) : NO_CONTENT
  // What a change made is shown once.
  if (commit || !engine.isLastView(result)) return jsonAnswer(operation.status, result)
  return jsonTextAnswer(operation.status, texts.of(result))
}

function faultFor(engine: Engine, { name }: Operation, call: Call, ids: PathIds, input: unknown) {
  const { request, path } = call
  return meetFault(engine, { operation: name, method: request.method, path, ids, input: deepFreeze(input) })
}

/** The wire's form of an error (rules: errors#body). The only place that renders one. */
function errorAnswer(error: ErrorFacts, operation_id: string): HttpResponse {
  const { code, status, message, details, headers } = error
  const body = { error_code: code, status_code: status, msg: message, details: { operation_id, ...details } }
  return jsonAnswer(status, body, headers)
}

/** Refuses what never became a request: in the same shape, with an operation id of its own. */
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
    const operationId = engine.nextOperationId()
    const answer = errorAnswer(factsOf(refusalKept(engine, error, values), dialect), operationId)
    return { ...answer, headers: { [dialect.operationIdHeader]: operationId, ...answer.headers } }
  }
}

/** The refusal, unless the store cannot keep that its id was given out. */
function refusalKept<Values extends object>(
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

const NO_PARAMETERS: Readonly<Record<string, string>> = Object.freeze({})

/** The parameters of a query; of an operation without one, only that there are none. */
function parametersFor(operation: Operation, query: string, dialect: CommonDialect): Readonly<Record<string, string>> {
  if (query === '') return NO_PARAMETERS
  const parameters = queryParameters(query)
  if (!operation.query) namedParameters(parameters, [], dialect)
  return parameters
}
