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
    create: () => ({ ...texts, backends: { bkdhr_2AbCdEfGhIjKlMnOpQrStUvWxYz: 5 } }),
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
