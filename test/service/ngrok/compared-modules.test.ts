import { describe, expect, test } from 'vitest'
import { errorsOf, type Family, type Operation } from '../../../src/service/kit/index.ts'
import { ngrokFamilies } from '../../../src/service/ngrok/families.ts'
import { families } from '../../../src/service/resources/index.ts'
import { openGateway } from './support.ts'

/** The modules of edges and routes that endpoint configurations have too: the path there, and the name here. */
const SHARED = {
  'https/{edge_id}/routes/{id}/circuit_breaker': 'circuit_breaker',
  'https/{edge_id}/routes/{id}/compression': 'compression',
  'https/{edge_id}/routes/{id}/ip_restriction': 'ip_policy',
  'https/{edge_id}/routes/{id}/oauth': 'oauth',
  'https/{edge_id}/routes/{id}/oidc': 'oidc',
  'https/{edge_id}/routes/{id}/request_headers': 'request_headers',
  'https/{edge_id}/routes/{id}/response_headers': 'response_headers',
  'https/{edge_id}/routes/{id}/saml': 'saml',
  'https/{edge_id}/routes/{id}/webhook_verification': 'webhook_validation',
  'https/{id}/mutual_tls': 'mutual_tls',
  'tls/{id}/mutual_tls': 'mutual_tls',
  'tcp/{id}/ip_restriction': 'ip_policy',
  'tls/{id}/ip_restriction': 'ip_policy',
  'tls/{id}/tls_termination': 'tls_termination',
} as const

/** The modules that one of them has alone. TLS of an HTTPS edge has no `terminate_at`, which its own error says (7109). */
const ONLY_EDGES = [
  'https/{edge_id}/routes/{id}/backend',
  'https/{edge_id}/routes/{id}/policy',
  'https/{edge_id}/routes/{id}/traffic_policy',
  'https/{edge_id}/routes/{id}/user_agent_filter',
  'https/{edge_id}/routes/{id}/websocket_tcp_converter',
  'https/{id}/tls_termination',
  'tcp/{id}/backend',
  'tcp/{id}/policy',
  'tcp/{id}/traffic_policy',
  'tls/{id}/backend',
  'tls/{id}/policy',
  'tls/{id}/traffic_policy',
]
const ONLY_CONFIGURATIONS = ['basic_auth']

const puts = Object.values<Family>({ ...families, ...ngrokFamilies })
  .flatMap((family): Operation[] => Object.values(family.operations))
  .filter(({ method }) => method === 'PUT')

/** Returns the operations that replace a module, by the rest of their path. */
const modulesBelow = (start: string) =>
  new Map(puts.filter(({ path }) => path.startsWith(start)).map((each) => [each.path.slice(start.length), each]))

const ofEdges = modulesBelow('/edges/')
const ofConfigurations = modulesBelow('/endpoint_configurations/{id}/')

/** Returns the number that endpoint configurations have for an error of a module of edges. */
const toConfiguration = (number: number) =>
  number === 7107 ? 1699 : number > 7000 && number < 7200 ? number - 5400 : number

/** The errors of endpoint configurations alone: of their type, and with an own number where sign-in modules or TLS exclude others. */
const OF_CONFIGURATIONS = [1621, 1662, 1679, 1694]
/** The errors of edges alone: a missing edge, and the twins of the rules above. */
const OF_EDGES = [7000, 7062, 7079].map(toConfiguration)

const numbersOf = (operation: Operation | undefined) =>
  operation ? [...new Set(errorsOf(operation).map(({ number }) => number))] : []

test('The modules of edges and of endpoint configurations are these', () => {
  expect([...ofEdges.keys()].sort()).toEqual([...Object.keys(SHARED), ...ONLY_EDGES].sort())
  expect([...ofConfigurations.keys()].sort()).toEqual(
    [...new Set<string>([...Object.values(SHARED), ...ONLY_CONFIGURATIONS])].sort(),
  )
})

// rules: edges#edges, ngrok-families#endpoint-configurations
describe.each(Object.entries(SHARED))('The module at /edges/%s, and %s of endpoint configurations,', (path, name) => {
  test('can have the same errors, by the numbers of each', () => {
    const edge = numbersOf(ofEdges.get(path)).map(toConfiguration)
    const configuration = numbersOf(ofConfigurations.get(name))
    const without = (numbers: readonly number[], others: readonly number[]) =>
      numbers.filter((number) => !others.includes(number)).sort()
    expect(without(edge, OF_EDGES)).toEqual(without(configuration, OF_CONFIGURATIONS))
  })
})

const SAML = { idp_metadata_url: 'https://idp.example.com/metadata' }
const OIDC = { issuer: 'https://accounts.example.com', client_id: 'an-app', client_secret: 'a secret' }
const GOOGLE = { provider: { google: {} } }

// For each module: bodies that a field, a limit or a required field makes wrong, by the number of an edge; undefined if none.
const CASES: readonly (readonly [path: keyof typeof SHARED, number: number | undefined, json: object])[] = [
  ['https/{edge_id}/routes/{id}/circuit_breaker', undefined, {}],
  ['https/{edge_id}/routes/{id}/circuit_breaker', 7011, { error_threshold_percentage: 2 }],
  ['https/{edge_id}/routes/{id}/circuit_breaker', 7016, { tripped_duration: 0 }],
  ['https/{edge_id}/routes/{id}/circuit_breaker', 7017, { rolling_window: 0 }],
  ['https/{edge_id}/routes/{id}/circuit_breaker', 7018, { num_buckets: 129 }],
  ['https/{edge_id}/routes/{id}/compression', undefined, {}],
  ['https/{edge_id}/routes/{id}/compression', 214, { level: 9 }],
  ['https/{edge_id}/routes/{id}/ip_restriction', 7007, { ip_policy_ids: ['ipp_1'] }],
  ['https/{edge_id}/routes/{id}/ip_restriction', 7025, { ip_policy_ids: [] }],
  ['tcp/{id}/ip_restriction', 7007, { ip_policy_ids: ['ipp_1'] }],
  ['tcp/{id}/ip_restriction', 7025, { ip_policy_ids: [] }],
  ['tls/{id}/ip_restriction', 7025, { ip_policy_ids: [] }],
  ['https/{edge_id}/routes/{id}/oauth', undefined, GOOGLE],
  ['https/{edge_id}/routes/{id}/oauth', 7037, { provider: {} }],
  ['https/{edge_id}/routes/{id}/oauth', 7036, { provider: { google: {}, github: {} } }],
  ['https/{edge_id}/routes/{id}/oauth', 7092, { ...GOOGLE, inactivity_timeout: 1e9 }],
  ['https/{edge_id}/routes/{id}/oauth', 7042, { ...GOOGLE, cookie_prefix: 'a b' }],
  ['https/{edge_id}/routes/{id}/oidc', undefined, OIDC],
  ['https/{edge_id}/routes/{id}/oidc', 7088, { ...OIDC, issuer: '' }],
  ['https/{edge_id}/routes/{id}/oidc', 7092, { ...OIDC, inactivity_timeout: 1e9 }],
  ['https/{edge_id}/routes/{id}/oidc', 7042, { ...OIDC, cookie_prefix: 'a b' }],
  ['https/{edge_id}/routes/{id}/request_headers', undefined, { add: { a: 'b' } }],
  ['https/{edge_id}/routes/{id}/request_headers', 7023, { remove: ['a b'] }],
  ['https/{edge_id}/routes/{id}/request_headers', 7024, { add: { a: 'b\nc' } }],
  ['https/{edge_id}/routes/{id}/request_headers', 7069, { add: { a: 'b', A: 'b' } }],
  ['https/{edge_id}/routes/{id}/response_headers', undefined, { remove: ['a'] }],
  ['https/{edge_id}/routes/{id}/response_headers', 7023, { remove: ['a b'] }],
  ['https/{edge_id}/routes/{id}/response_headers', 7024, { add: { a: 'b\nc' } }],
  ['https/{edge_id}/routes/{id}/response_headers', 7069, { add: { a: 'b', A: 'b' } }],
  ['https/{edge_id}/routes/{id}/saml', undefined, SAML],
  ['https/{edge_id}/routes/{id}/saml', 7091, {}],
  ['https/{edge_id}/routes/{id}/saml', 7092, { ...SAML, inactivity_timeout: 1e9 }],
  ['https/{edge_id}/routes/{id}/saml', 7042, { ...SAML, cookie_prefix: 'a b' }],
  ['https/{edge_id}/routes/{id}/webhook_verification', undefined, { provider: 'github', secret: 's3cret' }],
  ['https/{edge_id}/routes/{id}/webhook_verification', 7026, { provider: 'sns', secret: 'x' }],
  ['https/{edge_id}/routes/{id}/webhook_verification', 7027, { provider: 'github' }],
  ['https/{edge_id}/routes/{id}/webhook_verification', 7029, {}],
  ['https/{edge_id}/routes/{id}/webhook_verification', 7030, { provider: 'nobody', secret: 'x' }],
  ['https/{edge_id}/routes/{id}/webhook_verification', 7107, { provider: 'sendgrid', secret: 's3cret' }],
  ['https/{id}/mutual_tls', 228, { certificate_authority_ids: ['x'] }],
  ['https/{id}/mutual_tls', 7072, { certificate_authority_ids: ['ca_1'] }],
  ['tls/{id}/mutual_tls', 228, { certificate_authority_ids: ['x'] }],
  ['tls/{id}/mutual_tls', 7072, { certificate_authority_ids: ['ca_1'] }],
  ['tls/{id}/tls_termination', undefined, { terminate_at: 'upstream' }],
  ['tls/{id}/tls_termination', 219, { min_version: '1.4' }],
  ['tls/{id}/tls_termination', 224, { terminate_at: 'nowhere' }],
  ['tls/{id}/tls_termination', 7032, { terminate_at: 'upstream', min_version: '1.2' }],
]

test('Each shared module has a case that is wrong', () => {
  const found = CASES.filter(([, number]) => number !== undefined).map(([path]) => path)
  expect([...new Set<string>(found)].sort()).toEqual(Object.keys(SHARED).sort())
})

/** Opens a gateway with an edge of each kind, a route and a configuration. Returns a function that sends a module to both. */
function open() {
  const { gateway, sendRefused } = openGateway()
  const edges = { https: gateway.httpsEdges.create(), tcp: gateway.tcpEdges.create(), tls: gateway.tlsEdges.create() }
  const route = gateway.httpsEdgeRoutes.create(edges.https.id, { match: '/' })
  const configuration = gateway.endpointConfigurations.create({ type: 'https' })
  const before = gateway.snapshot({ privateKeys: true })
  const put = async (path: keyof typeof SHARED, json: object) => {
    const kind = path.split('/')[0] as keyof typeof edges // Each path begins with one.
    const at = path
      .replace('{edge_id}', edges.https.id)
      .replace('{id}', path.includes('routes') ? route.id : edges[kind].id)
    const outcomes: string[] = []
    for (const url of [`/edges/${at}`, `/endpoint_configurations/${configuration.id}/${SHARED[path]}`]) {
      gateway.restore(before)
      outcomes.push(await sendRefused('PUT', url, { json }).catch((error: Error) => error.message))
    }
    return outcomes
  }
  return { gateway, edges, route, configuration, sendRefused, put }
}

test.each(CASES)(
  '%s has the error %s on an edge, and its twin on an endpoint configuration: %j',
  async (path, number, json) => {
    const fine = 'The state has changed.'
    const expected =
      number === undefined ? [fine, fine] : [number, toConfiguration(number)].map((each) => `400 ERR_NGROK_${each}`)
    expect(await open().put(path, json)).toEqual(expected)
  },
)

test.each([
  ['oauth', GOOGLE, 'oidc', OIDC],
  ['oidc', OIDC, 'saml', SAML],
  ['saml', SAML, 'oauth', GOOGLE],
] as const)(
  '%s and %s exclude each other on a route (7079) and on an endpoint configuration (1679)',
  async (first, one, second, other) => {
    const { edges, route, configuration, sendRefused } = open()
    const changed = (call: Promise<string>) => expect(call).rejects.toThrow('The state has changed.')
    for (const [path, number] of [
      [`/edges/https/${edges.https.id}/routes/${route.id}`, 7079],
      [`/endpoint_configurations/${configuration.id}`, 1679],
    ] as const) {
      await changed(sendRefused('PUT', `${path}/${first}`, { json: one }))
      expect(await sendRefused('PUT', `${path}/${second}`, { json: other })).toBe(`400 ERR_NGROK_${number}`)
      await changed(sendRefused('PUT', `${path}/${second}`, { json: { ...other, enabled: false } }))
    }
  },
)

test('Mutual TLS and TLS of the upstream exclude each other on a TLS edge (7062) and on a configuration (1694)', async () => {
  const { gateway, edges, configuration, sendRefused } = open()
  const changed = (call: Promise<string>) => expect(call).rejects.toThrow('The state has changed.')
  const mutual_tls = { certificate_authority_ids: [] }
  const tls_termination = { terminate_at: 'upstream' } as const
  for (const [path, number] of [
    [`/edges/tls/${edges.tls.id}`, 7062],
    [`/endpoint_configurations/${configuration.id}`, 1694],
  ] as const) {
    const refused = `400 ERR_NGROK_${number}`
    await changed(sendRefused('PUT', `${path}/mutual_tls`, { json: mutual_tls }))
    expect(await sendRefused('PUT', `${path}/tls_termination`, { json: tls_termination })).toBe(refused)
    expect(await sendRefused('PATCH', path, { json: { tls_termination } })).toBe(refused)
    await changed(sendRefused('PUT', `${path}/mutual_tls`, { json: { ...mutual_tls, enabled: false } }))
    await changed(sendRefused('PUT', `${path}/tls_termination`, { json: tls_termination }))
    expect(await sendRefused('PUT', `${path}/mutual_tls`, { json: mutual_tls })).toBe(refused)
  }
  expect(await sendRefused('POST', '/edges/tls', { json: { mutual_tls, tls_termination } })).toBe('400 ERR_NGROK_7062')
  expect(gateway.tlsEdges.list().tls_edges).toHaveLength(1)
})
