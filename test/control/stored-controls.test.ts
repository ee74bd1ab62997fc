import { expect, test } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { manualClock } from '../../src/index.ts'
import { controlClient } from '../support/client.ts'
import { CLOCK_START, SHOWN_START } from '../support/clock.ts'
import { memoryStore } from '../support/memory-store.ts'
import { ECDSA, timeAfter } from '../support/provisioning.ts'

const URL_OF_APP = 'https://app.ngrok-free.app'

/** Opens a gateway on the commits of an earlier one, and returns it with its store. */
function open(commits?: Parameters<typeof memoryStore>[0]) {
  const store = memoryStore(commits)
  const gateway = createNgrok({ clock: manualClock(CLOCK_START), seed: 'stored', store })
  return {
    gateway,
    store,
    send: controlClient(gateway),
    visit: async () => (await gateway.traffic.fetch(URL_OF_APP)).status,
  }
}

/** Returns a gateway that continues from the store of another one, as after a restart. */
const restart = ({ store }: ReturnType<typeof open>) => open(store.commits)

// rules: stores#omitted-state
test('A store keeps upstreams with a canned response, and how often they have answered', async () => {
  const first = open()
  first.gateway.declare.tunnelSession({ endpoints: [{ url: URL_OF_APP }] })
  await first.send('PUT', '/traffic/upstreams', { url: URL_OF_APP, status: 201, body: 'hello', times: 3 })
  expect(await first.visit()).toBe(201)
  const second = restart(first)
  expect(await second.visit()).toBe(201)
  const third = restart(second)
  expect([await third.visit(), await third.visit()]).toEqual([201, 502])
  await third.send('PUT', '/traffic/upstreams', { url: URL_OF_APP })
  await third.send('DELETE', `/traffic/upstreams?url=${encodeURIComponent(URL_OF_APP)}`)
  expect(await restart(third).visit()).toBe(502)
  await third.send('PUT', '/traffic/upstreams', { url: URL_OF_APP })
  third.gateway.traffic.upstream(URL_OF_APP, () => new Response('of the test', { status: 202 }))
  expect([await third.visit(), await restart(third).visit()]).toEqual([202, 502])
  await third.send('PUT', '/traffic/upstreams', { url: URL_OF_APP })
  third.gateway.traffic.clear()
  expect(await restart(third).visit()).toBe(502)
})

test('A rejected upstream changes nothing, and a restored state leaves the upstreams', async () => {
  const { gateway, store, send, visit } = open()
  gateway.declare.tunnelSession({ endpoints: [{ url: URL_OF_APP }] })
  const snapshot = gateway.snapshot()
  const append = store.append
  store.append = () => {
    throw new Error('the disk is full')
  }
  expect((await send('PUT', '/traffic/upstreams', { url: URL_OF_APP })).status).toBe(507)
  store.append = append
  expect(await visit()).toBe(502)
  await send('PUT', '/traffic/upstreams', { url: URL_OF_APP })
  gateway.restore(snapshot)
  expect([await visit(), await restart({ gateway, store, send, visit }).visit()]).toEqual([200, 200])
})

test('A store keeps the state that an undo restores, as a part of the commit of its move', async () => {
  const first = open()
  first.gateway.reservedDomains.create({ domain: 'a.example.com', certificate_management_policy: ECDSA })
  for (let n = 0; n < 250; n++) first.gateway.reservedAddrs.create({ metadata: 'm'.repeat(n === 7 ? 4000 : 10) })
  const before = first.gateway.snapshot({ privateKeys: true })
  const commits = first.store.commits.length
  expect((await first.send('POST', '/clock', { advance: '1m', remember: true })).status).toBe(200)
  expect(first.store.commits.length).toBe(commits + 1)
  const second = restart(first)
  expect((await second.send('GET', '/overview')).body).toMatchObject({ undo: SHOWN_START, happened: { issued: 1 } })
  expect((await second.send('POST', '/undo')).status).toBe(204)
  expect(second.gateway.snapshot({ privateKeys: true })).toEqual(before)
  const third = restart(second)
  expect((await third.send('POST', '/undo')).status).toBe(404)
  await third.send('PUT', '/undo')
  third.gateway.clock.advance('1h')
  third.gateway.reset()
  expect((await restart(third).send('POST', '/undo')).status).toBe(404)
})

test('If the store rejects what an undo needs, the move has not happened', async () => {
  const { gateway, store, send } = open()
  gateway.reservedAddrs.create()
  const append = store.append
  store.append = (commit) => {
    if (commit.changes.some(({ collection }) => collection === 'remembered_state')) throw new Error('the disk is full')
    append(commit)
  }
  expect((await send('POST', '/clock', { advance: '1m', remember: true })).status).toBe(507)
  expect([gateway.clock.now, (await send('GET', '/overview')).body.undo]).toEqual([CLOCK_START, null])
  expect((await send('POST', '/clock', { advance: '1m' })).body.now).toBe(timeAfter('1m'))
})

test('The overview and the report say since when the journals know what happened, after a restart', async () => {
  const first = open()
  expect((await first.send('GET', '/overview')).body).not.toHaveProperty('since')
  first.gateway.reservedAddrs.create()
  first.gateway.clock.advance('1h')
  first.gateway.reservedAddrs.create()
  const second = restart(first)
  second.gateway.clock.advance('1h')
  expect((await second.send('GET', '/overview')).body.since).toBe(timeAfter('1h'))
  const says = `since ${timeAfter('1h')}:\n    The gateway resumed from its store.`
  expect((await second.send('GET', '/report')).text).toContain(says)
  second.gateway.reset()
  expect((await second.send('GET', '/overview')).body).not.toHaveProperty('since')
  expect((await second.send('GET', '/report')).text).not.toContain('resumed')
})
