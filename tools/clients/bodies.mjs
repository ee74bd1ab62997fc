// The bodies that the official clients send: see tools/clients.mjs.
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'

const pem = (name) => readFileSync(new URL(`../../test/fixtures/x509/${name}.pem`, import.meta.url), 'utf8')
export const texts = { description: 'made by a client', metadata: '{"by":"a client"}' }
const DENY = '{"on_http_request":[{"actions":[{"type":"deny"}]}]}'

/** Returns a public key in one line, as OpenSSH has it. */
function sshKey() {
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  const parts = [Buffer.from('ssh-ed25519'), Buffer.from(x, 'base64url')]
  const length = (part) => Buffer.from([0, 0, 0, part.length])
  return `ssh-ed25519 ${Buffer.concat(parts.flatMap((part) => [length(part), part])).toString('base64')}`
}

/**
 * The bodies that create the n-th of a family and change it, and its path where that is not its name. Java demands the
 * first fields, in this order.
 */
export const FAMILIES = {
  api_keys: { create: () => texts },
  bot_users: { create: (n) => ({ name: `bot ${n}`, active: true }), update: { active: false } },
  service_users: { create: (n) => ({ name: `service ${n}`, active: true }), update: { name: 'renamed' } },
  credentials: { create: () => ({ ...texts, acl: ['bind:*.example.com'] }), update: { acl: ['bind:a.example.com'] } },
  ssh_credentials: { create: () => ({ public_key: sshKey(), ...texts, acl: [] }), update: { metadata: 'changed' } },
  endpoints: {
    create: (n) => ({
      url: `https://e${n}.example.com`,
      type: 'cloud',
      traffic_policy: DENY,
      bindings: ['public'],
      pooling_enabled: true,
      ...texts,
    }),
    update: { traffic_policy: `${DENY}\n` },
  },
  ip_policies: { create: () => texts },
  ip_policy_rules: {
    create: (n, { policy }) => ({ cidr: `192.0.2.${n}/32`, ip_policy_id: policy, action: 'allow', ...texts }),
    update: { cidr: '198.51.100.0/24' },
  },
  kubernetes_operators: {
    create: (n) => ({
      ...texts,
      enabled_features: ['bindings', 'Ingress'],
      region: 'global',
      deployment: { name: `operator ${n}`, namespace: 'ngrok', version: '1', cluster_name: 'prod' },
      binding: { endpoint_selectors: ['true'] },
    }),
  },
  reserved_addrs: { create: () => ({ ...texts, region: 'eu' }) },
  reserved_domains: {
    create: (n) => ({ domain: `d${n}.example.com`, region: '', ...texts }),
    update: { metadata: 'changed' },
  },
  tls_certificates: {
    create: () => ({ certificate_pem: pem('leaf-p256'), private_key_pem: pem('key-p256'), ...texts }),
  },
  vaults: { create: (n) => ({ name: `vault-${n}`, ...texts }), update: { name: 'renamed' } },
  secrets: {
    path: 'vault_secrets',
    create: (n, { vault }) => ({ name: `secret-${n}`, value: 'hidden', vault_id: vault, ...texts }),
  },
  'backends.weighted': {
    create: (_, { language }) => ({
      ...texts,
      // The TypeScript client cannot send maps unchanged.
      ...(language !== 'typescript' && { backends: { bkdhr_2AbCdEfGhIjKlMnOpQrStUvWxYz: 5 } }),
    }),
  },
  'backends.tunnel_group': {
    create: () => ({ labels: { team: 'web' }, ...texts }),
    update: { labels: { team: 'mail' } },
  },
  'backends.failover': {
    create: () => ({ backends: ['bkdhr_2AbCdEfGhIjKlMnOpQrStUvWxYz'], ...texts }),
    update: { backends: ['bkdtg_2AbCdEfGhIjKlMnOpQrStUvWxYz'] },
  },
  'backends.http_response': {
    create: () => ({ body: 'Back soon.', headers: { server: 'web' }, status_code: 503, ...texts }),
    update: { status_code: 404 },
  },
  'backends.static_address': {
    path: 'backends/static',
    create: () => ({ address: 'example.com:8080', tls: { enabled: true }, ...texts }),
    update: { address: 'example.com:8081', tls: {} },
  },
  'edges.tcp': {
    create: (n, { addrs, policy }) => ({
      hostports: [addrs[n - 1]],
      backend: { enabled: true, backend_id: 'bkdtg_2AbCdEfGhIjKlMnOpQrStUvWxYz' },
      ip_restriction: { enabled: true, ip_policy_ids: [policy] },
      ...texts,
    }),
    update: { metadata: 'changed' },
  },
  'edges.tls': {
    create: (n) => ({
      hostports: [`tls${n}.example.com:443`],
      backend: { enabled: true, backend_id: 'bkdtg_2AbCdEfGhIjKlMnOpQrStUvWxYz' },
      tls_termination: { enabled: true, terminate_at: 'edge', min_version: '1.2' },
      ...texts,
    }),
    update: { hostports: ['changed.example.com:443'] },
  },
  'edges.https': {
    create: (n) => ({ hostports: [`https${n}.example.com:443`], ...texts }),
  },
}

/** The edges and the route whose modules are replaced: their ids in a call, and their paths. */
const ROUTE = { edge_id: 'edghts_2AbCdEfGhIjKlMnOpQrStUvWxYz', id: 'edghtsrt_2AbCdEfGhIjKlMnOpQrStUvWxYz' }
const OWNERS = {
  https_edge_route: { at: ROUTE, path: `edges/https/${ROUTE.edge_id}/routes/${ROUTE.id}` },
  tcp_edge: { at: { id: 'edgtcp_2AbCdEfGhIjKlMnOpQrStUvWxYz' }, path: 'edges/tcp/edgtcp_2AbCdEfGhIjKlMnOpQrStUvWxYz' },
  tls_edge: { at: { id: 'edgtls_2AbCdEfGhIjKlMnOpQrStUvWxYz' }, path: 'edges/tls/edgtls_2AbCdEfGhIjKlMnOpQrStUvWxYz' },
}
const POLICY = { enabled: true, value: '{"on_tcp_connect":[{"actions":[{"type":"deny"}]}]}' }

/** The modules of edges, by their owners. */
const OF_OWNERS = {
  https_edge_route: {
    // The Java client sends 0 for a missing number.
    circuit_breaker: {
      enabled: true,
      tripped_duration: 20,
      rolling_window: 30,
      num_buckets: 5,
      volume_threshold: 7,
      error_threshold_percentage: 0.25,
    },
    compression: { enabled: true },
    traffic_policy: { enabled: true, value: DENY },
    webhook_verification: { enabled: true, provider: 'github', secret: 's3cret' },
    request_headers: { enabled: true, add: { server: 'web' }, remove: ['accept'] },
    user_agent_filter: { enabled: true, allow: ['a'], deny: ['b'] },
  },
  tls_edge: {
    tls_termination: { enabled: true, terminate_at: 'edge', min_version: '1.3' },
    traffic_policy: POLICY,
  },
  tcp_edge: { traffic_policy: POLICY },
}

/** The modules of edges: the family, where each is, and what it is replaced by. */
export const MODULES = Object.entries(OF_OWNERS).flatMap(([owner, modules]) =>
  Object.entries(modules).map(([name, module]) => {
    const { at, path } = OWNERS[owner]
    return { family: `edge_modules.${owner}_${name}`, at, path: `${path}/${name}`, module }
  }),
)
