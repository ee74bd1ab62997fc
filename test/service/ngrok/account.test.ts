import * as v from 'valibot'
import { describe, expect, it, test } from 'vitest'
import { refuseInvalidOptions } from '../../../src/gateway/hosted-options.ts'
import { createNgrok, type NgrokOptions } from '../../../src/gateway/ngrok.ts'
import { createGateway, ngrok } from '../../../src/index.ts'
import { errors as sandboxErrors } from '../../../src/sandbox/errors.ts'
import { sandboxOptions, toGatewayOptions, toStoredOptions } from '../../../src/sandbox/options.ts'
import { readArguments } from '../../../src/server/commands/command.ts'
import { gatewayOptionsOf } from '../../../src/server/options/gateway-options.ts'
import { parseOptions } from '../../../src/server/options/parsed-options.ts'
import { optionTable } from '../../../src/server/options/table.ts'
import { errorsOf, type Family, type Operation } from '../../../src/service/kit/index.ts'
import { ngrokFamilies } from '../../../src/service/ngrok/families.ts'
import { families } from '../../../src/service/resources/index.ts'
import { client, expectError, outcome } from '../../support/client.ts'
import { stateOf } from '../../support/gateway.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { upload } from '../../support/pem.ts'
import { SSH_KEYS } from './ssh-keys.ts'
import { openGateway } from './support.ts'

const operations = Object.values<Family>({ ...families, ...ngrokFamilies }).flatMap((family): Operation[] =>
  Object.values(family.operations),
)

type Limits = NonNullable<NonNullable<NgrokOptions['account']>['limits']>

/** Returns the number of the error of a call. */
const errorNumber = (call: () => unknown) => Number(expectError(call).code.replace('ERR_NGROK_', ''))

/** The path and the body of a creation. The body can contain the id of the resource that was created before. */
type Creation = readonly [path: string, body: (id: string) => object]

const toCreations = (path: string, ...bodies: object[]): readonly Creation[] => bodies.map((body) => [path, () => body])

const toRules = (count: number) => ({ on_http_request: Array(count).fill({ actions: [{ type: 'deny' }] }) })
const toEndpoint = (name: string, more: object = {}) => ({
  url: `https://${name}.internal`,
  traffic_policy: JSON.stringify(toRules(1)),
  ...more,
})
const LOG = { type: 'log', config: { metadata: { a: 1 } } }
const LARGE_RULE: readonly Creation[] = [
  [
    '/endpoints',
    () =>
      toEndpoint('a', {
        traffic_policy: JSON.stringify({ on_http_request: [{ expressions: ['true', 'true'], actions: [LOG, LOG] }] }),
      }),
  ],
]
const pooled = toEndpoint('pool', { pooling_enabled: true })

const KEYS = toCreations('/api_keys', {}, {})
const CREDENTIALS = toCreations('/credentials', {}, {})
const SSH = toCreations('/ssh_credentials', { public_key: SSH_KEYS.ed25519 }, { public_key: SSH_KEYS.rsa })
const ACL = { acl: ['bind:*.example.com'] }
const POLICIES = toCreations('/ip_policies', {}, {})
const DOMAINS = toCreations('/reserved_domains', { domain: 'a.example.com' }, { domain: 'b.example.com' })
const WILDCARDS = toCreations('/reserved_domains', { domain: '*.a.example.com' }, { domain: '*.b.example.com' })
const MANAGED = toCreations('/reserved_domains', {
  domain: 'a.example.com',
  certificate_management_policy: { authority: 'letsencrypt' },
})
const PLACED = toCreations(
  '/reserved_domains',
  ...['a', 'b'].map((name) => ({ domain: `${name}.example.com`, resolves_to: [{ value: 'eu' }] })),
)
const ADDRESSES = toCreations('/reserved_addrs', {}, {})
const VAULTS = toCreations('/vaults', { name: 'a' }, { name: 'b' })
const USERS = toCreations('/bot_users', { name: 'a' }, { name: 'b' })
const SECRETS: readonly Creation[] = [
  ['/vaults', () => ({ name: 'a' })],
  ['/vault_secrets', () => ({ name: 'a', value: '1', vault_name: 'a' })],
  ['/vault_secrets', () => ({ name: 'b', value: '1', vault_name: 'a' })],
]
const POLICY_RULES: readonly Creation[] = [
  ['/ip_policies', () => ({})],
  ['/ip_policy_rules', (ip_policy_id) => ({ ip_policy_id, cidr: '10.0.0.0/8', action: 'allow' })],
]
const RATE = { max: 1, window: '1m' } as const

/** For each error number the limits, and the creations, of which the last is rejected. */
const NUMBERS: readonly [number, Limits, readonly Creation[], status?: 429][] = [
  [401, { reserved_domains: 0 }, DOMAINS.slice(1)],
  [412, { custom_domains: 0 }, DOMAINS.slice(1)],
  [412, { custom_domains: 1 }, DOMAINS],
  [419, { wildcard_domains: 0 }, WILDCARDS.slice(1)],
  [431, { reserved_domains: 1 }, DOMAINS],
  [415, { reserved_domains: { max: 1, number: 415 } }, DOMAINS],
  [433, { wildcard_domains: 1 }, WILDCARDS],
  [418, { wildcard_domains: { max: 1, number: 418 } }, WILDCARDS],
  [432, { reserved_domains: RATE }, DOMAINS, 429],
  [501, { reserved_addrs: 0 }, ADDRESSES.slice(1)],
  [508, { reserved_addrs: 1 }, ADDRESSES],
  [502, { reserved_addrs: { max: 1, number: 502 } }, ADDRESSES],
  [509, { reserved_addrs: RATE }, ADDRESSES, 429],
  [18008, { cloud_endpoints: 0 }, toCreations('/endpoints', toEndpoint('a'))],
  [18010, { cloud_endpoints: 1 }, toCreations('/endpoints', toEndpoint('a'), toEndpoint('b'))],
  [18021, { endpoints: 1 }, toCreations('/endpoints', toEndpoint('a'), toEndpoint('b'))],
  [18019, { pooling: 0 }, toCreations('/endpoints', pooled)],
  [18020, { pooling: 1 }, toCreations('/endpoints', pooled, pooled)],
  [615, { credentials: 1 }, CREDENTIALS],
  [602, { credentials: { max: 1, number: 602 } }, CREDENTIALS],
  [620, { acl: 0 }, toCreations('/credentials', ACL)],
  [622, { acl: 0 }, toCreations('/ssh_credentials', { ...ACL, public_key: SSH_KEYS.rsa })],
  [613, { api_keys: 1 }, KEYS],
  [603, { api_keys: { max: 1, number: 603 } }, KEYS],
  [614, { api_keys: RATE }, KEYS, 429],
  [607, { ssh_credentials: 0 }, SSH.slice(1)],
  [617, { ssh_credentials: 1 }, SSH],
  [608, { ssh_credentials: { max: 1, number: 608 } }, SSH],
  [4119, { bot_users: 0 }, USERS.slice(1)],
  [4119, { bot_users: 0 }, toCreations('/service_users', { name: 'a' })],
  [4119, { bot_users: 1 }, [...USERS.slice(1), ...toCreations('/service_users', { name: 'a' })]],
  [1415, { ip_policies: 1 }, POLICIES],
  [1410, { ip_policies: { max: 1, number: 1410 } }, POLICIES],
  [1417, { ip_policy_rules: 0 }, POLICY_RULES],
  [1411, { ip_policy_rules: { max: 0, number: 1411 } }, POLICY_RULES],
  [23005, { vaults: 1 }, VAULTS],
  [6500, { tunnel_group_backends: 0 }, toCreations('/backends/tunnel_group', {})],
  [7163, { tls_edges: 0 }, toCreations('/edges/tls', {})],
  [7070, { tls_edges: 1 }, toCreations('/edges/tls', {}, {})],
  [7009, { tls_edges: { max: 1, number: 7009 } }, toCreations('/edges/tls', {}, {})],
  [7009, { tcp_edges: { max: 1, number: 7009 } }, toCreations('/edges/tcp', {}, {})],
  [7009, { https_edges: { max: 1, number: 7009 } }, toCreations('/edges/https', {}, {})],
  [1904, { tls_certificates: 0 }, toCreations('/tls_certificates', upload('ed25519'))],
  [1905, { managed_certificates: 0 }, MANAGED],
  [460, { placed_domains: 0 }, PLACED.slice(1)],
  [461, { placed_domains: 1 }, PLACED],
  [6529, { weighted_backends: 0 }, toCreations('/backends/weighted', {})],
  [7071, { tcp_edges: RATE }, toCreations('/edges/tcp', {}, {}), 429],
  [24007, { vault_secrets: 1 }, SECRETS],
  [
    2264,
    { policy_rules: 1 },
    toCreations('/endpoints', toEndpoint('a', { traffic_policy: JSON.stringify(toRules(2)) })),
  ],
  [2265, { policy_actions: 1 }, LARGE_RULE],
  [2265, { policy_expressions: 1 }, LARGE_RULE],
  [5000, { kubernetes_operators: 0 }, toCreations('/kubernetes_operators', {})],
  [5000, { weighted_backends: 1 }, toCreations('/backends/weighted', {}, {})],
  [5001, { vaults: RATE }, VAULTS, 429],
]

describe('A limit of the account (rules: account#limits)', () => {
  it.each(NUMBERS)(
    'rejects with error %i because of %j, and changes nothing',
    async (number, limits, creations, status) => {
      const { send, sendRefused, gateway } = openGateway({ account: { limits } })
      const [last = ['', () => ({})], ...before] = [...creations].reverse()
      let id = ''
      for (const [path, body] of before.reverse()) {
        const created = await send('POST', path, { json: body(id) })
        expect(created.status).toBe(201)
        id = created.body.id
      }
      const json = last[1](id)
      const expected = `${status ?? 400} ERR_NGROK_${number}`
      expect(await sendRefused('POST', last[0], { json })).toBe(expected)
      const create = operations.find(({ method, path }) => method === 'POST' && path === last[0])
      expect(create && errorsOf(create).map((error) => error.number)).toContain(number)
      expect(gateway.requests.last()?.status).toBe(status ?? 400)
    },
  )
})

const listKeyIds = (gateway: ReturnType<typeof openGateway>['gateway']) =>
  gateway.apiKeys.list().keys.map(({ id }) => id)

describe('A plan (rules: account#plans)', () => {
  it.each([
    [
      'free',
      {
        '/reserved_domains': 401,
        '/reserved_addrs': 501,
        '/bot_users': 4119,
        '/credentials': 620,
        '/tls_certificates': 1904,
        '/event_destinations': 5128,
      },
    ],
    [
      'hobbyist',
      {
        '/reserved_domains': 412,
        '/bot_users': 4119,
        '/credentials': 620,
        '/tls_certificates': 1904,
        '/event_destinations': 5128,
      },
    ],
    ['paygo', {}],
  ] as const)('%s has its own limits', async (plan, errorNumbers: Readonly<Record<string, number>>) => {
    const { send } = openGateway({ account: { plan } })
    const bodies = {
      '/reserved_domains': { domain: 'app.example.com' },
      '/reserved_addrs': {},
      '/bot_users': { name: 'ci' },
      '/credentials': ACL,
      '/tls_certificates': upload('ed25519'),
      '/event_destinations': { format: 'json', target: { datadog: { api_key: 'a key of datadog' } } },
      pool: pooled,
    }
    for (const [path, json] of Object.entries(bodies)) {
      const { status, body } = await send('POST', path === 'pool' ? '/endpoints' : path, { json })
      expect([path, status, body.error_code]).toEqual(
        path in errorNumbers ? [path, 400, `ERR_NGROK_${errorNumbers[path]}`] : [path, 201, undefined],
      )
    }
  })

  it('hobbyist has ten domains of the service, one address, and no wildcard', () => {
    const { gateway } = openGateway({ account: { plan: 'hobbyist' } })
    for (let n = 1; n <= 10; n++) gateway.reservedDomains.create({ domain: `app-${n}.ngrok.app` })
    const eleventh = expectError(() => gateway.reservedDomains.create({ domain: 'app-11.ngrok.app' }))
    expect([eleventh.key, eleventh.message]).toEqual([
      'domain_limit_reached',
      'This would bring the number of reserved domains to 11. The plan "hobbyist" (--plan, option account.plan) allows at most 10.',
    ])
    expect(errorNumber(() => gateway.reservedDomains.create({ domain: '*.ngrok.app' }))).toBe(419)
    gateway.reservedAddrs.create()
    expect(errorNumber(() => gateway.reservedAddrs.create())).toBe(508)
  })

  it('free has three endpoints online, including those of agents, and five rules in a policy', () => {
    const { gateway } = openGateway({ account: { plan: 'free' } })
    gateway.declare.tunnelSession({ endpoints: [{}, {}] })
    gateway.endpoints.create(toEndpoint('a', { traffic_policy: JSON.stringify(toRules(5)) }) as never)
    expect(errorNumber(() => gateway.endpoints.create(toEndpoint('b') as never))).toBe(18021)
    const { key, message } = expectError(() =>
      gateway.endpoints.create(toEndpoint('c', { traffic_policy: JSON.stringify(toRules(6)) }) as never),
    )
    expect([key, message]).toEqual([
      'policy_rules_reached',
      'In the policy, on_http_request brings the number of rules to 6. The maximum is 5 on the free plan.',
    ])
  })

  it('keeps its maximum if the test sets a rate, and loses it if the test sets another maximum', () => {
    const toDomain = (n: number) => ({ domain: `app-${n}.ngrok.app` })
    const withRate = openGateway({
      account: { plan: 'free', limits: { reserved_domains: { max: 5, window: '1h' } } },
    }).gateway
    expect(errorNumber(() => withRate.reservedDomains.create(toDomain(1)))).toBe(401)
    const withMaximum = openGateway({
      account: { plan: 'free', limits: { reserved_domains: [1, { max: 1, window: '1h' }] } },
    }).gateway
    const first = withMaximum.reservedDomains.create(toDomain(1))
    expect(errorNumber(() => withMaximum.reservedDomains.create(toDomain(2)))).toBe(431)
    withMaximum.reservedDomains.delete(first.id)
    expect(errorNumber(() => withMaximum.reservedDomains.create(toDomain(2)))).toBe(432)
  })
})

describe('Among several errors (rules: account#order)', () => {
  const existing = { domain: 'a.ngrok.app' }
  const toOptions = (limits: Limits) => ({ account: { limits } })

  it('a plan comes before rules of names', async () => {
    const { sendRefused } = openGateway({ account: { plan: 'hobbyist' } })
    expect(await sendRefused('POST', '/reserved_domains', { json: { domain: 'a_b.example.com' } })).toBe(
      '400 ERR_NGROK_412',
    )
    expect(await sendRefused('POST', '/reserved_domains', { json: { name: '*.A_B.ngrok.app' } })).toBe(
      '400 ERR_NGROK_419',
    )
    expect(await sendRefused('POST', '/reserved_domains', { json: { domain: 7 } })).toBe('400 ERR_NGROK_215')
  })

  it('uniqueness comes before a count, and a count before a rate', async () => {
    const { sendRefused, gateway } = openGateway(toOptions({ reserved_domains: [{ max: 1, window: '1m' }, 1] }))
    gateway.reservedDomains.create(existing)
    expect(await sendRefused('POST', '/reserved_domains', { json: existing })).toBe('400 ERR_NGROK_413')
    expect(await sendRefused('POST', '/reserved_domains', { json: { domain: 'b.ngrok.app' } })).toBe(
      '400 ERR_NGROK_431',
    )
  })
})

describe('A change (rules: account#changes)', () => {
  const limits = { pooling: 1, acl: 0 } as const

  it('that would exceed a limit is rejected, and changes nothing', async () => {
    const { sendRefused, gateway } = openGateway({ account: { limits } })
    const { id } = gateway.credentials.create()
    expect(await sendRefused('PATCH', `/credentials/${id}`, { json: ACL })).toBe('400 ERR_NGROK_620')
    const ssh = gateway.sshCredentials.create({ public_key: SSH_KEYS.rsa })
    expect(await sendRefused('PATCH', `/ssh_credentials/${ssh.id}`, { json: ACL })).toBe('400 ERR_NGROK_622')
    gateway.endpoints.create(pooled as never)
    const other = gateway.endpoints.create(toEndpoint('other', { pooling_enabled: true }) as never)
    expect(await sendRefused('PATCH', `/endpoints/${other.id}`, { json: { url: pooled.url } })).toBe(
      '400 ERR_NGROK_18020',
    )
  })

  it('of a resource that is already above a limit is allowed, and so is its deletion', () => {
    const { gateway } = openGateway()
    const credential = gateway.credentials.create(ACL)
    const one = gateway.endpoints.create(pooled as never)
    const two = gateway.endpoints.create(pooled as never)
    const free = openGateway({ account: { plan: 'free', limits: { credentials: 0 } } }).gateway
    free.restore(gateway.snapshot())
    expect(free.credentials.update(credential.id, { ...ACL, description: 'kept' }).description).toBe('kept')
    expect(free.endpoints.update(two.id, { pooling_enabled: true, metadata: 'kept' }).metadata).toBe('kept')
    free.credentials.update(credential.id, { acl: [] })
    expect(errorNumber(() => free.credentials.update(credential.id, ACL))).toBe(620)
    free.endpoints.delete(one.id)
    free.credentials.delete(credential.id)
    expect(errorNumber(() => free.credentials.create())).toBe(615)
  })
})

describe('A rate (rules: account#rates)', () => {
  const account = { limits: { api_keys: { max: 2, window: '1m' } } } as const

  it('counts what was created within a rolling window, deleted or not, and rejected creations do not count', async () => {
    const { gateway, send } = openGateway({ account })
    gateway.apiKeys.delete(gateway.apiKeys.create().id)
    gateway.clock.advance('59s')
    gateway.apiKeys.create()
    const refused = await send('POST', '/api_keys', { json: {} })
    expect([refused.status, refused.body.error_code, refused.headers.get('retry-after')]).toEqual([
      429,
      'ERR_NGROK_614',
      '1',
    ])
    gateway.clock.advance('1s')
    gateway.apiKeys.create()
    expect(errorNumber(() => gateway.apiKeys.create())).toBe(614)
    gateway.clock.advance('59s')
    gateway.apiKeys.create()
  })

  it('is a part of the state: snapshots and stores keep its counts, and a reset removes them', () => {
    const store = memoryStore()
    const { gateway } = openGateway({ account, store })
    gateway.apiKeys.create()
    gateway.apiKeys.create()
    const reopened = openGateway({ account, store: memoryStore(store.commits) }).gateway
    expect(listKeyIds(reopened)).toEqual(listKeyIds(gateway))
    expect(errorNumber(() => reopened.apiKeys.create())).toBe(614)
    const restored = openGateway({ account }).gateway
    restored.restore(JSON.parse(JSON.stringify(gateway.snapshot())))
    expect(errorNumber(() => restored.apiKeys.create())).toBe(614)
    restored.reset()
    restored.apiKeys.create()
    const unlimited = openGateway().gateway
    unlimited.restore(gateway.snapshot())
    unlimited.apiKeys.create()
  })

  it('does not count the creations of failed calls', async () => {
    const { gateway, send } = openGateway({ account })
    gateway.faults.add({ operation: 'api_keys.create', status: 500, times: 2 })
    await send('POST', '/api_keys', { json: {} })
    await send('POST', '/api_keys', { json: {} })
    expect(listKeyIds(gateway)).toEqual([])
    gateway.apiKeys.create()
    gateway.apiKeys.create()
  })
})

test('Declared agents keep the limits of the plan unless they say otherwise (rules: account#declaring)', () => {
  const { gateway } = openGateway({ account: { plan: 'free', limits: { credentials: 0 } } })
  for (const _ of [1, 2, 3]) gateway.declare.tunnelSession({ endpoints: [{}] })
  const before = stateOf(gateway)
  const declareRefused = (session: Parameters<typeof gateway.declare.tunnelSession>[0]) =>
    errorNumber(() => gateway.declare.tunnelSession(session))
  expect(declareRefused({})).toBe(108)
  expect(stateOf(gateway)).toBe(before)
  gateway.declare.tunnelSession({ limits: false, endpoints: [{ url: 'tls://app.example.com' }] })
  gateway.declare.credential({ default: true })
  expect(gateway.endpoints.list().endpoints).toHaveLength(4)
})

test('The free plan has three endpoints online, pools among them, and none with TLS (rules: account#plans)', () => {
  const { gateway } = openGateway({ account: { plan: 'free' } })
  const url = 'tls://app.example.com'
  for (const [endpoints, number] of [
    [[{ url }], 312],
    [[{ pooling_enabled: true }, {}, {}, {}], 18021],
  ] as const) {
    const before = stateOf(gateway)
    expect(errorNumber(() => gateway.declare.tunnelSession({ endpoints }))).toBe(number)
    expect(stateOf(gateway)).toBe(before)
  }
  const edge = { edge: 'edgtls_1', url }
  expect(errorNumber(() => gateway.declare.edgeEndpoint(edge))).toBe(312)
  expect(gateway.declare.edgeEndpoint({ ...edge, limits: false }).public_url).toBe(url)
  const hobbyist = openGateway({ account: { plan: 'hobbyist' } }).gateway
  hobbyist.declare.tunnelSession({ endpoints: [{ url }] })
})

test('An account without limits has none', () => {
  const unlimited = createNgrok({ account: {} })
  unlimited.reservedDomains.create({ domain: '*.example.com' })
})

test('The dev domain counts for no limit (rules: account#dev-domain)', () => {
  const { gateway } = openGateway({ account: { plan: 'free', limits: { reserved_domains: 1 } } })
  gateway.declare.devDomain()
  gateway.reservedDomains.create({ domain: 'a.ngrok.app' })
  expect(errorNumber(() => gateway.reservedDomains.create({ domain: 'b.ngrok.app' }))).toBe(431)
})

describe('Options', () => {
  it.each([
    [
      { limits: { reserved_domain: 1 } },
      'account.limits.reserved_domain is not a limit of this gateway. Did you mean reserved_domains?',
    ],
    [{ limits: { quota: 1 } }, 'account.limits.quota is not a limit of this gateway. Supported: reserved_addrs, '],
    [{ limits: { toString: 1 } }, 'account.limits.toString is not a limit of this gateway.'],
    [{ limits: { api_keys: -1 } }, 'account.limits.api_keys is -1. Allowed: an integer from 0'],
    [{ limits: { api_keys: '3' } }, 'account.limits.api_keys is "3". Allowed: an integer from 0'],
    [
      { limits: { api_keys: { window: '1m' } } },
      'account.limits.api_keys.max is missing. Allowed: an object with "max"',
    ],
    [
      { limits: { api_keys: { max: 0, window: '1m' } } },
      'account.limits.api_keys.max is 0. Allowed: an integer from 1',
    ],
    [
      { limits: { api_keys: [9, { max: 1, window: 60 }] } },
      'account.limits.api_keys.1.window is 60. Allowed: a number',
    ],
    [{ limits: { api_keys: [9, [1]] } }, 'account.limits.api_keys.1 is an array of 1 item. Allowed: an integer from 0'],
    [
      { limits: { api_keys: { max: 1, windows: 1 } } },
      '"account.limits.api_keys.windows" is not an option. Supported: max,',
    ],
    [
      { limits: { api_keys: [5, { max: 1, window: '60m' }, { max: 2, window: 3_600_000 }] } },
      'account.limits.api_keys has two rates with the window "1h". Allowed: one rate per window.',
    ],
    [
      { limits: { api_keys: { max: 1, number: 431 } } },
      'account.limits.api_keys has the error number 431. Allowed: 603 or 613.',
    ],
    [
      { limits: { policy_rules: { max: 1, window: '1m' } } },
      'account.limits.policy_rules has a window, but limits the size of a single item.',
    ],
    [{ limits: [] }, 'account.limits is an array of 0 items. Allowed: an object that maps names to limits.'],
    [{ plan: 'pro' }, 'account.plan is "pro". Allowed: "free" or "hobbyist" or "paygo".'],
    [{ plans: 'free' }, '"account.plans" is not an option. Supported: plan, card, state, edges, limits.'],
    ['free', 'account is "free". Allowed: an object.'],
  ])('%j are rejected, and the message says what is allowed', (account, message) => {
    expect(() => openGateway({ account: account as never })).toThrow(message)
  })

  it('that are undefined leave the plan unchanged', () => {
    const { gateway } = openGateway({ account: { plan: 'free', limits: { reserved_domains: undefined } } })
    expect(errorNumber(() => gateway.reservedDomains.create({ domain: 'a.ngrok.app' }))).toBe(401)
  })
})

describe('Wherever a gateway is created', () => {
  const json = { domain: 'app.example.com' }

  test('fauxgate serve --plan has the limits', async () => {
    const options = await gatewayOptionsOf(
      parseOptions(readArguments(['--dialect', 'ngrok', '--plan', 'free'], optionTable, 'serve'), {}, undefined),
    )
    const gateway = createGateway(options)
    expect(outcome(await client(gateway)('POST', '/reserved_domains', { json }))).toBe('400 ERR_NGROK_401')
  })

  test('a shared sandbox has the limits, and rejects a mistyped limit', () => {
    const toStored = (account: object) => toStoredOptions(v.parse(sandboxOptions, { dialect: 'ngrok', account }), 0)
    const sandbox = createGateway(toGatewayOptions(toStored({ limits: { vaults: 0, reserved_domains: 0 } })))
    expect(errorNumber(() => sandbox.reservedDomains.create(json))).toBe(401)
    const createMistyped = () =>
      refuseInvalidOptions(sandboxErrors.sandbox_options_invalid, () =>
        createGateway(toGatewayOptions(toStored({ limits: { vault: 0 } }))),
      )
    expect(createMistyped).toThrow('Did you mean vaults?')
  })

  test('a gateway of the dialect alone has the limits of the built-in families', () => {
    const gateway = createGateway({ dialect: ngrok, account: { plan: 'hobbyist' } })
    expect(errorNumber(() => gateway.reservedDomains.create(json))).toBe(412)
    expect(() => createGateway({ dialect: ngrok, account: { limits: { vaults: 1 } } as never })).toThrow(
      'account.limits.vaults is not a limit of this gateway.',
    )
  })

  test('initial resources count towards the limits', () => {
    const initial = { reservedDomains: [json] }
    expect(() => createNgrok({ account: { plan: 'free' }, initial })).toThrow(
      'initial.reservedDomains[0]: The plan "free" (--plan, option account.plan) allows no reserved domains.',
    )
  })
})
