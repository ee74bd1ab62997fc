import { describe, expect, test } from 'vitest'
import { ownFamilies } from '../../../scripts/generate/evidence.ts'
import { groupOf } from '../../../src/core/operation/operation.ts'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { tableOf } from '../../../src/gateway/table.ts'
import { manualClock, ngrok } from '../../../src/index.ts'
import { ngrokFamilies } from '../../../src/service/ngrok/families.ts'
import { catchError } from '../../support/client.ts'

const COMMON = 'id created_at description metadata'

/** The fields that filters can name, for each list. */
const DOCUMENTED: Readonly<Record<string, string>> = {
  endpoints: `${COMMON} principal.id type binding bindings url pooling_enabled scheme region name`,
  reserved_addrs: `${COMMON} addr region`,
  reserved_domains: `${COMMON} domain region cname_target certificate.id acme_challenge_cname_target`,
  tls_certificates: `${COMMON} subject_common_name not_before not_after serial_number`,
  ip_policies: COMMON,
  ip_policy_rules: `${COMMON} ip_policy cidr action`,
  tunnel_sessions: 'id metadata agent_version ip os region started_at credential',
  api_keys: `${COMMON} owner_id`,
  credentials: `${COMMON} owner_id acl`,
  ssh_credentials: `${COMMON} owner_id acl`,
  service_users: 'id created_at name',
  bot_users: 'id created_at name',
  vaults: `${COMMON} name`,
  vault_secrets: `${COMMON} name`,
  tunnels: '',
  kubernetes_operators: '',
  weighted_backends: '',
  tunnel_group_backends: '',
  failover_backends: '',
  http_response_backends: '',
  static_backends: '',
  https_edges: '',
  tcp_edges: '',
  tls_edges: '',
  agent_ingresses: `${COMMON} domain`,
  certificate_authorities: `${COMMON} subject_common_name not_before not_after`,
  ip_restrictions: COMMON,
  ssh_certificate_authorities: COMMON,
  event_destinations: COMMON,
  event_subscriptions: COMMON,
  ssh_host_certificates: '',
  ssh_user_certificates: '',
  application_users: '',
  application_sessions: '',
  endpoint_configurations: '',
  ai_gateway_api_keys: '',
  ai_gateway_provider_keys: '',
  'vaults.secrets': '',
  'kubernetes_operators.bound_endpoints': '',
}

const gateway = createNgrok({ clock: manualClock('2026-05-10T12:00:00Z'), quirks: { policyMayFallThrough: true } })
const { id: sessionId } = gateway.declare.tunnelSession({ endpoints: [{ url: 'https://b.ngrok-free.app' }] })
const cloud = gateway.endpoints.create({ url: 'http://a.internal', traffic_policy: '{}' })

const listUrls = (filter: string) => gateway.endpoints.list({ filter }).endpoints.map(({ url }) => url)
const [CLOUD, AGENT] = ['http://a.internal', 'https://b.ngrok-free.app']

describe('Each list of ngrok takes filters over the fields that it documents (rules: filters#declared-fields)', () => {
  const { operations } = tableOf(ngrok, ngrokFamilies).api
  const own = ownFamilies()
  const lists = operations.filter((each) => each.query !== undefined && !own.includes(groupOf(each)))

  test('and this test covers every list that ngrok has', () => {
    expect(lists.map(({ name }) => name.replace(/\.list$/, '')).sort()).toEqual(Object.keys(DOCUMENTED).sort())
  })

  test.each(lists.map((each) => [each.name, each] as const))('%s', (name, { filterable = [] }) => {
    const names = filterable.map((each) => (typeof each === 'string' ? each : each.name))
    const documented = DOCUMENTED[name.replace(/\.list$/, '')]?.split(' ').filter(Boolean)
    expect([...names].sort()).toEqual(documented?.sort())
  })
})

describe('A filter of ngrok (rules: filters#declared-fields)', () => {
  test.each([
    ['obj.scheme == "http"', CLOUD],
    ["obj.scheme != 'http'", AGENT],
    ['obj.binding == "internal"', CLOUD],
    ['obj.binding.startsWith("pub")', AGENT],
    ['"internal" in obj.bindings', CLOUD],
    ['obj.type == "agent"', AGENT],
    ['obj.type == "ephemeral"', AGENT],
    ['"agent" != obj.type', CLOUD],
    ['obj.type in ["agent", "edge"]', AGENT],
    ['obj.region == null', AGENT, CLOUD],
    ['obj.region == ""', AGENT, CLOUD],
    ['obj.region == "us"'],
    ['obj.principal.id != null', AGENT],
    ['timestamp(obj.created_at) > timestamp("2026-05-10Z")', AGENT, CLOUD],
    ['obj.created_at > timestamp("2026-05-11Z")'],
    ['obj.created_at < timestamp("2026-05-10Z").add("1d")', AGENT, CLOUD],
  ])('%s', (filter, ...urls) => {
    expect(listUrls(filter).sort()).toEqual([...urls].sort())
  })

  test('compares an empty list like an absent one', () => {
    const none = gateway.credentials.create().id
    const some = gateway.credentials.create({ acl: ['bind:a.example.com'] }).id
    const listIds = (filter: string) => gateway.credentials.list({ filter }).credentials.map(({ id }) => id)
    for (const filter of [
      'obj.acl == null',
      'obj.acl == ""',
      "'' == obj.acl",
      'obj.acl == []',
      'obj.acl.size() == 0',
      'obj.acl in ["", "x"]',
      'obj.acl in ["x", ""]',
      'obj.acl in [null, "x"]',
    ]) {
      expect(listIds(filter), filter).toContain(none)
      expect(listIds(filter), filter).not.toContain(some)
    }
    for (const filter of ['obj.acl != null', 'obj.acl != ""', '"bind:a.example.com" in obj.acl']) {
      expect(listIds(filter), filter).toEqual([some])
    }
  })

  test('compares a reference as its id', () => {
    const { id } = gateway.ipPolicies.create()
    gateway.ipPolicyRules.create({ ip_policy_id: id, cidr: '10.0.0.0/8', action: 'allow' })
    const countRules = (filter: string) => gateway.ipPolicyRules.list({ filter }).ip_policy_rules.length
    expect(countRules(`obj.ip_policy == "${id}"`)).toBe(1)
    expect(countRules('obj.ip_policy == "ipp_1"')).toBe(0)
    const { credential } = gateway.tunnelSessions.get(sessionId)
    const sessions = gateway.tunnelSessions.list({ filter: `obj.credential == '${credential.id}'` })
    expect(sessions.tunnel_sessions.map((each) => each.id)).toEqual([sessionId])
  })

  test('an unknown name is rejected with the fields that filters can use', () => {
    const expectedFor = (filter: string) => catchError(() => listUrls(filter))?.message.split('; expected ')[1]
    expect(expectedFor('url == "x"')).toMatch(/^obj\.id, /)
    expect(expectedFor('url == "x"')).toBe(expectedFor('obj.nope == "x"'))
  })

  test.each([
    ['obj.public_url == "x"', 'obj.scheme'],
    ['obj.proto == "x"', 'a field that filters cannot use'],
    ['obj.bindings.0 == "x"', 'character'],
    ['obj.acl == null', 'a field that filters cannot use'],
    ['obj.bindings == "x"', 'a list of strings'],
    ['obj.created_at > timestamp("2026-02-30Z")', 'an RFC 3339 time'],
    ['obj.created_at > timestamp("2026-05-10")', 'an RFC 3339 time'],
    ['obj.id.startsWith("ep_")', 'obj.id == "…"'],
    ['obj.scheme.foo == "x"', 'a field that filters cannot use'],
  ])('%s is rejected, and the message says why', (filter, message) => {
    const before = JSON.stringify(gateway.snapshot())
    expect(catchError(() => listUrls(filter))).toMatchObject({
      code: 'ERR_NGROK_250',
      message: expect.stringContaining(message),
    })
    expect(JSON.stringify(gateway.snapshot())).toBe(before)
  })

  test('can name the id of a cloud endpoint', () => {
    expect(listUrls(`obj.id == "${cloud.id}"`)).toEqual([CLOUD])
  })
})
