import { bodiesOf, type ErrorCase } from './error-case.ts'

const ROUTE = { edge_id: 'edghts_1', id: 'edghtsrt_1' }
const PATH = `/edges/https/${ROUTE.edge_id}/routes/${ROUTE.id}`
const DENY = { type: 'deny' }

const ofBreaker = bodiesOf('PUT', `${PATH}/circuit_breaker`, ({ circuitBreaker }, body) =>
  circuitBreaker.replace(ROUTE, body),
)
const ofWebhook = bodiesOf('PUT', `${PATH}/webhook_verification`, ({ webhookVerification }, body) =>
  webhookVerification.replace(ROUTE, body),
)
const ofPolicy = bodiesOf('PUT', `${PATH}/policy`, ({ trafficPolicy }, body) => trafficPolicy.replace(ROUTE, body))
const ofBackend = bodiesOf('POST', '/backends/weighted', ({ weightedBackends }, body) => weightedBackends.create(body))

const HIDDEN = { hides: ['s3cret'] }

/** The error of weights that cannot be. */
function ofWeights(key: ErrorCase['key'], child: string, weight: number, ...says: string[]): ErrorCase {
  return ofBackend(key, { backends: { [child]: weight } }, `backends.${child}`, ...says)
}

/** The error of a policy that consists of one rule. */
function ofRule(key: ErrorCase['key'], rule: object, field: string, ...says: string[]): ErrorCase {
  return ofPolicy(key, { inbound: [rule] }, `inbound.0.${field}`, ...says)
}

/** Errors of route modules and weighted backends. */
export const routeCases: readonly ErrorCase[] = [
  ofRule('expression_invalid', { expressions: ['req.Method =='], actions: [DENY] }, 'expressions.0', 'req.Method =='),
  ofRule('action_unknown', { actions: [{ type: 'teleport' }] }, 'actions.0.type', 'teleport', 'deny'),
  ofRule(
    'action_config_invalid',
    { actions: [{ type: 'deny', config: { status_code: 'no' } }] },
    'actions.0.config.status_code',
    'no',
    'integer',
  ),
  ofRule('rule_without_action', { name: 'empty', actions: [] }, 'actions'),
  ofRule('action_unreachable', { actions: [DENY, { type: 'log' }] }, 'actions.1', 'log', 'deny'),
  ofWeights('weight_out_of_range', 'bkdhr_1', 10_001, '10001', '10000'),
  ofWeights('child_backend_invalid', 'rd_1', 1, 'rd_1', 'bkd'),
  { ...ofWeights('child_backend_not_found', 'bkdhr_gone', 1, 'bkdhr_gone'), options: { references: 'declared' } },
  {
    key: 'weighted_backend_in_use',
    setUp(gateway) {
      const { id } = gateway.weightedBackends.create()
      gateway.weightedBackends.create({ description: 'parent', backends: { [id]: 1 } })
      return id
    },
    send: (id) => ['DELETE', `/backends/weighted/${id}`],
    direct: (gateway, id) => gateway.weightedBackends.delete(id),
    says: (id) => [id, 'bkdwd_', 'child'],
  },
  {
    key: 'edge_not_found',
    options: { references: 'declared' },
    send: () => ['GET', `${PATH}/compression`],
    direct: (gateway) => gateway.compression.get(ROUTE),
    says: ['edghts_1'],
    facts: { edge_id: 'edghts_1' },
  },
  ofBreaker(
    'error_threshold_out_of_range',
    { error_threshold_percentage: 1.5 },
    'error_threshold_percentage',
    '1.5',
    '0',
    '1',
  ),
  ofBreaker('tripped_duration_invalid', { tripped_duration: 0 }, 'tripped_duration', '0', '1', '4294967295'),
  ofBreaker('rolling_window_invalid', { rolling_window: 0 }, 'rolling_window', '0', '1', '4294967295'),
  ofBreaker('num_buckets_out_of_range', { num_buckets: 129 }, 'num_buckets', '129', '1', '128'),
  { ...ofWebhook('webhook_secret_not_accepted', { provider: 'sns', secret: 's3cret' }, 'secret', 'sns'), ...HIDDEN },
  ofWebhook('webhook_secret_missing', { provider: 'github' }, 'secret', 'github'),
  { ...ofWebhook('webhook_provider_missing', { secret: 's3cret' }, 'provider', 'github', 'zoom'), ...HIDDEN },
  {
    ...ofWebhook(
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
