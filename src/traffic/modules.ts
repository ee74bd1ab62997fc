import { isObject } from '../core/schema/values.ts'
import type { Config } from '../service/policy/action.ts'
import { ACTIONS } from '../service/policy/actions/index.ts'
import { signInVisitor } from '../service/policy/sign-in.ts'
import type { ActionOutcome, Ending } from '../service/policy/visit.ts'
import type { EndpointVisit } from './endpoint-visit.ts'
import type { WholeVisit } from './visit-context.ts'

type Module = Readonly<Record<string, unknown>>
type ReadModule = (name: string) => Module | undefined

/** A route module, which works like a policy action. */
interface ModuleRow {
  /** The name of its collection. */
  readonly name: string
  /** The equivalent action. */
  readonly action?: string
  readonly run: (module: Module, visit: EndpointVisit) => ActionOutcome | Promise<ActionOutcome>
}

function runAction(type: string, config: Config, visit: EndpointVisit): ActionOutcome | Promise<ActionOutcome> {
  const run = ACTIONS.find((each) => each.type === type)?.run
  if (!run) throw new Error(`The action ${type} has no run function.`)
  return run(config, visit)
}

const signIn = (name: string, type: string): ModuleRow => ({
  name,
  action: type,
  run(module, visit) {
    if (module.options_passthrough === true && visit.request.method === 'OPTIONS')
      return { did: 'let the OPTIONS request pass' }
    const { provider: providers } = module
    const [provider, app] =
      Object.entries(isObject(providers) ? providers : {}).find(([, each]) => isObject(each)) ?? []
    const own = isObject(app) ? app : module
    return signInVisitor(visit, {
      provider,
      client_id: isObject(app) && typeof app.client_id === 'string' ? app.client_id : undefined,
      issuer_url: typeof module.issuer === 'string' ? module.issuer : undefined,
      max_session_duration: Number(module.maximum_duration) * 1000,
      idle_session_timeout: Number(module.inactivity_timeout) * 1000,
      findRejection: (identity) => findOutsider(own, identity),
    })
  },
})

/** The lists of people who may pass, each with the error for everyone else and the part of the identity to compare. */
const PEOPLE: Readonly<Record<string, readonly [error: number, read: (identity: Module) => unknown]>> = {
  email_addresses: [3105, ({ email }) => email],
  email_domains: [3105, ({ email }) => String(email).split('@')[1]],
  teams: [3105, ({ teams }) => teams],
  organizations: [3105, ({ organizations }) => organizations],
  authorized_groups: [5312, ({ groups }) => groups],
}

/**
 * Returns why a person is in none of a module's lists of people (rules: traffic#signing-in), or undefined if it has no such
 * lists.
 */
function findOutsider(module: Module, identity: Module) {
  const lists = Object.entries(PEOPLE).flatMap(([name, [error, read]]) => {
    const allowed = module[name]
    return Array.isArray(allowed) && allowed.length > 0
      ? [{ name, error, allowed, found: [read(identity)].flat() }]
      : []
  })
  const [first] = lists
  const isIn = lists.some(({ allowed, found }) =>
    found.some((each) => allowed.some((one) => String(one).toLowerCase() === String(each).toLowerCase())),
  )
  return !first || isIn
    ? undefined
    : { error: first.error, why: `it is in none of ${lists.map(({ name }) => name).join(', ')}` }
}

const setHeaders = (name: string): ModuleRow => ({
  name,
  async run({ add, remove }, visit) {
    const removed = await runAction('remove-headers', { headers: remove }, visit)
    const added = await runAction('add-headers', { headers: add }, visit)
    return { did: `${removed.did}, ${added.did || 'added nothing'}` }
  },
})

/** The modules that process a request before its policy, in order (rules: traffic#modules). */
const REQUEST_MODULES: readonly ModuleRow[] = [
  {
    name: 'route_ip_restriction',
    action: 'restrict-ips',
    async run({ ip_policy_ids }, visit) {
      const outcome = await runAction('restrict-ips', { ip_policies: ip_policy_ids }, visit)
      return outcome.isRefusal ? { ...outcome, ends: { status: 403, error: 3203 } } : outcome
    },
  },
  { name: 'route_user_agent_filter', run: filterUserAgent },
  {
    name: 'webhook_verification',
    action: 'verify-webhook',
    run: (module, visit) => runAction('verify-webhook', module, visit),
  },
  {
    name: 'circuit_breaker',
    action: 'circuit-breaker',
    run(module, visit) {
      const seconds = (name: string) => Number(module[name]) * 1000
      const config = {
        error_threshold: module.error_threshold_percentage,
        volume_threshold: module.volume_threshold,
        window_duration: seconds('rolling_window'),
        tripped_duration: seconds('tripped_duration'),
        num_buckets: module.num_buckets,
        enforce: true,
      }
      return runAction('circuit-breaker', config, visit)
    },
  },
  signIn('route_oauth', 'oauth'),
  signIn('route_oidc', 'openid-connect'),
  signIn('route_saml', 'saml'),
  setHeaders('route_request_headers'),
]

/** The modules that process a response after its policy, in order. */
const RESPONSE_MODULES: readonly ModuleRow[] = [
  setHeaders('route_response_headers'),
  {
    name: 'compression',
    action: 'compress-response',
    run: (_, visit) => runAction('compress-response', { algorithms: ['br', 'gzip', 'deflate'] }, visit),
  },
]

/** Runs the modules of a route on a request. If a module ends the visit, returns its response, or `close`. */
export async function runRequestModules(visit: EndpointVisit, read: ReadModule): Promise<Ending | undefined> {
  visit.start('on_http_request')
  return runModules(REQUEST_MODULES, visit, read)
}

/**
 * Applies the account's IP restriction on endpoints to a request. If the restriction is enforced and rejects the request, returns how the
 * visit ends.
 */
export async function runRestriction(
  visit: EndpointVisit,
  { enforced, ip_policy_ids }: { readonly enforced: boolean; readonly ip_policy_ids: readonly string[] },
): Promise<Ending | undefined> {
  visit.start('on_http_request')
  const { did, ends } = await runAction('restrict-ips', { ip_policies: ip_policy_ids }, visit)
  const isEnd = enforced && ends !== undefined
  const warns = ends && !enforced ? ', which is not enforced' : ''
  const action = 'restrict-ips'
  visit.trace.push({ step: 'module', did: `ip_restrictions ${did}${warns}`, action, ...(isEnd && { isEnd }) })
  return isEnd ? ends : undefined
}

/** Runs the modules of a route on a response. */
export async function runResponseModules(visit: EndpointVisit, read: ReadModule): Promise<void> {
  visit.start('on_http_response')
  await runModules(RESPONSE_MODULES, visit, read)
}

async function runModules(
  rows: readonly ModuleRow[],
  visit: EndpointVisit,
  read: ReadModule,
): Promise<Ending | undefined> {
  for (const { name, action, run } of rows) {
    const module = read(name)
    if (!module) continue
    visit.place = name
    const { did, ends, facts, decision } = await run(module, visit)
    visit.trace.push({
      step: 'module',
      did: `${name} ${did}`,
      ...(action !== undefined && { action }),
      ...(facts && { facts }),
      ...(ends && { isEnd: true }),
      ...(decision && { decision }),
    })
    if (ends) return ends
  }
  return undefined
}

function filterUserAgent({ allow, deny }: Module, visit: EndpointVisit): ActionOutcome {
  const agent = visit.request.headers.get('user-agent') ?? ''
  const matches = (patterns: unknown) =>
    Array.isArray(patterns) && patterns.some((each) => visit.pattern(String(each)).test(agent))
  if (matches(allow) || !matches(deny)) return { did: 'let the user agent pass' }
  return { did: 'rejected the user agent', ends: { status: 403 }, isRefusal: true }
}

/** Checks a visitor's TLS against an edge's modules. If the modules reject the visit, returns how the visit ends. */
export function runTlsModules(whole: WholeVisit, edge: string): Ending | undefined {
  const { reader, trace } = whole.context
  const mutual_tls_certificate_authorities = reader.module('https_edge_mutual_tls', edge)?.certificate_authority_ids
  const min_version = reader.module('https_edge_tls_termination', edge)?.min_version
  if (mutual_tls_certificate_authorities === undefined && min_version === undefined) return undefined
  const { did, ends } = whole.checkTls({ mutual_tls_certificate_authorities, min_version })
  trace.push({ step: 'module', did: `the edge ${did}`, ...(ends && { isEnd: true }) })
  return ends
}
