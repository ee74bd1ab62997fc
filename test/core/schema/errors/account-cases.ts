import type { AccountLimits, GatewayOptions, LimitOption } from '../../../../src/index.ts'
import type { ErrorCase } from './error-case.ts'

type Creation = Pick<ErrorCase, 'send' | 'direct' | 'setUp'>

const RULE = { actions: [{ type: 'deny' }] }
const ROUTE = { edge_id: 'edghts_1', id: 'edghtsrt_1' }

/** Creations over HTTP and by a direct call. `setUp` creates the first resource of the kind. */
const CREATIONS = {
  domain: domainCreation('app.example.com', 'api.example.com'),
  wildcard: domainCreation('*.app.example.com', '*.api.example.com'),
  address: {
    setUp: (gateway) => gateway.reservedAddrs.create().id,
    send: () => ['POST', '/reserved_addrs', { json: {} }],
    direct: (gateway) => gateway.reservedAddrs.create(),
  },
  backend: {
    setUp: (gateway) => gateway.weightedBackends.create().id,
    send: () => ['POST', '/backends/weighted', { json: {} }],
    direct: (gateway) => gateway.weightedBackends.create(),
  },
  managed: {
    send: () => [
      'POST',
      '/reserved_domains',
      { json: { domain: 'app.example.com', certificate_management_policy: { authority: 'letsencrypt' } } },
    ],
    direct: (gateway) =>
      gateway.reservedDomains.create({
        domain: 'app.example.com',
        certificate_management_policy: { authority: 'letsencrypt' },
      }),
  },
  certificate: {
    send: () => ['POST', '/tls_certificates', { json: { certificate_pem: 'x', private_key_pem: 'x' } }],
    direct: (gateway) => gateway.tlsCertificates.create({ certificate_pem: 'x', private_key_pem: 'x' }),
  },
  policy: {
    send: () => ['PUT', '/edges/https/edghts_1/routes/edghtsrt_1/policy', { json: { inbound: [RULE, RULE] } }],
    direct: (gateway) => gateway.trafficPolicy.replace(ROUTE, { inbound: [RULE, RULE] }),
  },
} satisfies Record<string, Creation>

function domainCreation(first: string, second: string): Creation {
  return {
    setUp: (gateway) => gateway.reservedDomains.create({ domain: first }).id,
    send: () => ['POST', '/reserved_domains', { json: { domain: second } }],
    direct: (gateway) => gateway.reservedDomains.create({ domain: second }),
  }
}

/** Returns the case of one resource more than a limit allows. If it allows none, nothing is set up. */
function caseOf(
  key: ErrorCase['key'],
  what: keyof typeof CREATIONS,
  name: keyof AccountLimits,
  value: LimitOption,
  ...texts: string[]
): ErrorCase {
  const { setUp, ...creation }: Creation = CREATIONS[what]
  const options = { account: { limits: { [name]: value } } }
  return {
    key,
    options,
    ...(setUp && value !== 0 && { setUp }),
    ...creation,
    texts: [`account.limits.${name}`, ...texts],
  }
}

const RATE = { max: 1, window: '1m' } as const
const RETRY = { headers: { 'retry-after': '60' } }

type AccountOption = NonNullable<GatewayOptions['account']>

/** Returns the case of a request that the state of the account rejects. Direct calls are not requests. */
function stateCase(key: ErrorCase['key'], account: AccountOption, send: ErrorCase['send'], text: string): ErrorCase {
  return { key, options: { account }, send, texts: [text] }
}

const READ: ErrorCase['send'] = () => ['GET', '/reserved_domains']
const WRITE: ErrorCase['send'] = () => ['POST', '/reserved_domains', { json: { domain: 'app.example.com' } }]
const MODULE = '/edges/https/edghts_1/routes/edghtsrt_1/compression'

/** Errors of the states of an account (rules: account#states). */
const stateCases: readonly ErrorCase[] = [
  stateCase('account_without_api', { state: 'without_api' }, READ, 'is not allowed to use the API'),
  stateCase('account_suspended', { state: 'suspended' }, READ, 'suspended'),
  stateCase('account_unpaid', { state: 'unpaid' }, READ, 'invoice'),
  stateCase('owner_without_write', { state: 'without_write' }, READ, 'owner of the API key'),
  stateCase('maintenance_read_only', { state: 'maintenance_read_only' }, WRITE, 'Nothing can be changed'),
  stateCase('maintenance', { state: 'maintenance' }, READ, 'Try again later'),
  stateCase('edges_ended', { edges: 'ended' }, () => ['GET', MODULE], 'Use cloud endpoints instead'),
  stateCase('edges_read_only', { edges: 'read_only' }, () => ['PUT', MODULE, { json: {} }], 'edges are read-only'),
]

/** Errors of the limits of an account (rules: account#limits). */
export const accountCases: readonly ErrorCase[] = [
  ...stateCases,
  caseOf('domain_limit_none', 'domain', 'reserved_domains', 0, 'no reserved domains'),
  caseOf('domain_limit_custom', 'domain', 'custom_domains', 0, 'no custom domains'),
  caseOf('domain_limit_reached_older', 'domain', 'reserved_domains', { max: 1, number: 415 }, 'to 2.', 'at most 1'),
  caseOf('domain_limit_wildcard_reached_older', 'wildcard', 'wildcard_domains', { max: 1, number: 418 }, 'at most 1'),
  caseOf('domain_limit_wildcard_none', 'wildcard', 'wildcard_domains', 0, 'no wildcard domains'),
  caseOf('domain_limit_reached', 'domain', 'reserved_domains', 1, 'to 2.', 'at most 1'),
  { ...caseOf('domain_rate_reached', 'domain', 'reserved_domains', RATE, ' to 1 in ', 'in 60 s'), ...RETRY },
  caseOf('domain_limit_wildcard_reached', 'wildcard', 'wildcard_domains', 1, 'to 2.', 'at most 1'),
  caseOf('domain_limit_managed', 'managed', 'managed_certificates', 0, 'no managed TLS certificates'),
  caseOf('certificate_limit_none', 'certificate', 'tls_certificates', 0, 'no uploaded TLS certificates'),
  caseOf('weighted_backend_limit_none', 'backend', 'weighted_backends', 0, 'no weighted backends'),
  caseOf('address_limit_none', 'address', 'reserved_addrs', 0, 'no reserved addresses'),
  caseOf('address_limit_reached_older', 'address', 'reserved_addrs', { max: 1, number: 502 }, 'at most 1'),
  caseOf('address_limit_reached', 'address', 'reserved_addrs', 1, 'to 2.', 'at most 1'),
  { ...caseOf('address_rate_reached', 'address', 'reserved_addrs', RATE, ' to 1 in ', 'in 60 s'), ...RETRY },
  { ...caseOf('policy_rules_reached', 'policy', 'policy_rules', 1, 'to 2.', 'at most 1'), field: 'inbound' },
  caseOf('account_limit_reached', 'backend', 'weighted_backends', 1, 'to 2.', 'at most 1'),
  { ...caseOf('account_rate_reached', 'backend', 'weighted_backends', RATE, ' to 1 in ', 'in 60 s'), ...RETRY },
]
