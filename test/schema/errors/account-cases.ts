import type { AccountLimits, LimitOption } from '../../../src/index.ts'
import type { ErrorCase } from './error-case.ts'

type Creation = Pick<ErrorCase, 'send' | 'direct' | 'setUp'>

const RULE = { actions: [{ type: 'deny' }] }
const ROUTE = { edge_id: 'edghts_1', id: 'edghtsrt_1' }

/** A creation by request and by call, where there is one already. */
const CREATIONS = {
  domain: ofDomain('app.example.com', 'api.example.com'),
  wildcard: ofDomain('*.app.example.com', '*.api.example.com'),
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
  policy: {
    send: () => ['PUT', '/edges/https/edghts_1/routes/edghtsrt_1/policy', { json: { inbound: [RULE, RULE] } }],
    direct: (gateway) => gateway.trafficPolicy.replace(ROUTE, { inbound: [RULE, RULE] }),
  },
} satisfies Record<string, Creation>

function ofDomain(first: string, second: string): Creation {
  return {
    setUp: (gateway) => gateway.reservedDomains.create({ domain: first }).id,
    send: () => ['POST', '/reserved_domains', { json: { domain: second } }],
    direct: (gateway) => gateway.reservedDomains.create({ domain: second }),
  }
}

/** The error of one more of what a limit is about. Of none at all, none was there before. */
function ofLimit(
  key: ErrorCase['key'],
  what: keyof typeof CREATIONS,
  name: keyof AccountLimits,
  value: LimitOption,
  ...says: string[]
): ErrorCase {
  const { setUp, ...creation }: Creation = CREATIONS[what]
  const options = { account: { limits: { [name]: value } } }
  return {
    key,
    options,
    ...(setUp && value !== 0 && { setUp }),
    ...creation,
    says: [`account.limits.${name}`, ...says],
  }
}

const RATE = { max: 1, window: '1m' } as const
const RETRY = { headers: { 'retry-after': '60' } }

/** Errors of the limits of an account (rules: account#limits). */
export const accountCases: readonly ErrorCase[] = [
  ofLimit('domain_limit_none', 'domain', 'reserved_domains', 0, 'no reserved domains'),
  ofLimit('domain_limit_custom', 'domain', 'custom_domains', 0, 'no custom domains'),
  ofLimit(
    'domain_limit_reached_older',
    'domain',
    'reserved_domains',
    { max: 1, number: 415 },
    'would be 2',
    'at most 1',
  ),
  ofLimit('domain_limit_wildcard_reached_older', 'wildcard', 'wildcard_domains', { max: 1, number: 418 }, 'at most 1'),
  ofLimit('domain_limit_wildcard_none', 'wildcard', 'wildcard_domains', 0, 'no wildcard domains'),
  ofLimit('domain_limit_reached', 'domain', 'reserved_domains', 1, 'would be 2', 'at most 1'),
  { ...ofLimit('domain_rate_reached', 'domain', 'reserved_domains', RATE, 'at most 1 new', 'in 60 s'), ...RETRY },
  ofLimit('domain_limit_wildcard_reached', 'wildcard', 'wildcard_domains', 1, 'would be 2', 'at most 1'),
  ofLimit('address_limit_none', 'address', 'reserved_addrs', 0, 'no reserved addresses'),
  ofLimit('address_limit_reached_older', 'address', 'reserved_addrs', { max: 1, number: 502 }, 'at most 1'),
  ofLimit('address_limit_reached', 'address', 'reserved_addrs', 1, 'would be 2', 'at most 1'),
  { ...ofLimit('address_rate_reached', 'address', 'reserved_addrs', RATE, 'at most 1 new', 'in 60 s'), ...RETRY },
  { ...ofLimit('policy_rules_reached', 'policy', 'policy_rules', 1, 'would be 2', 'at most 1'), field: 'inbound' },
  ofLimit('account_limit_reached', 'backend', 'weighted_backends', 1, 'would be 2', 'at most 1'),
  { ...ofLimit('account_rate_reached', 'backend', 'weighted_backends', RATE, 'at most 1 new', 'in 60 s'), ...RETRY },
]
