import { describe, expect, test } from 'vitest'
import { manualClock } from '../../src/core/engine/manual-clock.ts'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { createGateway } from '../../src/index.ts'
import { matchers } from '../../src/testing/matchers.ts'
import { CLOCK_START } from '../support/clock.ts'
import { timeAfter } from '../support/provisioning.ts'

expect.extend(matchers)

const TYPE = 'ip_policy_created.v0'

function openGateway() {
  const gateway = createNgrok({ seed: 'events', clock: manualClock(CLOCK_START) })
  const { id } = gateway.eventDestinations.create({ format: 'json', target: { datadog: { api_key: 'the api key' } } })
  gateway.eventSubscriptions.create({ sources: [{ type: TYPE }], destination_ids: [id] })
  return { gateway, id }
}

/** Returns the message of a failed assertion without the report that follows it. */
function readMessage(assert: () => unknown): string {
  try {
    assert()
  } catch (error) {
    const [message = ''] = String(error instanceof Error ? error.message : error).split('\n\nThe gateway at')
    return message
  }
  return ''
}

describe('toHaveSentEvent', () => {
  test('passes for an event with these fields', () => {
    const { gateway, id } = openGateway()
    expect(gateway).not.toHaveSentEvent(TYPE)
    gateway.ipPolicies.create({ description: 'offices' })
    expect(gateway).toHaveSentEvent(TYPE)
    expect(gateway).toHaveSentEvent(TYPE, { object: { description: 'offices' }, destination: id })
    expect(gateway).toHaveSentEvent(TYPE, { object: { id: expect.stringMatching(/^ipp_/) } })
    expect(gateway).not.toHaveSentEvent(TYPE, { object: { description: 'homes' } })
    expect(gateway).not.toHaveSentEvent(TYPE, { object: { description: { of: 'offices' } } })
    expect(gateway).not.toHaveSentEvent(TYPE, { object: { ip_policy_rules: [] } })
  })

  test('compares lists item by item, and their length', () => {
    const { gateway } = openGateway()
    gateway.eventSubscriptions.create({
      sources: [{ type: 'event_subscription_created.v0' }],
      destination_ids: gateway.eventDestinations.list().event_destinations.map(({ id }) => id),
    })
    const type = 'event_subscription_created.v0'
    expect(gateway).toHaveSentEvent(type, { object: { sources: [{ type }] } })
    for (const sources of [[], [{ type: TYPE }], [{ type }, { type }], { 0: { type } }])
      expect(gateway).not.toHaveSentEvent(type, { object: { sources } })
  })

  test('fails with where the nearest events differ, and then the report', () => {
    const { gateway, id } = openGateway()
    const other = gateway.ipPolicies.create({ description: 'homes', metadata: 'm' })
    const policy = gateway.ipPolicies.create({ description: 'offices', metadata: 'other' })
    const fields = { object: { description: 'homes', metadata: expect.stringContaining('other') }, attempts: 1 }
    const assert = () => expect(gateway).toHaveSentEvent(TYPE, fields)
    expect(readMessage(assert)).toBe(
      [
        `Expected a sent ${TYPE} event with {"object":{"description":"homes","metadata":"StringContaining(\\"other\\")"},"attempts":1}, but the 2 events of this type differ:`,
        `  ${timeAfter()} ${TYPE} of ${policy.id} for ${id}:`,
        '    object.description: expected "homes", received "offices"',
        '    attempts: expected 1, received 0',
        `  ${timeAfter()} ${TYPE} of ${other.id} for ${id}:`,
        '    object.metadata: expected StringContaining("other"), received "m"',
        '    attempts: expected 1, received 0',
      ].join('\n'),
    )
    expect(assert).toThrow(`${TYPE} of ${policy.id} for ${id}: kept`)
  })

  test('puts the event with the fewest differences first, in at most 20 lines of bounded length', () => {
    const { gateway } = openGateway()
    for (let policy = 0; policy < 30; policy++)
      gateway.ipPolicies.create({ description: `${policy}`, metadata: 'm'.repeat(3000) })
    const near = gateway.ipPolicies.create({ description: 'near' })
    for (let policy = 0; policy < 30; policy++) gateway.ipPolicies.create({ description: `${policy}` })
    const absent = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`field_${at}`, 'x'.repeat(1000)]))
    const message = readMessage(() =>
      expect(gateway).toHaveSentEvent(TYPE, { object: { description: 'near', metadata: 'none', ...absent } }),
    )
    const lines = message.split('\n')
    expect(lines[0]).toMatch(/, but the 61 events of this type differ\. The nearest 3:$/)
    expect(lines[1]).toContain(near.id)
    expect(message).toContain('… and 47 more differences')
    expect([lines.length <= 20, lines.every(({ length }) => length < 300)]).toEqual([true, true])
  })

  test('names the event that should not be there', () => {
    const { gateway, id } = openGateway()
    const policy = gateway.ipPolicies.create({})
    expect(readMessage(() => expect(gateway).not.toHaveSentEvent(TYPE))).toBe(
      `Expected no sent ${TYPE} event, but found one: ${timeAfter()} ${TYPE} of ${policy.id} for ${id}.`,
    )
  })

  test('says how to get events of a type that none was sent of', () => {
    const { gateway } = openGateway()
    const type = 'vault_created.v0'
    gateway.vaults.create({ name: 'app' })
    const readReasonIn = (each: object) => readMessage(() => expect(each).toHaveSentEvent(type)).split(', but ')[1]
    const readReason = () => readReasonIn(gateway)
    expect(readReason()).toBe(
      `no event subscription includes this type. Create one: gateway.eventSubscriptions.create({ sources: [{ type: '${type}' }], destination_ids: [destination.id] })`,
    )
    const { id } = gateway.eventSubscriptions.create({ sources: [{ type }] })
    expect(readReason()).toBe(
      `its event subscription (${id}) has no destination. Create a destination with gateway.eventDestinations.create(), and add the destination's ID to the subscription's destination_ids.`,
    )
    const destination_ids = gateway.eventDestinations.list().event_destinations.map((each) => each.id)
    gateway.eventSubscriptions.update(id, { destination_ids })
    expect(readReason()).toBe('none has been sent since its event subscription was created.')
    expect(readReasonIn(createNgrok())).toBe(
      `no event subscription includes this type. Create a destination with gateway.eventDestinations.create(), and then a subscription: gateway.eventSubscriptions.create({ sources: [{ type: '${type}' }], destination_ids: [destination.id] })`,
    )
    expect(readReasonIn(createGateway())).toBe(
      'this gateway has no account events. Create one with createNgrok() from fauxgate/ngrok.',
    )
  })

  test('throws for a type that no event has and for unknown fields, also with not', () => {
    const { gateway } = openGateway()
    expect(() => expect(gateway).not.toHaveSentEvent('ip_policy_create.v0')).toThrow(TYPE)
    const fields = { objct: { description: 'homes' } } as object
    expect(() => expect(gateway).not.toHaveSentEvent(TYPE, fields)).toThrow(
      'toHaveSentEvent received the field "objct". Allowed: event_id, event_type, event_timestamp, account_id, principal, object, subscription, destination, delivery, attempts, problem.',
    )
    expect(() => expect(gateway).not.toHaveSentEvent(TYPE, 1 as unknown as object)).toThrow(
      'toHaveSentEvent received 1. Allowed: an object with event fields.',
    )
  })
})
