import { expect, test } from 'vitest'
import { toInspected } from '../../src/gateway/inspected.ts'
import { client, controlClient } from '../support/client.ts'
import { CLOCK_START } from '../support/clock.ts'
import { dueAfter, openManual, openWithDomain, timeAfter } from '../support/provisioning.ts'

/** Sends a request whose response comes after a time of a manual clock. */
function sendDelayed(gateway = openManual(), latency: number | '5s' = '5s') {
  gateway.faults.add({ operation: 'reserved_addrs.list', latency, times: 1 })
  const statuses: number[] = []
  const response = client(gateway)('GET', '/reserved_addrs').then(({ status }) => statuses.push(status))
  return { gateway, send: controlClient(gateway), statuses, response }
}

test('A request that a latency delays is named by the clock, the overview and the report until its response comes', async () => {
  const { gateway, send, statuses, response } = sendDelayed()
  const getClock = async () => (await send('GET', '/clock')).body
  const entry = await getClock().then(() => gateway.requests.last())
  const until = dueAfter('5s')
  expect(await getClock()).toMatchObject({ waiting: [{ operationId: entry?.operationId, until }] })
  expect(toInspected(gateway).overview()).toMatchObject({
    next: { at: until, event: 'response', key: entry?.operationId },
  })
  expect(gateway.report()).toContain(`GET /reserved_addrs → 200: its client waits until ${until}`)
  expect(statuses).toEqual([])
  await send('POST', '/clock', { next: true })
  await response
  expect(statuses).toEqual([200])
  expect((await send('GET', '/clock')).body).toMatchObject({ now: timeAfter('5s'), manual: true })
  expect(gateway.report()).not.toContain('its client waits')
})

test('The next event of a clock is a delayed response where that comes before the next attempt', async () => {
  const { gateway } = openWithDomain()
  const { response } = sendDelayed(gateway)
  await Promise.resolve()
  gateway.clock.advanceToNext()
  await response
  expect(gateway.clock.now).toBe(CLOCK_START + 5000)
  gateway.clock.advanceToNext()
  expect(gateway.clock.now).toBe(Date.parse(dueAfter('30s')))
})

test.each([1, 250, 1001])('At the time that a delayed response shows, it was sent: after %i ms', async (latency) => {
  const { gateway, send, statuses, response } = sendDelayed(openManual(), latency)
  const [{ until }] = (await send('GET', '/clock')).body.waiting
  expect(toInspected(gateway).overview().next?.at).toBe(until)
  const [trouble] = (await send('GET', '/troubles')).body
  expect(trouble.cause).toContain(`waiting until ${until}`)
  for (const { method, path, body } of trouble.fix) expect((await send(method, path, body)).status).toBe(200)
  expect((await send('GET', '/clock')).body).toMatchObject({ now: until, manual: true })
  await response
  expect(statuses).toEqual([200])
})

test('A client that gives up does not wait any longer', async () => {
  const gateway = openManual()
  gateway.faults.add({ operation: 'reserved_addrs.list', latency: '5s' })
  const controller = new AbortController()
  const headers = { authorization: 'Bearer key', 'service-version': '2' }
  const response = gateway.fetch(`${gateway.url}/reserved_addrs`, { headers, signal: controller.signal })
  await Promise.resolve()
  expect(toInspected(gateway).overview().waiting).toHaveLength(1)
  controller.abort()
  await expect(response).rejects.toThrow()
  expect(toInspected(gateway).overview().waiting).toEqual([])
  expect(gateway.clock.advanceToNext()).toBe(false)
  expect(gateway.requests.last()).toMatchObject({ status: 200, cancelled: true })
  expect(gateway.report()).toContain('GET /reserved_addrs → the client gave up')
  const ready = gateway.fetch(`${gateway.url}/reserved_addrs`, { headers })
  await Promise.resolve()
  gateway.clock.advance('5s')
  expect((await ready).status).toBe(200)
  expect(gateway.requests.last()).not.toHaveProperty('cancelled')
})
