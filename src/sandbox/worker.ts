import { isOneOf } from '../http/access.ts'
import { corsHeaders, isPreflight, preflightAnswer } from '../http/cors.ts'
import { readRequest } from '../http/fetch.ts'
import { type HttpRequest, type HttpResponse, LARGEST_STATE } from '../http/messages.ts'
import { jsonBody, queryParameters } from '../http/request.ts'
import { operationFor, type Router, routerOf } from '../http/router.ts'
import { refuseParameter } from '../operation/list.ts'
import { standard } from '../resources/dialects.ts'
import { LARGEST_BODY } from '../schema/body.ts'
import { refuse } from '../schema/errors.ts'
import { type AccountCall, accountCalls, requireName } from './account.ts'
import { addressOf, homeOf, type OfAccount, SANDBOXES_PATH } from './address.ts'
import { requireVariables, type SandboxEnvironment } from './environment.ts'
import { errors } from './errors.ts'
import { errorResponse, toResponse } from './http.ts'
import { digestOf } from './keys.ts'
import { objectOf } from './objects.ts'
import { Pages } from './pages.ts'

const ACCOUNT_KEY_HEADER = 'Fauxgate-Account-Key'

export function sandboxWorker() {
  const router = routerOf(accountCalls)
  const pages = new Pages()
  let checked: object | undefined
  const respond = (request: Request, env: SandboxEnvironment): Response | Promise<Response> => {
    if (checked !== env) requireVariables(env)
    checked = env
    const address = addressOf(request, env)
    const page = pages.at(address, request)
    if (page) return page
    if (address.name === undefined) return accountResponse(router, request, env, address)
    return objectOf(env.SANDBOXES, requireName(address.name)).fetch(request)
  }
  return {
    async fetch(request: Request, environment: object): Promise<Response> {
      try {
        return await respond(request, environment as SandboxEnvironment) // Its variables are checked first.
      } catch (error) {
        return toResponse(errorResponse(error))
      }
    },
  }
}

/** Answers a call of the account. Pages of other sites may make it, too. */
async function accountResponse(
  router: Router<AccountCall>,
  request: Request,
  env: SandboxEnvironment,
  address: OfAccount,
): Promise<Response> {
  const { method, url, headers } = request
  const head: HttpRequest = { method, url, header: (name) => headers.get(name), body: '' }
  const response = await runCall(router, request, head, env, address).catch(errorResponse)
  return toResponse({ ...response, headers: { ...response.headers, ...corsHeaders(head, standard) } })
}

/** Runs a call of the account. Only with the account key are its name, its query and its body looked at. */
async function runCall(
  router: Router<AccountCall>,
  request: Request,
  head: HttpRequest,
  env: SandboxEnvironment,
  { path, query }: OfAccount,
): Promise<HttpResponse> {
  const { method, url } = request
  const route = router.require(path, method)
  if (isPreflight(head)) return preflightAnswer(head, route)
  const call = operationFor(route, method, path)
  requireAccountKey(head, env)
  const name = path === SANDBOXES_PATH ? '' : requireName(path.split('/')[2] ?? '')
  const home = homeOf(url, env)
  const urlOf = (of: string) => `${home}${SANDBOXES_PATH}/${of}`
  const read = await readRequest(request, undefined, call.hasState ? LARGEST_STATE : LARGEST_BODY)
  return call.run({ env, urlOf }, name, inputOf(call, read, query))
}

function requireAccountKey(request: HttpRequest, { ACCOUNT_KEY }: SandboxEnvironment): void {
  if (!ACCOUNT_KEY) refuse(errors.account_key_unset, {})
  const header = ACCOUNT_KEY_HEADER
  const received = request.header(header.toLowerCase()) || refuse(errors.account_key_missing, { header })
  if (!isOneOf([digestOf(ACCOUNT_KEY)], digestOf(received))) refuse(errors.account_key_invalid, { header })
}

function inputOf({ from }: AccountCall, request: HttpRequest, query: string): object {
  const parameters = queryParameters(query)
  const [first] = Object.keys(parameters)
  if (first !== undefined && from !== 'query') refuseParameter(first, [])
  const body = jsonBody(request)
  return from === 'query' ? parameters : body
}
