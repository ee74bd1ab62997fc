import { expect, test } from 'vitest'
import { sectionsOf } from '../../scripts/generate/evidence/rules.ts'
import { ACTIONS } from '../../src/service/policy/actions/index.ts'
import { DECISIONS, type Decision } from '../../src/service/policy/decisions.ts'
import { formatTrace } from '../../src/traffic/trace-text.ts'
import { createVisited, policyOf, URL_OF_APP } from './visits.ts'

type Visited = ReturnType<typeof createVisited>

/** A visit whose result depends on a decision: its policy, its request, and what comes before it. */
interface DecidedVisit {
  readonly policy?: string
  readonly init?: Parameters<Visited['visit']>[1]
  readonly url?: string
  prepare?(visited: Visited): unknown
}

const REPLACES = policyOf('request-body-find-replace', { replacements: [{ from: 'a', to: 'b' }] })
const LIMIT = { name: 'a', algorithm: 'sliding_window', capacity: 1, rate: '60s', bucket_key: ['conn.client_ip'] }
const send = (more: object) =>
  policyOf('http-request', { url: 'https://api.internal', retry_condition: 'attempts < 2', ...more })
const addInternal = (status: number, headers = {}) =>
  function prepare({ gateway }: Visited) {
    gateway.declare.tunnelSession({ endpoints: [{ url: 'https://api.internal' }] })
    gateway.traffic.upstream('https://api.internal', () => new Response('', { status, headers }))
  }

const VISITS: Readonly<Record<Exclude<keyof typeof DECISIONS, 'certificate' | 'claims'>, DecidedVisit>> = {
  compression: {
    policy: policyOf('compress-response', {}, 'on_http_response'),
    init: { headers: { 'accept-encoding': 'deflate, gzip' } },
  },
  errorPhase: {
    policy: policyOf('add-headers', { headers: { 'x-a': 'b' } }, 'on_http_response'),
    prepare({ gateway }) {
      gateway.traffic.upstream(URL_OF_APP, () => Promise.reject(new Error('refused')))
    },
  },
  expressionError: { policy: policyOf('add-headers', { headers: { 'x-a': "${req.headers['x-none'][0]}" } }) },
  bodyError: { policy: REPLACES, init: { method: 'POST', body: 'a', headers: { 'content-encoding': 'zstd' } } },
  failedAttempt: { policy: send({}), prepare: addInternal(404) },
  failedCondition: { policy: policyOf('deny', {}, 'on_http_request', ["req.headers['x-none'][0] == 'a'"]) },
  halfOpen: {
    policy: policyOf('circuit-breaker', { error_threshold: 0.1, volume_threshold: 1 }),
    async prepare({ gateway, visit }) {
      gateway.traffic.upstream(URL_OF_APP, () => new Response('', { status: 500 }))
      await visit()
      gateway.clock.advance('10s')
    },
  },
  noEndpoint: { url: 'http://app.example.com' },
  noUrl: { policy: policyOf('forward-internal', { url: "${'none'}" }) },
  responsePhase: {
    policy: JSON.stringify({
      on_http_request: [{ actions: [{ type: 'redirect', config: { to: '/b' } }] }],
      on_http_response: [{ actions: [{ type: 'add-headers', config: { headers: { 'x-a': 'b' } } }] }],
    }),
  },
  signIn: { policy: policyOf('oauth', { provider: 'google' }) },
  statedRefusal: {
    policy: policyOf('owasp-crs-request', { on_error: 'halt' }),
    init: { from: { actions: { 'owasp-crs-request': { anomaly_score: 5 } } } },
  },
  uncompressed: {
    policy: policyOf('compress-response', {}, 'on_http_response'),
    init: { headers: { 'cache-control': 'no-transform' } },
  },
  unfollowed: { policy: send({}), prepare: addInternal(302, { location: '/b' }) },
  urlText: { policy: policyOf('redirect', { to: '/a b' }) },
  webhookTime: {
    policy: policyOf('verify-webhook', { provider: 'stripe', secret: 'a' }),
    init: { method: 'POST', body: 'a', headers: { 'stripe-signature': 't=1,v1=aa' } },
  },
  window: { policy: policyOf('rate-limit', LIMIT), prepare: ({ visit }) => visit() },
}

/** Returns the decisions that the trace of the last visit names. */
function listDecisions({ gateway }: Visited): readonly Decision[] {
  const { trace = [] } = gateway.traffic.last() ?? {}
  return trace.flatMap((each) => {
    const actions = 'actions' in each ? each.actions : []
    return [each, ...actions].flatMap(({ decision }) => decision ?? [])
  })
}

const lastVisit = ({ traffic }: ReturnType<typeof createVisited>['gateway']) =>
  traffic.last() ?? { trace: [], status: null }

test.each(Object.entries(VISITS))('A trace names the decision %s where the visit depends on it', async (name, row) => {
  const { policy, init = {}, url = URL_OF_APP, prepare } = row
  const visited = createVisited(policy)
  await prepare?.(visited)
  await visited.gateway.traffic.fetch(url, { redirect: 'manual', ...init })
  expect(listDecisions(visited), formatTrace(lastVisit(visited.gateway))).toEqual([Reflect.get(DECISIONS, name)])
})

test.each([
  ['a denial', policyOf('deny')],
  ['a redirect to a URL as it is written', policyOf('redirect', { to: 'https://b.example.com/' })],
  ['a rewritten URL', policyOf('url-rewrite', { from: '/$', to: '/b' })],
  ['a request within its limit', policyOf('rate-limit', LIMIT)],
  ['compression with the only algorithm', policyOf('compress-response', { algorithms: ['gzip'] }, 'on_http_response')],
  ['a closed breaker', policyOf('circuit-breaker', { error_threshold: 0.1 })],
  ['a rule that is not for the request', policyOf('deny', {}, 'on_http_request', ["req.method == 'PUT'"])],
])('A trace names no decision for %s', async (_, policy) => {
  const visited = createVisited(policy)
  await visited.visit('/', { redirect: 'manual', headers: { 'accept-encoding': 'gzip' } })
  expect(listDecisions(visited)).toEqual([])
})

test('The text of a trace says a decision with the address of its reason', async () => {
  const { gateway, visit } = createVisited(policyOf('oauth', { provider: 'google' }))
  await visit('/', { redirect: 'manual' })
  const { says, docs } = DECISIONS.signIn
  expect(formatTrace(lastVisit(gateway))).toContain(
    `; the visitor got 302\n    fauxgate's decision: ${says} See ${docs}`,
  )
})

test('Each decision has a section of the decisions that is not only documented', () => {
  const decided = sectionsOf('.').filter(({ evidence }) => evidence.decided !== undefined)
  const addresses = decided.map(({ name }) => name.replace('#', '.md#'))
  const unknown = Object.values(DECISIONS).filter(({ docs }) => !addresses.includes(docs.replace(/^.*\//, '')))
  expect(unknown).toEqual([])
})

test('Each decision of an action is in the list', () => {
  const known: readonly Decision[] = Object.values(DECISIONS)
  expect(ACTIONS.flatMap(({ decisions = [] }) => decisions).filter((each) => !known.includes(each))).toEqual([])
})
