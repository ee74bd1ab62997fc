// The operations and controls of the OpenAPI document, with bodies that its schemas describe, and the
// controls that only the direct API has.
import fc from 'fast-check'
import { ngrok } from '../../dist/index.js'
import { ngrokFamilies } from '../../dist/ngrok.js'
import { openApi } from '../../dist/openapi.js'
import { operationsOf } from '../../scripts/operations.mjs'

const documents = ['service', 'controls'].map((part) => openApi(ngrok, { part, families: ngrokFamilies }))
const operations = documents.flatMap(operationsOf)
const schemas = Object.assign({}, ...documents.map((each) => each.components.schemas))

const toCamelCase = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())

const gets = operations.filter(({ method }) => method === 'get')

/** The families that have lists: the member of a gateway, by the prefix of the ids. */
export const FAMILIES = new Map(
  gets.flatMap(({ operationId }) => {
    const [family, verb] = operationId.split('.')
    if (verb !== 'list') return []
    const { parameters } = gets.find((each) => each.operationId === `${family}.get`)
    // Items that have no id of their own, such as the sources of a subscription, have the name of an event.
    const pattern = parameters.find(({ name }) => name === 'id')?.schema.pattern
    if (pattern === undefined) return []
    // Users have two paths, whose ids have either prefix.
    const prefixes = /^\^\(?([\w|]+)\)?_\[/.exec(pattern)[1].split('|')
    return [[prefixes.find((each) => family.startsWith(each)) ?? prefixes[0], toCamelCase(family)]]
  }),
)

/** Draws a token for an id or another value of the gateway. */
export const token = (name, maximum = 3) => fc.nat({ max: maximum }).map((index) => `@@${name}:${index}@@`)

const words = fc.constantFrom('', 'a', 'x y', 'ünïcode ☃', '{"k":1}')
const labels = fc.constantFrom('a', 'b', 'app', 'www', 'x1', 'xn--bcher-kva', '*', 'deep.er')
const hosts = fc.constantFrom('example.com', 'example.org', 'gateway.test', 'ngrok.app', 'co.uk')
const domainName = fc.tuple(labels, hosts).map(([label, host]) => `${label}.${host}`)
const duration = fc.constantFrom('1s', '30s', '90m', '1h', '30d', '90d', 0, 1500)
const expressions = ['req.Method == "GET"', '"a" in req.Headers', 'conn.Geo.CountryCode != "DE"', 'true']

const POLICY_TEXTS = [
  '{}',
  '{"on_http_request":[{"actions":[{"type":"deny"}]}]}',
  'on_tcp_connect:\n  - actions:\n      - type: deny\n',
  `on_http_request: [${Array(6).fill('{actions: [{type: log}]}').join()}]`,
  'on_http_request: [',
]
const SSH_KEYS = [
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEH3IY4s2cSOuKj63wdOpGLQRkEbBGYbddAi683q3ewX',
  'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBOCDj8XJev8zs3xLCS9lD+DThuxyUgLEFgSO9Krs05Zp3xzBV1i4vV/CPPvM3WSIUEEN2yhn/dZ/cIbeNYGOzrU= b',
]

const OTHER_URLS = ['https://a.internal', 'https://b.internal', 'tcp://c.internal:1', 'tcp://1.tcp.eu.ngrok.io:1']
const url = fc.oneof(
  fc.tuple(fc.constantFrom('http', 'https', 'tls'), domainName).map((parts) => parts.join('://')),
  fc.constantFrom(...OTHER_URLS, 'http://a.b'),
)

/** The resources that only an agent or the service makes, by name in a body of `POST /_fauxgate/declare`. */
const DECLARED = Object.entries(schemas.Declaration.properties).filter(([, { anyOf }]) => anyOf)

/** Values of fields, by name and by a part of a pattern. From the schema alone, most values would be invalid. */
const BY_NAME = {
  domain: domainName,
  expressions: fc.array(fc.constantFrom(...expressions), { maxLength: 2 }),
  operation: fc.constantFrom('reserved_domains.create', 'reserved_domains.get', 'reserved_addrs.list'),
  error: fc.constantFrom('too_many_requests', 'auth_invalid'),
  status: fc.constantFrom(400, 429, 503),
  method: fc.constantFrom('GET', 'POST', 'PATCH', 'patch'),
  to: fc.constant('2026-03-01T00:00:00Z'),
  name: fc.constantFrom('a', 'b', 'c/d'),
  url,
  traffic_policy: fc.constantFrom(...POLICY_TEXTS),
  bindings: fc.constantFrom([], ['public'], ['internal'], ['kubernetes'], ['public', 'internal']),
  cidr: fc.constantFrom('10.0.0.0/8', '10.1.0.0/16', '2001:db8::/32', '10.0.0.1/8'),
  ip_policy_id: token('ipp'),
  owner_id: fc.oneof(token('bot'), token('service')),
  vault_id: token('vault'),
  public_key: fc.constantFrom(...SSH_KEYS),
  acl: fc.constantFrom([], ['bind:*.example.com'], ['*', 'bind:team=*'], ['bind']),
  precomputed_token: fc.constant(''),
  labels: fc.constant({ team: 'web' }),
}
const BY_PATTERN = [
  ['ec_', fc.constantFrom('ec_1', 'ec_2')],
  ['bkd', fc.oneof(fc.constantFrom('bkdhr_1', 'bkdhr_2', 'bkdfo_1'), token('bkdwd'))],
  ['rd_', token('rd')],
  ['cert_', token('cert')],
  ['^cr_', token('cr')],
  ['\\d{1,12}(ms', duration],
]

/** Fields that a body may have only beside others, or instead of others. Mutations add them. */
const LEFT_OUT = ['id', 'edge_id', 'module', 'resolves_to']

const action = fc.constantFrom(
  { type: 'deny', config: { status_code: 403 } },
  { type: 'log', config: { metadata: { a: '☃' } } },
  { type: 'url-rewrite', config: { from: '/a/(.*)', to: '/$1' } },
  { type: 'custom-response', config: { content: 'x y', content_type: 'text/plain', status_code: 200 } },
  ...['rate-limit', 'oauth', 'openid-connect', 'add-headers'].map((type) => ({ type, config: { a: 1 } })),
)

/** Whole bodies, whose fields depend on one another. */
const BY_SCHEMA = {
  TLSCertificateCreate: fc
    .tuple(fc.nat({ max: 7 }), fc.record({ description: words, metadata: words }, { requiredKeys: [] }))
    .map(([at, rest]) => ({ ...rest, certificate_pem: `@@pem:${at}@@`, private_key_pem: `@@key:${at}@@` })),
  WebhookVerificationBody: fc.oneof(
    fc.record({ provider: fc.constantFrom('github', 'SLACK', 'stripe'), secret: token('secret') }),
    fc.constant({ provider: 'sns' }),
  ),
  EndpointActionBody: action,
  EndpointCreate: fc.record(
    { url, traffic_policy: fc.constantFrom(...POLICY_TEXTS), pooling_enabled: fc.boolean(), description: words },
    { requiredKeys: ['url', 'traffic_policy'] },
  ),
  ...Object.fromEntries(
    ['Route', 'TcpEdge', 'TlsEdge'].map((kind) => [
      `${kind}PolicyTextBody`,
      fc.record({ value: fc.constantFrom(...POLICY_TEXTS), enabled: fc.boolean() }, { requiredKeys: ['value'] }),
    ]),
  ),
  DnsRecordBody: fc.oneof(
    fc.record({ name: domainName, type: fc.constant('CNAME'), value: fc.oneof(domainName, token('target')) }),
    fc.record({ name: domainName, type: fc.constant('A'), value: fc.constant('192.0.2.1') }),
  ),
  EdgeEndpointDeclaration: fc.record({
    edge: fc.constantFrom('edgtls_1', 'edghts_1'),
    url: fc.constant('tls://app.example.com'),
  }),
  SnapshotBody: fc.constant({ version: 1 }),
}
BY_SCHEMA.Declaration = fc.oneof(
  ...DECLARED.map(([name, schema]) => fc.record({ [name]: createValues(schema.anyOf[0]) })),
  fc.constantFrom(
    { edge: 'edghts_1', routes: ['edghtsrt_1'] },
    { endpoint_configuration: 'ec_1' },
    { backend: 'bkdhr_1' },
    { edge: 'edgtcp_1' },
    { edge: 'edgtls_1' },
  ),
)

/** Creates an arbitrary of values that a schema of the document allows. */
function createValues(schema, name) {
  const reference = schema.$ref?.split('/').at(-1)
  if (reference) return BY_SCHEMA[reference] ?? createValues(schemas[reference])
  if (BY_NAME[name]) return BY_NAME[name]
  const [, byPattern] = BY_PATTERN.find(([part]) => schema.pattern?.includes(part)) ?? []
  if (byPattern) return byPattern
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.properties) return createBodies(schema)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => createValues(each)))
  return createValuesOfType([schema.type].flat()[0], schema)
}

function createValuesOfType(
  type,
  { items, additionalProperties, propertyNames, minimum = 0, maximum = 3, minItems = 0 },
) {
  switch (type) {
    case 'array':
      return fc.array(createValues(items), { minLength: minItems, maxLength: 2 })
    case 'object':
      if (!propertyNames) return fc.constant({ a: 1 })
      return fc
        .array(fc.tuple(createValues(propertyNames), createValues(additionalProperties)), { maxLength: 3 })
        .map(Object.fromEntries)
    case 'integer':
      return fc.oneof(fc.integer({ min: minimum, max: minimum + 3 }), fc.constant(Math.min(maximum, 10_000)))
    case 'number':
      return fc.constantFrom(minimum, 0.5, maximum)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      return words
  }
}

/** Creates an arbitrary of bodies with the required fields and at most two others: most combinations are then valid. */
function createBodies({ properties, required = [], else: otherwise }) {
  const requiredNames = [...required, ...(otherwise?.required ?? [])]
  const others = Object.keys(properties).filter((name) => !requiredNames.includes(name) && !LEFT_OUT.includes(name))
  return fc.subarray(others, { maxLength: Math.min(2, others.length) }).chain((optionalNames) => {
    const names = [...requiredNames, ...optionalNames]
    return fc.record(Object.fromEntries(names.map((name) => [name, createValues(properties[name], name)])))
  })
}

/** Returns the kinds of the ids in a path, by the names in tokens. */
function listIdKinds(path, family) {
  if (path.startsWith('/edges'))
    return [...path.matchAll(/^\/edges\/(\w+)\/\{|\/(routes)\/\{/g)].map(([, kind, route]) => route ?? kind)
  if (!path.includes('{id}')) return []
  return [...FAMILIES.keys()].filter((prefix) => FAMILIES.get(prefix) === family)
}

/** Values of the parameters of controls; lists have their own. */
const PARAMETERS = { id: token('rd'), name: domainName, domain: domainName, type: fc.constant('CNAME') }

function createQuery(path, parameters) {
  const names = parameters.filter((each) => each.in === 'query').map((each) => each.name)
  const known = Object.entries(PARAMETERS).filter(([name]) => names.includes(name))
  return fc.record(Object.fromEntries(known), { requiredKeys: path.endsWith('timeline') ? ['id'] : [] })
}

/** The ids are unknown: the attempts of an existing certificate could fail every hour, for years. */
const EXPIRE = fc.record({ id: fc.constantFrom('rd_gone', 'cert_1', 'x', '') })

const all = operations.map(({ path, method, operationId, requestBody, parameters }) => {
  const [family, name] = operationId.split('.').map(toCamelCase)
  const schema = requestBody?.content['application/json'].schema
  return {
    method: method.toUpperCase(),
    path: path.replaceAll(/\{\w+\}/g, ':'),
    family,
    name,
    ids: listIdKinds(path, family),
    body: path.endsWith('/expire') ? EXPIRE : schema && createValues(schema),
    query: createQuery(path, parameters),
  }
})

export const OPERATIONS = all.filter(({ family }) => family !== 'controls')
export const CONTROLS = all.filter(({ family }) => family === 'controls')

const outcomes = fc.array(fc.constantFrom('success', 'DNS_ERROR', 'INTERNAL_ERROR'), { maxLength: 3 })
const failure = fc.constantFrom('DNS_ERROR', 'INTERNAL_ERROR')
const forDomain = fc.record({ domain: domainName }, { requiredKeys: [] })
const nothing = fc.constant([])

/** The controls of the direct API, each with its arguments. */
export const CALLS = Object.entries({
  'provisioning.script': fc.tuple(outcomes, forDomain),
  'provisioning.failNext': fc.tuple(failure, forDomain),
  'provisioning.failAlways': fc.tuple(failure, forDomain),
  'provisioning.clear': fc.tuple(forDomain),
  'provisioning.attempt': fc.tuple(token('rd')),
  'provisioning.timeline': fc.tuple(token('rd')),
  'provisioning.printTimeline': fc.tuple(token('rd')),
  'provisioning.pendingOutcomes': nothing,
  'dns.cname': fc.tuple(domainName, domainName),
  'dns.a': fc.tuple(domainName, fc.constant('192.0.2.1')),
  'dns.remove': fc.tuple(domainName),
  'dns.records': nothing,
  'declare.edge': fc.constant(['edghts_1', { routes: ['edghtsrt_1'] }]),
  'declare.endpointConfiguration': fc.constant(['ec_1']),
  'declare.backend': fc.constant(['bkdhr_1']),
  'faults.add': fc.tuple(createValues(schemas.FaultSpec)),
  'faults.all': nothing,
  'faults.clear': nothing,
  'requests.all': fc.constantFrom([], [{ method: 'GET' }], [{ method: 'POST', status: 400 }]),
  'authority.privateKeyPem': fc.tuple(token('cert')),
  leftovers: nothing,
  ...Object.fromEntries(
    DECLARED.map(([name, { anyOf }]) => [`declare.${toCamelCase(name)}`, fc.tuple(createValues(anyOf[0]))]),
  ),
  'declare.end': fc.tuple(fc.oneof(token('ts'), token('ep'), token('rd'))),
})
