// What speaks for the rules of the API: the API reference, the official clients, the recorded examples, and decisions.
import clients from '../../../evidence/clients.json'
import programs from '../../../evidence/programs.json'
import service from '../../../evidence/service.json'
import { changedOf, MODULES, PAGE, RECORDED_ON, RESOURCES, SINGLE } from '../../../test/ngrok/documented-examples.ts'
import { opened } from '../../../test/ngrok/support.ts'

export const KINDS = ['documented', 'client', 'recorded', 'decided'] as const
export type Kind = (typeof KINDS)[number]
export type Evidence = { readonly [K in Kind]?: readonly string[] }

/** What a witness says of a call: the fields that are sent and read, as paths such as `certificate.id`. */
interface Testimony {
  readonly kind: Kind
  readonly source: string
  readonly sends: readonly string[]
  readonly reads: readonly string[]
}

const ERROR_PAGE = 'https://ngrok.com/docs/errors/err_ngrok_'
const EXAMPLES = `examples of ngrok's API reference, recorded on ${RECORDED_ON}`

/** The pages of what no client names a page of, by the end of the path. */
const FURTHER_PAGES: readonly (readonly [end: string, page: string])[] = [
  ['backends/http_response', 'httpresponsebackends'],
  ['backends/http_response/{id}', 'httpresponsebackends'],
  ['edges/https/{id}/mutual_tls', 'httpsedgemutualtlsmodule'],
  ['edges/https/{id}/tls_termination', 'httpsedgetlsterminationmodule'],
  ['edges/tcp/{id}/backend', 'tcpedgebackendmodule'],
  ['edges/tcp/{id}/ip_restriction', 'tcpedgeiprestrictionmodule'],
  ['edges/tls/{id}/backend', 'tlsedgebackendmodule'],
  ['edges/tls/{id}/ip_restriction', 'tlsedgeiprestrictionmodule'],
  ['edges/tls/{id}/mutual_tls', 'tlsedgemutualtlsmodule'],
  ['edges/tls/{id}/tls_termination', 'tlsedgetlsterminationmodule'],
  ['edges/tcp/{id}/traffic_policy', 'tcpedgetrafficpolicymodule'],
  ['edges/tls/{id}/traffic_policy', 'tlsedgetrafficpolicymodule'],
  ['routes/{id}/traffic_policy', 'edgeroutetrafficpolicymodule'],
  ['routes/{id}/circuit_breaker', 'edgeroutecircuitbreakermodule'],
  ['routes/{id}/compression', 'edgeroutecompressionmodule'],
  ['routes/{id}/webhook_verification', 'edgeroutewebhookverificationmodule'],
  ['routes/{id}/backend', 'edgeroutebackendmodule'],
  ['routes/{id}/ip_restriction', 'edgerouteiprestrictionmodule'],
  ['routes/{id}/oauth', 'edgerouteoauthmodule'],
  ['routes/{id}/oidc', 'edgerouteoidcmodule'],
  ['routes/{id}/request_headers', 'edgerouterequestheadersmodule'],
  ['routes/{id}/response_headers', 'edgerouteresponseheadersmodule'],
  ['routes/{id}/saml', 'edgeroutesamlmodule'],
  ['routes/{id}/user_agent_filter', 'edgerouteuseragentfiltermodule'],
  ['routes/{id}/websocket_tcp_converter', 'edgeroutewebsockettcpconvertermodule'],
]

/** The page of the module that the reference had until 2025, before the one of traffic policies. */
const POLICY_PAGE = 'https://ngrok.com/docs/api/resources/edge-route-policy-module'

/** Returns all that witnesses say of a call, `METHOD /path`. */
export function testimoniesOf(call: string): Testimony[] {
  return [...documentedIn(call), ...inClients(call), ...inExamples(call)]
}

/** The page of the API reference speaks for the call; its fields are those of the clients, which are made from the same source. */
export function pageOf(call: string): string | undefined {
  const page = (clients.calls as ClientCalls)[call]?.page
  const [method = '', path = ''] = call.split(' ')
  if (path.endsWith('routes/{id}/policy')) return POLICY_PAGE
  const further = FURTHER_PAGES.find(([end]) => path.endsWith(end))
  const read = path.endsWith('}') || path.startsWith('/edges/') ? 'get' : 'list'
  const verb = { POST: 'create', PUT: 'replace', PATCH: 'update', GET: read, DELETE: 'delete' }[method]
  return page ?? (further && `https://ngrok.com/docs/api-reference/${further[1]}/${verb}`)
}

function documentedIn(call: string): Testimony[] {
  const found = (service.calls as Readonly<Record<string, { section: string; sends: string[]; reads: string[] }>>)[call]
  return found ? [{ kind: 'documented', source: `${service.source}, "${found.section}"`, ...found }] : []
}

type ClientCalls = Readonly<Record<string, ClientCall>>
interface ClientCall {
  readonly page?: string
  readonly clients: readonly number[]
  readonly sends: Readonly<Record<string, readonly number[]>>
  readonly reads: Readonly<Record<string, readonly number[]>>
}

function inClients(call: string): Testimony[] {
  const found = (clients.calls as ClientCalls)[call]
  const named = (fields: ClientCall['sends'], place: number) =>
    Object.entries(fields).flatMap(([field, places]) => (places.includes(place) ? [field] : []))
  return (found?.clients ?? []).map((place) => ({
    kind: 'client',
    source: clients.clients[place] ?? '',
    sends: named(found?.sends ?? {}, place),
    reads: named(found?.reads ?? {}, place),
  }))
}

const examples = recordedCalls()

function inExamples(call: string): Testimony[] {
  const found = examples.filter((example) => example.matches(call))
  if (found.length === 0) return []
  const all = (kind: 'sends' | 'reads') => [...new Set(found.flatMap((example) => example[kind]))]
  return [{ kind: 'recorded', source: EXAMPLES, sends: all('sends'), reads: all('reads') }]
}

interface Example {
  readonly sends: readonly string[]
  readonly reads: readonly string[]
  matches(call: string): boolean
}

/** The documented examples that the tests replay, each with the fields of its answer. */
function recordedCalls(): Example[] {
  const whole = (call: string, reads = '', sent: unknown = {}): Example => ({
    sends: pathsOf(sent),
    reads: pathsIn(reads),
    matches: (each) => each === call,
  })
  const resources = Object.entries(RESOURCES).flatMap(([path, resource]) => {
    const { items = path, create, update, created } = resource
    return [
      whole(`POST /${path}`, created, create(opened())),
      whole(`GET /${path}/{id}`, created),
      whole(`GET /${path}`, PAGE(items, created)),
      whole(`PATCH /${path}/{id}`, changedOf(resource), update),
      whole(`DELETE /${path}/{id}`),
    ]
  })
  const at = (method: string, path: string, sent: unknown, reads: readonly string[]): Example => ({
    sends: pathsOf(sent),
    reads,
    matches: (call) => call.startsWith(`${method} `) && patternOf(call.slice(method.length + 1)).test(path),
  })
  const modules = Object.entries(MODULES).flatMap(([path, module]) => [
    at('PUT', path, module, pathsOf(module)),
    at('GET', path, {}, pathsOf(module)),
    at('DELETE', path, {}, []),
  ])
  const singles = SINGLE.map(({ call, path, sent, fields = '' }) =>
    at(call.split(' ')[0] ?? '', path(opened()), sent?.json ?? {}, pathsIn(fields)),
  )
  return [...resources, ...modules, ...singles]
}

const patternOf = (path: string) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`)

/** The paths of all fields of a value; items of lists have none of their own. */
function pathsOf(value: unknown, before = ''): string[] {
  const part = Array.isArray(value) ? value[0] : value
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([name, each]) => [`${before}${name}`, ...pathsOf(each, `${before}${name}.`)])
}

/** The paths in a shape such as `id owner{id uri}`. */
function pathsIn(shape: string): string[] {
  const open: string[] = []
  let last = ''
  return [...shape.matchAll(/\w+|[{}]/g)].flatMap(([word]) => {
    if (word === '{') open.push(last)
    if (word === '}') open.pop()
    if (!/\w/.test(word)) return []
    last = word
    return [[...open, word].join('.')]
  })
}

/** The numbers of errors whose HTTP status the public reference names. */
const STATUS_DOCUMENTED = [218, 226]

/** Returns what speaks for an error: its number is the page's, its status mostly a decision. */
export function evidenceOfError({ number }: { readonly number: number }): Evidence {
  const seen = (programs as Readonly<Record<string, readonly string[]>>)[number]
  const own = number >= 90_000
  const section = number >= 90_600 && number < 90_700 ? 'sandboxes#errors' : 'errors#own-numbers'
  return {
    ...(!own && { documented: [`${ERROR_PAGE}${number}`] }),
    ...(seen && { client: seen }),
    ...(own && { decided: [section] }),
    ...(!own && !STATUS_DOCUMENTED.includes(number) && { decided: ['errors#catalogue'] }),
  }
}
