import { describe, expect, test } from 'vitest'
import type { createNgrok } from '../../../src/gateway/ngrok.ts'
import { outcome } from '../../support/client.ts'
import { SHOWN_START } from '../../support/clock.ts'
import { listRecordsOutOfOrder } from '../../support/field-order.ts'
import { timeAfter } from '../../support/provisioning.ts'
import { SSH_KEYS } from './ssh-keys.ts'
import { filterPath, openGateway } from './support.ts'

type Ngrok = ReturnType<typeof createNgrok>

/** A kind of resource: the bodies that create and change a resource, and the fields of the responses. */
interface Kind {
  /** The body that creates the resource. */
  readonly body: object
  /** The fields of the response other than `id`, `uri` and `created_at`. */
  readonly fields: object
  /** Bodies of a PATCH that change nothing. */
  readonly noChanges?: readonly object[]
  /** The body of a PATCH that changes the resource. */
  readonly change: object
  /** The fields that this PATCH changes in the response. Default: those of `change`. */
  readonly changes?: object
}

const USER = 'usr_0000000theUserOfThisAccount'
const user = { id: USER, uri: '' }
const texts = { description: 'acme', metadata: '{"environment": "staging"}' }
const changedTexts = { description: '', metadata: 'n' }
const POLICY = 'on_http_request:\n  - actions: [{ type: deny }]\n'
const NO_CERT = { cert: '', not_before: '0001-01-01T00:00:00Z', not_after: '0001-01-01T00:00:00Z' }

const toNulls = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, null]))
const ownedFields = { owner_id: USER, ...texts }
const userFields = { name: 'ci', active: true }

function prepareSecret(gateway: Ngrok): Kind {
  const vault = gateway.vaults.create({ name: 'ci/prod' })
  const by = { created_by: user, last_updated_by: user, updated_at: SHOWN_START }
  const place = { vault: { id: vault.id, uri: vault.uri }, vault_name: 'ci/prod' }
  const body = { name: 'key', value: 'a value', metadata: 'm' }
  return {
    body: { ...body, vault_id: vault.id, vault_name: vault.name },
    fields: { name: 'key', metadata: 'm', ...place, ...by },
    noChanges: [{}, { value: 'a value' }],
    change: { value: 'another', name: 'sql' },
    changes: { name: 'sql' },
  }
}

function prepareEndpoint(gateway: Ngrok): Kind {
  const { id, uri } = gateway.reservedDomains.create({ domain: 'example.com' })
  const toUrlFields = (host: string) => {
    const url = `https://${host}`
    return { url, public_url: url, hostport: `${host}:443` }
  }
  const shop = { description: 'shop', traffic_policy: POLICY }
  const fields = { updated_at: SHOWN_START, type: 'cloud', proto: 'https', bindings: ['public'], domain: { id, uri } }
  const change = {
    url: 'https://api.example.com',
    pooling_enabled: true,
    traffic_policy: 'on_tcp_connect: [{ actions: [{ type: deny }] }]',
  }
  return {
    body: { url: 'https://App.example.com:443', ...shop },
    fields: { ...fields, ...toUrlFields('app.example.com'), ...shop, pooling_enabled: false },
    noChanges: [{ description: 'shop', url: 'https://app.example.com', bindings: [] }],
    change: { ...change, description: '' },
    changes: { ...change, ...toUrlFields('api.example.com'), description: '' },
  }
}

const operator: Kind = {
  body: { region: '', metadata: 'm' },
  fields: {
    metadata: 'm',
    updated_at: SHOWN_START,
    principal: user,
    enabled_features: [],
    region: 'global',
    deployment: { name: '', namespace: '', version: '', cluster_name: '' },
    binding: { endpoint_selectors: null, cert: NO_CERT },
  },
  noChanges: [{}],
  change: {
    enabled_features: ['Ingress', 'GATEWAY'],
    region: 'eu',
    deployment: { name: 'n', version: '1' },
    binding: { endpoint_selectors: ['true'] },
  },
  changes: {
    enabled_features: ['ingress', 'gateway'],
    region: 'eu',
    deployment: { name: 'n', namespace: '', version: '1', cluster_name: '' },
    binding: { endpoint_selectors: ['true'], cert: NO_CERT, ingress_endpoint: 'connect.ngrok-endpoints.com:443' },
  },
}

function prepareRule(gateway: Ngrok): Kind {
  const { id, uri } = gateway.ipPolicies.create()
  const rule = { action: 'allow', description: 'd' }
  return {
    body: { cidr: ' 2001:DB8::/32 ', ip_policy_id: id, ...rule },
    fields: { cidr: '2001:db8::/32', ip_policy: { id, uri }, ...rule },
    change: { cidr: '::/0', action: 'deny' },
  }
}

const KEY = { public_key: SSH_KEYS.ed25519 }
const FAILOVER = { ...texts, backends: ['bkdhr_2', 'bkdtg_1'] }
const RESPONSE = { body: "I'm a teapot", headers: { 'content-type': 'text/plain' }, status_code: 418 }
const TLS = { address: 'example.com:8080', tls: { enabled: true } }
const ON_EDGE = 'hostports backend ip_restriction policy traffic_policy'

const createEdgeKind = (modules: string, more: object = {}): Kind => ({
  body: texts,
  fields: { ...texts, ...toNulls(modules), ...more },
  noChanges: [{}],
  change: changedTexts,
})

const KINDS: readonly (readonly [
  path: string,
  items: string,
  prefix: string,
  kind: Kind | ((gateway: Ngrok) => Kind),
])[] = [
  ['/api_keys', 'keys', 'ak', { body: texts, fields: { ...ownedFields, token: null }, change: changedTexts }],
  [
    '/credentials',
    'credentials',
    'cr',
    { body: texts, fields: { ...ownedFields, acl: [], token: null }, change: changedTexts },
  ],
  [
    '/ssh_credentials',
    'ssh_credentials',
    'sshcr',
    { body: { ...texts, ...KEY }, fields: { ...ownedFields, ...KEY, acl: [] }, change: changedTexts },
  ],
  ...(['bot', 'service'] as const).map((prefix) => {
    const kind = { body: { name: 'ci' }, fields: userFields, noChanges: [{}], change: { name: 'cd', active: false } }
    return [`/${prefix}_users`, `${prefix}_users`, prefix, kind] as const
  }),
  ['/ip_policies', 'ip_policies', 'ipp', { body: texts, fields: texts, change: changedTexts }],
  ['/ip_policy_rules', 'ip_policy_rules', 'ipr', prepareRule],
  [
    '/vaults',
    'vaults',
    'vault',
    {
      body: { name: 'a-Z_9/.', description: 'd' },
      fields: { name: 'a-Z_9/.', description: 'd', updated_at: SHOWN_START, created_by: USER, last_updated_by: USER },
      noChanges: [{}, { name: 'a-Z_9/.', description: 'd' }],
      change: { name: 'ci/live', description: '' },
    },
  ],
  ['/vault_secrets', 'secrets', 'secret', prepareSecret],
  ['/endpoints', 'endpoints', 'ep', prepareEndpoint],
  ['/kubernetes_operators', 'operators', 'k8sop', operator],
  [
    '/backends/tunnel_group',
    'backends',
    'bkdtg',
    {
      body: { ...texts, labels: { foo: 'bar' } },
      fields: { ...texts, labels: { foo: 'bar' }, tunnels: [] },
      noChanges: [{}],
      change: { labels: {} },
    },
  ],
  [
    '/backends/failover',
    'backends',
    'bkdfo',
    // A PATCH without children removes them (rules: backends#failover).
    { body: FAILOVER, fields: FAILOVER, change: { metadata: 'm' }, changes: { metadata: 'm', backends: [] } },
  ],
  [
    '/backends/http_response',
    'backends',
    'bkdhr',
    {
      body: { ...RESPONSE, headers: { 'Content-Type': 'text/plain' } },
      fields: RESPONSE,
      noChanges: [{}],
      change: { status_code: 503 },
    },
  ],
  [
    '/backends/static',
    'backends',
    'bkdsc',
    {
      body: { ...texts, address: TLS.address },
      fields: { ...texts, ...TLS, tls: { enabled: false } },
      noChanges: [{}],
      change: { tls: { enabled: true } },
    },
  ],
  ['/edges/tcp', 'tcp_edges', 'edgtcp', createEdgeKind(ON_EDGE)],
  ['/edges/tls', 'tls_edges', 'edgtls', createEdgeKind(`${ON_EDGE} mutual_tls tls_termination`)],
  ['/edges/https', 'https_edges', 'edghts', createEdgeKind('hostports mutual_tls tls_termination', { routes: [] })],
]

/** The lists that take no filter. */
const WITHOUT_FILTER = /^\/(backends|edges|kubernetes_operators)/

describe('Resources are created, read, listed, changed and deleted', () => {
  test.each(KINDS)('at %s', async (path, items, prefix, kind) => {
    const { gateway, send } = openGateway()
    const { body, fields, noChanges = [], change, changes = change } = typeof kind === 'function' ? kind(gateway) : kind
    const created = await send('POST', path, { json: body })
    const { id } = created.body
    const head = { id: expect.stringMatching(new RegExp(`^${prefix}_[0-9A-Za-z]{27}$`)), created_at: SHOWN_START }
    const itemPath = `${path}/${id}`
    const { token: _, ...createdFields } = created.body
    expect(created.status).toBe(201)
    const item = { ...('token' in fields && { token: null }), ...createdFields }
    expect(item).toEqual({ ...head, uri: gateway.url + itemPath, ...fields })
    expect((await send('GET', itemPath)).body).toEqual(item)
    expect(listRecordsOutOfOrder(gateway, openGateway().gateway)).toEqual([])
    const page = { [items]: [item], uri: gateway.url + path, next_page_uri: null }
    expect((await send('GET', path)).body).toEqual(page)
    const found = await send('GET', filterPath(path, `obj.id == "${id}"`))
    if (WITHOUT_FILTER.test(path)) expect(outcome(found)).toBe('400 ERR_NGROK_231')
    else expect(found.body).toEqual(page)

    gateway.clock.advance('1m')
    for (const json of noChanges) expect((await send('PATCH', itemPath, { json: { ...json, id } })).body).toEqual(item)
    const updated = { ...item, ...changes, ...('updated_at' in fields && { updated_at: timeAfter('1m') }) }
    const response = await send('PATCH', itemPath, { json: change })
    expect([response.status, response.body]).toEqual([200, updated])
    gateway.clock.advance('1m')
    expect((await send('PATCH', itemPath, { json: change })).body).toEqual(updated)
    expect((await send('GET', path)).body).toEqual({ ...page, [items]: [updated] })
    expect(outcome(await send('DELETE', itemPath))).toBe('204')
    expect(outcome(await send('GET', itemPath))).toBe('404 ERR_NGROK_90404')
    expect((await send('GET', path)).body).toEqual({ ...page, [items]: [] })
  })
})
