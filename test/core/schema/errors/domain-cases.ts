import { type Gateway, type GatewayOptions, ngrok } from '../../../../src/index.ts'
import { upload } from '../../../support/pem.ts'
import { asWrongType, type ErrorCase } from './error-case.ts'

const DOMAINS = '/reserved_domains'
const POLICY = { authority: 'letsencrypt' }

/** Returns the case of a domain that cannot be created. `createBody` receives the id that `setUp` returned. */
function creationCase(
  key: ErrorCase['key'],
  createBody: (id: string) => object,
  rest: Pick<ErrorCase, 'texts' | 'field' | 'setUp' | 'options'>,
): ErrorCase {
  return {
    key,
    send: (id) => ['POST', DOMAINS, { json: createBody(id) }],
    direct: (gateway, id) => gateway.reservedDomains.create(asWrongType(createBody(id))),
    ...rest,
  }
}

const domain = 'app.example.com'
const createCertificate: ErrorCase['setUp'] = (gateway) => gateway.tlsCertificates.create(upload()).id
const createDomain: ErrorCase['setUp'] = (gateway) => gateway.reservedDomains.create({ domain }).id

/** Returns the case of a name that cannot be reserved. */
function nameCase(key: ErrorCase['key'], domain: string, ...texts: string[]): ErrorCase {
  return creationCase(key, () => ({ domain }), { texts: ['domain', domain.slice(0, 60), ...texts], field: 'domain' })
}

/** Returns the case of an invalid policy. */
function policyCase(key: ErrorCase['key'], policy: object, field: string, ...texts: string[]): ErrorCase {
  return creationCase(key, () => ({ domain, certificate_management_policy: policy }), {
    texts: [field, ...texts],
    field,
  })
}

const NGROK: GatewayOptions = {
  dialect: { ...ngrok, versionHeader: 'Service-Version', operationIdHeader: 'Service-Operation-Id' },
}

const TAKEN: GatewayOptions = { takenDomains: [domain] }

/** Restores a dev domain, which only a gateway with ngrok's families can declare. Returns its id. */
function restoreDevDomain(gateway: Gateway): string {
  const { id } = gateway.reservedDomains.create({ domain: 'a-dev-domain.ngrok-free.dev' })
  const { records, ...rest } = gateway.snapshot()
  const [record] = records.reserved_domains ?? []
  gateway.restore({ ...rest, records: { ...records, reserved_domains: [{ ...record, is_dev: true }] } })
  return id
}

/** Errors of reserved domains. */
export const domainCases: readonly ErrorCase[] = [
  creationCase('domain_region_invalid', () => ({ domain, region: 'mars' }), {
    texts: ['region', 'mars', 'au', 'eu', 'ap', 'us', 'jp', 'in', 'sa'],
    field: 'region',
  }),
  nameCase('domain_wildcard_not_first', 'www.*.example.com', '*'),
  nameCase('domain_wildcard_mixed', 'w*.example.com', '*'),
  nameCase('domain_character_invalid', 'a b.example.com'),
  nameCase('domain_label_start_invalid', '-a.example.com'),
  nameCase('domain_label_end_invalid', 'a-.example.com'),
  nameCase('domain_empty_label', 'a..example.com'),
  nameCase('domain_hyphens_3_4', 'ab--cd.example.com', '--'),
  nameCase('domain_suffix_unreachable', 'app.localhost', 'localhost', 'digits'),
  nameCase('domain_wildcard_suffix', '*.com', '"*."', 'two'),
  nameCase('domain_punycode_invalid', 'xn--0.example.com', 'xn--'),
  nameCase('domain_underscore', 'a_b.example.com', '_'),
  nameCase('domain_not_qualified', 'localhost', 'two'),
  nameCase('domain_label_too_long', `${'a'.repeat(64)}.example.com`, '63'),
  nameCase('domain_too_long', `${'a.'.repeat(124)}abc.de`, '253'),
  creationCase('domain_taken', () => ({ domain: 'APP.example.com' }), {
    setUp: createDomain,
    texts: ['app.example.com'],
    field: 'domain',
  }),
  creationCase('domain_metadata_too_long', () => ({ domain, metadata: 'x'.repeat(4097) }), {
    texts: ['metadata', '4097', '4096'],
    field: 'metadata',
  }),
  {
    key: 'domain_update_empty',
    setUp: createDomain,
    send: (id) => ['PATCH', `${DOMAINS}/${id}`, { json: {} }],
    direct: (gateway, id) => gateway.reservedDomains.update(id, {}),
    texts: [
      'description',
      'metadata',
      'certificate_id',
      'certificate_management_policy',
      'https_endpoint_configuration_id.',
    ],
  },
  creationCase('domain_name_and_domain', () => ({ name: 'a.example.com', domain: 'b.example.com' }), {
    options: NGROK,
    texts: ['name', 'domain'],
    field: 'name',
  }),
  { ...nameCase('domain_of_company', 'app.ngrok.com', 'domain is "app.ngrok.com"', 'your own'), options: NGROK },
  { ...nameCase('domain_of_service', 'ngrok.app', 'domain is "ngrok.app"', 'your own', 'under'), options: NGROK },
  { ...nameCase('domain_taken_elsewhere', domain, `domain is "${domain}"`, 'another'), options: TAKEN },
  {
    ...nameCase('domain_conflicts_elsewhere', '*.example.com', 'domain is "*.example.com"', `"${domain}"`),
    options: TAKEN,
  },
  creationCase('domain_redirect_too_long', () => ({ domain, error_redirect_url: `https://${'a'.repeat(2041)}` }), {
    options: NGROK,
    texts: ['error_redirect_url', '2049', '2048'],
    field: 'error_redirect_url',
  }),
  {
    key: 'domain_dev',
    options: NGROK,
    setUp: restoreDevDomain,
    send: (id) => ['DELETE', `${DOMAINS}/${id}`],
    direct: (gateway, id) => gateway.reservedDomains.delete(id),
    texts: (id) => [id, 'a-dev-domain.ngrok-free.dev', 'cannot'],
  },
  creationCase(
    'certificate_and_policy',
    (certificate_id) => ({ domain, certificate_id, certificate_management_policy: POLICY }),
    {
      setUp: createCertificate,
      texts: (id) => ['certificate_id', id, 'certificate_management_policy'],
      field: ['certificate_id', 'certificate_management_policy'],
    },
  ),
  policyCase(
    'authority_invalid',
    { authority: 'corner-shop' },
    'certificate_management_policy.authority',
    'corner-shop',
    'letsencrypt',
  ),
  policyCase(
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
    texts: (id) => [id, 'policy'],
  },
  creationCase(
    'policy_on_service_domain',
    () => ({ domain: 'app.gateway.test', certificate_management_policy: POLICY }),
    { texts: ['app.gateway.test', 'policy'], field: 'certificate_management_policy' },
  ),
  creationCase('certificate_on_service_domain', (certificate_id) => ({ domain: 'app.gateway.test', certificate_id }), {
    setUp: createCertificate,
    texts: ['app.gateway.test', 'certificate'],
    field: 'certificate_id',
  }),
  {
    key: 'certificate_not_found',
    setUp: createDomain,
    send: (id) => ['PATCH', `${DOMAINS}/${id}`, { json: { certificate_id: 'cert_gone' } }],
    direct: (gateway, id) => gateway.reservedDomains.update(id, { certificate_id: 'cert_gone' }),
    texts: ['certificate_id', 'cert_gone'],
    field: 'certificate_id',
  },
  creationCase('certificate_not_uploaded', (certificate_id) => ({ domain, certificate_id }), {
    options: { provisioningDelay: 0 },
    setUp: ({ reservedDomains }) =>
      reservedDomains.create({ domain: 'auto.example.com', certificate_management_policy: POLICY }).certificate?.id ??
      'cert_none',
    texts: (id) => ['certificate_id', id],
    field: 'certificate_id',
  }),
]
