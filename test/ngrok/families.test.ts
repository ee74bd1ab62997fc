import { describe, expect, test } from 'vitest'
import type { createNgrok } from '../../src/gateway/ngrok.ts'
import { outcome } from '../support/client.ts'
import { listRecordsOutOfOrder } from '../support/field-order.ts'
import { SSH_KEYS } from './ssh-keys.ts'
import { filtered, openGateway } from './support.ts'

type Ngrok = ReturnType<typeof createNgrok>

/** The life of one resource. */
interface Life {
  /** The body that creates the resource. */
  readonly sent: object
  /** The fields of the response other than `id`, `uri` and `created_at`. */
  readonly shown: object
  /** Bodies of a PATCH that change nothing. */
  readonly same?: readonly object[]
  /** The body of a PATCH, and the fields of its response. */
  readonly change: object
  readonly changed?: object
}

const NOW = '2026-01-01T00:00:00Z'
const USER = 'usr_0000000theUserOfThisAccount'
const user = { id: USER, uri: '' }
const texts = { description: 'acme', metadata: '{"environment": "staging"}' }
const changedTexts = { description: '', metadata: 'n' }
const POLICY = 'on_http_request:\n  - actions: [{ type: deny }]\n'
const NO_CERT = { cert: '', not_before: '0001-01-01T00:00:00Z', not_after: '0001-01-01T00:00:00Z' }

const nulls = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, null]))
const owned = { owner_id: USER, ...texts }
const named = { name: 'ci', active: true }

function secretOf(gateway: Ngrok): Life {
  const vault = gateway.vaults.create({ name: 'ci/prod' })
  const by = { created_by: user, last_updated_by: user, updated_at: NOW }
  const place = { vault: { id: vault.id, uri: vault.uri }, vault_name: 'ci/prod' }
  const sent = { name: 'key', value: 'a value', metadata: 'm' }
  return {
    sent: { ...sent, vault_id: vault.id, vault_name: vault.name },
    shown: { name: 'key', metadata: 'm', ...place, ...by },
    same: [{}, { value: 'a value' }],
    change: { value: 'another', name: 'sql' },
    changed: { name: 'sql' },
  }
}

function endpointOf(gateway: Ngrok): Life {
  const { id, uri } = gateway.reservedDomains.create({ domain: 'example.com' })
  const at = (host: string) => {
    const url = `https://${host}`
    return { url, public_url: url, hostport: `${host}:443` }
  }
  const shown = { updated_at: NOW, type: 'cloud', proto: 'https', bindings: ['public'], domain: { id, uri } }
  const change = { url: 'https://api.example.com', pooling_enabled: true, traffic_policy: 'on_tcp_connect: []' }
  return {
    sent: { url: 'https://App.example.com:443', description: 'shop', traffic_policy: POLICY },
    shown: { ...shown, ...at('app.example.com'), description: 'shop', pooling_enabled: false, traffic_policy: POLICY },
    same: [{ description: 'shop', url: 'https://app.example.com', bindings: [] }],
    change: { ...change, description: '' },
    changed: { ...change, ...at('api.example.com'), description: '' },
  }
}

const operator: Life = {
  sent: { region: '', metadata: 'm' },
  shown: {
    metadata: 'm',
    updated_at: NOW,
    principal: user,
    enabled_features: [],
    region: 'global',
    deployment: { name: '', namespace: '', version: '', cluster_name: '' },
    binding: { endpoint_selectors: null, cert: NO_CERT },
  },
  same: [{}],
  change: {
    enabled_features: ['Ingress', 'GATEWAY'],
    region: 'eu',
    deployment: { name: 'n', version: '1' },
    binding: { endpoint_selectors: ['true'] },
  },
  changed: {
    enabled_features: ['ingress', 'gateway'],
    region: 'eu',
    deployment: { name: 'n', namespace: '', version: '1', cluster_name: '' },
    binding: { endpoint_selectors: ['true'], cert: NO_CERT, ingress_endpoint: 'connect.ngrok-endpoints.com:443' },
  },
}

function ruleOf(gateway: Ngrok): Life {
  const { id, uri } = gateway.ipPolicies.create()
  const rule = { action: 'allow', description: 'd' }
  return {
    sent: { cidr: ' 2001:DB8::/32 ', ip_policy_id: id, ...rule },
    shown: { cidr: '2001:db8::/32', ip_policy: { id, uri }, ...rule },
    change: { cidr: '::/0', action: 'deny' },
  }
}

const KEY = { public_key: SSH_KEYS.ed25519 }
const FAILOVER = { ...texts, backends: ['bkdhr_2', 'bkdtg_1'] }
const RESPONSE = { body: "I'm a teapot", headers: { 'content-type': 'text/plain' }, status_code: 418 }
const TLS = { address: 'example.com:8080', tls: { enabled: true } }
const ON_EDGE = 'hostports backend ip_restriction policy traffic_policy'

const edge = (modules: string, more: object = {}): Life => ({
  sent: texts,
  shown: { ...texts, ...nulls(modules), ...more },
  same: [{}],
  change: changedTexts,
})

const LIVES: readonly (readonly [
  path: string,
  items: string,
  prefix: string,
  life: Life | ((gateway: Ngrok) => Life),
])[] = [
  ['/api_keys', 'keys', 'ak', { sent: texts, shown: { ...owned, token: null }, change: changedTexts }],
  [
    '/credentials',
    'credentials',
    'cr',
    { sent: texts, shown: { ...owned, acl: [], token: null }, change: changedTexts },
  ],
  [
    '/ssh_credentials',
    'ssh_credentials',
    'sshcr',
    { sent: { ...texts, ...KEY }, shown: { ...owned, ...KEY, acl: [] }, change: changedTexts },
  ],
  ...(['bot', 'service'] as const).map((prefix) => {
    const life = { sent: { name: 'ci' }, shown: named, same: [{}], change: { name: 'cd', active: false } }
    return [`/${prefix}_users`, `${prefix}_users`, prefix, life] as const
  }),
  ['/ip_policies', 'ip_policies', 'ipp', { sent: texts, shown: texts, change: changedTexts }],
  ['/ip_policy_rules', 'ip_policy_rules', 'ipr', ruleOf],
  [
    '/vaults',
    'vaults',
    'vault',
    {
      sent: { name: 'a-Z_9/.', description: 'd' },
      shown: { name: 'a-Z_9/.', description: 'd', updated_at: NOW, created_by: USER, last_updated_by: USER },
      same: [{}, { name: 'a-Z_9/.', description: 'd' }],
      change: { name: 'ci/live', description: '' },
    },
  ],
  ['/vault_secrets', 'secrets', 'secret', secretOf],
  ['/endpoints', 'endpoints', 'ep', endpointOf],
  ['/kubernetes_operators', 'operators', 'k8sop', operator],
  [
    '/backends/tunnel_group',
    'backends',
    'bkdtg',
    {
      sent: { ...texts, labels: { foo: 'bar' } },
      shown: { ...texts, labels: { foo: 'bar' }, tunnels: [] },
      same: [{}],
      change: { labels: {} },
    },
  ],
  [
    '/backends/failover',
    'backends',
    'bkdfo',
    // A PATCH without children removes them (rules: backends#failover).
    { sent: FAILOVER, shown: FAILOVER, change: { metadata: 'm' }, changed: { metadata: 'm', backends: [] } },
  ],
  [
    '/backends/http_response',
    'backends',
    'bkdhr',
    {
      sent: { ...RESPONSE, headers: { 'Content-Type': 'text/plain' } },
      shown: RESPONSE,
      same: [{}],
      change: { status_code: 503 },
    },
  ],
  [
    '/backends/static',
    'backends',
    'bkdsc',
    {
      sent: { ...texts, address: TLS.address },
      shown: { ...texts, ...TLS, tls: { enabled: false } },
      same: [{}],
      change: { tls: { enabled: true } },
    },
  ],
  ['/edges/tcp', 'tcp_edges', 'edgtcp', edge(ON_EDGE)],
  ['/edges/tls', 'tls_edges', 'edgtls', edge(`${ON_EDGE} mutual_tls tls_termination`)],
  ['/edges/https', 'https_edges', 'edghts', edge('hostports mutual_tls tls_termination', { routes: [] })],
]

/** The lists that take no filter. */
const WITHOUT_FILTER = /^\/(backends|edges|kubernetes_operators)/

describe('Resources are created, read, listed, changed and deleted', () => {
  test.each(LIVES)('at %s', async (path, items, prefix, life) => {
    const { gateway, send } = openGateway()
    const { sent, shown, same = [], change, changed = change } = typeof life === 'function' ? life(gateway) : life
    const created = await send('POST', path, { json: sent })
    const { id } = created.body
    const head = { id: expect.stringMatching(new RegExp(`^${prefix}_[0-9A-Za-z]{27}$`)), created_at: NOW }
    const own = `${path}/${id}`
    const { token: _, ...answered } = created.body
    expect(created.status).toBe(201)
    const whole = { ...('token' in shown && { token: null }), ...answered }
    expect(whole).toEqual({ ...head, uri: gateway.url + own, ...shown })
    expect((await send('GET', own)).body).toEqual(whole)
    expect(listRecordsOutOfOrder(gateway, openGateway().gateway)).toEqual([])
    const page = { [items]: [whole], uri: gateway.url + path, next_page_uri: null }
    expect((await send('GET', path)).body).toEqual(page)
    const found = await send('GET', filtered(path, `obj.id == "${id}"`))
    if (WITHOUT_FILTER.test(path)) expect(outcome(found)).toBe('400 ERR_NGROK_231')
    else expect(found.body).toEqual(page)

    gateway.clock.advance('1m')
    for (const json of same) expect((await send('PATCH', own, { json: { ...json, id } })).body).toEqual(whole)
    const after = { ...whole, ...changed, ...('updated_at' in shown && { updated_at: '2026-01-01T00:01:00Z' }) }
    const answer = await send('PATCH', own, { json: change })
    expect([answer.status, answer.body]).toEqual([200, after])
    gateway.clock.advance('1m')
    expect((await send('PATCH', own, { json: change })).body).toEqual(after)
    expect((await send('GET', path)).body).toEqual({ ...page, [items]: [after] })
    expect(outcome(await send('DELETE', own))).toBe('204')
    expect(outcome(await send('GET', own))).toBe('404 ERR_NGROK_90404')
    expect((await send('GET', path)).body).toEqual({ ...page, [items]: [] })
  })
})
