import { expect, test } from 'vitest'
import { toInspected } from '../../src/gateway/inspected.ts'
import { client, controlClient } from '../support/client.ts'
import { CLOCK_START, SHOWN_START } from '../support/clock.ts'
import { memoryStore } from '../support/memory-store.ts'
import { addDurations, DOMAIN, ECDSA, openManual, openWithDomain, timeAfter } from '../support/provisioning.ts'

const DAY = timeAfter('60d').slice(0, 10)
const PAST_DAY = addDurations(CLOCK_START, '-60d').slice(0, 10)

test('A move with `remember` counts what happened in it, and an undo returns to the state before it', async () => {
  const gateway = openManual()
  const send = controlClient(gateway)
  for (const domain of ['a.example.com', 'b.example.com', DOMAIN])
    gateway.reservedDomains.create({ domain, certificate_management_policy: ECDSA })
  gateway.provisioning.failNext('DNS_ERROR', { domain: DOMAIN })
  gateway.faults.add({ operation: 'reserved_addrs.list', latency: '5s', times: 2 })
  const responses = [client(gateway)('GET', '/reserved_addrs'), client(gateway)('GET', '/reserved_addrs')]
  await send('GET', '/clock')
  await send('POST', '/clock', { advance: '1m', remember: true })
  await Promise.all(responses)
  const happened = { issued: 2, failed: 1, responses: 2 }
  expect(toInspected(gateway).overview()).toMatchObject({ undo: SHOWN_START, happened, now: timeAfter('1m') })
  await send('POST', '/provisioning/renew', { id: 'a.example.com', remember: true })
  expect(toInspected(gateway).overview()).toMatchObject({
    undo: timeAfter('1m'),
    happened: { retried: 1, issued: 1, 'renewal started': 2 },
  })
  await send('POST', '/undo')
  expect(toInspected(gateway).overview()).toMatchObject({ undo: null, now: timeAfter('1m') })
  expect(toInspected(gateway).overview()).not.toHaveProperty('happened')
})

test('An undo returns to the state before the last move, and the next one to the state that was remembered before it', async () => {
  const store = memoryStore()
  const send = controlClient(openManual({ store }))
  /** Reads the times after a restart. */
  const times = async () => {
    const { body } = await controlClient(openManual({ store: memoryStore(store.commits) }))('GET', '/overview')
    return [body.now, body.undo]
  }
  await send('POST', '/clock', { advance: '1m' })
  await send('PUT', '/undo')
  for (const advance of ['1h', '1d']) await send('POST', '/clock', { advance, remember: true })
  expect(await times()).toEqual([timeAfter('1m', '1h', '1d'), timeAfter('1m', '1h')])
  expect((await send('POST', '/undo')).status).toBe(204)
  expect(await times()).toEqual([timeAfter('1m', '1h'), timeAfter('1m')])
  expect((await send('POST', '/undo')).status).toBe(204)
  expect(await times()).toEqual([timeAfter('1m'), null])
  expect((await send('POST', '/undo')).status).toBe(404)
})

test('A move that fails, or that does not remember, leaves the undo of the last one', async () => {
  const { gateway, id } = openWithDomain()
  const send = controlClient(gateway)
  await send('POST', '/clock', { advance: '1m', remember: true })
  expect((await send('POST', '/clock', { to: SHOWN_START, remember: true })).status).toBe(400)
  expect((await send('POST', '/provisioning/expire', { id: 'nobody', remember: true })).status).toBe(404)
  await send('POST', '/clock', { advance: '1h' })
  expect(toInspected(gateway).overview()).toMatchObject({ undo: SHOWN_START, happened: { issued: 1 } })
  await send('POST', '/undo')
  expect(gateway.clock.now).toBe(CLOCK_START)
  expect(gateway.provisioning.timeline(id)).toHaveLength(1)
})

test.each([
  [DAY, `${DAY}T00:00:00Z`],
  [`${DAY} 10:30`, `${DAY}T10:30:00Z`],
  [` ${DAY}T10:30:05 `, `${DAY}T10:30:05Z`],
  [`${DAY}T10:30:05+01:00`, `${DAY}T09:30:05Z`],
])('A move to %j goes to %s', async (to, now) => {
  expect((await controlClient(openManual())('POST', '/clock', { to })).body).toMatchObject({ now })
})

test.each([PAST_DAY, 'tomorrow', `${DAY.slice(0, 4)}-13-01`, `${DAY} 25:00`])(
  'A move to %j is rejected with the text that was sent',
  async (to) => {
    const { status, body } = await controlClient(openManual())('POST', '/clock', { to })
    expect([status, body.msg]).toEqual([400, expect.stringContaining(`to is "${to}". Allowed: an RFC 3339 time`)])
  },
)
