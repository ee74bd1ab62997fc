// What can be asked: the operations with their paths and bodies that are right, or nearly.
import fc from 'fast-check'

const optional = (arbitrary) => fc.option(arbitrary, { nil: undefined })
const record = (fields, required = []) => fc.record(fields, { requiredKeys: required })
const id = (type) => fc.nat({ max: 3 }).map((index) => `@@${type}:${index}@@`)
const words = fc.constantFrom('', 'a', 'x y', 'ünïcode ☃', '{"k":1}')
const common = { description: words, metadata: words }
const labels = fc.constantFrom('a', 'b', 'app', 'www', 'x1', 'xn--bcher-kva', '*', 'deep.er')
const hosts = fc.constantFrom('example.com', 'example.org', 'gateway.test', 'ngrok.app', 'co.uk')
export const domainName = fc.tuple(labels, hosts).map(([label, host]) => `${label}.${host}`)
const policy = record({ authority: fc.constant('letsencrypt'), private_key_type: fc.constantFrom('rsa', 'ecdsa') }, [
  'authority',
])
const child = fc.oneof(fc.constantFrom('bkdhr_1', 'bkdhr_2', 'bkdfo_1'), id('bkdwd'))
const backends = fc.array(fc.tuple(child, fc.nat({ max: 10_000 })), { maxLength: 3 }).map(Object.fromEntries)
const endpoint = fc.constantFrom('ec_1', 'ec_2')
const pair = fc.nat({ max: 7 })
const method = [
  'req.Method == "GET"',
  'req.ContentLength > 1',
  '"a" in req.Headers',
  'conn.Geo.CountryCode != "DE"',
  'true',
]

const action = fc.oneof(
  fc.record({ type: fc.constant('deny'), config: record({ status_code: fc.constantFrom(403, 404) }) }),
  fc.record({
    type: fc.constant('log'),
    config: fc.record({ metadata: fc.dictionary(fc.string({ maxLength: 3 }), words) }),
  }),
  fc.record({
    type: fc.constant('url-rewrite'),
    config: fc.record({ from: fc.constant('/a/(.*)'), to: fc.constant('/$1') }),
  }),
  fc.record({
    type: fc.constant('custom-response'),
    config: fc.record({ content: words, content_type: fc.constant('text/plain'), status_code: fc.constant(200) }),
  }),
  fc.record({
    type: fc.constantFrom('rate-limit', 'oauth', 'openid-connect', 'add-headers'),
    config: fc.constant({ a: 1 }),
  }),
)
const rule = record(
  {
    name: words,
    expressions: fc.array(fc.constantFrom(...method), { maxLength: 2 }),
    actions: fc.array(action, { minLength: 1, maxLength: 2 }),
  },
  ['actions'],
)
const rules = fc.array(rule, { maxLength: 2 })
const uint = fc.integer({ min: 1, max: 128 })

const modules = {
  compression: ['compression', record({ enabled: fc.boolean() })],
  circuit_breaker: [
    'circuitBreaker',
    record({
      enabled: fc.boolean(),
      tripped_duration: uint,
      rolling_window: uint,
      num_buckets: uint,
      volume_threshold: uint,
      error_threshold_percentage: fc.constantFrom(0, 0.5, 1),
    }),
  ],
  policy: ['trafficPolicy', record({ enabled: fc.boolean(), inbound: rules, outbound: rules })],
  webhook_verification: [
    'webhookVerification',
    fc.oneof(
      record({ enabled: fc.boolean(), provider: fc.constantFrom('github', 'SLACK', 'stripe'), secret: id('secret') }, [
        'provider',
        'secret',
      ]),
      fc.constant({ provider: 'sns' }),
    ),
  ],
}

/** All operations: `[method, path, property of the gateway, its function, ids, body]`. */
export const OPERATIONS = [
  [
    'POST',
    '/reserved_addrs',
    'reservedAddrs',
    'create',
    [],
    record({ ...common, region: fc.constantFrom('us', 'eu', 'jp') }),
  ],
  [
    'PATCH',
    '/reserved_addrs/:',
    'reservedAddrs',
    'update',
    ['ra'],
    record({ ...common, endpoint_configuration_id: endpoint }, ['metadata']),
  ],
  [
    'POST',
    '/reserved_domains',
    'reservedDomains',
    'create',
    [],
    fc.oneof(
      record({ ...common, domain: domainName, region: fc.constantFrom('us', 'eu') }, ['domain']),
      record({ ...common, domain: domainName, certificate_management_policy: policy }, [
        'domain',
        'certificate_management_policy',
      ]),
      record({ ...common, domain: domainName, certificate_id: id('cert') }, ['domain', 'certificate_id']),
    ),
  ],
  [
    'PATCH',
    '/reserved_domains/:',
    'reservedDomains',
    'update',
    ['rd'],
    fc.oneof(
      record({ ...common, http_endpoint_configuration_id: endpoint, https_endpoint_configuration_id: endpoint }, [
        'metadata',
      ]),
      record({ certificate_management_policy: policy }, ['certificate_management_policy']),
      record({ certificate_id: id('cert') }, ['certificate_id']),
    ),
  ],
  ['DELETE', '/reserved_domains/:/certificate', 'reservedDomains', 'detachCertificate', ['rd']],
  [
    'DELETE',
    '/reserved_domains/:/certificate_management_policy',
    'reservedDomains',
    'detachCertificateManagementPolicy',
    ['rd'],
  ],
  ['POST', '/backends/weighted', 'weightedBackends', 'create', [], record({ ...common, backends })],
  ['PATCH', '/backends/weighted/:', 'weightedBackends', 'update', ['bkdwd'], record({ ...common, backends })],
  [
    'POST',
    '/tls_certificates',
    'tlsCertificates',
    'create',
    [],
    fc
      .tuple(pair, record(common))
      .map(([at, rest]) => ({ ...rest, certificate_pem: `@@pem:${at}@@`, private_key_pem: `@@key:${at}@@` })),
  ],
  ['PATCH', '/tls_certificates/:', 'tlsCertificates', 'update', ['cert'], record(common)],
  ...[
    ['/reserved_addrs', 'reservedAddrs', 'ra'],
    ['/reserved_domains', 'reservedDomains', 'rd'],
    ['/backends/weighted', 'weightedBackends', 'bkdwd'],
    ['/tls_certificates', 'tlsCertificates', 'cert'],
  ].flatMap(([path, family, type]) => [
    ['GET', path, family, 'list', []],
    ['GET', `${path}/:`, family, 'get', [type]],
    ['DELETE', `${path}/:`, family, 'delete', [type]],
  ]),
  ...Object.entries(modules).flatMap(([name, [family, body]]) => {
    const path = `/edges/https/:/routes/:/${name}`
    return [
      ['PUT', path, family, 'replace', ['edge', 'route'], body],
      ['GET', path, family, 'get', ['edge', 'route']],
      ['DELETE', path, family, 'delete', ['edge', 'route']],
    ]
  }),
].map(([httpMethod, path, family, name, ids, body]) => ({ method: httpMethod, path, family, name, ids, body }))

const outcome = fc.constantFrom('success', 'DNS_ERROR', 'INTERNAL_ERROR')
const duration = fc.constantFrom('1s', '30s', '90m', '1h', '30d', '90d', 0, 1500)
const fault = record({
  operation: fc.constantFrom(
    'reserved_domains.create',
    'reserved_domains.get',
    'tls_certificates.create',
    'reserved_addrs.list',
  ),
  method: fc.constantFrom('GET', 'POST'),
  times: fc.integer({ min: 1, max: 3 }),
  after: fc.integer({ min: 0, max: 2 }),
  phase: fc.constantFrom('before', 'after'),
  status: fc.constantFrom(400, 429, 503),
  error: fc.constantFrom('too_many_requests', 'auth_invalid'),
  message: words,
  retryAfter: duration,
  latency: duration,
  drop: fc.boolean(),
  truncate: fc.nat({ max: 50 }),
  body: fc.constantFrom('<html>', { a: 1 }),
})

/** All controls: over HTTP `[method, path, body]`. */
export const CONTROLS = [
  [
    'POST',
    '/clock',
    fc.oneof(
      fc.record({ advance: duration }),
      fc.constant({ next: true }),
      fc.constant({ to: '2026-03-01T00:00:00Z' }),
    ),
  ],
  ['GET', '/clock'],
  [
    'POST',
    '/provisioning/script',
    record(
      {
        outcomes: fc.array(outcome, { maxLength: 3 }),
        domain: domainName,
        times: fc.integer({ min: 1, max: 3 }),
        first: fc.boolean(),
        always: outcome,
      },
      ['outcomes'],
    ),
  ],
  ['GET', '/provisioning/script'],
  ['DELETE', '/provisioning/script', optional(domainName).map((domain) => ({ domain }))],
  ['POST', '/provisioning/attempt', fc.record({ id: id('rd') })],
  ['POST', '/provisioning/renew', fc.record({ id: id('rd') })],
  // Not of a domain that is there: its uploaded certificate may be years ahead, and every failing attempt before it.
  ['POST', '/provisioning/expire', fc.record({ id: fc.constantFrom('rd_gone', 'cert_1', 'x', '') })],
  ['GET', '/provisioning/timeline', fc.record({ id: id('rd') })],
  ['GET', '/dns'],
  [
    'PUT',
    '/dns',
    fc.oneof(
      fc.record({ name: domainName, type: fc.constant('CNAME'), value: domainName }),
      fc.record({ name: domainName, type: fc.constant('CNAME'), value: id('target') }),
      fc.record({ name: domainName, type: fc.constant('A'), value: fc.constant('192.0.2.1') }),
    ),
  ],
  ['DELETE', '/dns', record({ name: domainName, type: fc.constantFrom('A', 'CNAME') })],
  [
    'POST',
    '/declare',
    fc.constantFrom(
      { edge: 'edghts_1', routes: ['edghtsrt_1'] },
      { endpoint_configuration: 'ec_1' },
      { backend: 'bkdhr_1' },
    ),
  ],
  ['GET', '/faults'],
  ['POST', '/faults', fault],
  ['DELETE', '/faults', fc.constant({})],
  ['GET', '/requests'],
  ['DELETE', '/requests'],
  ['GET', '/state'],
  ['PUT', '/state', fc.constant({ version: 1 })],
  ['GET', '/authority.pem'],
  ['POST', '/certificates', record({ certificate_pem: fc.constantFrom('', 'x', '-----BEGIN CERTIFICATE-----') })],
  ['POST', '/reset'],
].map(([httpMethod, path, body]) => ({ method: httpMethod, path, body }))

/** Controls of the direct API: where they stand, and what they are called with. */
export const CALLS = [
  [['provisioning', 'script'], fc.tuple(fc.array(outcome, { maxLength: 3 }), record({ domain: domainName }))],
  [
    ['provisioning', 'failNext'],
    fc.tuple(fc.constantFrom('DNS_ERROR', 'INTERNAL_ERROR'), record({ domain: domainName, times: fc.nat({ max: 3 }) })),
  ],
  [
    ['provisioning', 'failAlways'],
    fc.tuple(fc.constantFrom('DNS_ERROR', 'INTERNAL_ERROR'), record({ domain: domainName })),
  ],
  [['provisioning', 'clear'], fc.tuple(record({ domain: domainName }))],
  [['provisioning', 'attempt'], fc.tuple(id('rd'))],
  [['provisioning', 'timeline'], fc.tuple(id('rd'))],
  [['provisioning', 'printTimeline'], fc.tuple(id('rd'))],
  [['provisioning', 'pendingOutcomes'], fc.constant([])],
  [['dns', 'cname'], fc.tuple(domainName, domainName)],
  [['dns', 'a'], fc.tuple(domainName, fc.constant('192.0.2.1'))],
  [['dns', 'remove'], fc.tuple(domainName)],
  [['dns', 'records'], fc.constant([])],
  [['declare', 'edge'], fc.tuple(fc.constant('edghts_1'), fc.constant({ routes: ['edghtsrt_1'] }))],
  [['declare', 'endpointConfiguration'], fc.tuple(fc.constant('ec_1'))],
  [['declare', 'backend'], fc.tuple(fc.constant('bkdhr_1'))],
  [['faults', 'add'], fc.tuple(fault)],
  [['faults', 'all'], fc.constant([])],
  [['faults', 'clear'], fc.constant([])],
  [
    ['requests', 'all'],
    fc.tuple(record({ method: fc.constantFrom('GET', 'POST'), status: fc.constantFrom(200, 400) })),
  ],
  [['authority', 'privateKeyPem'], fc.tuple(id('cert'))],
  [['leftovers'], fc.constant([])],
].map(([place, args]) => ({ place, args }))
