import { bodyCases, type ErrorCase } from './error-case.ts'

const ROUTE = { edge_id: 'edghts_1', id: 'edghtsrt_1' }
const PATH = `/edges/https/${ROUTE.edge_id}/routes/${ROUTE.id}`
const DENY = { type: 'deny' }

const breakerCase = bodyCases('PUT', `${PATH}/circuit_breaker`, ({ circuitBreaker }, body) =>
  circuitBreaker.replace(ROUTE, body),
)
const webhookCase = bodyCases('PUT', `${PATH}/webhook_verification`, ({ webhookVerification }, body) =>
  webhookVerification.replace(ROUTE, body),
)
const policyCase = bodyCases('PUT', `${PATH}/policy`, ({ trafficPolicy }, body) => trafficPolicy.replace(ROUTE, body))
const backendCase = bodyCases('POST', '/backends/weighted', ({ weightedBackends }, body) =>
  weightedBackends.create(body),
)

const HIDDEN = { hides: ['s3cret'] }

/** Returns the case of an invalid weight. */
function weightCase(key: ErrorCase['key'], child: string, weight: number, ...texts: string[]): ErrorCase {
  return backendCase(key, { backends: { [child]: weight } }, `backends.${child}`, ...texts)
}

/** Returns the case of a policy with one invalid rule. */
function ruleCase(key: ErrorCase['key'], rule: object, field: string, ...texts: string[]): ErrorCase {
  return policyCase(key, { inbound: [rule] }, `inbound.0.${field}`, ...texts)
}

/** Errors of route modules and weighted backends. */
export const routeCases: readonly ErrorCase[] = [
  ruleCase('expression_invalid', { expressions: ['req.Method =='], actions: [DENY] }, 'expressions.0', 'req.Method =='),
  ruleCase('action_unknown', { actions: [{ type: 'teleport' }] }, 'actions.0.type', 'teleport', 'deny'),
  ruleCase(
    'action_config_invalid',
    { actions: [{ type: 'deny', config: { status_code: 'no' } }] },
    'actions.0.config.status_code',
    'no',
    'integer',
  ),
  ruleCase('rule_without_action', { name: 'empty', actions: [] }, 'actions'),
  ruleCase('action_unreachable', { actions: [DENY, { type: 'log' }] }, 'actions.1', 'log', 'deny'),
  weightCase('weight_out_of_range', 'bkdhr_1', 10_001, '10001', '10000'),
  weightCase('child_backend_invalid', 'rd_1', 1, 'rd_1', 'bkd'),
  { ...weightCase('child_backend_not_found', 'bkdhr_gone', 1, 'bkdhr_gone'), options: { references: 'declared' } },
  {
    key: 'weighted_backend_in_use',
    setUp(gateway) {
      const { id } = gateway.weightedBackends.create()
      gateway.weightedBackends.create({ description: 'parent', backends: { [id]: 1 } })
      return id
    },
    send: (id) => ['DELETE', `/backends/weighted/${id}`],
    direct: (gateway, id) => gateway.weightedBackends.delete(id),
    texts: (id) => [id, 'bkdwd_', 'child'],
  },
  {
    key: 'edge_not_found',
    options: { references: 'declared' },
    send: () => ['GET', `${PATH}/compression`],
    direct: (gateway) => gateway.compression.get(ROUTE),
    texts: ['edghts_1'],
    details: { edge_id: 'edghts_1' },
  },
  breakerCase(
    'error_threshold_out_of_range',
    { error_threshold_percentage: 1.5 },
    'error_threshold_percentage',
    '1.5',
    '0',
    '1',
  ),
  breakerCase('tripped_duration_invalid', { tripped_duration: 0 }, 'tripped_duration', '0', '1', '4294967295'),
  breakerCase('rolling_window_invalid', { rolling_window: 0 }, 'rolling_window', '0', '1', '4294967295'),
  breakerCase('num_buckets_out_of_range', { num_buckets: 129 }, 'num_buckets', '129', '1', '128'),
  { ...webhookCase('webhook_secret_not_accepted', { provider: 'sns', secret: 's3cret' }, 'secret', 'sns'), ...HIDDEN },
  webhookCase('webhook_secret_missing', { provider: 'github' }, 'secret', 'github'),
  { ...webhookCase('webhook_provider_missing', { secret: 's3cret' }, 'provider', 'github', 'zoom'), ...HIDDEN },
  {
    ...webhookCase(
      'webhook_provider_unsupported',
      { provider: 'pigeon', secret: 's3cret' },
      'provider',
      'pigeon',
      'github',
      'zoom',
    ),
    ...HIDDEN,
  },
]
