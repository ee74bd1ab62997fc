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
import { quote } from '../schema/text.ts'
import { addressOf, homeOf, isSandboxName, type OfAccount, SANDBOXES_PATH } from './address.ts'
import { refusalAnswer, toResponse } from './answers.ts'
import { type AccountCall, accountCalls, requireName } from './calls.ts'
import { requireVariables, type SandboxEnvironment } from './environment.ts'
import { errors } from './errors.ts'
import { digestOf } from './keys.ts'
import { Pages } from './pages.ts'
import { objectOf } from './platform.ts'

/** The header that the account key is sent in. */
const ACCOUNT_KEY_HEADER = 'Fauxgate-Account-Key'

/** Makes the Worker of shared sandboxes. */
export function sandboxWorker() {
  const router = routerOf(accountCalls)
  const pages = new Pages()
  let known: object | undefined
  const answer = (request: Request, env: SandboxEnvironment): Response | Promise<Response> => {
    if (known !== env) requireVariables(env)
    known = env
    const address = addressOf(request, env)
    const { name } = address
    const page = pages.at(address, request)
    if (page) return page
    if (name === undefined) return accountAnswer(router, request, env, address)
    if (!isSandboxName(name)) return refuse(errors.sandbox_name_invalid, { received: quote(name) })
    return objectOf(env.SANDBOXES, name).fetch(request)
  }
  return {
    async fetch(request: Request, environment: object): Promise<Response> {
      try {
        return await answer(request, environment as SandboxEnvironment) // Whether it is one is looked at first.
      } catch (error) {
        return toResponse(refusalAnswer(error))
      }
    },
  }
}

/** Answers a call of the account, for whoever holds its key; pages of other sites may have it too. */
async function accountAnswer(
  router: Router<AccountCall>,
  request: Request,
  env: SandboxEnvironment,
  address: OfAccount,
): Promise<Response> {
  const head = headOf(request)
  const answer = await called(router, request, head, env, address).catch(refusalAnswer)
  return toResponse({ ...answer, headers: { ...answer.headers, ...corsHeaders(head, standard) } })
}

/** What there is shows only to whoever holds the key, and only of them a body is read. */
async function called(
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
  // As it was sent, like the names of sandboxes everywhere.
  const name = path === SANDBOXES_PATH ? '' : requireName(path.split('/')[2] ?? '')
  const home = homeOf(url, env)
  const urlOf = (of: string) => `${home}${SANDBOXES_PATH}/${of}`
  const read = await readRequest(request, undefined, call.hasState ? LARGEST_STATE : LARGEST_BODY)
  return call.run({ env, urlOf }, name, sentTo(call, read, query))
}

function headOf({ method, url, headers }: Request): HttpRequest {
  return { method, url, header: (name) => headers.get(name), body: '' }
}

function requireAccountKey(request: HttpRequest, { ACCOUNT_KEY }: SandboxEnvironment): void {
  if (!ACCOUNT_KEY) refuse(errors.account_key_unset, {})
  const header = ACCOUNT_KEY_HEADER
  const received = request.header(header.toLowerCase()) || refuse(errors.account_key_missing, { header })
  if (!isOneOf([digestOf(ACCOUNT_KEY)], digestOf(received))) refuse(errors.account_key_invalid, { header })
}

function sentTo({ from }: AccountCall, request: HttpRequest, query: string): object {
  const parameters = queryParameters(query)
  const [first] = Object.keys(parameters)
  if (first !== undefined && from !== 'query') refuseParameter(first, [])
  const body = jsonBody(request)
  return from === 'query' ? parameters : body
}
