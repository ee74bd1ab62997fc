import { describe, expect, test } from 'vitest'
import { createGateway, type Gateway } from '../../src/index.ts'
import { client } from '../support/client.ts'
import { createTestClock, open, stateOf } from '../support/gateway.ts'
import { upload } from '../support/pem.ts'

const ROUTE = { edge_id: 'edghts_1', id: 'edghtsrt_1' }

/** Sends requests of many kinds, also rejected ones, and returns the text of all responses. */
async function runSession(gateway: Gateway): Promise<string> {
  const api = client(gateway)
  const exchanges: string[] = []
  const send = async (...request: Parameters<typeof api>) => {
    const answer = await api(...request)
    exchanges.push(`${answer.status} ${JSON.stringify([...answer.headers])} ${answer.text}`)
    return answer
  }
  const address = await send('POST', '/reserved_addrs', { json: { region: 'eu' } })
  await send('POST', '/reserved_addrs', { json: { region: 'mars' } })
  const policy = { authority: 'letsencrypt', private_key_type: 'ecdsa' }
  await send('POST', '/reserved_domains', { json: { domain: '*.example.com', certificate_management_policy: policy } })
  await send('POST', '/tls_certificates', { json: upload() })
  await send('POST', '/backends/weighted', { json: { backends: { bkdhr_1: 1 } } })
  await send('DELETE', `/reserved_addrs/${address.body.id}`)
  for (const list of ['reserved_addrs', 'reserved_domains', 'tls_certificates', 'backends/weighted']) {
    await send('GET', `/${list}?limit=1`)
  }
  return exchanges.join('\n')
}

describe('Two gateways (isolation)', () => {
  test('share no state, even with the same seed and clock', () => {
    const [one, two] = [open(), open()]
    one.reservedAddrs.create()
    one.reservedDomains.create({ domain: 'app.example.com' })
    one.compression.replace(ROUTE)
    one.declare.edge('edghts_9')
    const { id } = one.tlsCertificates.create(upload())
    expect(stateOf(two)).toBe(stateOf(open()))
    expect(two.reservedAddrs.list().reserved_addrs).toEqual([])
    expect(() => two.compression.get(ROUTE)).toThrow('compression')
    expect(() => two.tlsCertificates.get(id)).toThrow(id)
    expect(two.reservedDomains.create({ domain: 'app.example.com' }).domain).toBe('app.example.com')
  })

  test('of other seeds have other ids, targets and addresses', () => {
    const [one, two] = [open({ seed: 'one' }), open({ seed: 'two' })]
    const [a, b] = [one, two].map((gateway) => gateway.reservedDomains.create({ domain: 'app.example.com' }))
    expect(a?.id).not.toBe(b?.id)
    expect(a?.cname_target).not.toBe(b?.cname_target)
    const addresses = (gateway: Gateway) => Array.from({ length: 5 }, () => gateway.reservedAddrs.create().addr)
    expect(addresses(one)).not.toEqual(addresses(two))
  })

  test('without a seed have different ids', () => {
    const ids = Array.from({ length: 5 }, () => createGateway().reservedAddrs.create().id)
    expect(new Set(ids).size).toBe(5)
  })
})

describe('The seed (rules: ids#seed)', () => {
  test('and the same calls give the same responses, byte for byte, headers and operation ids included', async () => {
    const [one, two] = [1, 2].map(() => open({ clock: createTestClock(), provisioningDelay: 0 }))
    expect(await runSession(one as Gateway)).toBe(await runSession(two as Gateway))
    expect(stateOf(one as Gateway)).toBe(stateOf(two as Gateway))
  })

  test('gives these ids and addresses on every machine', () => {
    const { reservedAddrs } = open({ seed: 'fixed', clock: createTestClock() })
    const [{ id, addr }, other] = [reservedAddrs.create(), reservedAddrs.create()]
    expect([id, addr]).toEqual(['ra_0000000ZH46ugDMC9f729PE93dm', '52.tcp.gateway.test:11956'])
    expect(other.id).toBe('ra_0000002TglDhGurtT40zI0jbeqw')
  })

  test('gives the same resources through HTTP and the direct API', async () => {
    const { body } = await client(open())('POST', '/reserved_addrs', { json: { metadata: 'm' } })
    expect(open().reservedAddrs.create({ metadata: 'm' })).toEqual(body)
  })

  test('gives the same ids whether rejected calls and reads came between or not', () => {
    const [plain, busy] = [open(), open()]
    expect(() => busy.reservedDomains.create({ domain: 'a_b.example.com' })).toThrow('_')
    expect(() => busy.reservedAddrs.get('ra_gone')).toThrow('ra_gone')
    busy.reservedAddrs.list()
    expect(busy.reservedAddrs.create()).toEqual(plain.reservedAddrs.create())
  })
})

describe('Ids (rules: ids#form, ids#order)', () => {
  test.each([
    ['ra', (gateway: Gateway) => gateway.reservedAddrs.create().id],
    ['rd', (gateway: Gateway) => gateway.reservedDomains.create({ domain: 'app.example.com' }).id],
    ['bkdwd', (gateway: Gateway) => gateway.weightedBackends.create().id],
    ['cert', (gateway: Gateway) => gateway.tlsCertificates.create(upload()).id],
  ])('of the type %s are the prefix and 27 letters or digits', (prefix, createId) => {
    expect(createId(open())).toMatch(new RegExp(`^${prefix}_[0-9A-Za-z]{27}$`))
  })
})
