import { describe, expect, test } from 'vitest'
import { createGateway, type Gateway, type GatewayOptions, type ManualClock, manualClock } from '../../src/index.ts'
import { timersOn } from '../../src/testing/clock.ts'
import { client } from '../support/client.ts'
import { CLOCK_START } from '../support/clock.ts'
import { upload } from '../support/pem.ts'
import { DOMAIN, ECDSA, openManual, RSA, timeAfter } from '../support/provisioning.ts'

const NOW = CLOCK_START
const EDGE = { edge_id: 'edghts_1', id: 'edghtsrt_1' }

/** Uses every feature of a gateway that changes its state. */
async function useAll(gateway: Gateway<ManualClock>) {
  const { reservedDomains, provisioning, dns, declare, clock } = gateway
  declare.edge(EDGE.edge_id, { routes: [EDGE.id] })
  declare.endpointConfiguration('ec_1')
  declare.backend('bkdhr_1')
  provisioning.script(['DNS_ERROR', 'INTERNAL_ERROR'])
  provisioning.script(['success', 'DNS_ERROR'], { domain: DOMAIN })
  provisioning.failAlways('DNS_ERROR', { domain: 'b.example.com' })
  dns.cname('b.example.com', 'elsewhere.example.net')
  const a = reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
  reservedDomains.create({ domain: 'b.example.com', certificate_management_policy: RSA, metadata: 'm' })
  const certificate_id = gateway.tlsCertificates.create(upload()).id
  reservedDomains.create({ domain: 'c.example.com', certificate_id })
  reservedDomains.update(a.id, { http_endpoint_configuration_id: 'ec_1' })
  gateway.reservedAddrs.create({ description: 'd' })
  gateway.weightedBackends.create({ backends: { bkdhr_1: 1 } })
  gateway.circuitBreaker.replace(EDGE, { num_buckets: 5 })
  gateway.compression.replace(EDGE)
  gateway.webhookVerification.replace(EDGE, { provider: 'github', secret: 's' })
  gateway.trafficPolicy.replace(EDGE, { inbound: [{ actions: [{ type: 'deny' }] }] })
  const timers = timersOn(clock)
  timers.setInterval(() => undefined, 60_000)
  clock.advance('1d')
  clock.set(timeAfter('400d'))
  const api = client(gateway)
  await api('GET', '/reserved_domains?limit=1')
  await api('POST', '/reserved_domains', { json: { domain: DOMAIN } })
  await api('DELETE', `/reserved_domains/${a.id}`)
  await api('GET', '/nonsense')
  gateway.faults.add({ method: 'GET', status: 500 })
  return { timers }
}

/** Sends the same requests to a gateway. Returns the responses as texts, with all headers. */
async function collectResponses(gateway: Gateway<ManualClock>): Promise<string[]> {
  const api = client(gateway)
  const responses = [
    await api('GET', '/reserved_domains'),
    await api('GET', '/edges/https/edghts_1/routes/edghtsrt_1/circuit_breaker'),
    await api('PUT', '/edges/https/edghts_1/routes/edghtsrt_1/compression', { json: {} }),
    await api('POST', '/reserved_domains', { json: { domain: DOMAIN, certificate_management_policy: ECDSA } }),
    await api('POST', '/reserved_domains', { json: { domain: 'b.example.com', certificate_management_policy: RSA } }),
    await api('POST', '/reserved_addrs', { json: {} }),
    await api('POST', '/weighted_backends', { json: { backends: { bkdhr_1: 1 } } }),
    await api('POST', '/tls_certificates', { json: upload() }),
  ]
  const moves: (() => unknown)[] = [() => gateway.clock.advance('30s'), () => gateway.clock.advance('61d')]
  for (const move of moves) {
    move()
    responses.push(await api('GET', '/reserved_domains'), await api('GET', '/tls_certificates'))
  }
  return responses.map(({ status, headers, text }) => `${status} ${JSON.stringify([...headers])} ${text}`)
}

const variants: Record<string, Omit<GatewayOptions, 'clock'>> = {
  'a rate limit': { rateLimit: { requests: 20 } },
  'declared references and simulated DNS': { references: 'declared', dns: 'simulated' },
  'issuing within the call': { provisioningDelay: 0, emptyJsonOnDelete: true },
  'a base URL': { baseUrl: 'https://gate.example/api' },
}

/** The ways to reset. */
const ways: Record<string, (gateway: Gateway) => unknown> = {
  'gateway.reset()': (gateway) => gateway.reset(),
  'POST /_fauxgate/reset': (gateway) => gateway.fetch('http://localhost/_fauxgate/reset', { method: 'POST' }),
}

describe.each(Object.keys(ways))('A gateway after %s equals a new one', (way) => {
  const openAndReset = async (options: Omit<GatewayOptions, 'clock'>) => {
    const gateway = openManual(options)
    const { timers } = await useAll(gateway)
    expect(gateway.snapshot()).not.toEqual(openManual(options).snapshot())
    await ways[way]?.(gateway)
    return { gateway, timers }
  }

  describe.each(Object.keys(variants))('with %s', (variant) => {
    const options = variants[variant] as Omit<GatewayOptions, 'clock'>

    test('in its snapshot, orders, zone, agenda and time', async () => {
      const { gateway, timers } = await openAndReset(options)
      const newGateway = openManual(options)
      expect(gateway.snapshot()).toEqual(newGateway.snapshot())
      expect(gateway.requests.count()).toBe(0)
      expect(gateway.clock.now).toBe(NOW)
      expect(timers.count()).toBe(0)
      expect(gateway.clock.advanceToNext()).toBe(false)
      expect(gateway.url).toBe(newGateway.url)
      expect(gateway.authority.certificatePem).toBe(newGateway.authority.certificatePem)
    })

    test('in every byte of the responses to the same requests from then on, ids and certificates included', async () => {
      const { gateway } = await openAndReset(options)
      // The reset over HTTP is itself a request, so it takes an operation id.
      const newGateway = openManual(options)
      if (way !== 'gateway.reset()') await ways[way]?.(newGateway)
      expect(await collectResponses(gateway)).toEqual(await collectResponses(newGateway))
      expect(gateway.snapshot()).toEqual(newGateway.snapshot())
    })
  })
})

describe('A reset', () => {
  test('goes back to the start of a manual clock that was moved before the gateway was created', () => {
    const clock = manualClock(CLOCK_START)
    clock.advance('10d')
    const gateway = createGateway({ clock, seed: 'test' })
    gateway.reset()
    expect(clock.now).toBe(NOW)
  })

  test('does not change a clock that is not manual', () => {
    const clock = { now: NOW, reset: () => expect.unreachable() }
    const gateway = createGateway({ clock, seed: 'test' })
    clock.now += 1000
    gateway.reset()
    expect(gateway.reservedAddrs.create().created_at).toBe(timeAfter('1s'))
  })

  test('of one gateway does not change the state of another on the same clock', () => {
    const clock = manualClock(CLOCK_START)
    const [a, b] = [createGateway({ clock, seed: 'a' }), createGateway({ clock, seed: 'b' })]
    const { id } = b.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    clock.advance('1m')
    const issuedDomain = b.reservedDomains.get(id)
    a.reset()
    expect(b.reservedDomains.get(id)).toEqual(issuedDomain)
    clock.advance('1h')
    expect(b.reservedDomains.get(id)).toEqual(issuedDomain)
  })

  test('returns to the seed of the gateway after a snapshot of another seed (rules: stores#ids)', () => {
    const other = createGateway({ clock: manualClock(CLOCK_START), seed: 'other' })
    const gateway = openManual()
    gateway.restore(other.snapshot())
    expect(gateway.reservedAddrs.create()).toEqual(other.reservedAddrs.create())
    gateway.reset()
    const newGateway = openManual()
    expect(gateway.reservedAddrs.create()).toEqual(newGateway.reservedAddrs.create())
    expect(gateway.authority.certificatePem).toBe(newGateway.authority.certificatePem)
    expect(gateway.snapshot()).toEqual(newGateway.snapshot())
  })

  test('and a restore keep the URL at which the gateway is served (rules: answers#uris)', () => {
    const gateway = openManual()
    const before = gateway.snapshot()
    gateway.transport.servedAt('http://127.0.0.1:8080')
    for (const change of [() => gateway.reset(), () => gateway.restore(before), () => gateway.restore({ ...before })]) {
      change()
      const { id, uri } = gateway.reservedAddrs.create()
      expect([gateway.url, uri]).toEqual(['http://127.0.0.1:8080', `http://127.0.0.1:8080/reserved_addrs/${id}`])
    }
    gateway.transport.servedAt(undefined)
    gateway.reset()
    expect(gateway.url).toBe(gateway.dialect.baseUrl)
  })

  test('can be repeated: a domain that is created afterwards is issued and renewed', () => {
    const gateway = openManual()
    const timelines = [1, 2, 3].map(() => {
      gateway.reset()
      const { id } = gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
      gateway.clock.advance('70d')
      return [id, gateway.provisioning.timeline(id)]
    })
    expect(timelines[0]?.[1]).toHaveLength(4)
    expect(timelines[1]).toEqual(timelines[0])
    expect(timelines[2]).toEqual(timelines[0])
  })
})
