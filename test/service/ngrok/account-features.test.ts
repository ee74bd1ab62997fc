import { describe, expect, it } from 'vitest'
import { createNgrok, type NgrokOptions } from '../../../src/gateway/ngrok.ts'
import type { accountFeatures } from '../../../src/service/ngrok/account-features.ts'
import { SSH_KEYS } from './ssh-keys.ts'
import { openGateway } from './support.ts'

type Gateway = ReturnType<typeof openGateway>['gateway']
type Feature = keyof typeof accountFeatures.limits
type Limits = NonNullable<NonNullable<NgrokOptions['account']>['limits']>
type Call = readonly [method: string, path: string, json: object]

const SECRET = 'a secret of a client'
const APP = { client_id: 'a', client_secret: SECRET }
const OIDC = { issuer: 'https://idp.example.com', ...APP }
const SAML = { idp_metadata_url: 'https://idp.example.com/metadata' }

/** Returns the calls that use a module: the creation and the change of its owner, and its own PUT. */
const uses = (owner: string, id: string, field: string, module: object, creation: object = {}): Call[] => [
  ['POST', owner, { ...creation, [field]: module }],
  ['PATCH', `${owner}/${id}`, { [field]: module }],
  ['PUT', `${owner}/${id}/${field}`, module],
]

const ofRoute = (field: string, module: object) => (gateway: Gateway) => {
  const edge = gateway.httpsEdges.create({})
  const { id } = gateway.httpsEdgeRoutes.create(edge.id, { match: '/', match_type: 'path_prefix' })
  const creation = { match: '/new', match_type: 'exact_path' }
  return uses(`/edges/https/${edge.id}/routes`, id, field, module, creation)
}

const ofEdge = (kind: 'https' | 'tcp' | 'tls', field: string, module: object) => (gateway: Gateway) =>
  uses(`/edges/${kind}`, gateway[`${kind}Edges`].create({}).id, field, module)

const policiesOf = (gateway: Gateway) => ({ ip_policy_ids: [gateway.ipPolicies.create().id] })

const commands =
  (...names: ('stop' | 'restart' | 'update')[]) =>
  (gateway: Gateway): Call[] => {
    const { id } = gateway.declare.tunnelSession({ update: '3.40.0' })
    return names.map((name) => ['POST', `/tunnel_sessions/${id}/${name}`, {}])
  }

const audit = (gateway: Gateway): Call[] => {
  const target = { datadog: { api_key: 'a key of datadog' } }
  const destination = gateway.eventDestinations.create({ format: 'json', target })
  const sources = [{ type: 'ip_policy_created.v0' }]
  const traffic = [{ type: 'http_request_complete.v0' }]
  const { id } = gateway.eventSubscriptions.create({ sources: traffic, destination_ids: [destination.id] })
  return [
    ['POST', '/event_subscriptions', { sources, destination_ids: [destination.id] }],
    ['PATCH', `/event_subscriptions/${id}`, { sources }],
    ['POST', `/event_subscriptions/${id}/sources`, { type: 'ip_policy_created.v0' }],
  ]
}

const owned = (gateway: Gateway): Call[] => {
  const owner_id = gateway.botUsers.create({ name: 'ci' }).id
  return [
    ['POST', '/credentials', { owner_id }],
    ['POST', '/api_keys', { owner_id }],
    ['POST', '/ssh_credentials', { owner_id, public_key: SSH_KEYS.rsa }],
  ]
}

/** The number of each feature, and the calls that use it. */
const FEATURES: Readonly<Record<Feature, readonly [number, ...((gateway: Gateway) => readonly Call[])[]]>> = {
  credential_owners: [633, owned],
  session_operations: [1700, commands('stop', 'restart', 'update')],
  session_stops: [1701, commands('stop', 'restart')],
  session_updates: [1702, commands('update')],
  audit_events: [5141, audit],
  edge_webhook_verification: [7031, ofRoute('webhook_verification', { provider: 'github', secret: SECRET })],
  edge_oauth: [7041, ofRoute('oauth', { provider: { google: APP } })],
  edge_compression: [7094, ofRoute('compression', {})],
  edge_circuit_breaker: [7095, ofRoute('circuit_breaker', { error_threshold_percentage: 0.25 })],
  edge_request_headers: [7096, ofRoute('request_headers', { add: { 'X-A': 'a' } })],
  edge_response_headers: [7097, ofRoute('response_headers', { add: { 'X-A': 'a' } })],
  edge_oidc: [7098, ofRoute('oidc', OIDC)],
  edge_saml: [7099, ofRoute('saml', SAML)],
  edge_tls_termination: [
    7100,
    ofEdge('https', 'tls_termination', { min_version: '1.2' }),
    ofEdge('tls', 'tls_termination', { terminate_at: 'edge' }),
  ],
  edge_ip_restriction: [
    7101,
    (gateway) => ofRoute('ip_restriction', policiesOf(gateway))(gateway),
    (gateway) => ofEdge('tcp', 'ip_restriction', policiesOf(gateway))(gateway),
    (gateway) => ofEdge('tls', 'ip_restriction', policiesOf(gateway))(gateway),
  ],
  edge_mutual_tls: [
    7103,
    ...(['https', 'tls'] as const).map((kind) => (gateway: Gateway) => {
      const { id } = gateway.certificateAuthorities.create({ ca_pem: gateway.authority.certificatePem })
      return ofEdge(kind, 'mutual_tls', { certificate_authority_ids: [id] })(gateway)
    }),
  ],
  edge_websocket_tcp_converter: [7108, ofRoute('websocket_tcp_converter', { enabled: true })],
  edge_user_agent_filter: [7167, ofRoute('user_agent_filter', { deny: ['bot'] })],
  edge_policies: [
    7194,
    ofRoute('traffic_policy', { value: '{}' }),
    ofRoute('policy', { inbound: [], outbound: [] }),
    ofEdge('tcp', 'traffic_policy', { value: '{}' }),
    ofEdge('tls', 'policy', { inbound: [], outbound: [] }),
  ],
}

const CASES = Object.entries(FEATURES).flatMap(([name, [number, ...setUps]]) =>
  setUps.map((setUp) => [name, number, setUp] as const),
)

describe('An account without a feature (rules: account#features)', () => {
  it.each(CASES)(
    '%s is rejected with error %i by each call that uses the feature, and another account is not',
    async (name, number, setUp) => {
      const { send, gateway } = openGateway()
      const lacking = openGateway({ account: { limits: { [name]: 0 } as Limits } })
      const calls = setUp(gateway)
      expect(calls.length).toBeGreaterThan(0)
      lacking.gateway.restore(gateway.snapshot({ privateKeys: true }))
      for (const [method, path, json] of calls) {
        expect([path, await lacking.sendRefused(method, path, { json })]).toEqual([path, `400 ERR_NGROK_${number}`])
        gateway.restore(lacking.gateway.snapshot({ privateKeys: true }))
        expect([path, (await send(method, path, { json })).status]).toEqual([path, expect.closeTo(200, -1)])
      }
    },
  )

  it('may still send a module that is not enabled, traffic events, and credentials of its own user', () => {
    const limits = { edge_compression: 0, audit_events: 0, credential_owners: 0 } as const
    const { gateway } = openGateway({ account: { limits } })
    const edge = gateway.httpsEdges.create({})
    gateway.httpsEdgeRoutes.create(edge.id, { match: '/', compression: { enabled: false } })
    const target = { datadog: { api_key: 'a key of datadog' } }
    const { id } = gateway.eventDestinations.create({ format: 'json', target })
    gateway.eventSubscriptions.create({ sources: [{ type: 'tcp_connection_closed.v0' }], destination_ids: [id] })
    expect(gateway.credentials.create().owner_id).not.toBe('')
  })

  it('can be without it for another reason, which `number` selects', async () => {
    const { gateway, sendRefused } = openGateway({
      account: { limits: { credential_owners: { max: 0, number: 630 } } },
    })
    const [[method, path, json] = ['', '', {}]] = owned(gateway)
    expect(await sendRefused(method, path, { json })).toBe('400 ERR_NGROK_630')
  })

  it('has no number of it: a gateway rejects a maximum other than 0', () => {
    const limits = { edge_oauth: 1 } as unknown as Limits
    expect(() => createNgrok({ account: { limits } })).toThrow(
      'account.limits.edge_oauth is 1. Allowed: 0, for an account without this feature.',
    )
  })
})

it('A limit of a feature that is no number names 0, which it allows', () => {
  const limits: Limits = JSON.parse('{"edge_oauth": true}')
  expect(() => openGateway({ account: { limits } })).toThrow('only 0 for a feature such as "edge_oauth"')
})
