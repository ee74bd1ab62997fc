import { createAuthority } from '../service/x509/authority.ts'
import { CSR, first, OTHER_SSH_KEY, SSH_KEY, second, THIRD_SSH_KEY, texts, third } from './field-values.ts'
import type { FieldValues } from './values.ts'

/**
 * The values of a family's scenario that its schemas do not tell. Bodies have an example of each field. Texts may name values,
 * as in steps.
 */
export interface FamilyExample {
  /** Resources of other families that it needs, by the names in the bodies, oldest first. */
  readonly needs?: Readonly<Record<string, Need>>
  /** The values of fields: that of the creation, and that of the change. Null leaves a field out of one of them. */
  readonly values?: FieldValues
  /** The body of a second resource, with few fields. Default: a description. */
  readonly second?: ExampleBody
  /** A filter of the list that selects only the first resource, after its change. */
  readonly filter?: string
  /** Further creations, by what is special. A resource that one creates is deleted at once. */
  readonly creations?: Readonly<Record<string, ExampleBody>>
  /** Further changes of the first resource, by what is special. */
  readonly changes?: Readonly<Record<string, ExampleBody>>
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

const byMetadata = 'obj.metadata.contains("{mark}-changed")'
const DENY = '{"on_http_request":[{"actions":[{"type":"deny","config":{"status_code":404}}]}]}'

const policies: Readonly<Record<string, Need>> = {
  policy: { family: 'ip_policies', body: { description: '{mark}' } },
  other_policy: { family: 'ip_policies', body: { description: '{mark}-other' } },
}

const configurationOf = (type: string): Need => ({
  family: 'endpoint_configurations',
  body: { description: '{mark}', type },
})

/** The values of the fields of keys and credentials that somebody owns. */
const owned = {
  needs: { owner: { family: 'bot_users', body: { name: '{mark}-owner' } } },
  values: { owner_id: ['{owner}'], owner_email: [null], scim_user_id: [null], precomputed_token: [null] },
  creations: {
    'an owner by e-mail address': { ...texts, owner_email: '{mark}@example.com' },
    'an owner by SCIM id': { ...texts, scim_user_id: '{mark}-1' },
    'two owners': { ...texts, owner_email: '{mark}@example.com', scim_user_id: '{mark}-1' },
    'a token of its own': { ...texts, precomputed_token: 'not a token' },
  },
}

/** Returns the example of each family, by the group of its operations. */
export function examplesWith({ certificate_pem, private_key_pem }: Upload): Readonly<Record<string, FamilyExample>> {
  const upload = { certificate_pem, private_key_pem }
  const authority = createAuthority('test', () => (size) => new Uint8Array(size)).certificatePem
  return {
    reserved_addrs: {
      needs: { configuration: configurationOf('tcp') },
      values: { region: ['eu'], endpoint_configuration_id: ['{configuration}'] },
      filter: byMetadata,
    },
    reserved_domains: {
      needs: {
        certificate: { family: 'tls_certificates', body: { ...upload, description: '{mark}' } },
        http: configurationOf('http'),
        https: configurationOf('https'),
      },
      values: {
        domain: [`${first}.{domain}`, null],
        region: ['eu', null],
        certificate_id: [null, '{certificate}'],
        certificate_management_policy: [{ authority: 'letsencrypt', private_key_type: 'ecdsa' }, null],
        http_endpoint_configuration_id: ['{http}'],
        https_endpoint_configuration_id: ['{https}'],
        resolves_to: [[{ value: 'us' }, { value: 'eu' }], [{ value: 'global' }]],
        error_redirect_url: ['https://example.com/Down?a=b', 'http://example.com'],
      },
      second: { domain: `${second}.{domain}`, certificate_id: '{certificate}' },
      filter: `obj.domain == "${first}.{domain}"`,
      creations: {
        'a domain that is none': { domain: `${third}..{domain}` },
        'a wildcard': { domain: `*.${third}.{domain}` },
        'a period at its end': { domain: `${third}.{domain}.` },
        'a policy and a certificate': {
          domain: `${third}.{domain}`,
          certificate_id: '{certificate}',
          certificate_management_policy: { authority: 'letsencrypt' },
        },
      },
      changes: {
        'another domain': { domain: `${third}.{domain}` },
        'a policy again': { certificate_management_policy: { authority: 'letsencrypt', private_key_type: 'rsa' } },
      },
    },
    weighted_backends: {
      needs: { child: { family: 'weighted_backends', path: '/backends/weighted', body: { description: '{mark}' } } },
      values: { backends: [{ '{child}': 3 }, {}] },
      second: { description: second, backends: { '{a}': 5 } },
      changes: { 'its backends again': { backends: { '{child}': 0 } } },
    },
    static_backends: {
      values: {
        address: ['Example.com:8080', 'other.example.com:443'],
        tls: [{ enabled: true }, { enabled: false }],
      },
      second: { description: second, address: '192.0.2.1:80' },
      creations: { 'an address without a host': { ...texts, address: ':8080' } },
    },
    http_response_backends: {
      values: {
        body: ['Back soon.\n', 'Gone.'],
        headers: [{ 'Content-Type': 'text/plain', 'x-Other': '1' }, { 'x-a': '' }],
        status_code: [503, 404],
      },
      creations: { 'a header that is none': { ...texts, headers: { 'a b': 'c' } } },
    },
    failover_backends: {
      needs: Object.fromEntries(
        ['child', 'other_child'].map((name) => [
          name,
          {
            family: 'static_backends',
            path: '/backends/static',
            body: { description: '{mark}', address: 'example.com:80' },
          },
        ]),
      ),
      values: { backends: [['{other_child}', '{child}'], ['{child}']] },
      creations: { 'a backend of its own kind': { ...texts, backends: ['{a}'] } },
    },
    tunnel_group_backends: {
      values: { labels: [{ app: '{mark}', zone: 'a' }, { app: '{mark}' }] },
      second: { description: second, labels: { app: second } },
    },
    tls_certificates: {
      values: { certificate_pem: [certificate_pem], private_key_pem: [private_key_pem] },
      second: { description: second, ...upload },
      filter: 'obj.id == "{a}"',
      creations: {
        'certificate and key exchanged': {
          description: third,
          certificate_pem: private_key_pem,
          private_key_pem: certificate_pem,
        },
        'a certificate twice': { ...upload, description: third, certificate_pem: certificate_pem + certificate_pem },
      },
    },
    api_keys: owned,
    credentials: {
      ...owned,
      values: {
        ...owned.values,
        acl: [
          ['bind:{mark}.example.com', 'bind:*.{mark}.example.com'],
          ['bind:*.{mark}.example.com', '*'],
        ],
      },
    },
    ssh_credentials: {
      ...owned,
      values: { ...owned.values, acl: [['bind:{mark}.example.com', 'bind:b.example.com'], []], public_key: [SSH_KEY] },
      second: { description: second, public_key: OTHER_SSH_KEY },
      creations: {
        'an owner by e-mail address': { ...texts, public_key: THIRD_SSH_KEY, owner_email: '{mark}@example.com' },
        'an owner by SCIM id': { ...texts, public_key: THIRD_SSH_KEY, scim_user_id: '{mark}-1' },
      },
    },
    endpoints: {
      values: {
        url: [`https://${first}.internal`, `https://${third}.internal`],
        type: ['cloud'],
        bindings: [['internal']],
        pooling_enabled: [true, false],
        traffic_policy: [DENY, DENY.replace('404', '403')],
      },
      second: { description: second, url: `http://${second}.internal`, traffic_policy: DENY },
      filter: `obj.url == "https://${third}.internal"`,
      creations: Object.fromEntries(
        Object.entries({
          'a policy that is none': { traffic_policy: '[]' },
          'an unknown action': { traffic_policy: DENY.replace('deny', 'nonsense') },
          'a policy in YAML': { traffic_policy: 'on_http_request:\n  - actions:\n      - type: deny\n' },
          'a binding that does not fit': { bindings: ['public'] },
          'a URL with a port': { url: `https://{mark}-d.internal:844` },
          'a URL with a path': { url: `https://{mark}-d.internal/a` },
          'a URL of another scheme': { url: `tcp://{mark}-d.internal:1` },
          'a URL that another endpoint has': { url: `https://${first}.internal`, pooling_enabled: false },
          'a URL that a pool has': { url: `https://${first}.internal`, pooling_enabled: true },
        }).map(([what, body]) => [what, { ...texts, url: 'https://{mark}-d.internal', traffic_policy: DENY, ...body }]),
      ),
      changes: {
        'another scheme': { url: `tcp://${first}.internal:1` },
        'a policy that is none': { traffic_policy: '[]' },
      },
    },
    ip_policies: {
      values: { action: [null] },
      creations: { 'an action, which only rules have': { ...texts, action: 'allow' } },
      changes: { 'an action, which only rules have': { action: 'allow' } },
    },
    ip_policy_rules: {
      needs: policies,
      values: {
        ip_policy_id: ['{policy}'],
        cidr: ['192.0.2.0/24', '198.51.100.0/24'],
        action: ['allow', 'deny'],
      },
      second: { description: second, ip_policy_id: '{policy}', cidr: '2001:db8::/32', action: 'deny' },
      filter: 'obj.cidr == "198.51.100.0/24" && obj.ip_policy == "{policy}"',
      creations: Object.fromEntries(
        Object.entries({
          'without a mask': '203.0.113.1',
          'of one host': '203.0.113.1/32',
          'of everything': '0.0.0.0/0',
          'with bits of the host': '203.0.113.1/24',
          'in capitals': '2001:DB8:1::/48',
          'with leading zeros': '2001:0db8:0002:0000::/64',
          'that the policy has already': '192.0.2.0/24',
          'with a mask that is too long': '203.0.113.0/33',
        }).map(([what, cidr]) => [`a cidr ${what}`, { ...texts, ip_policy_id: '{policy}', cidr, action: 'deny' }]),
      ),
      changes: {
        'a cidr in capitals': { cidr: '2001:DB8:1::/48' },
        'a cidr with bits of the host': { cidr: '203.0.113.1/24' },
      },
    },
    certificate_authorities: {
      values: { ca_pem: [authority] },
      second: { description: second, ca_pem: authority },
      filter: byMetadata,
      creations: {
        'a certificate of no authority': { description: third, ca_pem: certificate_pem },
        'a key': { description: third, ca_pem: private_key_pem },
        'two certificates': { description: third, ca_pem: `${authority}${authority}` },
      },
    },
    ssh_certificate_authorities: {
      values: { private_key_type: ['ecdsa'], elliptic_curve: ['nistp384'], key_size: [null] },
      creations: {
        'a size': { ...texts, private_key_type: 'rsa', key_size: 4096 },
        'a curve of another type': { ...texts, private_key_type: 'rsa', elliptic_curve: 'nistp256' },
        'a size that is none': { ...texts, private_key_type: 'rsa', key_size: 1024 },
      },
    },
    ssh_host_certificates: sshCertificates({ principals: [['{mark}.example.com', 'a.example.com']] }),
    ssh_user_certificates: sshCertificates({
      principals: [['{mark}', 'a']],
      critical_options: [{ 'force-command': 'ls' }],
      extensions: [{ 'permit-x11-forwarding': '' }],
    }),
    event_destinations: {
      values: { format: ['json'] },
      second: {
        description: second,
        format: 'json',
        target: { datadog: { api_key: 'not a key', ddsite: 'datadoghq.eu' } },
      },
      filter: byMetadata,
      creations: { 'no target': { ...texts, format: 'json', target: {} } },
      changes: { 'another kind of target': { target: { datadog: { api_key: 'not a key' } } } },
    },
    event_subscriptions: {
      needs: Object.fromEntries(
        ['destination', 'other_destination'].map((name) => [
          name,
          {
            family: 'event_destinations',
            body: { description: '{mark}', format: 'json', target: { datadog: { api_key: 'not a key' } } },
          },
        ]),
      ),
      values: {
        sources: [
          [{ type: 'ip_policy_updated.v0' }, { type: 'ip_policy_created.v0' }],
          [{ type: 'ip_policy_deleted.v0' }],
        ],
        destination_ids: [['{other_destination}', '{destination}'], ['{destination}']],
        type: ['ip_policy_updated.v0', 'ip_policy_created.v0'],
      },
      filter: byMetadata,
      creations: {
        'a type twice': { ...texts, sources: [{ type: 'vault_created.v0' }, { type: 'vault_created.v0' }] },
        'an unknown type of events': { ...texts, sources: [{ type: 'nonsense' }] },
      },
    },
    endpoint_configurations: {
      needs: {
        ...policies,
        authority: { family: 'certificate_authorities', body: { ca_pem: authority, description: '{mark}' } },
      },
      values: { type: ['https'] },
      second: { description: second, type: 'tcp' },
      creations: { 'a module of another type': { ...texts, type: 'tcp', compression: {} } },
    },
    ip_restrictions: {
      needs: policies,
      values: { type: ['agent'], enforced: [true, false] },
      second: { description: second, type: 'endpoints', ip_policy_ids: ['{policy}'] },
      filter: byMetadata,
      creations: { 'a type that another one has': { ...texts, type: 'agent', ip_policy_ids: ['{policy}'] } },
    },
    agent_ingresses: {
      values: {
        domain: [`${first}.example.org`],
        certificate_management_policy: [
          { authority: 'letsencrypt', private_key_type: 'ecdsa' },
          { authority: 'letsencrypt', private_key_type: 'rsa' },
        ],
      },
      second: { description: second, domain: `${second}.example.org` },
      filter: `obj.domain == "${first}.example.org"`,
      creations: { 'a domain that is none': { ...texts, domain: 'no domain' } },
    },
    ai_gateway_api_keys: {
      needs: Object.fromEntries(
        ['endpoint', 'other_endpoint'].map((name) => [
          name,
          { family: 'endpoints', body: { url: `https://{mark}-${name.length}.internal`, traffic_policy: DENY } },
        ]),
      ),
      values: {
        endpoint_id: ['{endpoint}', '{other_endpoint}'],
        provider_id: ['openai', 'anthropic'],
      },
    },
    ai_gateway_provider_keys: {
      needs: {
        key: { family: 'ai_gateway_api_keys', body: { description: '{mark}' } },
        other_key: { family: 'ai_gateway_api_keys', body: { description: '{mark}-other' } },
      },
      values: { ai_gateway_api_key_id: ['{key}'], provider_id: ['openai'], value: ['not a key at all'] },
      second: { description: second, ai_gateway_api_key_id: '{key}', provider_id: 'anthropic', value: 'none either' },
      creations: {
        'the same for another key': {
          ...texts,
          ai_gateway_api_key_id: '{other_key}',
          provider_id: 'openai',
          value: 'not a key at all',
        },
      },
    },
    kubernetes_operators: {
      values: {
        region: ['global', 'eu'],
        enabled_features: [['Ingress', 'bindings'], ['bindings']],
        endpoint_selectors: [['true', 'endpoint.type == "cloud"'], ['true']],
        csr: [null],
        name: [first, second],
        ingress_endpoint: ['ingress.example.com:443', 'other.example.com:443'],
      },
      creations: { 'a request for a certificate': { ...texts, enabled_features: ['bindings'], binding: { csr: CSR } } },
      changes: { 'a request for a certificate': { binding: { csr: CSR } } },
    },
    vaults: {
      values: { name: [first, third] },
      second: { name: second },
      filter: `obj.name == "${third}"`,
      creations: { 'a name with a blank': { name: '{mark} d' }, ...namesOf({}) },
    },
    vault_secrets: {
      needs: Object.fromEntries(
        ['vault', 'other_vault'].map((name) => [name, { family: 'vaults', body: { name: `{mark}-${name}` } }]),
      ),
      values: {
        name: [first, third],
        value: ['not a secret ', 'still none'],
        vault_id: ['{vault}'],
        vault_name: [null],
      },
      second: { vault_name: '{mark}-vault', name: second, value: 'not a secret either' },
      filter: `obj.name == "${third}"`,
      creations: {
        'the name of a secret in another vault': { ...texts, vault_id: '{other_vault}', name: first, value: 'none' },
        'the name of another vault': {
          ...texts,
          vault_id: '{vault}',
          vault_name: '{mark}-other_vault',
          name: '{mark}-d',
        },
        'the name of no vault': { vault_name: '{mark}-no-vault', name: '{mark}-d', value: 'none' },
        ...namesOf({ vault_id: '{vault}', value: 'none' }),
      },
    },
    bot_users: user,
    service_users: user,
  }
}

/** Returns bodies with names that a service may refuse. */
function namesOf(more: ExampleBody): Readonly<Record<string, ExampleBody>> {
  return {
    'a name that is too long': { ...more, name: `{mark}${'x'.repeat(300)}` },
    'a name with other letters': { ...more, name: '{mark}-é/_.' },
  }
}

function sshCertificates(values: FieldValues): FamilyExample {
  const ssh_certificate_authority_id = '{authority}'
  return {
    needs: { authority: { family: 'ssh_certificate_authorities', body: { description: '{mark}' } } },
    values: {
      ssh_certificate_authority_id: [ssh_certificate_authority_id],
      public_key: [SSH_KEY],
      valid_after: ['2031-01-01T00:00:00Z'],
      valid_until: ['2032-01-01T02:00:00.75+02:00'],
      ...values,
    },
    second: { description: second, ssh_certificate_authority_id, public_key: OTHER_SSH_KEY },
    creations: {
      'an end before its beginning': {
        ...texts,
        ssh_certificate_authority_id,
        public_key: SSH_KEY,
        valid_after: '2032-01-01T00:00:00Z',
        valid_until: '2031-01-01T00:00:00Z',
      },
    },
  }
}

const user: FamilyExample = {
  values: { name: [first, third], active: [false, true] },
  second: { name: second },
  filter: `obj.name == "${third}"`,
  creations: namesOf({}),
}
