// Writes a state that this version stores: `node tools/corpus.mjs test/corpus/VERSION`, or, with all of ngrok's
// families, `node tools/corpus.mjs test/corpus/VERSION-ngrok`. Later versions must read it, so an existing folder
// stays unchanged. Records of a new kind get a new folder, such as VERSION-edges-ngrok. The folder also has a
// recording, which `fauxgate record --to URL --out test/corpus/VERSION/recording.har` writes.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { manualClock } from '../dist/index.js'
import { createNgrok } from '../dist/ngrok.js'
import { sqliteStore } from '../dist/node.js'
import { importSource } from '../scripts/import-source.mjs'

const SSH_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEH3IY4s2cSOuKj63wdOpGLQRkEbBGYbddAi683q3ewX ci@example.com'

const [folder] = process.argv.slice(2)
if (!folder) throw new Error('corpus.mjs needs a folder, for example test/corpus/0.1.0.')
mkdirSync(folder, { recursive: true })

const { createFullGateway } = await importSource('test/support/full-gateway.ts')
const store = sqliteStore(join(folder, 'gateway.db'))
const options = {
  seed: 'corpus',
  dns: 'simulated',
  authorityKeys: 'fresh',
  rateLimit: { requests: 1000 },
  account: { limits: { reserved_domains: { max: 100, window: '1h' } } },
  initial: { reservedAddrs: [{ description: 'initial' }] },
}
const isNgrok = folder.endsWith('-ngrok')
const gateway = isNgrok ? await createNgrokGateway() : await createFullGateway({ ...options, store })

/** Creates a gateway with records in each family, including ngrok's further families. */
async function createNgrokGateway() {
  const common = await createFullGateway(options)
  const gateway = createNgrok({ ...options, store, clock: manualClock('2026-01-01T00:00:00Z') })
  gateway.restore(common.snapshot({ privateKeys: true }))
  createRecords(gateway)
  await visit(gateway)
  return gateway
}

/** Creates records in each of ngrok's further families. */
function createRecords({ declare, authority: { certificatePem }, ...families }) {
  const value = '{"on_tcp_connect":[{"actions":[{"type":"deny"}]}]}'
  const policy = families.ipPolicies.create({ description: 'office' })
  families.ipPolicyRules.create({ ip_policy_id: policy.id, cidr: '10.0.0.0/8', action: 'allow' })
  const bot = families.botUsers.create({ name: 'ci' })
  families.apiKeys.create({ owner_id: bot.id })
  families.credentials.create({ acl: ['bind:*.example.com'] })
  families.sshCredentials.create({ public_key: SSH_KEY })
  const vault = families.vaults.create({ name: 'vault' })
  families.vaultSecrets.create({ vault_id: vault.id, name: 'secret', value: 'a value of the corpus' })
  families.kubernetesOperators.create({
    enabled_features: ['ingress'],
    deployment: { name: 'operator', namespace: 'ngrok' },
  })
  families.endpoints.create({
    url: 'https://uploaded.example.com',
    traffic_policy: '{"on_http_request":[{"actions":[{"type":"deny"}]}]}',
    bindings: ['public'],
  })
  declare.tunnelSession({ endpoints: [{ url: 'https://agent.ngrok-free.app' }] })
  declare.devDomain()
  declare.edgeEndpoint({ edge: 'edgtls_1', url: 'tls://tls.example.com:443' })
  declare.edge('edgtcp_1')
  families.routeTrafficPolicy.replace({ edge_id: 'edghts_1', id: 'edghtsrt_1' }, { value: '{"on_http_request":[]}' })
  families.tcpEdgeTrafficPolicy.replace('edgtcp_1', { value })
  families.tlsEdgeTrafficPolicy.replace('edgtls_1', { value })
  const { id: authority } = families.certificateAuthorities.create({ ca_pem: certificatePem })
  createEdges(families, value, { ip_policy_ids: [policy.id] }, authority)
  createOthers({ declare, ...families }, policy.id, authority)
}

/** Creates records of agents, SSH, events, application users, the AI gateway, and the rest. */
function createOthers({ declare, ...families }, policy, authority) {
  families.agentIngresses.create({
    domain: 'connect.example.com',
    certificate_management_policy: { authority: 'letsencrypt', private_key_type: 'ecdsa' },
  })
  families.ipRestrictions.create({ type: 'dashboard', ip_policy_ids: [policy] })
  const ssh = families.sshCertificateAuthorities.create({ private_key_type: 'ed25519' })
  const certified = { ssh_certificate_authority_id: ssh.id, public_key: SSH_KEY, principals: ['ci'] }
  families.sshHostCertificates.create(certified)
  families.sshUserCertificates.create(certified)
  const destination = families.eventDestinations.create({
    format: 'json',
    target: { datadog: { api_key: 'a key of the corpus' } },
  })
  families.eventSubscriptions.create({ destination_ids: [destination.id], sources: [{ type: 'ip_policy_created.v0' }] })
  const user = declare.applicationUser({ email: 'ada@example.com' })
  declare.applicationSession({ user: user.id })
  families.abuseReports.create({ urls: ['https://bad.ngrok.app'] })
  const { id } = families.aiGatewayApiKeys.create()
  families.aiGatewayProviderKeys.create({
    ai_gateway_api_key_id: id,
    provider_id: 'openai',
    value: 'a key of the corpus',
  })
  createConfigurations(families.endpointConfigurations, policy, authority)
}

/** Creates an endpoint configuration for each kind of sign-in, which exclude one another, and one with all other modules. */
function createConfigurations(configurations, policy, authority) {
  const signIn = { client_id: 'an app', client_secret: 'a secret of the corpus' }
  for (const module of [
    { basic_auth: { realm: 'corpus' } },
    { oauth: { provider: { github: { ...signIn, teams: ['acme/web'] } } } },
    { oidc: { issuer: 'https://accounts.example.com', ...signIn } },
    { saml: { idp_metadata_url: 'https://idp.example.com/metadata' } },
    {
      circuit_breaker: {},
      compression: {},
      ip_policy: { ip_policy_ids: [policy] },
      mutual_tls: { certificate_authority_ids: [authority] },
      request_headers: { add: { 'X-Frontend': 'ngrok' } },
      response_headers: { remove: ['server'] },
      tls_termination: { min_version: '1.3' },
      webhook_validation: { provider: 'github', secret: 'a secret of the corpus' },
    },
  ])
    configurations.create({ type: 'https', ...module })
}

/** Sends a visitor through a rate limit and a circuit breaker, which keep what they count. */
async function visit({ declare, traffic }) {
  const url = 'https://counted.ngrok-free.app'
  const limit = {
    name: 'corpus',
    algorithm: 'sliding_window',
    capacity: 10,
    rate: '60s',
    bucket_key: ['conn.client_ip'],
  }
  const actions = [
    { type: 'rate-limit', config: limit },
    { type: 'circuit-breaker', config: { error_threshold: 0.5 } },
  ]
  declare.tunnelSession({ endpoints: [{ url, traffic_policy: JSON.stringify({ on_http_request: [{ actions }] }) }] })
  traffic.upstream(url, () => new Response('counted'))
  await traffic.fetch(url)
}

/** Creates an edge of each kind, and a route, with a backend of each kind and all modules. */
function createEdges(families, value, ip_restriction, authority) {
  const { id: backend_id } = families.tunnelGroupBackends.create({ labels: { team: 'web' } })
  const response = families.httpResponseBackends.create({ status_code: 503, headers: { 'Retry-After': '60' } })
  const address = families.staticBackends.create({ address: 'example.com:8080', tls: { enabled: true } })
  families.failoverBackends.create({ backends: [address.id, response.id] })
  const traffic = { backend: { backend_id }, ip_restriction, policy: {}, traffic_policy: { value } }
  const mutual_tls = { certificate_authority_ids: [authority] }
  const tls_termination = { min_version: '1.3' }
  const [{ addr }] = families.reservedAddrs.list().reserved_addrs
  families.tcpEdges.create({ hostports: [addr], ...traffic })
  families.tlsEdges.create({ hostports: ['failing.example.com:443'], ...traffic, mutual_tls, tls_termination })
  const { id } = families.httpsEdges.create({ hostports: ['renewing.example.com:443'], mutual_tls, tls_termination })
  const signIn = { client_id: 'an app', client_secret: 'a secret of the corpus' }
  families.httpsEdgeRoutes.create(id, {
    match: '/',
    ...traffic,
    traffic_policy: { value: '{"on_http_request":[]}' },
    circuit_breaker: {},
    compression: {},
    request_headers: { add: { 'X-Frontend': 'ngrok' } },
    response_headers: { remove: ['server'] },
    webhook_verification: { provider: 'github', secret: 'a secret of the corpus' },
    websocket_tcp_converter: {},
    user_agent_filter: { deny: ['bot'] },
    oauth: { provider: { github: { ...signIn, teams: ['acme/web'] } } },
    oidc: { enabled: false, issuer: 'https://accounts.example.com', ...signIn },
    saml: { enabled: false, idp_metadata_url: 'https://idp.example.com/metadata' },
  })
}

const snapshot = gateway.snapshot({ privateKeys: true })
const emptyCollections = Object.entries(snapshot.records).filter(([, rows]) => rows.length === 0)
if (emptyCollections.length > 0)
  throw new Error(`The corpus has no record of ${emptyCollections.map(([name]) => name).join(', ')}.`)
writeFileSync(join(folder, 'snapshot.json'), `${JSON.stringify(snapshot, null, 2)}\n`)
await store.flushed()
store.close()
