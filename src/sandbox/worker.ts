import { readClock, systemClock } from '../core/engine/clock.ts'
import { refuseParameter } from '../core/operation/list.ts'
import { MAX_BODY_BYTES } from '../core/schema/body.ts'
import { problem, Refusal, refuse } from '../core/schema/errors.ts'
import { isOneOf } from '../core/schema/secret-texts.ts'
import { readRequest } from '../gateway/http/fetch.ts'
import { createJsonResponse, type HttpRequest, type HttpResponse } from '../gateway/http/messages.ts'
import { parseQuery, readJsonBody } from '../gateway/http/request.ts'
import { createRouter, requireOperation } from '../gateway/http/router.ts'
import { type AccountCall, accountCalls, requireName } from './account-calls.ts'
import {
  type AccountAddress,
  AUDIT_PATH,
  getHomeUrl,
  METRICS_PATH,
  parseAddress,
  SANDBOXES_PATH,
  type SandboxAddress,
} from './address.ts'
import { auditEntry } from './audit.ts'
import { corsHeaders, preflightResponse } from './cors.ts'
import { getSigningSecret, requireVariables } from './environment.ts'
import { errors } from './errors.ts'
import { discardBody, failureResponse, MAX_STATE_BYTES, refusalResponse, retryAfter, toWorkerResponse } from './http.ts'
import { checkSignature, computeDigest, readSentKeys } from './keys.ts'
import { RequestCounts } from './metrics.ts'
import { isSandboxName } from './names.ts'
import { getObject, type WorkerContext } from './objects.ts'
import { Pages } from './pages.ts'
import { FailureThrottle, getClientAddress } from './throttle.ts'
import type { WorkerEnvironment } from './worker-environment.ts'

const ACCOUNT_KEY_HEADER = 'Fauxgate-Account-Key'

/** The Worker in one process, with its state in memory. */
export class WorkerProcess {
  readonly #router = createRouter(accountCalls)
  readonly #pages = new Pages()
  readonly #throttle = new FailureThrottle()
  readonly #counts = new RequestCounts()
  /** The environment whose variables have been checked. */
  #checked: WorkerEnvironment | undefined

  async fetch(request: Request, env: WorkerEnvironment, context?: WorkerContext): Promise<Response> {
    const response = toPlatformResponse(await this.#respond(request, env).catch(failureResponse))
    await discardBody(request)
    this.#counts.add(`${Math.floor(response.status / 100)}xx`)
    const report = this.#counts.reportDue(() => getObject(env.ACCOUNTS, 'account'), readClock(systemClock))
    if (report) context?.waitUntil(report)
    return response
  }

  async #respond(request: Request, env: WorkerEnvironment): Promise<HttpResponse | Response> {
    if (this.#checked !== env) requireVariables(env)
    this.#checked = env
    const address = parseAddress(request, env)
    if (address.name === undefined && address.path === '/healthz') return createJsonResponse(200, { status: 'ok' })
    const page = this.#pages.respond(address, request)
    if (page) return page
    const { method, url, headers } = request
    const head: HttpRequest = { method, url, header: (name) => headers.get(name), body: '' }
    const cors = corsHeaders(head, address, env)
    const preflight = preflightResponse(head, cors)
    if (preflight) return preflight
    const work =
      address.name === undefined
        ? this.#accountResponse(request, head, env, address)
        : sandboxResponse(request, head, env, address)
    const response = await work.catch(failureResponse)
    return head.header('origin') === null ? response : addHeaders(toPlatformResponse(response), cors)
  }

  /** Runs an account call. It reads the name, the query, and the body only after it has checked the account key. */
  async #accountResponse(
    request: Request,
    head: HttpRequest,
    env: WorkerEnvironment,
    { path, query }: AccountAddress,
  ): Promise<HttpResponse | Response> {
    const { method, url, body } = request
    const route = this.#router.require(path, method)
    const call = requireOperation(route, method, path)
    const client = getClientAddress(request)
    const now = readClock(systemClock)
    const accountKey = readAccountKey(head, path, env)
    if (accountKey === undefined) return this.#wrongKeyResponse(client, now)
    const account = getObject(env.ACCOUNTS, 'account')
    // The response includes the requests of this process up to now.
    if (path === METRICS_PATH || path === AUDIT_PATH) await this.#counts.report(account, now)
    const [, , received = '', , key = ''] = path.split('/')
    const name = isSandboxName(received) ? received : ''
    const home = getHomeUrl(url, env)
    const urlOf = (sandbox: string) => `${home}${SANDBOXES_PATH}/${sandbox}`
    const largest = call.body === 'state' ? MAX_STATE_BYTES : MAX_BODY_BYTES
    let sent: object = {}
    const run = async () => {
      if ('name' in route.ids) requireName(received)
      sent = readInput(call, call.body === 'stream' ? head : await readRequest(request, () => largest), query)
      return await call.run({ env, urlOf, body, name, key }, sent)
    }
    // The audit log also contains calls whose name or input is rejected.
    const response = await run().catch(failureResponse)
    if (call.audit === undefined) return response
    const auditName = typeof call.audit === 'string' ? call.audit : call.audit(sent)
    await account.addAuditEntry(auditEntry({ call: auditName, name, key, sent, accountKey, now }, response))
    return response
  }

  /** Limits wrong keys only, so that a stranger does not slow down an owner at the same address. */
  #wrongKeyResponse(client: string, now: number): HttpResponse {
    const wait = this.#throttle.getWait(client, now)
    if (wait > 0)
      return retryAfter(wait, refusalResponse(new Refusal([problem(errors.account_key_throttled, { wait })])))
    this.#throttle.addFailure(client, now)
    this.#counts.add('wrong_keys')
    return refusalResponse(new Refusal([problem(errors.account_key_invalid, { header: ACCOUNT_KEY_HEADER })]))
  }
}

function toPlatformResponse(response: HttpResponse | Response): Response {
  return response instanceof Response ? response : toWorkerResponse(response)
}

/** Passes a request to its sandbox if one of its keys can be valid. Any call to an object creates a file. */
async function sandboxResponse(
  request: Request,
  head: HttpRequest,
  env: WorkerEnvironment,
  { name: received }: SandboxAddress,
): Promise<Response> {
  const name = requireName(received)
  if (!(await mayHaveKey(head, env, name))) refuse(errors.sandbox_key_refused, { name })
  return getObject(env.SANDBOXES, name).fetch(request)
}

async function mayHaveKey(head: HttpRequest, env: WorkerEnvironment, name: string): Promise<boolean> {
  const { api, control } = readSentKeys(head.header)
  const secret = getSigningSecret(env)
  const trusts = [api, control].map((key) => (key === undefined ? 'foreign' : checkSignature(key, name, secret)))
  if (trusts.includes('signed')) return true
  if (!trusts.includes('unsigned')) return false
  const registered = await getObject(env.ACCOUNTS, 'account').find(name)
  return registered !== undefined && registered.hasSignedKeys !== true
}

function addHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  // A response that opens a WebSocket cannot be copied. Browsers do not apply CORS to it.
  if (response.status === 101) return response
  const copy = new Response(response.body, response)
  for (const [name, value] of Object.entries(headers)) copy.headers.set(name, value)
  return copy
}

/** Returns the account key of a request, or undefined if it is wrong. Prometheus sends the key as a bearer token. */
function readAccountKey(request: HttpRequest, path: string, { ACCOUNT_KEY }: WorkerEnvironment): string | undefined {
  if (!ACCOUNT_KEY) refuse(errors.account_key_unset, {})
  const header = ACCOUNT_KEY_HEADER
  const token = path === METRICS_PATH ? readSentKeys(request.header).api : undefined
  const received = request.header(header.toLowerCase()) || token || refuse(errors.account_key_missing, { header })
  return isOneOf([computeDigest(ACCOUNT_KEY)], computeDigest(received)) ? ACCOUNT_KEY : undefined
}

function readInput({ from }: AccountCall, request: HttpRequest, query: string): object {
  const parameters = parseQuery(query)
  const [firstParameter] = Object.keys(parameters)
  if (firstParameter !== undefined && from !== 'query') refuseParameter(firstParameter, [])
  const body = readJsonBody(request)
  return from === 'query' ? parameters : body
}
