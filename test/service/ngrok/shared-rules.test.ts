import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { NgrokOptions } from '../../../src/gateway/ngrok.ts'
import { openGateway } from './support.ts'

type Gateway = ReturnType<typeof openGateway>['gateway']

interface Row {
  readonly rule: string
  readonly options?: Omit<NgrokOptions, 'clock'>
  /** Returns the URL that all three try to use. */
  readonly url: (gateway: Gateway) => string
  readonly policy?: string
}

const reserve = (gateway: Gateway, ...domains: string[]) => {
  for (const domain of domains) gateway.reservedDomains.create({ domain })
}

const OWN_URL = 'https://app.example.com'
const ownUrl = (gateway: Gateway) => {
  reserve(gateway, 'app.example.com')
  return OWN_URL
}
const addressUrl = (gateway: Gateway) => `tcp://${gateway.reservedAddrs.create().addr}`

/** A plan that has addresses only because a limit says so. */
const FREE_WITH_ADDRESS = { plan: 'free', limits: { reserved_addrs: 1, cloud_endpoints: 1 } } as const

const ROWS: readonly Row[] = [
  { rule: 'a host that nobody reserved', url: () => OWN_URL },
  { rule: 'a wildcard that nobody reserved', url: () => 'https://*.example.com' },
  { rule: "another account's host", options: { takenDomains: ['app.example.com'] }, url: () => OWN_URL },
  { rule: "a subdomain of another account's host", options: { takenDomains: ['example.com'] }, url: () => OWN_URL },
  {
    rule: "another account's host, under one of the account's own domains",
    options: { takenDomains: ['app.example.com'] },
    url(gateway) {
      reserve(gateway, 'example.com')
      return OWN_URL
    },
  },
  { rule: "more than one label under one of the service's domains", url: () => 'https://a.b.ngrok.app' },
  {
    rule: 'a service subdomain, on the free plan',
    options: { account: { plan: 'free' } },
    url: () => 'https://a.ngrok.app',
  },
  { rule: 'a custom host, on the free plan', options: { account: { plan: 'free' } }, url: () => OWN_URL },
  {
    rule: 'a wildcard, on the hobbyist plan',
    options: { account: { plan: 'hobbyist' } },
    url: () => 'https://*.example.com',
  },
  { rule: 'an address that nobody reserved', url: () => 'tcp://1.tcp.ngrok.io:20001' },
  { rule: 'TCP without a card, on the free plan', options: { account: FREE_WITH_ADDRESS }, url: addressUrl },
  {
    rule: "a cloud endpoint's URL",
    url(gateway) {
      const url = ownUrl(gateway)
      gateway.endpoints.create({ url, traffic_policy: '{}' })
      return url
    },
  },
  {
    rule: "an agent's URL",
    url(gateway) {
      const url = ownUrl(gateway)
      gateway.declare.tunnelSession({ endpoints: [{ url, name: 'other' }] })
      return url
    },
  },
  {
    rule: "an edge's URL",
    url(gateway) {
      const url = ownUrl(gateway)
      gateway.httpsEdges.create({ hostports: ['app.example.com:443'] })
      return url
    },
  },
  { rule: "a port other than the scheme's", url: (gateway) => `${ownUrl(gateway)}:8443` },
  { rule: 'no host', url: () => 'https://-.example.com' },
  { rule: 'more endpoints than the account allows', options: { account: { limits: { endpoints: 0 } } }, url: ownUrl },
  {
    rule: 'an endpoint with TLS, on the free plan',
    options: { account: { plan: 'free', limits: { reserved_domains: 1, custom_domains: 1 } } },
    url: (gateway) => ownUrl(gateway).replace('https', 'tls'),
  },
  {
    rule: 'a policy with an unknown action',
    url: ownUrl,
    policy: '{"on_http_request":[{"actions":[{"type":"nope"}]}]}',
  },
  { rule: "an unreserved name directly under one of the service's domains", url: () => 'https://a.ngrok.app' },
  {
    rule: "a wildcard under the account's own domain",
    url(gateway) {
      reserve(gateway, 'example.com')
      return 'https://*.example.com'
    },
  },
  {
    rule: 'a subdomain of the dev domain, on the free plan',
    options: { account: { plan: 'free' } },
    url: (gateway) => `https://a.${gateway.declare.devDomain({}).domain}`,
  },
  { rule: 'a host in Unicode', url: () => 'https://bücher.example.com' },
]

/** The ways in which an endpoint starts. */
const STARTERS: Readonly<Record<string, (gateway: Gateway, url: string, policy?: string) => unknown>> = {
  cloud: (gateway, url, policy = '{}') => gateway.endpoints.create({ url, traffic_policy: policy }),
  agent: (gateway, url, policy) =>
    gateway.agent.start({
      addr: 'tcp://localhost:80',
      url,
      proto: url.split(':')[0] as 'https',
      ...(policy && { traffic_policy: policy }),
    }),
  edge(gateway, url, value) {
    const [scheme, host = ''] = url.split('://')
    const body = { hostports: [host.includes(':') ? host : `${host}:443`] }
    if (scheme === 'tcp') return gateway.tcpEdges.create(body)
    if (scheme === 'tls') return gateway.tlsEdges.create(body)
    const edge = gateway.httpsEdges.create(body)
    if (value !== undefined)
      gateway.httpsEdgeRoutes.create(edge.id, { match: '/', match_type: 'path_prefix', traffic_policy: { value } })
    return edge
  },
}

/** Returns the number of the error, or "allowed". A start that is rejected changes nothing. */
async function outcomeOf(start: (typeof STARTERS)[string], { options, url, policy }: Row): Promise<string> {
  const { gateway } = openGateway(options)
  const at = url(gateway)
  const before = gateway.snapshot()
  try {
    await start(gateway, at, policy)
    return 'allowed'
  } catch (error) {
    // A route belongs to an edge that is there.
    if (policy === undefined) expect(gateway.snapshot()).toEqual(before)
    return String((error as { code?: string }).code).replace('ERR_NGROK_', '')
  }
}

const PAGE = readFileSync(new URL('../../../docs/decisions/agent.md', import.meta.url), 'utf8')
const [, TABLE = ''] = /\n\| The URL is[^\n]*\n\|[-| ]+\n((?:\|[^\n]*\n)+)/.exec(PAGE) ?? []
const SHOWN = TABLE.trim()
  .split('\n')
  .map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim().replace(/^\[(\w+)\].*$/, '$1'))
      .slice(1, -1),
  )

// rules: agent#urls-of-the-account
describe('Cloud endpoints, agents and edges share the rule of the table:', () => {
  test.each(ROWS)('$rule', async (row) => {
    const outcomes = await Promise.all(Object.values(STARTERS).map((start) => outcomeOf(start, row)))
    expect(SHOWN.find(([rule]) => rule === row.rule)).toEqual([row.rule, ...outcomes])
  })

  test('no row is without a test', () => {
    expect(SHOWN.map(([rule]) => rule)).toEqual(ROWS.map(({ rule }) => rule))
  })
})

describe('What an agent starts', () => {
  test('without a URL on the free plan is at the dev domain, which the account gets with it', async () => {
    const { gateway } = openGateway({ account: { plan: 'free' } })
    const { public_url } = await gateway.agent.start({ addr: 80, name: 'one' })
    const [domain] = gateway.reservedDomains.list().reserved_domains
    expect([domain?.is_dev, `https://${domain?.domain}`]).toEqual([true, public_url])
    expect(gateway.leftovers().map(({ family }) => family)).not.toContain('reserved_domains')
    await expect(gateway.agent.start({ addr: 80, name: 'two' })).rejects.toMatchObject({ code: 'ERR_NGROK_334' })
  })

  test('at a declared dev domain is allowed on the free plan, by name and without one', async () => {
    const { gateway } = openGateway({ account: { plan: 'free' } })
    const { domain } = gateway.declare.devDomain()
    const fields = { addr: 80, pooling_enabled: true }
    const named = await gateway.agent.start({ ...fields, name: 'named', url: `https://${domain}` })
    const unnamed = await gateway.agent.start({ ...fields, name: 'unnamed' })
    const random = await gateway.agent.start({ ...fields, name: 'random', url: 'https://' })
    expect([unnamed.public_url, random.public_url]).toEqual([named.public_url, named.public_url])
  })

  test('by TCP on the free plan needs a card, and a new address is enough', async () => {
    const start = (card: boolean) =>
      openGateway({ account: { plan: 'free', card } }).gateway.agent.start({ addr: 22, proto: 'tcp' })
    await expect(start(false)).rejects.toMatchObject({ code: 'ERR_NGROK_8013' })
    expect((await start(true)).public_url).toMatch(/^tcp:/)
  })

  test('at a declared URL that nobody reserved keeps it when it is replaced', async () => {
    const { gateway } = openGateway()
    gateway.declare.tunnelSession({ endpoints: [{ url: 'tcp://1.tcp.ngrok.io:20001', name: 'web' }] })
    const body = JSON.stringify({ upstream: { url: 'localhost:22' } })
    const response = await gateway.agent.fetch('http://localhost:4040/api/endpoints/web', { method: 'PUT', body })
    expect([response.status, (await response.json()).url]).toEqual([200, 'tcp://1.tcp.ngrok.io:20001'])
  })
})

test('A test may declare the endpoint of an agent at any URL', () => {
  const { gateway } = openGateway({ account: { plan: 'free' }, takenDomains: ['app.example.com'] })
  gateway.declare.tunnelSession({ endpoints: [{ url: OWN_URL }, { url: 'tcp://1.tcp.ngrok.io:20001' }] })
  expect(gateway.endpoints.list().endpoints).toHaveLength(2)
})

test('A test may declare an agent of a suspended account, as docs/ngrok.md says', () => {
  const { gateway } = openGateway({ account: { state: 'suspended' } })
  gateway.declare.tunnelSession({ endpoints: [{ url: 'https://a.ngrok.app' }] })
  expect(gateway.endpoints.list().endpoints).toHaveLength(1)
  const page = readFileSync(new URL('../../../docs/ngrok.md', import.meta.url), 'utf8').replace(/\s+/g, ' ')
  expect(page).toContain('TCP endpoints need a verified card (`card: true`), unless your test declares them.')
  expect(page).toContain('(error 103, or 102 with `unpaid`), unless your test declares them,')
})
