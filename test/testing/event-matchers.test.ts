import { describe, expect, test } from 'vitest'
import { manualClock } from '../../src/core/engine/manual-clock.ts'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { matchers } from '../../src/testing/matchers.ts'
import { CLOCK_START } from '../support/clock.ts'

expect.extend(matchers)

function openGateway() {
  const gateway = createNgrok({ seed: 'events', clock: manualClock(CLOCK_START) })
  const { id } = gateway.eventDestinations.create({ format: 'json', target: { datadog: { api_key: 'the api key' } } })
  const sources = [{ type: 'ip_policy_created.v0' }]
  gateway.eventSubscriptions.create({ sources, destination_ids: [id] })
  return { gateway, id }
}

describe('toHaveSentEvent', () => {
  test('passes for an event with these fields', () => {
    const { gateway, id } = openGateway()
    expect(gateway).not.toHaveSentEvent('ip_policy_created.v0')
    gateway.ipPolicies.create({ description: 'offices' })
    expect(gateway).toHaveSentEvent('ip_policy_created.v0')
    expect(gateway).toHaveSentEvent('ip_policy_created.v0', { object: { description: 'offices' }, destination: id })
    expect(gateway).toHaveSentEvent('ip_policy_created.v0', { object: { id: expect.stringMatching(/^ipp_/) } })
    expect(gateway).not.toHaveSentEvent('ip_policy_created.v0', { object: { description: 'homes' } })
  })

  test('fails with what there is, and the report lists the events', () => {
    const { gateway, id } = openGateway()
    const policy = gateway.ipPolicies.create({ description: 'offices' })
    const assert = () => expect(gateway).toHaveSentEvent('ip_policy_created.v0', { object: { description: 'homes' } })
    expect(assert).toThrow('there is 1 of this type, the last with')
    expect(assert).toThrow(`ip_policy_created.v0 of ${policy.id} for ${id}: kept`)
    expect(() => expect(gateway).toHaveSentEvent('ip_policy_updated.v0')).toThrow('but there is none')
  })

  test('throws for a type that no event has, also with not', () => {
    const { gateway } = openGateway()
    expect(() => expect(gateway).not.toHaveSentEvent('ip_policy_create.v0')).toThrow('ip_policy_created.v0')
  })
})
