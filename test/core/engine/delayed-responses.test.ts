import { expect, test, vi } from 'vitest'
import { toInspected } from '../../../src/gateway/inspected.ts'
import { client } from '../../support/client.ts'
import { CLOCK_START } from '../../support/clock.ts'
import { dueAfter, openManual } from '../../support/provisioning.ts'

/** Opens a gateway that delays the responses of three requests. The second comes first. */
async function openWithDelays() {
  const gateway = openManual()
  const overview = () => toInspected(gateway).overview()
  const send = client(gateway)
  const statuses: (string | number)[] = []
  for (const [index, latency] of (['30s', '10s', '20s'] as const).entries()) {
    gateway.faults.add({ latency, times: 1 })
    void send('GET', '/reserved_addrs').then(({ status }) => statuses.push(`${status} after ${latency}`))
    await vi.waitUntil(() => overview().waiting.length === index + 1, { interval: 1 })
  }
  return { gateway, overview, statuses }
}

test('The overview lists the delayed responses, the earliest first, until their times', async () => {
  const { gateway, overview } = await openWithDelays()
  const waiting = () => overview().waiting.map(({ until }) => until)
  expect(waiting()).toEqual([dueAfter('10s'), dueAfter('20s'), dueAfter('30s')])
  const [first] = overview().waiting
  expect(gateway.requests.all()[1]?.operationId).toBe(first?.operationId)
  expect(overview().next).toMatchObject({ at: dueAfter('10s'), key: first?.operationId, event: 'response' })
  gateway.clock.advance('10s')
  expect(waiting()).toEqual([dueAfter('20s'), dueAfter('30s')])
})

test('Delayed responses come in the order of their times', async () => {
  const { gateway, statuses } = await openWithDelays()
  gateway.clock.advance('1m')
  await vi.waitUntil(() => statuses.length === 3, { interval: 1 })
  expect(statuses).toEqual(['200 after 10s', '200 after 20s', '200 after 30s'])
})

test('Code that waits for delayed responses continues at their own times, in a move over all of them', async () => {
  const gateway = openManual()
  const times: number[] = []
  for (const latency of ['30s', '10s', '20s'] as const) {
    gateway.faults.add({ latency, times: 1 })
    void client(gateway)('GET', '/reserved_addrs').then(() => times.push(gateway.clock.now - CLOCK_START))
  }
  await gateway.clock.advanceAsync('1m')
  expect(times).toEqual([10_000, 20_000, 30_000])
})

test('A reset ends the wait for delayed responses, and the overview has none', async () => {
  const { gateway, overview, statuses } = await openWithDelays()
  gateway.reset()
  await vi.waitUntil(() => statuses.length === 3, { interval: 1 })
  expect(overview().waiting).toEqual([])
})
