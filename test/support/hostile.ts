import { createNgrok } from '../../src/gateway/ngrok.ts'
import { manualClock } from '../../src/index.ts'
import { CLOCK_START } from './clock.ts'
import { ECDSA } from './provisioning.ts'

export const APP = 'https://app.ngrok-free.app'

/** A gateway with something of everything that controls act on. */
export function createTarget() {
  const gateway = createNgrok({ seed: 'hostile', clock: manualClock(CLOCK_START), dns: 'simulated' })
  const domain = gateway.reservedDomains.create({ domain: 'a.example.com', certificate_management_policy: ECDSA })
  gateway.dns.cname('a.example.com', domain.cname_target)
  const session = gateway.declare.tunnelSession({ endpoints: [{ url: APP }] })
  gateway.traffic.upstream(APP, () => new Response('hello'))
  const fault = gateway.faults.add({ operation: 'reserved_addrs.create', times: 3 })
  gateway.provisioning.script(['DNS_ERROR'], { domain: 'a.example.com' })
  return { gateway, domain: domain.id, session: session.id, fault: fault.id }
}

export type Target = ReturnType<typeof createTarget>

const deepList = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const deepObject = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

const TEXTS = [
  '',
  ' ',
  '\0',
  '\ud800',
  '\u202egnp.exe',
  'x'.repeat(70_000),
  '__proto__',
  'constructor',
  '../..',
  'http://',
  'http://[',
  'https://user:pass@a.example.com',
  'https://a.example.com:99999',
  'javascript:alert(1)',
  'file:///etc/passwd',
  'a b',
  '9999-12-31T23:59:59Z',
  '+275760-09-13T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '99999999d',
  '1e9d',
  '-1s',
  'ep_1',
  '*.example.com',
  'rd_1',
  'a b: c\r\nd',
  `https://a.example.com/?${'a=b&'.repeat(2000)}`,
  'https://\u202eexample.com/\0\ud800',
]

/** JSON texts that no client means, by what they are. */
export const HOSTILE_JSON: readonly string[] = [
  ...['null', 'true', 'false', '0', '-0', '-1', '0.5', '1e308', '-1e308', '1e999', '9007199254740993', '5e-324'],
  ...TEXTS.map((text) => JSON.stringify(text)),
  ...['[]', '{}', '[null]', '[""]', '{"":""}', '[[[]]]', '{"a":{"b":{}}}'],
  ...['{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}', '{"toString":1}'],
  ...[deepList(3000), deepObject(3000), `[${'"",'.repeat(3000)}""]`],
]

/** Bodies that are no objects of the right kind at all. */
export const HOSTILE_BODIES: readonly string[] = [
  ...HOSTILE_JSON,
  '',
  '{',
  '{"a":1,}',
  '\ufeff{}',
  '{}x',
  '{"url": "',
  deepList(100_000),
  deepObject(100_000),
  `"${'x'.repeat(1_100_000)}"`,
]

/** Values that only code of the same process can pass. */
export function hostileValues(): unknown[] {
  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  return [
    ...HOSTILE_JSON.flatMap((text) => (text === '1e999' ? [] : [JSON.parse(text) as unknown])),
    ...[undefined, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2n ** 70n, Symbol('s')],
    ...[() => undefined, class {}, new Date(Number.NaN), new Date(8.64e15), /a/, new Map(), new Set(), new Error('e')],
    ...[cycle, Object.create(null), new Uint8Array(3), Promise.resolve(1), new URL('https://a.example.com')],
    ...[Object.freeze({ a: Object.freeze([]) }), new Proxy({}, {}), new Proxy([], {}), new String('x'), new Number(1)],
    Array.from({ length: 3 }),
    { toString: () => 'x', valueOf: () => 1 },
    { length: 1e9 },
  ]
}

/** The input of a call: the fields of its body, or of its query. */
export type Sent = { readonly [field: string]: unknown }

/** A valid input of each call to a control, by method and path. A control that is not here fails the tests. */
export const VALID_CALLS: Readonly<Record<string, (target: Target) => readonly Sent[]>> = {
  'GET /clock': () => [{}],
  'POST /clock': () => [{ advance: '1s' }, { to: '2026-01-02T00:00:00Z' }, { next: true, remember: true }],
  'POST /declare': () => [
    { edge: 'edghts_1', routes: ['edghtsrt_1'] },
    { endpoint_configuration: 'ec_1' },
    { backend: 'bkdhr_1' },
    { edge_endpoint: { edge: 'edgtls_1', url: 'tls://app.example.com' } },
    { dev_domain: {} },
    { credential: {} },
    { tunnel_session: { endpoints: [{ url: 'https://b.ngrok-free.app' }] } },
    { application_user: {} },
  ],
  'DELETE /declare': ({ session }) => [{ id: session }],
  'POST /provisioning/script': ({ domain }) => [
    { outcomes: ['DNS_ERROR', 'success'], domain, times: 2, first: true },
    { outcomes: [], always: 'DNS_ERROR' },
  ],
  'DELETE /provisioning/script': ({ domain }) => [{ domain }, { id: 'x' }],
  'GET /provisioning/script': () => [{}],
  'POST /provisioning/attempt': ({ domain }) => [{ id: domain }],
  'POST /provisioning/renew': ({ domain }) => [{ id: domain }],
  'POST /provisioning/expire': ({ domain }) => [{ id: domain }],
  'GET /provisioning/timeline': ({ domain }) => [{ id: domain }],
  'GET /timelines': () => [{ name: 'a', state: 'provisioning', order: 'name', skip: '0', limit: '1' }],
  'GET /dns': () => [{}],
  'PUT /dns': () => [{ name: 'b.example.com', type: 'A', value: '192.0.2.1' }],
  'DELETE /dns': () => [{ name: 'a.example.com', type: 'CNAME', value: 'x.example.com' }],
  'GET /faults': () => [{}],
  'POST /faults': () => [
    {
      ...{ operation: 'reserved_addrs.create', method: 'POST', path: '/a', upstream: undefined },
      ...{ times: 1, after: 0, status: 503, error: undefined, body: { a: 1 }, latency: '1s', retryAfter: '2s' },
    },
  ],
  'DELETE /faults': ({ fault }) => [{ id: fault }],
  'POST /traffic': () => [
    {
      ...{ url: APP, method: 'POST', headers: { 'x-a': 'b' }, body: 'x', edge: 'edghts_1', route: 'r', backend: 'b' },
      from: { ip: '192.0.2.1', country: 'DE', identity: { email: 'a@b.c' }, facts: {}, actions: {} },
    },
    { url: APP },
  ],
  'GET /traffic': () => [{ after: '0' }],
  'DELETE /traffic': () => [{}],
  'PUT /traffic/upstreams': () => [{ url: APP, status: 201, headers: { 'x-a': 'b' }, body: 'x', times: 2 }],
  'DELETE /traffic/upstreams': () => [{ url: APP }],
  'POST /agent/tunnels': () => [
    {
      ...{ name: 'a', addr: 80, proto: 'http', url: 'https://c.ngrok-free.app', inspect: true, metadata: 'm' },
      ...{ basic_auth: ['user:password1'], traffic_policy: {}, pooling_enabled: true },
    },
    { addr: 'localhost:80', schemes: ['http'], subdomain: 'd' },
    { addr: 22, proto: 'tcp', remote_addr: '1.tcp.eu.ngrok.io:20000', bind_tls: 'both', labels: ['a=b'] },
  ],
  'PUT /agent': () => [{ down: false, url_after: '1s' }],
  'POST /agent/restart': () => [{ new_urls: true }],
  'POST /policy/check': () => [{ policy: '{}', protocol: 'https', place: undefined }],
  'GET /sent-events': () => [{ type: 'ip_policy_created.v0', destination: 'ed_1' }],
  'POST /gateways': () => [{ clock: 'manual', start: '2026-01-01T00:00:00Z', plan: 'free' }],
  'DELETE /gateways': () => [{ name: 'a' }],
  'POST /explorations': () => [
    {
      ...{ name: 'x', faults: 1, copies: 2, switches: 1, restart: true, within: '1h', max: 5, kinds: ['lost'] },
      ...{ also: ['late'], replay: 'A', ignore: ['a.b'], mayLeave: ['reserved_addrs'], allow: 'a', setup: true },
      ...{ silence: 1, timeout: 1, jobs: 1 },
    },
  ],
  'POST /explorations/next': () => [{ id: 'x' }],
  'POST /explorations/ended': () => [{ id: 'x', run: 1, copy: 'A', life: 1, error: 'e' }],
  'GET /requests': () => [{ after: 'op_1' }],
  'DELETE /requests': () => [{}],
  'GET /controls': () => [{}],
  'GET /test': () => [{ runner: 'Jest' }],
  'GET /overview': () => [{}],
  'GET /troubles': () => [{}],
  'POST /troubles/fix': () => [{ id: 'fixed: The DNS records are correct now.' }],
  'GET /records': () => [{ collection: 'reserved_domains', using: 'x' }],
  'GET /unused': () => [{}],
  'GET /report': () => [{ about: 'x' }],
  'POST /reset': () => [{}],
  'GET /state': () => [{}],
  'PUT /state': ({ gateway }) => [JSON.parse(JSON.stringify(gateway.snapshot())) as Sent],
  'GET /snapshots': () => [{}],
  'POST /snapshots': () => [{ name: 'a' }],
  'DELETE /snapshots': () => [{ name: 'a' }],
  'POST /snapshots/restore': () => [{ name: 'a' }],
  'GET /snapshots/difference': () => [{ from: 'a', to: 'b' }],
  'PUT /undo': () => [{}],
  'POST /undo': () => [{}],
  'GET /authority.pem': () => [{}],
  'POST /certificates': () => [{ certificate_pem: '-----BEGIN CERTIFICATE-----' }],
  'GET /openapi.json': () => [{}],
  'GET /openapi.control.json': () => [{}],
}

const QUERIES = ['?', '?%', '?__proto__=1', '?a=b', `?${'a=b&'.repeat(3000)}`, '?%E2%80%AEgnp=1', '?%ED%A0%80=1']

/** A request that no client means. */
export interface HostileCall {
  readonly method: string
  readonly url: string
  readonly body: string
}

/** Returns the hostile forms of a call that has valid inputs: each part of an input replaced, other bodies, and other queries. */
export function createHostileCalls(call: string, valid: readonly Sent[], hasBody: boolean): HostileCall[] {
  const [method = '', path] = call.split(' ')
  const url = `/_fauxgate${path}`
  const bodies = hasBody ? valid.flatMap((sent) => HOSTILE_JSON.flatMap((text) => replaceParts(sent, text))) : []
  const queries = hasBody ? [] : valid.flatMap(replaceParameters)
  const usual = hasBody ? JSON.stringify(valid[0]) : ''
  return [
    // Without a body these calls take their fields from one, too.
    ...[...HOSTILE_BODIES, ...bodies].map((body) => ({ method, url, body })),
    ...[...QUERIES, ...queries].map((query) => ({ method, url: url + query, body: usual })),
  ]
}

/** Returns the JSON of a value with one of its parts replaced by a text of JSON, for each part. */
function replaceParts(value: unknown, replacement: string): string[] {
  if (typeof value !== 'object' || value === null) return [replacement]
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  const write = (changed: string, text: string) => {
    const parts = entries.map(([name, each]) => [name, name === changed ? text : JSON.stringify(each)] as const)
    if (Array.isArray(value)) return `[${parts.map(([, part]) => part).join()}]`
    return `{${parts.map(([name, part]) => `${JSON.stringify(name)}:${part}`).join()}}`
  }
  const changed = entries.flatMap(([name, each]) => replaceParts(each, replacement).map((text) => write(name, text)))
  return [replacement, ...changed]
}

/** The longest value of a parameter. Servers take heads of 16 KiB. */
const MAX_VALUE = 4000

function replaceParameters(sent: Sent): string[] {
  return Object.keys(sent).flatMap((name) =>
    HOSTILE_JSON.map((json) => {
      const text = (json.startsWith('"') ? String(JSON.parse(json)) : json).slice(0, MAX_VALUE)
      const all = new URLSearchParams({ ...(sent as Record<string, string>), [name]: text }) // Parameters are texts.
      return `?${all}`
    }),
  )
}

type Arguments = readonly unknown[]

/** Valid arguments of each member of a gateway that controls add. A member that is not here fails the tests. */
export const VALID_MEMBERS: Readonly<Record<string, (target: Target) => Arguments>> = {
  'clock.attach': () => [{ nextDueAt: () => undefined, nextStopAt: () => undefined, settle: () => undefined }],
  'clock.waitUntil': () => [0],
  'clock.advance': () => ['1s'],
  'clock.advanceTo': () => ['2026-02-01T00:00:00Z'],
  'clock.advanceToNext': () => [],
  'clock.advanceAsync': () => ['1s'],
  'clock.advanceToAsync': () => ['2026-02-01T00:00:00Z'],
  'clock.advanceToNextAsync': () => [],
  'clock.nextDueAt': () => [],
  'clock.set': () => ['2026-02-01T00:00:00Z'],
  'clock.reset': () => [],
  'declare.edgeEndpoint': () => [{ edge: 'edgtls_1', url: 'tls://app.example.com' }],
  'declare.devDomain': () => [],
  'declare.credential': () => [{ acl: ['bind:*.example.com'] }],
  'declare.tunnelSession': () => [{ endpoints: [{ url: 'https://b.ngrok-free.app', traffic_policy: '{}' }] }],
  'declare.applicationUser': () => [{}],
  'declare.applicationSession': () => [{}],
  'declare.eventSource': () => [{ subscription_id: 'esb_1', type: 'ip_policy_created.v0' }],
  'declare.edge': () => ['edghts_1', { routes: ['edghtsrt_1'] }],
  'declare.endpointConfiguration': () => ['ec_1'],
  'declare.backend': () => ['bkdhr_1'],
  'declare.end': ({ session }) => [session],
  'provisioning.script': ({ domain }) => [['DNS_ERROR', 'success'], { domain }],
  'provisioning.failNext': ({ domain }) => ['DNS_ERROR', { domain, times: 2 }],
  'provisioning.failAlways': ({ domain }) => ['DNS_ERROR', { domain }],
  'provisioning.clear': ({ domain }) => [{ domain }],
  'provisioning.pendingOutcomes': () => [],
  'provisioning.assertNoPendingOutcomes': () => [],
  'provisioning.attempt': ({ domain }) => [domain],
  'provisioning.renewNow': ({ domain }) => [domain],
  'provisioning.expireNow': ({ domain }) => [domain],
  'provisioning.timeline': ({ domain }) => [domain],
  'provisioning.printTimeline': ({ domain }) => [domain],
  'provisioning.settled': ({ domain }) => [domain],
  timelines: () => [{ name: 'a' }],
  'dns.cname': () => ['b.example.com', 'c.example.com'],
  'dns.a': () => ['b.example.com', '192.0.2.1'],
  'dns.caa': () => ['b.example.com', '0 issue "letsencrypt.org"'],
  'dns.proxy': () => ['b.example.com'],
  'dns.fail': () => ['b.example.com', 'SERVFAIL'],
  'dns.remove': () => ['a.example.com'],
  'dns.clear': () => [],
  'dns.records': () => [],
  'faults.add': () => [{ operation: 'reserved_addrs.create', when: () => true, latency: '1s', body: { a: 1 } }],
  'faults.all': () => [],
  'faults.remove': ({ fault }) => [fault],
  'faults.clear': () => [],
  'faults.assertNoPendingFaults': () => [],
  'traffic.fetch': () => [
    APP,
    { method: 'POST', headers: { a: 'b' }, body: 'x', from: { ip: '192.0.2.1', facts: {} } },
  ],
  'traffic.upstream': () => [APP, () => new Response('hello'), { times: 1 }],
  'traffic.all': () => [{ status: 200 }],
  'traffic.last': () => [{ url: APP }],
  'traffic.count': () => [{ method: 'GET' }],
  'traffic.clear': () => [],
  'agent.fetch': () => ['http://127.0.0.1:4040/api/tunnels', { method: 'POST', body: '{}' }],
  'agent.start': () => [
    { name: 'a', addr: 80, traffic_policy: { on_http_request: [] }, basic_auth: ['user:password1'] },
  ],
  'agent.set': () => [{ down: false, urlAfter: '1s' }],
  'agent.restart': () => [{ newUrls: true }],
  'sentEvents.list': () => [{ type: 'ip_policy_created.v0' }],
  'sentEvents.subscribe': () => [() => undefined],
  'sentEvents.idle': () => [],
  'requests.all': () => [{ method: 'GET', status: 200 }],
  'requests.count': () => [{ path: '/a' }],
  'requests.last': () => [{ operation: 'reserved_addrs.list' }],
  'requests.clear': () => [],
  'requests.subscribe': () => [() => undefined],
  'requests.assertAllKnown': () => [],
  overview: () => [],
  report: () => [],
  snapshot: () => [{ privateKeys: true }],
  restore: ({ gateway }) => [JSON.parse(JSON.stringify(gateway.snapshot()))],
  reset: () => [],
  'authority.privateKeyPem': () => ['cert_1'],
  'authority.serverCertificate': () => [{ names: ['a.example.com'], ips: ['127.0.0.1'], notBefore: 0, notAfter: 1e12 }],
}

/** Returns the arguments of a member with one part replaced by a value, for each part down to the second level. */
export function replaceArguments(valid: Arguments, value: unknown): Arguments[] {
  return valid.flatMap((each, index) => {
    const put = (replaced: unknown) => valid.map((other, place) => (place === index ? replaced : other))
    const isObject = typeof each === 'object' && each !== null
    const inside = isObject ? Object.keys(each).map((name) => put(replaceField(each, name, value))) : []
    return [put(value), ...inside]
  })
}

function replaceField(object: object, name: string, value: unknown): unknown {
  if (!Array.isArray(object)) return { ...object, [name]: value }
  return object.map((each, index) => (String(index) === name ? value : each))
}
