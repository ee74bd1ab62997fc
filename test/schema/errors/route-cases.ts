import { type ErrorCase, wrong } from './error-case.ts'

const ROUTE = { edge_id: 'edghts_1', id: 'edghtsrt_1' }
const PATH = `/edges/https/${ROUTE.edge_id}/routes/${ROUTE.id}`
const DENY = { type: 'deny' }

/** The error of a circuit breaker that cannot be. */
function ofBreaker(key: ErrorCase['key'], field: string, value: unknown, ...says: string[]): ErrorCase {
  return {
    key,
    send: () => ['PUT', `${PATH}/circuit_breaker`, { json: { [field]: value } }],
    direct: (gateway) => gateway.circuitBreaker.replace(ROUTE, wrong({ [field]: value })),
    says: [field, String(value), ...says],
    field,
  }
}

/** The error of a webhook verification that cannot be. */
function ofWebhook(key: ErrorCase['key'], body: object, field: string, ...says: string[]): ErrorCase {
  return {
    key,
    send: () => ['PUT', `${PATH}/webhook_verification`, { json: body }],
    direct: (gateway) => gateway.webhookVerification.replace(ROUTE, wrong(body)),
    says,
    hides: ['s3cret'],
    field,
  }
}

/** The error of a traffic policy that cannot be. */
function ofPolicy(key: ErrorCase['key'], inbound: readonly object[], field: string, ...says: string[]): ErrorCase {
  return {
    key,
    send: () => ['PUT', `${PATH}/policy`, { json: { inbound } }],
    direct: (gateway) => gateway.trafficPolicy.replace(ROUTE, wrong({ inbound })),
    says: [field, ...says],
    field,
  }
}

/** The error of weights that cannot be. */
function ofWeights(key: ErrorCase['key'], child: string, weight: number, ...says: string[]): ErrorCase {
  const body = { backends: { [child]: weight } }
  return {
    key,
    send: () => ['POST', '/backends/weighted', { json: body }],
    direct: (gateway) => gateway.weightedBackends.create(body),
    says: [`backends.${child}`, ...says],
    field: `backends.${child}`,
  }
}

/** Errors of route modules and weighted backends. */
export const routeCases: readonly ErrorCase[] = [
  ofPolicy(
    'expression_invalid',
    [{ expressions: ['req.Method =='], actions: [DENY] }],
    'inbound.0.expressions.0',
    'req.Method ==',
  ),
  ofPolicy('action_unknown', [{ actions: [{ type: 'teleport' }] }], 'inbound.0.actions.0.type', 'teleport', 'deny'),
  ofPolicy(
    'action_config_invalid',
    [{ actions: [{ type: 'deny', config: { status_code: 'no' } }] }],
    'inbound.0.actions.0.config.status_code',
    'no',
    'integer',
  ),
  ofPolicy('rule_without_action', [{ name: 'empty', actions: [] }], 'inbound.0.actions'),
  ofPolicy('action_unreachable', [{ actions: [DENY, { type: 'log' }] }], 'inbound.0.actions.1', 'log', 'deny'),
  ofWeights('weight_out_of_range', 'bkdhr_1', 10_001, '10001', '10000'),
  ofWeights('child_backend_invalid', 'rd_1', 1, 'rd_1', 'bkd'),
  {
    ...ofWeights('child_backend_not_found', 'bkdhr_gone', 1, 'bkdhr_gone'),
    options: { references: 'declared' },
  },
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
  ofBreaker('error_threshold_out_of_range', 'error_threshold_percentage', 1.5, '0', '1'),
  ofBreaker('tripped_duration_invalid', 'tripped_duration', 0, '1', '4294967295'),
  ofBreaker('rolling_window_invalid', 'rolling_window', 0, '1', '4294967295'),
  ofBreaker('num_buckets_out_of_range', 'num_buckets', 129, '1', '128'),
  ofWebhook('webhook_secret_not_accepted', { provider: 'sns', secret: 's3cret' }, 'secret', 'secret', 'sns'),
  ofWebhook('webhook_secret_missing', { provider: 'github' }, 'secret', 'secret', 'github'),
  ofWebhook('webhook_provider_missing', { secret: 's3cret' }, 'provider', 'provider', 'github', 'zoom'),
  ofWebhook(
    'webhook_provider_unsupported',
    { provider: 'pigeon', secret: 's3cret' },
    'provider',
    'provider',
    'pigeon',
    'github',
    'zoom',
  ),
]
