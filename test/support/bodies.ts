import { upload } from './pem.ts'

const ROUTE = '/edges/https/edghts_1/routes/edghtsrt_1'
export const IDS = { edge_id: 'edghts_1', id: 'edghtsrt_1' }

/** A body of each operation that has one, with every field. `id` is the domain or address that exists already. */
export const TEMPLATES: readonly (readonly [method: string, path: string, body: object])[] = [
  ['POST', '/reserved_addrs', { description: 'd', metadata: 'm', region: 'eu' }],
  ['PATCH', '/reserved_addrs/{address}', { description: 'd', metadata: 'm', endpoint_configuration_id: 'ec_1' }],
  [
    'POST',
    '/reserved_domains',
    {
      domain: 'new.example.com',
      region: 'us',
      description: 'd',
      metadata: 'm',
      certificate_id: '',
      certificate_management_policy: { authority: 'letsencrypt', private_key_type: 'ecdsa' },
    },
  ],
  [
    'PATCH',
    '/reserved_domains/{domain}',
    {
      description: 'd',
      certificate_management_policy: { authority: 'letsencrypt', private_key_type: 'rsa' },
      http_endpoint_configuration_id: 'ec_1',
      https_endpoint_configuration_id: 'ec_2',
    },
  ],
  ['POST', '/backends/weighted', { description: 'd', metadata: 'm', backends: { bkdhr_1: 1, bkdhr_2: 10_000 } }],
  ['POST', '/tls_certificates', { description: 'd', metadata: 'm', ...upload('ed25519') }],
  ['PUT', `${ROUTE}/compression`, { enabled: false, ...IDS }],
  ['PUT', `${ROUTE}/webhook_verification`, { enabled: true, provider: 'github', secret: 's' }],
  [
    'PUT',
    `${ROUTE}/circuit_breaker`,
    {
      enabled: true,
      tripped_duration: 1,
      rolling_window: 2,
      num_buckets: 3,
      volume_threshold: 4,
      error_threshold_percentage: 0.5,
    },
  ],
  [
    'PUT',
    `${ROUTE}/policy`,
    {
      enabled: true,
      inbound: [
        { name: 'r', expressions: ['true'], actions: [{ type: 'log', config: { metadata: { a: [1] } } }] },
        {
          actions: [
            { type: 'url-rewrite', config: { from: 'a', to: 'b' } },
            { type: 'deny', config: {} },
          ],
        },
      ],
      outbound: [{ actions: [{ type: 'custom-response', config: { status_code: 200, content: 'x' } }] }],
    },
  ],
]
