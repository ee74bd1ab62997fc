import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Gateway, type HttpRequest, standard } from '../../../src/index.ts'
import { calls, createHttpRequest, fillIds } from '../../support/calls.ts'
import { BODY_FIELDS } from '../../support/fields.ts'
import { open, stateOf } from '../../support/gateway.ts'
import { upload } from '../../support/pem.ts'
import { anyText, check } from '../../support/property.ts'

const ROUTE = '/edges/https/edghts_1/routes/edghtsrt_1'

/** Creates a gateway with one resource of each kind, and lists the paths of its operations. */
function createOneOfEach(): { gateway: Gateway; paths: string[] } {
  const gateway = open({ seed: 'properties' })
  const { id: certificate_id } = gateway.tlsCertificates.create(upload('ed25519'))
  const resourcePaths = [
    gateway.reservedAddrs.create().uri,
    gateway.reservedDomains.create({ domain: 'app.example.com', certificate_id }).uri,
    gateway.reservedDomains.create({
      domain: '*.example.com',
      certificate_management_policy: { authority: 'letsencrypt' },
    }).uri,
    gateway.weightedBackends.create({ backends: { bkdhr_1: 1 } }).uri,
    gateway.tlsCertificates.get(certificate_id).uri,
  ].map((uri) => uri.slice(gateway.url.length))
  const domainPaths = resourcePaths.filter((path) => path.startsWith('/reserved_domains'))
  gateway.compression.replace({ edge_id: 'edghts_1', id: 'edghtsrt_1' })
  return {
    gateway,
    paths: [
      '/reserved_addrs',
      '/reserved_domains',
      '/backends/weighted',
      '/tls_certificates',
      ...resourcePaths,
      ...domainPaths.flatMap((path) => [`${path}/certificate`, `${path}/certificate_management_policy`]),
      ...['compression', 'circuit_breaker', 'policy', 'webhook_verification'].map((each) => `${ROUTE}/${each}`),
    ],
  }
}

const { gateway: FIRST, paths: PATHS } = createOneOfEach()
const STATE = FIRST.snapshot()

/** Opens a gateway with the same state, which is faster than creating the resources. */
function openWithOneOfEach(): Gateway {
  const gateway = open({ seed: 'properties' })
  gateway.restore(STATE)
  return gateway
}

/** The ids of the resources, which are the same in every such gateway. */
const IDS = PATHS.flatMap((path) => /(?:ra|rd|bkdwd|cert)_\w+$/.exec(path) ?? [])

const names = fc.constantFrom(
  ...BODY_FIELDS,
  'http_endpoint_configuration_id',
  'bkdhr_1',
  'secret',
  'outbound',
  'expressions',
  'actions',
  'type',
  'config',
  'status_code',
  'error_threshold_percentage',
  'constructor',
  'toString',
)

const scalars = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, '', 0, -1, 1, 0.5, 129, 10_001, 2 ** 32, 1e308),
  fc.constantFrom(
    'us',
    'mars',
    'b.example.com',
    'A_b',
    '*.x.com',
    'letsencrypt',
    'rsa',
    'deny',
    'log',
    'github',
    'sns',
  ),
  fc.constantFrom('ra_1', 'rd_1', 'cert_1', 'ec_1', 'edghts_1', 'edghtsrt_1', 'true', 'req.Method ==', '-----BEGIN'),
  anyText(20),
  fc.double(),
  fc.integer(),
)

/** JSON that looks like bodies of this API. */
const { value: jsonValue } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 6, withCrossShrink: true }, scalars, tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.array(fc.tuple(fc.oneof(names, fc.string({ maxLength: 8 })), tie('value')), { maxLength: 6 }),
}))

/** Formats a value as JSON. An array of entries becomes an object here, so that `__proto__` stays a key. */
function formatJson(value: unknown): string {
  if (!Array.isArray(value)) return JSON.stringify(value) ?? 'null'
  const isObject = value.length > 0 && value.every((each) => Array.isArray(each) && typeof each[0] === 'string')
  if (!isObject) return `[${value.map(formatJson).join()}]`
  return `{${value.map(([name, inner]) => `${JSON.stringify(name)}:${formatJson(inner)}`).join()}}`
}

const bodies = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.tuple(names, jsonValue), { maxLength: 6 }).map(formatJson) },
  { weight: 2, arbitrary: jsonValue.map(formatJson) },
  { weight: 1, arbitrary: fc.string({ maxLength: 30 }) },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', '{"', 'null') },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '{}',
      '{"metadata":"x"}',
      '{"domain":"b.example.com"}',
      '{"provider":"sns"}',
      '{"certificate_management_policy":{"authority":"letsencrypt"}}',
    ),
  },
)

const texts = anyText(12)
const queries = fc.oneof(
  { weight: 5, arbitrary: fc.constant('') },
  fc.constantFrom('?limit=1', '?limit=0', '?limit=1&limit=1', '?before_id=rd_1', '?beforeId=rd_1', '?filter=true'),
  texts.map((text) => `?filter=${encodeURIComponent(text)}`),
  fc.string({ maxLength: 12 }).map((text) => `?${text}`),
)
const paths = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...PATHS) },
  fc.tuple(fc.constantFrom(...PATHS), fc.string({ maxLength: 10 })).map(([path, text]) => `${path}/${text}`),
  fc.string({ maxLength: 20 }).map((text) => `/${text}`),
  fc.string({ maxLength: 20 }),
)
const methods = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE') },
  fc.constantFrom('HEAD', 'OPTIONS', 'get', 'BREW'),
)
const orRarely = (usual: string, other: fc.Arbitrary<string | null>) =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, other)
const requests = fc.record({
  method: methods,
  path: paths,
  query: queries,
  body: bodies,
  headers: fc.record({
    authorization: orRarely('Bearer key', fc.oneof(fc.constant(null), fc.string({ maxLength: 12 }))),
    'service-version': orRarely('2', fc.oneof(fc.constant(null), fc.string({ maxLength: 3 }))),
    'content-type': orRarely('application/json', fc.oneof(fc.constant(null), fc.string({ maxLength: 20 }))),
    origin: fc.constantFrom(null, null, 'https://example.com', 'null'),
    'access-control-request-method': fc.constantFrom(null, null, null, 'GET'),
  }),
})

type DrawnRequest = typeof requests extends fc.Arbitrary<infer T> ? T : never

function toRequest({ method, path, query, body, headers }: DrawnRequest): HttpRequest {
  const byName: Readonly<Record<string, string | null>> = headers
  return { method, url: path + query, header: (name) => byName[name] ?? null, body }
}

/** Arbitrary requests, of which a client could send most. */
const anyRequests = fc.oneof(
  { weight: 1, arbitrary: requests.map(toRequest) },
  { weight: 5, arbitrary: calls.map((call) => createHttpRequest(fillIds(call, IDS).call, standard)) },
)

/** Requests that random runs may omit: without a key, or with an unknown method, path or content type. */
const EXAMPLES: [HttpRequest][] = [
  ['GET', '/reserved_addrs', { authorization: null }],
  ['PUT', '/reserved_addrs', {}],
  ['GET', '/reserved_addresses', {}],
  ['POST', '/reserved_addrs', { 'content-type': 'text/plain' }],
].map(([method, path, changed]) => {
  const headers = { authorization: 'Bearer key', 'service-version': '2', 'content-type': 'application/json' }
  const byName: Readonly<Record<string, string | null>> = { ...headers, ...(changed as object) }
  return [{ method: String(method), url: String(path), header: (name) => byName[name] ?? null, body: '{}' }]
})

/** Returns whether a request passed all general checks, and reached the rules of its resource. */
function isUnderstood(status: number, body: string | null): boolean {
  if (status < 400) return true
  const number = Number(/"error_code":"ERR_GATEWAY_(\d+)"/.exec(body ?? '')?.[1])
  return number >= 400 && ![90400, 90405, 90413].includes(number)
}

const ERROR_CODE = /^ERR_GATEWAY_\d{3,5}$/

describe('Any request at all (rules: errors#catalogue, requests#failed-requests)', () => {
  test('gets a resource, no body, or a documented error below 500, and changes nothing if it is rejected', () => {
    const statuses = new Set<number>()
    let [successes, understood] = [0, 0]
    check(
      fc.property(anyRequests, (request) => {
        const gateway = openWithOneOfEach()
        const before = stateOf(gateway)
        const { status, headers, body } = gateway.transport.exchange(request)
        statuses.add(status)
        if (status < 300) successes++
        if (isUnderstood(status, body)) understood++
        expect(status).toBeLessThan(500)
        expect(headers['Service-Operation-Id']).toMatch(/^op_[0-9A-Za-z]{27}$/)
        if (status < 400) return
        expect(stateOf(gateway)).toBe(before)
        expect(body === null).toBe(request.method === 'HEAD')
        if (body === null) return
        const error = JSON.parse(body)
        expect(Object.keys(error)).toEqual(['error_code', 'status_code', 'msg', 'details'])
        expect(error.error_code).toMatch(ERROR_CODE)
        expect(error.status_code).toBe(status)
        expect(error.msg).toEqual(expect.stringMatching(/\S/))
        expect(error.details.operation_id).toBe(headers['Service-Operation-Id'])
        for (const detail of Object.values(error.details)) expect(typeof detail).toBe('string')
      }),
      { numRuns: 700, examples: EXAMPLES },
    )
    expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 204, 400, 401, 404, 405, 415]))
    // The averages are 58% and 35%. Counts as low as these occur once in millions of runs.
    expect(understood).toBeGreaterThan(350)
    expect(successes).toBeGreaterThan(175)
  })

  test('changes nothing if it only reads', () => {
    const reading = anyRequests.filter(({ method }) => ['GET', 'HEAD', 'OPTIONS'].includes(method))
    check(
      fc.property(reading, (request) => {
        const gateway = openWithOneOfEach()
        const before = stateOf(gateway)
        gateway.transport.exchange(request)
        expect(stateOf(gateway)).toBe(before)
      }),
      { numRuns: 100 },
    )
  })

  test('gets the same response from a gateway with the same seed', () => {
    check(
      fc.property(fc.array(anyRequests, { maxLength: 5 }), (list) => {
        const [one, two] = [createOneOfEach().gateway, createOneOfEach().gateway]
        for (const each of list) expect(one.transport.exchange(each)).toEqual(two.transport.exchange(each))
        expect(stateOf(one)).toBe(stateOf(two))
      }),
      { numRuns: 200 },
    )
  })
})

describe('Bodies of the right shape with random values (rules: fields#null-means-not-given)', () => {
  test('of weighted backends are returned unchanged', () => {
    const children = fc.stringMatching(/^bkd[a-v]{0,3}_[0-9A-Za-z]{1,27}$/)
    check(
      fc.property(fc.dictionary(children, fc.integer({ min: 0, max: 10_000 })), fc.string(), (backends, metadata) => {
        const gateway = open()
        const created = gateway.weightedBackends.create({ backends, metadata })
        expect({ ...created.backends }).toEqual({ ...backends })
        expect(created.metadata ?? '').toBe(metadata)
        expect(gateway.weightedBackends.get(created.id)).toEqual(created)
      }),
      { numRuns: 100 },
    )
  })

  test("of policies keep any JSON of an action's config, in the same order of keys", () => {
    check(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), (config) => {
        const gateway = open()
        const ids = { edge_id: 'edghts_1', id: 'edghtsrt_1' }
        const { inbound } = gateway.trafficPolicy.replace(ids, { inbound: [{ actions: [{ type: 'oauth', config }] }] })
        expect(JSON.stringify(inbound[0]?.actions[0]?.config)).toBe(JSON.stringify(config))
      }),
      { numRuns: 100 },
    )
  })

  test('of metadata are accepted only if they have at most 4096 bytes in UTF-8', () => {
    const units = fc.constantFrom('x', 'ü', '東', '😀')
    check(
      fc.property(units, fc.integer({ min: 4090, max: 4100 }), (unit, bytes) => {
        const size = Buffer.byteLength(unit)
        const metadata = unit.repeat(Math.floor(bytes / size)) + 'x'.repeat(bytes % size)
        const create = () => open().reservedAddrs.create({ metadata })
        if (bytes > 4096) expect(create).toThrow(`${bytes} bytes`)
        else expect(create().metadata).toBe(metadata)
      }),
      { numRuns: 200 },
    )
  })
})
