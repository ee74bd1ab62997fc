// Writes what this version stores, for test/corpus: `node scripts/corpus.mjs test/corpus/VERSION`, and with all of ngrok's
// families `node scripts/corpus.mjs test/corpus/VERSION-ngrok`. Later versions must read it: a folder that is there stays,
// and records of a new kind get a new one, such as VERSION-edges-ngrok.
// Beside it is a recording: `fauxgate record --to URL --out test/corpus/VERSION/recording.har`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createGateway, manualClock } from '../dist/index.js'
import { createNgrok } from '../dist/ngrok.js'
import { sqliteStore } from '../dist/node.js'

const SSH_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEH3IY4s2cSOuKj63wdOpGLQRkEbBGYbddAi683q3ewX ci@example.com'

const [folder] = process.argv.slice(2)
if (!folder) throw new Error('corpus.mjs needs a folder, for example test/corpus/0.1.0.')
mkdirSync(folder, { recursive: true })

const store = sqliteStore(join(folder, 'gateway.db'))
const isNgrok = folder.endsWith('-ngrok')
const gateway = (isNgrok ? createNgrok : createGateway)({
  store,
  clock: manualClock('2026-01-01T00:00:00Z'),
  seed: 'corpus',
  dns: 'simulated',
  authorityKeys: 'fresh',
  rateLimit: { requests: 1000 },
  account: { limits: { reserved_domains: { max: 100, window: '1h' } } },
  initial: { reservedAddrs: [{ description: 'initial' }] },
})
const { reservedDomains, provisioning, clock, dns } = gateway
const route = { edge_id: 'edghts_1', id: 'edghtsrt_1' }
const pem = (name) => readFileSync(new URL(`../test/fixtures/x509/${name}`, import.meta.url), 'utf8')

function managed(domain, private_key_type) {
  const policy = { authority: 'letsencrypt', private_key_type }
  const created = reservedDomains.create({ domain, certificate_management_policy: policy })
  dns.cname(domain, created.cname_target)
  return created
}

managed('issued.example.com', 'ecdsa')
const failing = managed('renewal-failing.example.com', 'rsa')
clock.advance('61d')
managed('failing.example.com', 'ecdsa')
provisioning.failNext('INTERNAL_ERROR', { domain: failing.domain })
provisioning.script(['DNS_ERROR', 'success'], { domain: 'failing.example.com' })
clock.advance('30s')
managed('provisioning.example.com', 'ecdsa')
reservedDomains.create({ domain: 'plain.example.com', description: 'd', metadata: 'm' })
gateway.reservedAddrs.create({ description: 'ü', region: 'eu' })
gateway.weightedBackends.create({ backends: { bkdhr_1: 1, bkdhr_2: 0 } })
gateway.tlsCertificates.create({ certificate_pem: pem('leaf-p256.pem'), private_key_pem: pem('key-p256.pem') })
gateway.compression.replace(route)
gateway.circuitBreaker.replace(route, { num_buckets: 5 })
gateway.webhookVerification.replace(route, { provider: 'github', secret: 'a secret of the corpus' })
gateway.trafficPolicy.replace(route, {
  inbound: [{ name: 'n', expressions: ['true'], actions: [{ type: 'deny', config: { status_code: 404 } }] }],
})
gateway.declare.edge(route.edge_id, { routes: [route.id] })
gateway.declare.endpointConfiguration('ec_1')
gateway.declare.backend('bkdhr_1')
provisioning.script(['DNS_ERROR', { outcome: 'DNS_ERROR', message: 'No such host.', retriesAfter: '5m' }])
provisioning.failAlways('DNS_ERROR', { domain: 'always.example.com' })
dns.a('a.example.com', '192.0.2.1')
dns.caa('caa.example.com', ['letsencrypt.org'], { after: '1h' })
gateway.faults.add({ operation: 'reserved_addrs.list', times: 2, after: 1, status: 503 })

if (isNgrok) furnish(gateway)

/** Makes something in each of ngrok's further families. */
function furnish({ declare, ...families }) {
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
    url: 'https://plain.example.com',
    traffic_policy: '{"on_http_request":[]}',
    bindings: ['public'],
  })
  declare.tunnelSession({ endpoints: [{ url: 'https://agent.ngrok-free.app' }] })
  declare.devDomain()
  declare.edgeEndpoint({ edge: 'edgtls_1', url: 'tls://tls.example.com:443' })
  declare.edge('edgtcp_1')
  families.routeTrafficPolicy.replace({ edge_id: 'edghts_1', id: 'edghtsrt_1' }, { value: '{"on_http_request":[]}' })
  families.tcpEdgeTrafficPolicy.replace('edgtcp_1', { value })
  families.tlsEdgeTrafficPolicy.replace('edgtls_1', { value })
  furnishEdges(families, value, { ip_policy_ids: [policy.id] })
}

/** Makes an edge of each kind, and a route, with a backend of each kind and all modules. */
function furnishEdges(families, value, ip_restriction) {
  const { id: backend_id } = families.tunnelGroupBackends.create({ labels: { team: 'web' } })
  const response = families.httpResponseBackends.create({ status_code: 503, headers: { 'Retry-After': '60' } })
  const address = families.staticBackends.create({ address: 'example.com:8080', tls: { enabled: true } })
  families.failoverBackends.create({ backends: [address.id, response.id] })
  const traffic = { backend: { backend_id }, ip_restriction, policy: {}, traffic_policy: { value } }
  const mutual_tls = { certificate_authority_ids: ['ca_1'] }
  const tls_termination = { min_version: '1.3' }
  const [{ addr }] = families.reservedAddrs.list().reserved_addrs
  families.tcpEdges.create({ hostports: [addr], ...traffic })
  families.tlsEdges.create({ hostports: ['failing.example.com:443'], ...traffic, mutual_tls, tls_termination })
  const { id } = families.httpsEdges.create({ hostports: ['issued.example.com:443'], mutual_tls, tls_termination })
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
    oidc: { issuer: 'https://accounts.example.com', ...signIn },
    saml: { idp_metadata_url: 'https://idp.example.com/metadata' },
  })
}

const snapshot = gateway.snapshot({ privateKeys: true })
const empty = Object.entries(snapshot.records).filter(([, rows]) => rows.length === 0)
if (empty.length > 0) throw new Error(`The corpus has no record of ${empty.map(([name]) => name).join(', ')}.`)
writeFileSync(join(folder, 'snapshot.json'), `${JSON.stringify(snapshot, null, 2)}\n`)
await store.flushed()
store.close()
