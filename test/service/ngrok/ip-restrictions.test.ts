import { describe, expect, test } from 'vitest'
import { openGateway } from './support.ts'

function openWithPolicy() {
  const setup = openGateway()
  const policy = setup.gateway.ipPolicies.create()
  const rule = setup.gateway.ipPolicyRules.create({
    cidr: '203.0.113.0/24',
    ip_policy_id: policy.id,
    action: 'allow',
  })
  return { ...setup, policy: policy.id, rule: rule.id }
}

describe('An IP restriction (rules: ngrok-families#ip-restrictions)', () => {
  test.each<[number: number, json: object]>([
    [1801, { ip_policy_ids: ['ipp_1'] }],
    [1801, { ip_policy_ids: ['nonsense'] }],
    [1802, { type: 'dashboard' }],
    [1803, { type: 'doors' }],
    [1803, { type: undefined }],
    [1804, { ip_policy_ids: [] }],
    [1804, { ip_policy_ids: undefined }],
  ])('is rejected with %i: %o', async (number, json) => {
    const { gateway, sendRefused, policy } = openWithPolicy()
    gateway.ipRestrictions.create({ type: 'dashboard', ip_policy_ids: [policy] })
    const valid = { type: 'api', ip_policy_ids: [policy] }
    const outcome = await sendRefused('POST', '/ip_restrictions', { json: { ...valid, ...json } })
    expect(outcome).toBe(`400 ERR_NGROK_${number}`)
  })

  test.each([
    ['dashboard', 1805],
    ['api', 1806],
    ['agent', 1807],
    ['endpoints', 1808],
  ])('of the type %s is rejected by a small plan with %i', async (type, number) => {
    const { gateway, sendRefused } = openGateway({ account: { plan: 'hobbyist' } })
    const { id } = gateway.ipPolicies.create()
    const json = { type, ip_policy_ids: [id] }
    expect(await sendRefused('POST', '/ip_restrictions', { json })).toBe(`400 ERR_NGROK_${number}`)
  })

  test('keeps its policies from deletion, and one of the dashboard the last rule too', async () => {
    const { gateway, sendRefused, policy, rule } = openWithPolicy()
    const { id } = gateway.ipRestrictions.create({ type: 'dashboard', ip_policy_ids: [policy] })
    expect(await sendRefused('DELETE', `/ip_policies/${policy}`)).toBe('400 ERR_NGROK_1420')
    expect(await sendRefused('DELETE', `/ip_policy_rules/${rule}`)).toBe('400 ERR_NGROK_1419')
    gateway.ipRestrictions.delete(id)
    gateway.ipPolicyRules.delete(rule)
    gateway.ipPolicies.delete(policy)
  })

  test('of the type api rejects requests from other addresses once it is enforced, with 220', async () => {
    const { gateway, policy, send } = openWithPolicy()
    const { id } = gateway.ipRestrictions.create({ type: 'api', ip_policy_ids: [policy] })
    const headers = { Authorization: 'Bearer a key', 'Ngrok-Version': '2' }
    const call = async (ip?: string, url = `${gateway.url}/self`) => {
      const response = await gateway.fetch(url, { headers, ...(ip && { from: { ip } }) })
      return response.status === 200 ? 200 : ((await response.json()) as { error_code: string }).error_code
    }
    expect(await call('198.51.100.1')).toBe(200)
    gateway.ipRestrictions.update(id, { enforced: true })
    expect([await call('198.51.100.1'), await call('2001:db8::1')]).toEqual(['ERR_NGROK_220', 'ERR_NGROK_220'])
    expect([await call('203.0.113.7'), await call('::ffff:203.0.113.7'), await call()]).toEqual([200, 200, 200])
    // The control API is not the service's API.
    expect(await call('198.51.100.1', 'http://localhost/_fauxgate/clock')).toBe(200)
    expect((await send('GET', '/ip_restrictions')).status).toBe(200)
  })

  test.each([
    [{ ip: 'office' }, 'from.ip is "office"'],
    [{ address: '203.0.113.7' }, 'from.address is unknown'],
    ['203.0.113.7', 'from is "203.0.113.7"'],
  ])('rejects a caller that is no address: %j', async (from, message) => {
    const { gateway } = openGateway()
    // @ts-expect-error: a caller has an address
    await expect(gateway.fetch(`${gateway.url}/self`, { from })).rejects.toThrow(message)
  })

  test('of the type agent rejects agents from other addresses once it is enforced', () => {
    const { gateway, policy } = openWithPolicy()
    const { id } = gateway.ipRestrictions.create({ type: 'agent', ip_policy_ids: [policy] })
    gateway.declare.tunnelSession({ ip: '198.51.100.1' })
    gateway.ipRestrictions.update(id, { enforced: true })
    expect(() => gateway.declare.tunnelSession({ ip: '198.51.100.1' })).toThrow('does not allow')
    gateway.declare.tunnelSession({ ip: '203.0.113.7' })
    gateway.ipPolicyRules.create({ cidr: '203.0.113.7/32', ip_policy_id: policy, action: 'deny' })
    expect(() => gateway.declare.tunnelSession({ ip: '203.0.113.7' })).toThrow('does not allow')
    expect(gateway.tunnelSessions.list().tunnel_sessions).toHaveLength(2)
  })

  test('of the type endpoints rejects visitors from other addresses once it is enforced', async () => {
    const { gateway, policy } = openWithPolicy()
    gateway.declare.tunnelSession({ endpoints: [{ url: 'https://app.ngrok-free.app' }] })
    gateway.traffic.upstream('https://app.ngrok-free.app', () => new Response('hello'))
    const visit = (ip: string) => gateway.traffic.fetch('https://app.ngrok-free.app/', { from: { ip } })
    const { id } = gateway.ipRestrictions.create({ type: 'endpoints', ip_policy_ids: [policy] })
    expect((await visit('198.51.100.1')).status).toBe(200)
    expect(JSON.stringify(gateway.traffic.last()?.trace)).toContain('which is not enforced')
    gateway.ipRestrictions.update(id, { enforced: true })
    const refused = await visit('198.51.100.1')
    expect([refused.status, refused.headers.get('ngrok-error-code')]).toEqual([403, 'ERR_NGROK_3205'])
    expect(await (await visit('203.0.113.9')).text()).toBe('hello')
  })
})
