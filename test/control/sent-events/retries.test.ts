import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { toInspected } from '../../../src/gateway/inspected.ts'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { certificatePair } from '../../../src/testing/certificates.ts'
import { controlClient } from '../../support/client.ts'
import { CLOCK_START } from '../../support/clock.ts'
import { dueAfter } from '../../support/provisioning.ts'
import { listen } from '../../support/serve.ts'
import { openGateway, receiveEvents, subscribeTo } from './support.ts'

/** Opens a gateway with an event for a destination that responds with a status. The first attempt has failed. */
async function openFailing(status = 503) {
  const receiver = await receiveEvents()
  receiver.status = status
  const opened = openGateway(receiver.url)
  const { gateway } = opened
  gateway.vaults.create({ name: 'one' })
  await gateway.sentEvents.idle()
  const advance = async (duration: Parameters<typeof gateway.clock.advance>[0]) => {
    gateway.clock.advance(duration)
    await gateway.sentEvents.idle()
  }
  return { ...opened, receiver, advance }
}

describe('Attempts to deliver events (rules: events#delivery)', () => {
  test('are at most 5 minutes apart, and end with the first one after 24 hours', async () => {
    const { gateway, list, receiver } = await openFailing()
    const times = [gateway.clock.now]
    const states = []
    while (list()[0]?.delivery === 'waiting' && states.length < 400) {
      gateway.clock.advanceToNext()
      await gateway.sentEvents.idle()
      times.push(gateway.clock.now)
      states.push(list()[0]?.delivery)
    }
    const seconds = times.slice(1).map((time, at) => (time - (times[at] ?? 0)) / 1000)
    expect(seconds.slice(0, 11)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
    expect(new Set(seconds.slice(9))).toEqual(new Set([300]))
    const day = CLOCK_START + 24 * 3_600_000
    expect([(times.at(-2) ?? 0) < day, (times.at(-1) ?? 0) >= day]).toEqual([true, true])
    expect(states.slice(0, -1).every((state) => state === 'waiting')).toBe(true)
    const { attempts } = receiver
    expect([attempts, list()[0]?.attempts, list()[0]?.delivery]).toEqual([times.length, times.length, 'failed'])
    gateway.clock.advance('30d')
    await gateway.sentEvents.idle()
    expect([receiver.attempts, gateway.clock.advanceToNext()]).toEqual([attempts, false])
  })

  test.each([300, 400, 401, 404, 413, 429, 500, 503])('repeat after the status %d', async (status) => {
    const { list, receiver, advance } = await openFailing(status)
    const problem = expect.stringContaining(`the destination responded with ${status}`)
    expect(list()).toMatchObject([{ delivery: 'waiting', attempts: 1, problem }])
    receiver.status = 200
    await advance('1s')
    expect(list()).toMatchObject([{ delivery: 'delivered', attempts: 2, problem: null }])
  })

  test.each([201, 202, 204])('do not repeat after the status %d', async (status) => {
    expect((await openFailing(status)).list()).toMatchObject([{ delivery: 'delivered', attempts: 1 }])
  })

  test('of newer events wait for the older ones of the same destination, more than fit in a request', async () => {
    const { gateway, list, receiver, advance } = await openFailing()
    for (let vault = 2; vault <= 150; vault++) gateway.vaults.create({ name: `vault-${vault}` })
    await gateway.sentEvents.idle()
    expect([receiver.attempts, list().map(({ attempts }) => attempts)]).toEqual([1, [1, ...Array(149).fill(0)]])
    await advance('1s')
    expect(list().map(({ attempts }) => attempts)).toEqual([2, ...Array(99).fill(1), ...Array(50).fill(0)])
    receiver.status = 200
    await advance('2s')
    expect(receiver.received.map(({ events }) => events.length)).toEqual([100, 50])
    const posted = receiver.received.flatMap(({ events }) => events)
    expect(posted).toMatchObject(list().map(({ event_id }) => ({ event_id })))
  })

  test('to a destination that is down do not hold up another one', async () => {
    const { gateway, list, receiver } = await openFailing()
    const other = gateway.eventDestinations.create({ format: 'json', target: { datadog: { api_key: 'another' } } })
    gateway.eventSubscriptions.create({ sources: [{ type: 'vault_created.v0' }], destination_ids: [other.id] })
    receiver.status = 200
    gateway.vaults.create({ name: 'two' })
    await gateway.sentEvents.idle()
    expect(list()).toMatchObject([{ delivery: 'waiting' }, { delivery: 'waiting' }])
    expect(gateway.sentEvents.list({ destination: other.id })).toMatchObject([{ delivery: 'delivered' }])
  })

  test('start at 1 s again once one succeeds', async () => {
    const { gateway, list, receiver, advance } = await openFailing()
    await advance('1s')
    await advance('2s')
    receiver.status = 200
    await advance('4s')
    receiver.status = 503
    gateway.vaults.create({ name: 'two' })
    await gateway.sentEvents.idle()
    await advance('1s')
    expect(list()).toMatchObject([{ attempts: 4 }, { attempts: 2 }])
  })

  test('use the present key, service and tags of the destination', async () => {
    const { gateway, datadog, receiver, advance } = await openFailing(403)
    const target = { datadog: { api_key: 'a new key', service: 'another' } }
    gateway.eventDestinations.update(datadog.id, { target })
    receiver.status = 200
    await advance('1s')
    const [request] = receiver.received
    expect(request?.headers['dd-api-key']).toBe('a new key')
    expect(request?.events).toMatchObject([{ event_type: 'vault_created.v0', service: 'another' }])
    expect(request?.events[0]).not.toHaveProperty('ddtags')
  })

  test('end when the destination is deleted', async () => {
    const { gateway, datadog, list, receiver, advance } = await openFailing()
    const [subscription] = gateway.eventSubscriptions.list().event_subscriptions
    gateway.eventSubscriptions.delete(subscription?.id ?? '')
    gateway.eventDestinations.delete(datadog.id)
    receiver.status = 200
    await advance('1s')
    expect(list()).toMatchObject([{ delivery: 'failed', attempts: 1, problem: 'the destination was deleted' }])
    expect([receiver.attempts, gateway.clock.advanceToNext()]).toEqual([1, false])
  })

  test('continue after the deletion of the subscription', async () => {
    const { gateway, list, receiver, advance } = await openFailing()
    const [subscription] = gateway.eventSubscriptions.list().event_subscriptions
    gateway.eventSubscriptions.delete(subscription?.id ?? '')
    receiver.status = 200
    await advance('1s')
    expect(list()).toMatchObject([{ delivery: 'delivered' }])
  })

  test('are made by idle() once they are due, although the clock wakes nobody', async () => {
    const receiver = await receiveEvents()
    receiver.status = 503
    const clock = { now: CLOCK_START }
    const gateway = createNgrok({ seed: 'events', clock, destinations: { datadog: receiver.url } })
    const { list } = subscribeTo(gateway)
    gateway.vaults.create({ name: 'one' })
    await gateway.sentEvents.idle()
    receiver.status = 200
    clock.now += 1000
    await gateway.sentEvents.idle()
    expect(list()).toMatchObject([{ delivery: 'delivered', attempts: 2 }])
  })
})

test('The next attempt is the next event of the clock, the overview and the report (rules: events#delivery)', async () => {
  const { gateway, datadog, list, receiver } = await openFailing()
  const send = controlClient(gateway)
  const at = dueAfter('1s')
  const next = { at, collection: 'event_destinations', key: datadog.id, domain: null, event: 'delivery' }
  expect(toInspected(gateway).overview()).toMatchObject({ next, waiting: [] })
  expect(gateway.report()).toContain(`The next attempt to deliver events to ${datadog.id} is at ${at}.`)
  await gateway.fetch(`${gateway.url}/vaults`)
  expect(gateway.report()).toContain(`At ${at}: the next delivery of events to ${datadog.id}.`)
  receiver.status = 200
  await send('POST', '/clock', { next: true })
  await gateway.sentEvents.idle()
  expect([gateway.clock.now, list()[0]?.delivery]).toEqual([CLOCK_START + 1000, 'delivered'])
  expect(toInspected(gateway).overview().next).toBeNull()
  expect(gateway.report()).not.toContain('The next attempt')
})

describe('The problem of a delivery names what happened, and its code (rules: events#delivery)', () => {
  const problemAt = async (url: string, api_key = 'the key') => {
    const { gateway, datadog, list } = openGateway(url)
    gateway.eventDestinations.update(datadog.id, { target: { datadog: { api_key } } })
    gateway.vaults.create({ name: 'one' })
    await gateway.sentEvents.idle()
    expect(list()).toMatchObject([{ delivery: 'waiting', attempts: 1 }])
    return list()[0]?.problem
  }
  const listenOnce = async (server: Parameters<typeof listen>[0]) => (await listen(server)).replace('http:', 'https:')

  test('where nothing listens', async () => {
    const server = createTcpServer().listen(0, '127.0.0.1')
    const port = await new Promise((resolve) => server.once('listening', () => resolve(Object(server.address()).port)))
    await new Promise((resolve) => server.close(resolve))
    expect(await problemAt(`http://127.0.0.1:${port}`)).toBe('nothing is listening at this address (ECONNREFUSED)')
  })

  test('at a port that fetch blocks', async () => {
    expect(await problemAt('http://127.0.0.1:1')).toBe('`fetch` blocks this port; choose another one')
  })

  test('at an https URL of a server without TLS', async () => {
    const url = await listenOnce(createServer())
    expect(await problemAt(url)).toMatch(/^this port does not use TLS \(ERR_SSL_\w+\)$/)
  })

  test('of a certificate that is not trusted, or rejects all ciphers', async () => {
    const { certificate_pem: cert, private_key_pem: key } = certificatePair({ names: ['localhost'] })
    const url = await listenOnce(createTlsServer({ cert, key }))
    expect(await problemAt(url)).toMatch(
      /^its certificate is not trusted; set NODE_EXTRA_CA_CERTS to a file with its root certificate \([A-Z_]+\)$/,
    )
    const rejecting = createTlsServer({ cert, key, maxVersion: 'TLSv1.2', ciphers: 'PSK-AES128-CBC-SHA' })
    const problem = await problemAt(await listenOnce(rejecting))
    expect(problem).toMatch(/^the server rejected the TLS connection \(ERR_SSL_[\w/]+\)$/)
  })

  test('of a connection that ends, and of a response that is not HTTP', async () => {
    const closing = createServer((request) => request.socket.destroy())
    expect(await problemAt(await listen(closing))).toMatch(/^the server ended the connection \([A-Z_]+\)$/)
    const wrong = createServer((request) => request.socket.end('hello'))
    expect(await problemAt(await listen(wrong))).toMatch(/^the response is not HTTP \((HPE_\w+|HTTPParserError)\)$/)
  })

  test('of a response with large headers', async () => {
    const boasting = createServer((_, response) => response.writeHead(200, { boast: 'a'.repeat(200_000) }).end())
    const problem = 'the headers of the response are too large (UND_ERR_HEADERS_OVERFLOW)'
    expect(await problemAt(await listen(boasting))).toBe(problem)
  })

  test('of a redirect', async () => {
    const redirecting = createServer((_, response) => response.writeHead(307, { location: '/' }).end())
    const problem = 'the destination responded with 307, and redirects are not followed'
    expect(await problemAt(await listen(redirecting))).toBe(problem)
  })

  test.each(['a\u001bTOPSECRET', 'a\nTOPSECRET', 'a\u0000TOPSECRET', 'TOPSECRET\u{1F511}'])(
    'of a key that no header can have, without the key: %j',
    async (key) => {
      const { url, received } = await receiveEvents()
      const problem = "the destination's API key contains a character that HTTP headers cannot contain; update the key"
      expect([await problemAt(url, key), received]).toEqual([problem, []])
    },
  )
})

test('The report names at most 12 attempts, and counts the others', async () => {
  const { gateway, receiver } = await openFailing()
  for (let destination = 0; destination < 14; destination++) {
    const { id } = gateway.eventDestinations.create({ format: 'json', target: { datadog: { api_key: 'a key' } } })
    gateway.eventSubscriptions.create({ sources: [{ type: 'ip_policy_created.v0' }], destination_ids: [id] })
  }
  gateway.ipPolicies.create({})
  await gateway.sentEvents.idle()
  expect(receiver.attempts).toBe(15)
  expect(gateway.report().match(/The next attempt to deliver events/g)).toHaveLength(12)
  expect(gateway.report()).toContain('    … and 3 more\n')
})
