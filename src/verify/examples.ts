import { createAuthority } from '../service/x509/authority.ts'

/** The bodies that the scenario of a family sends. Texts may name values, as in steps. */
export interface FamilyExample {
  /** Resources of other families that it needs, by the names in the bodies, oldest first. */
  readonly needs?: Readonly<Record<string, Need>>
  /** A body with every field that needs no id of another account. */
  readonly create: ExampleBody
  /** A second body, with only the required fields. */
  readonly second: ExampleBody
  /** A change of the first resource. */
  readonly update: ExampleBody
  /** A filter of the list that selects only the first resource, after its change. */
  readonly filter?: string
  /**
   * Bodies of further creations, by what is wrong or special. A resource that one creates nevertheless is deleted at
   * once.
   */
  readonly refused?: Readonly<Record<string, ExampleBody>>
  /** Changes of the first resource that are refused, by what is wrong. */
  readonly refusedUpdates?: Readonly<Record<string, ExampleBody>>
}

/** A resource of another family. */
export interface Need {
  readonly family: string
  /** The path of its list. Default: the name of the family. */
  readonly path?: string
  readonly body: ExampleBody
}

export type ExampleBody = Readonly<Record<string, unknown>>

/** A certificate for tests and its key, to upload. */
export interface Upload {
  readonly certificate_pem: string
  readonly private_key_pem: string
}

/** A text that a service may cut, escape or normalise. */
const texts = { description: '{mark} “é” 🔑 <&> ', metadata: '{"run": "{mark}"}\n' }
/** The names of the two resources in families where names are unique. */
const [first, second, third] = ['{mark}-a', '{mark}-b', '{mark}-c']
const LONG = 'x'.repeat(5000)
const byMetadata = 'obj.metadata.contains("{mark}-changed")'
const changedTexts = { description: '{mark} changed ', metadata: '{mark}-changed\n' }
const DENY = '{"on_http_request":[{"actions":[{"type":"deny","config":{"status_code":404}}]}]}'
/** The bases of refused creations: an endpoint, and a rule of a policy. */
const endpoint = { ...texts, url: `https://${third}.internal`, traffic_policy: DENY }
const rule = { ...texts, ip_policy_id: '{policy}', cidr: '203.0.113.0/24', action: 'deny' }
/** A public key. Nobody has its private key. */
const SSH_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEH3IY4s2cSOuKj63wdOpGLQRkEbBGYbddAi683q3ewX ci@example.com'

/** Adds the texts to the example of a family. Each body that is left out consists of texts alone. */
const withTexts = ({ create, second: minimal, update, ...rest }: Partial<FamilyExample>): FamilyExample => ({
  create: { ...texts, ...create },
  second: minimal ?? { description: second },
  update: { ...changedTexts, ...update },
  ...rest,
})

/** Returns the example of each family, by the group of its operations. */
export function examplesWith({ certificate_pem, private_key_pem }: Upload): Readonly<Record<string, FamilyExample>> {
  const upload = { certificate_pem, private_key_pem }
  const authority = createAuthority('test', () => (size) => new Uint8Array(size)).certificatePem
  const families: Readonly<Record<string, Partial<FamilyExample>>> = {
    reserved_addrs: { create: { region: 'eu' }, filter: byMetadata },
    reserved_domains: {
      needs: { certificate: { family: 'tls_certificates', body: { ...upload, description: '{mark}' } } },
      create: {
        domain: `${first}.{domain}`,
        certificate_management_policy: { authority: 'letsencrypt', private_key_type: 'ecdsa' },
      },
      second: { domain: `${second}.{domain}`, certificate_id: '{certificate}' },
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
      second: { description: second, backends: { '{a}': 5 } },
      update: { backends: {} },
      filter: byMetadata,
      refused: { 'a weight that is too great': { ...texts, backends: { '{a}': 10_001 } } },
    },
    static_backends: {
      create: { address: 'example.com:8080', tls: { enabled: true } },
      second: { description: second, address: '192.0.2.1:80' },
      update: { address: 'other.example.com:443', tls: { enabled: false } },
      refused: { 'an address without a host': { ...texts, address: ':8080' } },
    },
    http_response_backends: {
      create: { body: 'Back soon.', headers: { 'Content-Type': 'text/plain' }, status_code: 503 },
      update: { body: 'Gone.', status_code: 404 },
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
      create: { backends: ['{child}'] },
      update: { backends: ['{child}'] },
      refused: { 'a backend of its own kind': { ...texts, backends: ['bkdfo_1'] } },
    },
    tunnel_group_backends: {
      create: { labels: { app: '{mark}', zone: 'a' } },
      second: { description: second, labels: { app: second } },
      update: { labels: { app: '{mark}' } },
    },
    tls_certificates: {
      create: upload,
      second: { description: second, ...upload },
      filter: 'obj.id == "{a}"',
      refused: {
        'certificate and key exchanged': {
          description: third,
          certificate_pem: private_key_pem,
          private_key_pem: certificate_pem,
        },
      },
    },
    api_keys: {},
    credentials: {
      create: { acl: ['bind:{mark}.example.com'] },
      update: { acl: ['bind:*.{mark}.example.com', 'bind:{mark}.example.com'] },
      refused: { 'a rule that is none': { ...texts, acl: ['nonsense'] } },
    },
    ssh_credentials: {
      create: { acl: ['bind:{mark}.example.com'], public_key: SSH_KEY },
      second: { description: second, public_key: OTHER_SSH_KEY },
      update: { acl: [] },
      refused: { 'a public key that there is already': { description: third, public_key: SSH_KEY } },
    },
    endpoints: {
      create: {
        url: `https://${first}.internal`,
        type: 'cloud',
        bindings: ['internal'],
        pooling_enabled: true,
        traffic_policy: DENY,
      },
      second: { description: second, url: `http://${second}.internal`, traffic_policy: DENY },
      update: { traffic_policy: '{}', pooling_enabled: false },
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
    ip_policies: { refused: { 'an action, which only rules have': { ...texts, action: 'allow' } } },
    ip_policy_rules: {
      needs: { policy: { family: 'ip_policies', body: { description: '{mark}' } } },
      create: { ip_policy_id: '{policy}', cidr: '192.0.2.0/24', action: 'allow' },
      second: { description: second, ip_policy_id: '{policy}', cidr: '2001:db8::/32', action: 'deny' },
      update: { cidr: '198.51.100.0/24', action: 'deny' },
      filter: 'obj.cidr == "198.51.100.0/24" && obj.ip_policy == "{policy}"',
      refused: {
        'a cidr without a mask': { ...rule, cidr: '203.0.113.1' },
        'a cidr with bits of the host': { ...rule, cidr: '203.0.113.1/24' },
        'a cidr that the policy has already': { ...rule, cidr: '192.0.2.0/24' },
      },
      refusedUpdates: { 'a cidr that is none': { cidr: 'nonsense' } },
    },
    certificate_authorities: {
      create: { ca_pem: authority },
      second: { description: second, ca_pem: authority },
      filter: byMetadata,
      refused: {
        'a certificate of no authority': { description: third, ca_pem: certificate_pem },
        'a key': { description: third, ca_pem: private_key_pem },
        'two certificates': { description: third, ca_pem: `${authority}${authority}` },
      },
    },
    ssh_certificate_authorities: {
      create: { private_key_type: 'ed25519' },
      refused: {
        'an unknown type of key': { ...texts, private_key_type: 'dsa' },
        'a curve of another type': { ...texts, private_key_type: 'rsa', elliptic_curve: 'nistp256' },
        'a size that is none': { ...texts, private_key_type: 'rsa', key_size: 1024 },
      },
    },
    ssh_host_certificates: sshCertificates({ principals: ['{mark}.example.com'] }),
    ssh_user_certificates: sshCertificates({ principals: ['{mark}'], extensions: {}, critical_options: {} }),
    event_destinations: {
      create: { format: 'json', target: { kinesis: kinesisOf('one') } },
      second: { description: second, format: 'json', target: { kinesis: kinesisOf('two') } },
      update: { target: { kinesis: kinesisOf('three') } },
      filter: byMetadata,
      refused: {
        'no target': { ...texts, format: 'json', target: {} },
        'an unknown format': { ...texts, format: 'xml', target: { kinesis: kinesisOf('one') } },
        'an ARN that is none': {
          ...texts,
          format: 'json',
          target: { kinesis: { ...kinesisOf('one'), stream_arn: 'x' } },
        },
      },
      refusedUpdates: { 'another kind of target': { target: { datadog: { api_key: 'not a key' } } } },
    },
    event_subscriptions: {
      create: { sources: [{ type: 'ip_policy_created.v0' }] },
      update: { sources: [{ type: 'ip_policy_updated.v0' }] },
      filter: byMetadata,
      refused: {
        'an unknown type of events': { ...texts, sources: [{ type: 'nonsense' }] },
        'a type twice': { ...texts, sources: [{ type: 'vault_created.v0' }, { type: 'vault_created.v0' }] },
        'an unknown destination': { ...texts, destination_ids: ['ed_1'] },
      },
    },
    endpoint_configurations: {
      create: { type: 'https', compression: { enabled: true }, request_headers: { remove: ['cache-control'] } },
      second: { description: second, type: 'tcp' },
      update: { compression: { enabled: false } },
      refused: {
        'an unknown type': { ...texts, type: 'udp' },
        'a module of another type': { ...texts, type: 'tcp', compression: {} },
      },
    },
    ip_restrictions: {
      needs: { policy: { family: 'ip_policies', body: { description: '{mark}' } } },
      create: { type: 'agent', ip_policy_ids: ['{policy}'] },
      second: { description: second, type: 'endpoints', ip_policy_ids: ['{policy}'] },
      update: { enforced: false },
      filter: byMetadata,
      refused: {
        'a type that another one has': { ...texts, type: 'agent', ip_policy_ids: ['{policy}'] },
        'no policy': { ...texts, type: 'api', ip_policy_ids: [] },
      },
    },
    agent_ingresses: {
      create: { domain: `${first}.example.org` },
      second: { description: second, domain: `${second}.example.org` },
      filter: `obj.domain == "${first}.example.org"`,
      refused: {
        'a domain that is taken': { ...texts, domain: `${first}.example.org` },
        'a domain that is none': { ...texts, domain: 'no domain' },
      },
    },
    ai_gateway_api_keys: {},
    ai_gateway_provider_keys: {
      needs: { key: { family: 'ai_gateway_api_keys', body: { description: '{mark}' } } },
      create: { ai_gateway_api_key_id: '{key}', provider_id: 'openai', value: 'not a key' },
      second: { description: second, ai_gateway_api_key_id: '{key}', provider_id: 'anthropic', value: 'none either' },
    },
    kubernetes_operators: {
      create: {
        region: 'global',
        enabled_features: ['Ingress'],
        deployment: { name: first, namespace: 'fauxgate', version: '1.0.0', cluster_name: 'verify' },
      },
      update: {
        enabled_features: ['bindings'],
        deployment: { version: '1.0.1' },
        binding: { endpoint_selectors: ['true'] },
      },
      refused: {
        'a selector that is none': { ...texts, enabled_features: ['bindings'], binding: { endpoint_selectors: ['('] } },
      },
    },
    vaults: {
      create: { name: first },
      second: { name: second },
      update: { name: third },
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
      create: { vault_id: '{vault}', name: first, value: 'not a secret' },
      second: { vault_name: '{mark}-vault', name: second, value: 'not a secret either' },
      update: { name: third, value: 'still none' },
      filter: `obj.name == "${third}"`,
      refused: { 'a name that is taken': { vault_id: '{vault}', name: first, value: 'none' } },
    },
  }
  const all = Object.entries(families).map(([name, example]) => [name, withTexts(example)])
  return { ...Object.fromEntries(all), bot_users: user, service_users: user }
}

/** Returns a target of Kinesis that does not exist. */
function kinesisOf(name: string) {
  const role_arn = 'arn:aws:iam::123456789012:role/fauxgate'
  return { stream_arn: `arn:aws:kinesis:us-east-1:123456789012:stream/${name}`, auth: { role: { role_arn } } }
}

function sshCertificates(own: ExampleBody): Partial<FamilyExample> {
  const ssh_certificate_authority_id = '{authority}'
  return {
    needs: { authority: { family: 'ssh_certificate_authorities', body: { description: '{mark}' } } },
    create: { ssh_certificate_authority_id, public_key: SSH_KEY, ...own },
    second: { description: second, ssh_certificate_authority_id, public_key: OTHER_SSH_KEY },
    refused: {
      'a key that is none': { ...texts, ssh_certificate_authority_id, public_key: 'nonsense' },
      'an unknown authority': { ...texts, ssh_certificate_authority_id: 'sshca_1', public_key: SSH_KEY },
    },
  }
}

const OTHER_SSH_KEY =
  'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBOCDj8XJev8zs3xLCS9lD+DThuxyUgLEFgSO9Krs05Zp3xzBV1i4vV/CPPvM3WSIUEEN2yhn/dZ/cIbeNYGOzrU= ci@example.com'

const user: FamilyExample = {
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
