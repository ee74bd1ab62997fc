// What the examples of the service reference send. `{name}` stands for the id that the example of that operation answered;
// `upload` for a certificate with its key.

const route = { edge_id: 'edghts_1', id: 'edghtsrt_1' }

/** By operation: the ids of the path, the body or the query, and what must be there besides. */
export const EXAMPLES = {
  'reserved_addrs.create': { body: { description: 'checkout', region: 'eu' } },
  'reserved_addrs.get': { ids: { id: '{reserved_addrs.create}' } },
  'reserved_addrs.list': { query: { limit: 10, filter: 'obj.region == "eu"' } },
  'reserved_addrs.update': { ids: { id: '{reserved_addrs.create}' }, body: { endpoint_configuration_id: 'ec_1' } },
  'reserved_addrs.delete': { ids: { id: '{reserved_addrs.create}' } },

  'reserved_domains.create': {
    body: { domain: 'app.example.com', certificate_management_policy: { authority: 'letsencrypt' } },
  },
  'reserved_domains.get': { ids: { id: '{reserved_domains.create}' } },
  'reserved_domains.list': { query: { filter: 'obj.domain.endsWith(".example.com")' } },
  'reserved_domains.update': { ids: { id: '{reserved_domains.create}' }, body: { description: 'checkout' } },
  'reserved_domains.detach_certificate_management_policy': { ids: { id: '{reserved_domains.create}' } },
  'reserved_domains.detach_certificate': { ids: { id: '{reserved_domains.create}' } },
  'reserved_domains.delete': { ids: { id: '{reserved_domains.create}' } },

  'weighted_backends.create': { body: { backends: { bkdhr_1: 90, bkdhr_2: 10 } } },
  'weighted_backends.get': { ids: { id: '{weighted_backends.create}' } },
  'weighted_backends.list': { query: { limit: 10 } },
  'weighted_backends.update': { ids: { id: '{weighted_backends.create}' }, body: { backends: { bkdhr_2: 100 } } },
  'weighted_backends.delete': { ids: { id: '{weighted_backends.create}' } },

  'tls_certificates.create': { body: 'upload' },
  'tls_certificates.get': { ids: { id: '{tls_certificates.create}' } },
  'tls_certificates.list': { query: { limit: 10 } },
  'tls_certificates.update': { ids: { id: '{tls_certificates.create}' }, body: { description: 'checkout' } },
  'tls_certificates.delete': { ids: { id: '{tls_certificates.create}' } },

  'webhook_verification.replace': { ids: route, body: { provider: 'github', secret: 'a shared secret' } },
  'webhook_verification.get': { ids: route },
  'webhook_verification.delete': { ids: route },

  'traffic_policy.replace': {
    ids: route,
    body: {
      inbound: [
        {
          name: 'only from home',
          expressions: ["conn.Geo.CountryCode != 'DE'"],
          actions: [{ type: 'deny', config: { status_code: 403 } }],
        },
      ],
    },
  },
  'traffic_policy.get': { ids: route },
  'traffic_policy.delete': { ids: route },

  'circuit_breaker.replace': { ids: route, body: { tripped_duration: 30, error_threshold_percentage: 0.2 } },
  'circuit_breaker.get': { ids: route },
  'circuit_breaker.delete': { ids: route },

  'compression.replace': { ids: route, body: { enabled: true } },
  'compression.get': { ids: route },
  'compression.delete': { ids: route },
}
