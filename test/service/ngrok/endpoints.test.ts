import { describe, expect, it, test } from 'vitest'
import { outcome } from '../../support/client.ts'
import { openGateway } from './support.ts'

function open() {
  const { gateway, send, sendRefused } = openGateway()
  const domain = gateway.reservedDomains.create({ domain: 'example.com' })
  const addr = gateway.reservedAddrs.create()
  const create = (json: object) => send('POST', '/endpoints', { json: { traffic_policy: '{}', ...json } })
  return { gateway, domain, addr, create, send, sendRefused }
}

describe('Cloud endpoints (contract: endpoints)', () => {
  test.each<[json: object, expected: object]>([
    [{ url: 'http://a.b.example.com' }, { hostport: 'a.b.example.com:80', bindings: ['public'] }],
    [{ url: 'https://*.example.com' }, { public_url: 'https://*.example.com', hostport: '*.example.com:443' }],
    [{ url: 'tls://example.com:443' }, { public_url: 'tls://example.com', hostport: 'example.com:443' }],
    [{ url: 'http://shop.internal' }, { bindings: ['internal'], hostport: 'shop.internal:80' }],
    [{ url: 'tcp://a.b.c.d.e.internal:5432', bindings: ['internal'] }, { hostport: 'a.b.c.d.e.internal:5432' }],
    [{ url: 'http://shop.default:8080', bindings: ['kubernetes'], type: 'cloud' }, { url: 'http://shop.default:8080' }],
  ])('can be at %j', async (json, expected) => {
    const { create } = open()
    expect((await create(json)).body).toMatchObject(expected)
  })

  it('use the longest reserved domain over their host, and for tcp a reserved address', async () => {
    const { gateway, addr, create } = open()
    const wildcard = gateway.reservedDomains.create({ domain: '*.eu.example.com' })
    expect((await create({ url: 'https://a.eu.example.com' })).body.domain.id).toBe(wildcard.id)
    const tcp = (await create({ url: `tcp://${addr.addr}` })).body
    expect([tcp.tcp_addr.id, tcp.hostport, tcp.domain]).toEqual([addr.id, addr.addr, undefined])
  })

  it('can use any port of a domain with dedicated IPs, and tcp (rules: reserved-domains#resolves-to)', async () => {
    const { gateway, domain, create, send } = open()
    const urls = ['https://app.example.com:8443', 'tcp://example.com:2222', 'tls://app.example.com:8443']
    const refused = await Promise.all(urls.map(async (url) => outcome(await create({ url }))))
    expect(refused).toEqual(['400 ERR_NGROK_18023', '400 ERR_NGROK_18006', '400 ERR_NGROK_18023'])
    for (const value of ['192.0.2.1', '192.0.2.1:1234', '2001:db8::1', '[2001:db8::1]:443']) {
      const path = `/reserved_domains/${domain.id}`
      await send('PATCH', path, { json: { resolves_to: [{ value: 'eu' }, { value }] } })
      for (const url of urls) {
        const { body } = await create({ url })
        expect([body.url, body.domain?.id]).toEqual([url, domain.id])
        gateway.endpoints.delete(body.id)
      }
      await send('PATCH', path, { json: { resolves_to: [{ value: 'eu' }] } })
      expect(outcome(await create({ url: 'https://example.com:8443' }))).toBe('400 ERR_NGROK_18023')
    }
  })

  it('share a URL if all of them are pooled', async () => {
    const { create } = open()
    const json = { url: 'https://example.com', pooling_enabled: true }
    expect([outcome(await create(json)), outcome(await create(json)), outcome(await create(json))]).toEqual([
      '201',
      '201',
      '201',
    ])
  })

  it('are listed by id, ids, url and urls, repeated or not, and by filters', async () => {
    const { gateway, create, send } = open()
    const urls = ['https://a.example.com', 'https://b.example.com', 'http://c.internal']
    const [a, b, c] = await Promise.all(urls.map(async (url) => (await create({ url })).body.id))
    const listIds = async (query: string) =>
      (await send('GET', `/endpoints?${query}`)).body.endpoints.map(({ id }: { id: string }) => id)
    expect(await listIds(`id=${a}&id=${c}`)).toEqual([c, a])
    expect(await listIds(`ids=${b}`)).toEqual([b])
    expect(await listIds(`url=${urls[0]}&url=${urls[1]}`)).toEqual([b, a])
    expect(await listIds(`urls=${urls[2]}&id=${a}`)).toEqual([])
    expect(
      await listIds(`filter=${encodeURIComponent("obj.url.startsWith('https://') && !obj.pooling_enabled")}`),
    ).toEqual([b, a])
    expect(gateway.endpoints.list({ url: 'http://c.internal' }).endpoints.map(({ id }) => id)).toEqual([c])
    expect(outcome(await send('GET', `/endpoints?filter=${encodeURIComponent('obj.proto == "http"')}`))).toBe(
      '400 ERR_NGROK_250',
    )
  })
})

describe('A rejected endpoint changes nothing (contract: endpoints)', () => {
  /** Creates a gateway with an endpoint at one URL, and a pooled endpoint at another. */
  async function openWithEndpoints() {
    const setup = open()
    await setup.create({ url: 'https://taken.example.com' })
    await setup.create({ url: 'https://pooled.example.com', pooling_enabled: true })
    return setup
  }
  const toBody = (url: string, ...bindings: string[]) => ({ url, ...(bindings.length > 0 && { bindings }) })

  test.each<[number: number, json: object]>([
    [248, { ...toBody('https://example.com'), type: 'ephemeral' }],
    [249, toBody('example.com')],
    [249, toBody('https://exa mple.com')],
    [249, toBody('https://-x.example.com')],
    [249, toBody('tcp://example.com:65536')],
    [249, toBody('https://example.com?x=1')],
    [9029, toBody('https://example.com', 'internal')],
    [9031, toBody('https://a.b.c.d.e.f.internal')],
    [9037, toBody('https://example.com/shop')],
    [9038, toBody('https://example.com/')],
    [15005, toBody('https://example.com', 'secret')],
    [15006, toBody('https://example.com', 'public', 'public')],
    [18003, toBody('tcp://shop.internal')],
    [18006, toBody('https://example.org')],
    [18006, toBody('https://notexample.com')],
    [18006, toBody('tcp://1.tcp.ngrok.io:1')],
    [18007, toBody('https://example.com', 'public', 'internal')],
    [18007, toBody('https://shop.internal', 'public')],
    [18007, toBody('http://*.default', 'kubernetes')],
    [18007, toBody('http://a.b.c', 'kubernetes')],
    [18009, toBody('https://taken.example.com')],
    [18011, { ...toBody('https://example.com'), traffic_policy: '' }],
    [18011, { ...toBody('https://example.com'), traffic_policy: null }],
    [2202, { ...toBody('http://x.internal'), traffic_policy: '{"on_http_response":[{"actions":[{"type":"deny"}]}]}' }],
    [2262, { ...toBody('http://x.internal'), traffic_policy: 'on_tcp_connect: []' }],
    [18002, { ...toBody('http://x.internal'), traffic_policy: 'nothing' }],
    [18015, {}],
    [18016, { ...toBody('https://taken.example.com'), pooling_enabled: true }],
    [18017, toBody('https://pooled.example.com')],
    [18018, toBody('https://shop.default', 'kubernetes')],
    [18022, toBody('ftp://example.com')],
    [18023, toBody('https://example.com:8443')],
    [18023, toBody('http://example.com:443')],
  ])('%i: %j', async (number, json) => {
    const { sendRefused } = await openWithEndpoints()
    const body = { traffic_policy: '{}', ...json }
    expect(await sendRefused('POST', '/endpoints', { json: body })).toBe(`400 ERR_NGROK_${number}`)
  })

  test.each<[number: number, json: object]>([
    [18004, {}],
    [18005, { url: 'http://example.com' }],
    [249, { url: 'x' }],
    [9037, { url: 'https://example.com/shop' }],
    [18006, { url: 'https://example.org' }],
    [18007, { bindings: ['kubernetes', 'public'] }],
    [18009, { url: 'https://taken.example.com' }],
    [18016, { url: 'https://taken.example.com', pooling_enabled: true }],
    [18017, { url: 'https://pooled.example.com' }],
    [9029, { bindings: ['internal'] }],
    [18011, { traffic_policy: '' }],
    [2230, { traffic_policy: 'on_udp: []' }],
    [18015, { url: '' }],
    [214, { type: 'cloud' }],
  ])('%i: an update to %j', async (number, json) => {
    const { create, sendRefused } = await openWithEndpoints()
    const { id } = (await create({ url: 'https://example.com' })).body
    expect(await sendRefused('PATCH', `/endpoints/${id}`, { json })).toBe(`400 ERR_NGROK_${number}`)
  })

  test('18017: an endpoint cannot leave its pool while other endpoints are at its URL', async () => {
    const { create, sendRefused } = open()
    const json = { url: 'https://example.com', pooling_enabled: true }
    for (const id of [(await create(json)).body.id, (await create(json)).body.id]) {
      const response = await sendRefused('PATCH', `/endpoints/${id}`, { json: { pooling_enabled: false } })
      expect(response).toBe('400 ERR_NGROK_18017')
    }
  })

  test('446 and 90441: a domain or address that a cloud endpoint uses cannot be deleted before the endpoint', async () => {
    const { gateway, domain, addr, create, send, sendRefused } = open()
    const web = (await create({ url: 'https://app.example.com' })).body
    const tcp = (await create({ url: `tcp://${addr.addr}` })).body
    const paths = [`/reserved_domains/${domain.id}`, `/reserved_addrs/${addr.id}`] as const
    expect(await sendRefused('DELETE', paths[0])).toBe('400 ERR_NGROK_446')
    expect(await sendRefused('DELETE', paths[1])).toBe('409 ERR_NGROK_90441')
    for (const { id } of [web, tcp]) gateway.endpoints.delete(id)
    for (const path of paths) expect((await send('DELETE', path)).status).toBe(204)
  })
})

test('Reserved addresses of the region us have the hosts 0 to 6 (rules: reserved-addresses#address)', () => {
  const { gateway } = openGateway()
  const addresses = Array.from({ length: 60 }, () => gateway.reservedAddrs.create({ region: 'us' }).addr)
  for (const addr of addresses) expect(addr).toMatch(/^[0-6]\.tcp\.ngrok\.io:[12]\d{4}$/)
})
