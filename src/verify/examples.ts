import type { Body, Example, Upload } from './example.ts'

/** A text that a service may cut, escape or normalise. */
const texts = { description: '{mark} “é” 🔑 <&> ', metadata: '{"run": "{mark}"}\n' }
/** The names of the two resources in families where names are unique. */
const [first, second, third] = ['{mark}-a', '{mark}-b', '{mark}-c']
const LONG = 'x'.repeat(5000)
const isMine = 'obj.metadata.contains("{mark}-changed")'
const changedTexts = { description: '{mark} changed ', metadata: '{mark}-changed\n' }
const DENY = '{"on_http_request":[{"actions":[{"type":"deny","config":{"status_code":404}}]}]}'
/** The bases of refused creations: an endpoint, and a rule of a policy. */
const endpoint = { ...texts, url: `https://${third}.internal`, traffic_policy: DENY }
const rule = { ...texts, ip_policy_id: '{policy}', cidr: '203.0.113.0/24', action: 'deny' }
/** A public key. Nobody has its private key. */
const SSH_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEH3IY4s2cSOuKj63wdOpGLQRkEbBGYbddAi683q3ewX ci@example.com'

const owned = (create: Body, update: Body = {}): Example => ({
  create: { ...texts, ...create },
  second: { description: second, ...(create.public_key ? { public_key: SSH_KEY } : {}) },
  update: { ...changedTexts, ...update },
})

/** The example of each family, by the group of its operations. */
export function examplesWith({ certificate_pem, private_key_pem }: Upload): Readonly<Record<string, Example>> {
  const upload = { certificate_pem, private_key_pem }
  return {
    reserved_addrs: {
      create: { ...texts, region: 'eu' },
      second: { description: second },
      update: changedTexts,
      filter: isMine,
    },
    reserved_domains: {
      needs: { certificate: { family: 'tls_certificates', body: { ...upload, description: '{mark}' } } },
      create: {
        ...texts,
        domain: `${first}.{domain}`,
        certificate_management_policy: { authority: 'letsencrypt', private_key_type: 'ecdsa' },
      },
      second: { domain: `${second}.{domain}`, certificate_id: '{certificate}' },
      update: changedTexts,
      filter: `obj.domain == "${first}.{domain}"`,
      refused: {
        'capital letters in its name': { domain: `{mark}-D.{domain}` },
        'a domain that is already reserved': { domain: `${first}.{domain}` },
        'a domain that is none': { domain: `${third}..{domain}` },
        'a policy and a certificate': {
          domain: `${third}.{domain}`,
          certificate_id: '{certificate}',
          certificate_management_policy: { authority: 'letsencrypt' },
        },
        'an unknown authority': {
          domain: `${third}.{domain}`,
          certificate_management_policy: { authority: 'nobody' },
        },
      },
      refusedUpdates: {
        'an unknown type of key': {
          certificate_management_policy: { authority: 'letsencrypt', private_key_type: 'dsa' },
        },
      },
    },
    weighted_backends: {
      create: texts,
      second: { description: second, backends: { '{a}': 5 } },
      update: { ...changedTexts, backends: {} },
      filter: isMine,
      refused: { 'a weight that is too great': { ...texts, backends: { '{a}': 10_001 } } },
    },
    static_backends: {
      create: { ...texts, address: 'example.com:8080', tls: { enabled: true } },
      second: { description: second, address: '192.0.2.1:80' },
      update: { ...changedTexts, address: 'other.example.com:443', tls: { enabled: false } },
      refused: {
        'an address without a host': { ...texts, address: ':8080' },
      },
    },
    http_response_backends: {
      create: { ...texts, body: 'Back soon.', headers: { 'Content-Type': 'text/plain' }, status_code: 503 },
      second: { description: second },
      update: { ...changedTexts, body: 'Gone.', status_code: 404 },
      refused: {
        'a status that is none': { ...texts, status_code: 99 },
        'a header that is none': { ...texts, headers: { 'a b': 'c' } },
      },
    },
    failover_backends: {
      needs: {
        child: {
          family: 'static_backends',
          path: '/backends/static',
          body: { description: '{mark}', address: 'example.com:80' },
        },
      },
      create: { ...texts, backends: ['{child}'] },
      second: { description: second },
      update: { ...changedTexts, backends: ['{child}'] },
      refused: {
        'a backend of its own kind': { ...texts, backends: ['bkdfo_1'] },
      },
    },
    tunnel_group_backends: {
      create: { ...texts, labels: { app: '{mark}', zone: 'a' } },
      second: { description: second, labels: { app: second } },
      update: { ...changedTexts, labels: { app: '{mark}' } },
    },
    tls_certificates: {
      create: { ...texts, ...upload },
      second: { description: second, ...upload },
      update: changedTexts,
      filter: 'obj.id == "{a}"',
      refused: {
        'certificate and key exchanged': {
          description: third,
          certificate_pem: private_key_pem,
          private_key_pem: certificate_pem,
        },
      },
    },
    api_keys: owned({}),
    credentials: {
      ...owned({ acl: ['bind:{mark}.example.com'] }, { acl: ['bind:*.{mark}.example.com', 'bind:{mark}.example.com'] }),
      refused: { 'a rule that is none': { ...texts, acl: ['nonsense'] } },
    },
    ssh_credentials: {
      create: { ...texts, acl: ['bind:{mark}.example.com'], public_key: SSH_KEY },
      second: { description: second, public_key: OTHER_SSH_KEY },
      update: { ...changedTexts, acl: [] },
      refused: {
        'a public key that there is already': { description: third, public_key: SSH_KEY },
      },
    },
    bot_users: user,
    service_users: user,
    endpoints: {
      create: {
        ...texts,
        url: `https://${first}.internal`,
        type: 'cloud',
        bindings: ['internal'],
        pooling_enabled: true,
        traffic_policy: DENY,
      },
      second: { description: second, url: `http://${second}.internal`, traffic_policy: DENY },
      update: { ...changedTexts, traffic_policy: '{}', pooling_enabled: false },
      filter: `obj.url == "https://${first}.internal"`,
      refused: {
        'a URL that is none': { ...endpoint, url: 'nonsense' },
        'a policy that is none': { ...endpoint, traffic_policy: '[]' },
        'an unknown action': { ...endpoint, traffic_policy: DENY.replace('deny', 'nonsense') },
        'a binding that does not fit': { ...endpoint, bindings: ['public'] },
        'a URL that another endpoint has': { ...endpoint, url: `https://${first}.internal` },
      },
      refusedUpdates: {
        'another scheme': { url: `tcp://${first}.internal:1` },
        'a policy that is none': { traffic_policy: '[]' },
      },
    },
    ip_policies: {
      create: texts,
      second: { description: second },
      update: changedTexts,
      refused: { 'an action, which only rules have': { ...texts, action: 'allow' } },
    },
    ip_policy_rules: {
      needs: { policy: { family: 'ip_policies', body: { description: '{mark}' } } },
      create: { ...texts, ip_policy_id: '{policy}', cidr: '192.0.2.0/24', action: 'allow' },
      second: { description: second, ip_policy_id: '{policy}', cidr: '2001:db8::/32', action: 'deny' },
      update: { ...changedTexts, cidr: '198.51.100.0/24', action: 'deny' },
      filter: 'obj.cidr == "198.51.100.0/24" && obj.ip_policy == "{policy}"',
      refused: {
        'a cidr without a mask': { ...rule, cidr: '203.0.113.1' },
        'a cidr with bits of the host': { ...rule, cidr: '203.0.113.1/24' },
        'a cidr that the policy has already': { ...rule, cidr: '192.0.2.0/24' },
      },
      refusedUpdates: { 'a cidr that is none': { cidr: 'nonsense' } },
    },
    kubernetes_operators: {
      create: {
        ...texts,
        region: 'global',
        enabled_features: ['Ingress'],
        deployment: { name: first, namespace: 'fauxgate', version: '1.0.0', cluster_name: 'verify' },
      },
      second: { description: second },
      update: {
        ...changedTexts,
        enabled_features: ['bindings'],
        deployment: { version: '1.0.1' },
        binding: { endpoint_selectors: ['true'] },
      },
      refused: {
        'a selector that is none': { ...texts, enabled_features: ['bindings'], binding: { endpoint_selectors: ['('] } },
      },
    },
    vaults: {
      create: { ...texts, name: first },
      second: { name: second },
      update: { ...changedTexts, name: third },
      filter: `obj.name == "${third}"`,
      refused: {
        'a name with a blank': { name: '{mark} d' },
        'a name that is too long': { name: `{mark}${LONG.slice(0, 300)}` },
        'a name that is taken': { name: first },
      },
      refusedUpdates: { 'a name that is taken': { name: second } },
    },
    vault_secrets: {
      needs: { vault: { family: 'vaults', body: { name: '{mark}-vault' } } },
      create: { ...texts, vault_id: '{vault}', name: first, value: 'not a secret' },
      second: { vault_name: '{mark}-vault', name: second, value: 'not a secret either' },
      update: { ...changedTexts, name: third, value: 'still none' },
      filter: `obj.name == "${third}"`,
      refused: {
        'a name that is taken': { vault_id: '{vault}', name: first, value: 'none' },
      },
    },
  }
}

const OTHER_SSH_KEY =
  'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBOCDj8XJev8zs3xLCS9lD+DThuxyUgLEFgSO9Krs05Zp3xzBV1i4vV/CPPvM3WSIUEEN2yhn/dZ/cIbeNYGOzrU= ci@example.com'

const user: Example = {
  create: { name: first, active: false },
  second: { name: second },
  update: { name: third, active: true },
  filter: `obj.name == "${third}"`,
  refused: {
    'a name that is taken': { name: first },
    'a name that is too long': { name: `{mark}${LONG.slice(0, 300)}` },
  },
  refusedUpdates: { 'a name that is taken': { name: second } },
}
