import { describe, expect, test } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { createGateway, manualClock } from '../../src/index.ts'
import { certificatePair } from '../../src/testing/certificates.ts'
import { CLOCK_START } from '../support/clock.ts'
import { dueAfter } from '../support/provisioning.ts'
import { policyOf } from './visits.ts'

type Gateway = ReturnType<typeof createNgrok>
type Init = Parameters<Gateway['traffic']['fetch']>[1]
type Visit = (path: string, init?: Init) => Promise<Response>

/** Opens an HTTPS edge whose upstream responds with the headers that it received, and with 500 below `/fail`. */
function openRoute(modules: object, ofEdge: object = {}) {
  const gateway = createNgrok({ clock: manualClock(CLOCK_START), seed: 'modules', provisioningDelay: 0 })
  gateway.reservedDomains.create({ domain: 'shop.example.com' })
  const { id } = gateway.httpsEdges.create({ hostports: ['shop.example.com:443'], ...ofEdge })
  const backend_id = gateway.staticBackends.create({ address: 'up.example.com:80' }).id
  const route = gateway.httpsEdgeRoutes.create(id, { match: '/', backend: { backend_id }, ...modules })
  gateway.traffic.upstream('http://up.example.com:80', ({ url, headers }) => {
    const status = new URL(url).pathname.startsWith('/fail') ? 500 : 200
    return Response.json(Object.fromEntries(headers), { status, headers: { 'x-up': 'yes' } })
  })
  const visit: Visit = (path, init) => gateway.traffic.fetch(`https://shop.example.com${path}`, init)
  return { gateway, edge: id, route, visit }
}

const statusAt =
  (path = '/', init: Init = {}) =>
  async (visit: Visit) =>
    (await visit(path, init)).status

const headerOf = (name: string) => async (visit: Visit) =>
  (await visit('/', { headers: { 'accept-encoding': 'gzip' } })).headers.get(name)

const statusAfterFailure = async (visit: Visit) => {
  await visit('/fail')
  return statusAt()(visit)
}

const receivedHeaders = async (visit: Visit) => {
  const received: Readonly<Record<string, string>> = await (await visit('/', { headers: { 'x-old': 'o' } })).json()
  return [received['x-new'], received['x-old']]
}

const breaker = { volume_threshold: 1, error_threshold_percentage: 0.5, rolling_window: 60, tripped_duration: 60 }
const oidc = { issuer: 'https://login.example.com', client_id: 'an app', client_secret: 'its secret' }
const saml = { idp_metadata_url: 'https://idp.example.com/metadata' }

// rules: traffic#modules
describe('A module of a route', () => {
  test.each<[name: string, settings: object, observe: (visit: Visit) => Promise<unknown>, on: unknown, off: unknown]>([
    ['circuit_breaker', breaker, statusAfterFailure, 503, 200],
    ['compression', {}, headerOf('content-encoding'), 'gzip', null],
    [
      'request_headers',
      { add: { 'x-new': 'n' }, remove: ['x-old'] },
      receivedHeaders,
      ['n', undefined],
      [undefined, 'o'],
    ],
    ['response_headers', { add: { 'x-new': 'n' } }, headerOf('x-new'), 'n', null],
    ['response_headers', { remove: ['x-up'] }, headerOf('x-up'), null, 'yes'],
    ['user_agent_filter', { deny: ['x'] }, statusAt('/', { headers: { 'user-agent': 'x' } }), 403, 200],
    ['traffic_policy', { value: policyOf('deny', { status_code: 451 }) }, statusAt(), 451, 200],
    ['oauth', { provider: { google: {} } }, statusAt(), 302, 200],
    ['oidc', oidc, statusAt(), 302, 200],
    ['saml', saml, statusAt(), 302, 200],
  ])('takes effect while it is enabled: %s %j', async (name, settings, observe, on, off) => {
    expect(await observe(openRoute({ [name]: settings }).visit)).toEqual(on)
    expect(await observe(openRoute({ [name]: { ...settings, enabled: false } }).visit)).toEqual(off)
  })

  test('restricts addresses while it is enabled', async () => {
    const { gateway, edge, route, visit } = openRoute({})
    const { id } = gateway.ipPolicies.create({})
    const restrict = (enabled: boolean) => {
      const ip_restriction = { enabled, ip_policy_ids: [id] }
      gateway.httpsEdgeRoutes.update({ edge_id: edge, id: route.id }, { ip_restriction })
      return statusAt()(visit)
    }
    expect([await restrict(true), await restrict(false)]).toEqual([403, 200])
  })

  test('has no backend while it is disabled', async () => {
    const { gateway, edge, route, visit } = openRoute({})
    const { backend } = route
    const backend_id = backend?.backend.id ?? ''
    gateway.httpsEdgeRoutes.update({ edge_id: edge, id: route.id }, { backend: { enabled: false, backend_id } })
    expect((await visit('/')).status).not.toBe(200)
  })

  test('applies an older policy while it is enabled, to responses that its expressions choose, with the name of the rule', async () => {
    const gateway = createGateway({ clock: manualClock(CLOCK_START), seed: 'modules' })
    const ids = { edge_id: 'edghts_1', id: 'edghtsrt_1' }
    gateway.traffic.upstream('bkdhr_1', ({ url }) => new Response('', { status: url.endsWith('/fail') ? 500 : 200 }))
    const visit = async (path: string) => {
      const place = { edge: ids.edge_id, route: ids.id, backend: 'bkdhr_1' }
      const { headers } = await gateway.traffic.fetch(`https://shop.example.com${path}`, place)
      return headers.get('x-failed')
    }
    const actions = [{ type: 'add-headers', config: { headers: { 'x-failed': 'yes' } } }]
    const outbound = [{ name: 'failed', expressions: ['res.StatusCode == 500'], actions }]
    gateway.trafficPolicy.replace(ids, { outbound })
    expect([await visit('/'), await visit('/fail')]).toEqual([null, 'yes'])
    expect(JSON.stringify(gateway.traffic.last()?.trace)).toContain('"failed"')
    gateway.trafficPolicy.replace(ids, { enabled: false, outbound })
    expect(await visit('/fail')).toBeNull()
  })

  test.each([
    ['oauth', { provider: { google: {} } }],
    ['oidc', oidc],
    ['saml', saml],
  ])('lets requests with OPTIONS pass if it says so: %s', async (name, settings) => {
    const options = statusAt('/', { method: 'OPTIONS' })
    expect(await options(openRoute({ [name]: settings }).visit)).toBe(302)
    expect(await options(openRoute({ [name]: { ...settings, options_passthrough: true } }).visit)).toBe(200)
  })

  test.each([
    ['oauth', { provider: { google: {} } }, 'maximum_duration'],
    ['oauth', { provider: { google: {} } }, 'inactivity_timeout'],
    ['oidc', oidc, 'maximum_duration'],
    ['oidc', oidc, 'inactivity_timeout'],
    ['saml', saml, 'maximum_duration'],
    ['saml', saml, 'inactivity_timeout'],
  ])('ends a session: %s %o %s', async (name, settings, limit) => {
    const identity = { email: 'ada@example.com', ...(name === 'oauth' && { provider: 'google' }) }
    const { gateway, visit } = openRoute({ [name]: { ...settings, [limit]: 600 } })
    await visit('/', { from: { identity } })
    const [session] = gateway.applicationSessions.list().application_sessions
    expect(session).toMatchObject({ expires_at: dueAfter('10m') })
  })
})

// rules: traffic#modules
describe('The circuit breaker of a route', () => {
  /** Returns the status after requests at times in seconds: those with `!` fail. */
  const statusAfter = async (settings: object, ...requests: readonly string[]) => {
    const { gateway, visit } = openRoute({ circuit_breaker: { ...breaker, ...settings } })
    // A window has parts of full seconds of the clock, and these begin at a full minute.
    gateway.clock.advance(60_000 - (CLOCK_START % 60_000))
    let at = 0
    for (const request of requests) {
      const next = Number.parseInt(request, 10)
      gateway.clock.advance((next - at) * 1000)
      at = next
      await visit(request.endsWith('!') ? '/fail' : '/')
    }
    return statusAt()(visit)
  }

  test('breaks at its share of failures', async () => {
    const half = ['0', '0!']
    expect(await statusAfter({ volume_threshold: 2, error_threshold_percentage: 0.4 }, ...half)).toBe(503)
    expect(await statusAfter({ volume_threshold: 2, error_threshold_percentage: 0.9 }, ...half)).toBe(200)
  })

  test('counts the requests of its window', async () => {
    expect(await statusAfter({ volume_threshold: 2, rolling_window: 60 }, '0!', '40!')).toBe(503)
    expect(await statusAfter({ volume_threshold: 2, rolling_window: 20 }, '0!', '40!')).toBe(200)
  })

  test('forgets requests by the parts of its window', async () => {
    expect(await statusAfter({ volume_threshold: 2, num_buckets: 10 }, '25!', '60!')).toBe(503)
    expect(await statusAfter({ volume_threshold: 2, num_buckets: 2 }, '25!', '60!')).toBe(200)
  })
})

// rules: traffic#client-certificates
describe('The TLS modules of an edge', () => {
  const connect = async (visit: Visit, facts: object) => {
    try {
      return (await visit('/', { from: { facts: { ...facts } } })).status
    } catch (error) {
      return Object(error).cause.code
    }
  }

  test('check nothing while they are disabled', async () => {
    const old = { 'conn.tls.version': '1.2' }
    const version = { min_version: '1.3' as const }
    const { gateway, edge, visit } = openRoute({}, { tls_termination: version })
    expect(await connect(visit, old)).toBe('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION')
    gateway.httpsEdges.update(edge, { tls_termination: { ...version, enabled: false } })
    expect(await connect(visit, old)).toBe(200)
    const { id } = gateway.certificateAuthorities.create({
      ca_pem: certificatePair({ issuers: 1 }).certificate_pem.split(/(?=-----BEGIN)/)[1] ?? '',
    })
    const mutual = { certificate_authority_ids: [id] }
    gateway.httpsEdges.update(edge, { mutual_tls: mutual })
    expect(await connect(visit, {})).toBe('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED')
    gateway.httpsEdges.update(edge, { mutual_tls: { ...mutual, enabled: false } })
    expect(await connect(visit, {})).toBe(200)
  })
})
