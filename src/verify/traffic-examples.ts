import { byMetadata, DENY, type FamilyExample, type Need, type Upload } from './example.ts'
import { AUTHORITY, first, second, texts, third } from './field-values.ts'

const policies: Readonly<Record<string, Need>> = {
  policy: { family: 'ip_policies', body: { description: '{mark}' } },
  other_policy: { family: 'ip_policies', body: { description: '{mark}-other' } },
}

const configurationOf = (type: string): Need => ({
  family: 'endpoint_configurations',
  body: { description: '{mark}', type },
})

/** Returns the examples for the families that serve traffic: addresses, domains, certificates, endpoints, backends, and IP policies. */
export function trafficExamples({ certificate_pem, private_key_pem }: Upload): Readonly<Record<string, FamilyExample>> {
  const upload = { certificate_pem, private_key_pem }
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
        'an invalid domain': { domain: `${third}..{domain}` },
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
      creations: { 'an invalid header': { ...texts, headers: { 'a b': 'c' } } },
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
      creations: { 'a backend of the same kind': { ...texts, backends: ['{a}'] } },
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
        'certificate and key swapped': {
          description: third,
          certificate_pem: private_key_pem,
          private_key_pem: certificate_pem,
        },
        'a certificate twice': { ...upload, description: third, certificate_pem: certificate_pem + certificate_pem },
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
          'an invalid policy': { traffic_policy: '[]' },
          'an unknown action': { traffic_policy: DENY.replace('deny', 'nonsense') },
          'a policy in YAML': { traffic_policy: 'on_http_request:\n  - actions:\n      - type: deny\n' },
          'a binding that does not match': { bindings: ['public'] },
          'a URL with a port': { url: `https://{mark}-d.internal:844` },
          'a URL with a path': { url: `https://{mark}-d.internal/a` },
          'a URL of another scheme': { url: `tcp://{mark}-d.internal:1` },
          'a URL that another endpoint has': { url: `https://${first}.internal`, pooling_enabled: false },
          'a URL that a pool has': { url: `https://${first}.internal`, pooling_enabled: true },
        }).map(([what, body]) => [what, { ...texts, url: 'https://{mark}-d.internal', traffic_policy: DENY, ...body }]),
      ),
      changes: {
        'another scheme': { url: `tcp://${first}.internal:1` },
        'an invalid policy': { traffic_policy: '[]' },
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
          'with host bits set': '203.0.113.1/24',
          'in capitals': '2001:DB8:1::/48',
          'with leading zeros': '2001:0db8:0002:0000::/64',
          'that the policy already has': '192.0.2.0/24',
          'with a mask that is too long': '203.0.113.0/33',
        }).map(([what, cidr]) => [`a cidr ${what}`, { ...texts, ip_policy_id: '{policy}', cidr, action: 'deny' }]),
      ),
      changes: {
        'a cidr in capitals': { cidr: '2001:DB8:1::/48' },
        'a CIDR with host bits set': { cidr: '203.0.113.1/24' },
      },
    },
    certificate_authorities: {
      values: { ca_pem: [AUTHORITY] },
      second: { description: second, ca_pem: AUTHORITY },
      filter: byMetadata,
      creations: {
        'a certificate that is not an authority': { description: third, ca_pem: certificate_pem },
        'a key': { description: third, ca_pem: private_key_pem },
        'two certificates': { description: third, ca_pem: `${AUTHORITY}${AUTHORITY}` },
      },
    },
    endpoint_configurations: {
      needs: {
        ...policies,
        authority: { family: 'certificate_authorities', body: { ca_pem: AUTHORITY, description: '{mark}' } },
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
      creations: { 'an invalid domain': { ...texts, domain: 'no domain' } },
    },
  }
}
