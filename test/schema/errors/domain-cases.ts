import { type Gateway, type GatewayOptions, ngrok } from '../../../src/index.ts'
import { upload } from '../../support/pem.ts'
import { type ErrorCase, wrong } from './error-case.ts'

const DOMAINS = '/reserved_domains'
const POLICY = { authority: 'letsencrypt' }

/** The error of a domain that cannot be created; `id` is that of what was set up. */
function ofCreation(
  key: ErrorCase['key'],
  bodyOf: (id: string) => object,
  rest: Pick<ErrorCase, 'says' | 'field' | 'setUp' | 'options'>,
): ErrorCase {
  return {
    key,
    send: (id) => ['POST', DOMAINS, { json: bodyOf(id) }],
    direct: (gateway, id) => gateway.reservedDomains.create(wrong(bodyOf(id))),
    ...rest,
  }
}

const domain = 'app.example.com'
const uploaded: ErrorCase['setUp'] = (gateway) => gateway.tlsCertificates.create(upload()).id
const reserved: ErrorCase['setUp'] = (gateway) => gateway.reservedDomains.create({ domain }).id

/** The error of a name that cannot be reserved. */
function ofName(key: ErrorCase['key'], domain: string, ...says: string[]): ErrorCase {
  return ofCreation(key, () => ({ domain }), { says: ['domain', domain.slice(0, 60), ...says], field: 'domain' })
}

/** The error of a policy that cannot be. */
function ofPolicy(key: ErrorCase['key'], policy: object, field: string, ...says: string[]): ErrorCase {
  return ofCreation(key, () => ({ domain, certificate_management_policy: policy }), { says: [field, ...says], field })
}

const NGROK: GatewayOptions = {
  dialect: { ...ngrok, versionHeader: 'Service-Version', operationIdHeader: 'Service-Operation-Id' },
}

const TAKEN: GatewayOptions = { takenDomains: [domain] }

/** Restores a dev domain, which only a gateway with ngrok's families can declare. */
function withDevDomain(gateway: Gateway): string {
  const { id } = gateway.reservedDomains.create({ domain: 'a-dev-domain.ngrok-free.dev' })
  const { records, ...rest } = gateway.snapshot()
  const [record] = records.reserved_domains ?? []
  gateway.restore({ ...rest, records: { ...records, reserved_domains: [{ ...record, is_dev: true }] } })
  return id
}

/** Errors of reserved domains. */
export const domainCases: readonly ErrorCase[] = [
  ofCreation('domain_region_invalid', () => ({ domain, region: 'mars' }), {
    says: ['region', 'mars', 'au', 'eu', 'ap', 'us', 'jp', 'in', 'sa'],
    field: 'region',
  }),
  ofName('domain_wildcard_not_first', 'www.*.example.com', '*'),
  ofName('domain_wildcard_mixed', 'w*.example.com', '*'),
  ofName('domain_character_invalid', 'a b.example.com'),
  ofName('domain_label_start_invalid', '-a.example.com'),
  ofName('domain_label_end_invalid', 'a-.example.com'),
  ofName('domain_empty_label', 'a..example.com'),
  ofName('domain_hyphens_3_4', 'ab--cd.example.com', '--'),
  ofName('domain_suffix_unreachable', 'app.localhost', 'localhost', 'digits'),
  ofName('domain_wildcard_suffix', '*.com', '"*."', 'two'),
  ofName('domain_punycode_invalid', 'xn--0.example.com', 'xn--'),
  ofName('domain_underscore', 'a_b.example.com', '_'),
  ofName('domain_not_qualified', 'localhost', 'two'),
  ofName('domain_label_too_long', `${'a'.repeat(64)}.example.com`, '63'),
  ofName('domain_too_long', `${'a.'.repeat(124)}abc.de`, '253'),
  ofCreation('domain_taken', () => ({ domain: 'APP.example.com' }), {
    setUp: reserved,
    says: ['app.example.com'],
    field: 'domain',
  }),
  ofCreation('domain_metadata_too_long', () => ({ domain, metadata: 'x'.repeat(4097) }), {
    says: ['metadata', '4097', '4096'],
    field: 'metadata',
  }),
  {
    key: 'domain_update_empty',
    setUp: reserved,
    send: (id) => ['PATCH', `${DOMAINS}/${id}`, { json: {} }],
    direct: (gateway, id) => gateway.reservedDomains.update(id, {}),
    says: [
      'description',
      'metadata',
      'certificate_id',
      'certificate_management_policy',
      'https_endpoint_configuration_id.',
    ],
  },
  ofCreation('domain_name_and_domain', () => ({ name: 'a.example.com', domain: 'b.example.com' }), {
    options: NGROK,
    says: ['name', 'domain'],
    field: 'name',
  }),
  { ...ofName('domain_of_company', 'app.ngrok.com', 'domain is "app.ngrok.com"', 'of your own'), options: NGROK },
  { ...ofName('domain_of_service', 'ngrok.app', 'domain is "ngrok.app"', 'of your own', 'below'), options: NGROK },
  { ...ofName('domain_taken_elsewhere', domain, `domain is "${domain}"`, 'another'), options: TAKEN },
  {
    ...ofName('domain_conflicts_elsewhere', '*.example.com', 'domain is "*.example.com"', `"${domain}"`),
    options: TAKEN,
  },
  ofCreation('domain_redirect_too_long', () => ({ domain, error_redirect_url: `https://${'a'.repeat(2041)}` }), {
    options: NGROK,
    says: ['error_redirect_url', '2049', '2048'],
    field: 'error_redirect_url',
  }),
  {
    key: 'domain_dev',
    options: NGROK,
    setUp: withDevDomain,
    send: (id) => ['DELETE', `${DOMAINS}/${id}`],
    direct: (gateway, id) => gateway.reservedDomains.delete(id),
    says: (id) => [id, 'a-dev-domain.ngrok-free.dev', 'cannot'],
  },
  ofCreation(
    'certificate_and_policy',
    (certificate_id) => ({ domain, certificate_id, certificate_management_policy: POLICY }),
    {
      setUp: uploaded,
      says: (id) => ['certificate_id', id, 'certificate_management_policy'],
      field: ['certificate_id', 'certificate_management_policy'],
    },
  ),
  ofPolicy(
    'authority_invalid',
    { authority: 'corner-shop' },
    'certificate_management_policy.authority',
    'corner-shop',
    'letsencrypt',
  ),
  ofPolicy(
    'private_key_type_invalid',
    { ...POLICY, private_key_type: 'dsa' },
    'certificate_management_policy.private_key_type',
    'dsa',
    'rsa',
    'ecdsa',
  ),
  {
    key: 'certificate_managed',
    setUp: (gateway) =>
      gateway.reservedDomains.create({ domain: 'app.example.com', certificate_management_policy: POLICY }).id,
    send: (id) => ['DELETE', `${DOMAINS}/${id}/certificate`],
    direct: (gateway, id) => gateway.reservedDomains.detachCertificate(id),
    says: (id) => [id, 'policy'],
  },
  ofCreation(
    'policy_on_service_domain',
    () => ({ domain: 'app.gateway.test', certificate_management_policy: POLICY }),
    { says: ['app.gateway.test', 'policy'], field: 'certificate_management_policy' },
  ),
  ofCreation('certificate_on_service_domain', (certificate_id) => ({ domain: 'app.gateway.test', certificate_id }), {
    setUp: uploaded,
    says: ['app.gateway.test', 'certificate'],
    field: 'certificate_id',
  }),
  {
    key: 'certificate_not_found',
    setUp: reserved,
    send: (id) => ['PATCH', `${DOMAINS}/${id}`, { json: { certificate_id: 'cert_gone' } }],
    direct: (gateway, id) => gateway.reservedDomains.update(id, { certificate_id: 'cert_gone' }),
    says: ['certificate_id', 'cert_gone'],
    field: 'certificate_id',
  },
  ofCreation('certificate_not_uploaded', (certificate_id) => ({ domain, certificate_id }), {
    options: { provisioningDelay: 0 },
    setUp: ({ reservedDomains }) =>
      reservedDomains.create({ domain: 'auto.example.com', certificate_management_policy: POLICY }).certificate?.id ??
      'cert_none',
    says: (id) => ['certificate_id', id],
    field: 'certificate_id',
  }),
]
