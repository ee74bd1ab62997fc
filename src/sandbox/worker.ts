import { refuse } from '../contract/errors.ts'
import { refuseParameter } from '../contract/list-query.ts'
import { quote } from '../contract/quote.ts'
import { isOneOf } from '../http/authenticate.ts'
import { jsonBody } from '../http/body.ts'
import { readRequest } from '../http/fetch.ts'
import type { HttpRequest, HttpResponse } from '../http/messages.ts'
import { operationFor, type Router, routerOf } from '../http/router.ts'
import { queryParameters } from '../http/url.ts'
import { addressOf, homeOf, isSandboxName, SANDBOXES_PATH } from './address.ts'
import { answered, toResponse } from './answers.ts'
import { type AccountCall, accountCalls, requireName } from './calls.ts'
import type { SandboxEnvironment } from './environment.ts'
import { errors } from './errors.ts'
import { digestOf } from './keys.ts'
import { objectOf } from './platform.ts'

/** The header that the account key is sent in. */
const ACCOUNT_KEY_HEADER = 'Fauxgate-Account-Key'

/** Makes the Worker of shared sandboxes. */
export function sandboxWorker() {
  const router = routerOf(accountCalls)
  return {
    // The environment is whatever the Worker is configured with.
    async fetch(request: Request, environment: object): Promise<Response> {
      const env = environment as SandboxEnvironment
      const address = addressOf(request.url, env)
      if (address.name === undefined) {
        const read = await readRequest(request)
        return toResponse(await answered(() => accountAnswer(router, read, env, address)))
      }
      const { name } = address
      if (isSandboxName(name)) return objectOf(env.SANDBOXES, name).fetch(request)
      return toResponse(await answered(() => refuse(errors.sandbox_name_invalid, { received: quote(name) })))
    },
  }
}

/** Answers a call of the account, for whoever holds its key. What there is shows only to them. */
function accountAnswer(
  router: Router<AccountCall>,
  request: HttpRequest,
  env: SandboxEnvironment,
  { path, query }: { readonly path: string; readonly query: string },
): Promise<HttpResponse> {
  const route = router.require(path, request.method)
  const call = operationFor(route, request.method, path)
  requireAccountKey(request, env)
  // As it was sent, like the names of sandboxes everywhere.
  const name = path === SANDBOXES_PATH ? '' : requireName(path.split('/')[2] ?? '')
  const home = homeOf(request.url, env)
  const urlOf = (of: string) => `${home}${SANDBOXES_PATH}/${of}`
  return call.run({ env, urlOf }, name, sentTo(call, request, query))
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
