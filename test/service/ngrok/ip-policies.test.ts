import { describe, expect, test } from 'vitest'
import { expectError } from '../../support/client.ts'
import { openGateway } from './support.ts'

const RANGE = '203.0.113.0/24'

/** Creates a gateway with a policy that denies one range. */
function openWithPolicy() {
  const { gateway, sendRefused } = openGateway()
  const policy = gateway.ipPolicies.create({ description: 'office' })
  const rule = gateway.ipPolicyRules.create({ cidr: RANGE, ip_policy_id: policy.id, action: 'deny' })
  return { gateway, sendRefused, policy, rule }
}

describe('IP policies', () => {
  test('are deleted with their rules', () => {
    const { gateway, policy } = openWithPolicy()
    const { id } = gateway.ipPolicies.create()
    const otherRule = gateway.ipPolicyRules.create({ cidr: RANGE, ip_policy_id: id, action: 'allow' })
    gateway.ipPolicyRules.create({ cidr: '10.0.0.0/8', ip_policy_id: policy.id, action: 'allow' })
    gateway.ipPolicies.delete(policy.id)
    expect(gateway.ipPolicyRules.list().ip_policy_rules).toEqual([otherRule])
  })

  test.each<[number: number, json: object]>([
    [1400, {}],
    [1423, { action: 'allow' }],
  ])('an update is rejected with %i: %o', async (number, json) => {
    const { sendRefused, policy } = openWithPolicy()
    expect(await sendRefused('PATCH', `/ip_policies/${policy.id}`, { json })).toBe(`400 ERR_NGROK_${number}`)
  })

  test('have no action, and the message says that rules have actions', async () => {
    const { gateway, sendRefused } = openWithPolicy()
    const json = { action: 'deny' }
    expect(await sendRefused('POST', '/ip_policies', { json })).toBe('400 ERR_NGROK_1423')
    expect(gateway.requests.last()?.response).toMatchObject({
      msg: 'action is "deny". Allowed: no action, because each rule of a policy has its own.',
    })
  })
})

describe('Rules of IP policies', () => {
  test('are found by filters', () => {
    const { gateway, policy, rule } = openWithPolicy()
    gateway.ipPolicyRules.create({ cidr: '10.0.0.0/8', ip_policy_id: policy.id, action: 'allow' })
    const filters = [`obj.ip_policy == "${policy.id}" && obj.action == "deny"`, `obj.cidr == '${RANGE}'`]
    for (const filter of filters) expect(gateway.ipPolicyRules.list({ filter }).ip_policy_rules).toEqual([rule])
  })

  test.each(['0.0.0.0/0', '10.0.0.0/8', '203.0.113.7/32', '::1/128', '::ffff:10.0.0.0/104'])(
    'take the range %s',
    (cidr) => {
      const { gateway, policy } = openWithPolicy()
      expect(gateway.ipPolicyRules.create({ cidr, ip_policy_id: policy.id, action: 'allow' }).cidr).toBe(cidr)
    },
  )

  test.each<[number: number, json: object]>([
    [1405, { cidr: undefined }],
    [1405, { cidr: ' ' }],
    [1405, { ip_policy_id: undefined }],
    [1406, { cidr: 'office' }],
    [1406, { cidr: '10.0.0.0/33' }],
    [1406, { cidr: '10.0.0.0/08' }],
    [1406, { cidr: '::/129' }],
    [1406, { cidr: '10.0.0.0/8/8' }],
    [1406, { cidr: '010.0.0.0/8' }],
    [1408, { cidr: RANGE }],
    [1409, { cidr: '203.0.113.1/24' }],
    [1409, { cidr: '2001:db8::1/64' }],
    [1413, { cidr: '203.0.113.7' }],
    [1414, { ip_policy_id: 'ipp_1' }],
    [1414, { ip_policy_id: 'office' }],
    [1422, { action: undefined }],
    [1422, { action: 'block' }],
    [1422, { action: 7 }],
  ])('a creation is rejected with %i: %o', async (number, json) => {
    const { sendRefused, policy } = openWithPolicy()
    const valid = { cidr: '10.0.0.0/8', ip_policy_id: policy.id, action: 'allow' }
    expect(await sendRefused('POST', '/ip_policy_rules', { json: { ...valid, ...json } })).toBe(
      `400 ERR_NGROK_${number}`,
    )
  })

  test.each<[number: number, json: object]>([
    [1401, {}],
    [1405, { cidr: '' }],
    [1406, { cidr: 'office' }],
    [1408, { cidr: '2001:0DB8:0::/32' }],
    [1409, { cidr: '10.0.0.1/8' }],
    [1413, { cidr: '10.0.0.0' }],
    [214, { ip_policy_id: 'ipp_1' }],
    [1422, { action: 'ALLOW' }],
  ])('an update is rejected with %i: %o', async (number, json) => {
    const { gateway, sendRefused, policy, rule } = openWithPolicy()
    gateway.ipPolicyRules.create({ cidr: '2001:db8::/32', ip_policy_id: policy.id, action: 'deny' })
    expect(await sendRefused('PATCH', `/ip_policy_rules/${rule.id}`, { json })).toBe(`400 ERR_NGROK_${number}`)
  })

  test('keep their range in an update, and another policy may have the same range', () => {
    const { gateway, rule } = openWithPolicy()
    expect(gateway.ipPolicyRules.update(rule.id, { cidr: RANGE, action: 'allow' }).action).toBe('allow')
    const { id } = gateway.ipPolicies.create()
    expect(gateway.ipPolicyRules.create({ cidr: RANGE, ip_policy_id: id, action: 'deny' }).cidr).toBe(RANGE)
  })

  test('name in messages what was received, what is allowed, and the rule that has the range', () => {
    const { gateway, policy, rule } = openWithPolicy()
    const valid = { cidr: RANGE, ip_policy_id: policy.id, action: 'allow' }
    const messageOf = (body: object) => expectError(() => gateway.ipPolicyRules.create({ ...valid, ...body })).message
    expect(messageOf({})).toBe(
      `cidr is "${RANGE}". The rule ${rule.id} of the same policy already has this range. Send a different one.`,
    )
    expect(messageOf({ ip_policy_id: undefined })).toBe(
      'A rule needs ip_policy_id, which is missing or empty. Allowed: the ID of an IP policy.',
    )
    expect(messageOf({ action: 'no' })).toBe('action is "no". Allowed: allow or deny.')
  })
})
