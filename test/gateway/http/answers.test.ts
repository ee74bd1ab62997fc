import { describe, expect, test } from 'vitest'
import { client, outcome } from '../../support/client.ts'
import { open } from '../../support/gateway.ts'

const PATH = '/reserved_addrs'
const MODULE = '/edges/https/edghts_1/routes/edghtsrt_1/compression'
const ORIGIN = 'https://console.example.com'

/** Every path of the API and the methods that it has (rules: answers#paths-and-methods). */
const PATHS: readonly (readonly [path: string, methods: readonly string[]])[] = [
  ['/reserved_addrs', ['GET', 'HEAD', 'POST']],
  ['/reserved_addrs/ra_1', ['DELETE', 'GET', 'HEAD', 'PATCH']],
  ['/reserved_domains', ['GET', 'HEAD', 'POST']],
  ['/reserved_domains/rd_1', ['DELETE', 'GET', 'HEAD', 'PATCH']],
  ['/reserved_domains/rd_1/certificate', ['DELETE']],
  ['/reserved_domains/rd_1/certificate_management_policy', ['DELETE']],
  ['/backends/weighted', ['GET', 'HEAD', 'POST']],
  ['/backends/weighted/bkdwd_1', ['DELETE', 'GET', 'HEAD', 'PATCH']],
  ['/tls_certificates', ['GET', 'HEAD', 'POST']],
  ['/tls_certificates/cert_1', ['DELETE', 'GET', 'HEAD', 'PATCH']],
  [MODULE, ['DELETE', 'GET', 'HEAD', 'PUT']],
  ['/edges/https/edghts_1/routes/edghtsrt_1/circuit_breaker', ['DELETE', 'GET', 'HEAD', 'PUT']],
  ['/edges/https/edghts_1/routes/edghtsrt_1/policy', ['DELETE', 'GET', 'HEAD', 'PUT']],
  ['/edges/https/edghts_1/routes/edghtsrt_1/webhook_verification', ['DELETE', 'GET', 'HEAD', 'PUT']],
]

/** Returns the items of a header, sorted. */
function listItems(value: string | null): string[] {
  return (value ?? '').split(/, */).sort()
}

describe('Paths and methods (rules: answers#paths-and-methods)', () => {
  test.each(PATHS)('%s has the methods %j; another is 405 with Allow', async (path, methods) => {
    const api = client(open())
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY']) {
      const answer = await api(method, path)
      expect([method, answer.status === 405]).toEqual([method, !methods.includes(method)])
      if (methods.includes(method)) continue
      expect(outcome(answer)).toBe('405 ERR_GATEWAY_90405')
      expect(listItems(answer.headers.get('allow'))).toEqual(methods)
    }
  })

  test.each([
    ...['/', '', '/reserved_addrs/', '/reserved_addrs/ra_1/', '/reserved_addrs/ra_1/certificate', '/Reserved_addrs'],
    ...['/reserved_domains/rd_1/policy', '/backends', '/backends/http', '/edges/https/edghts_1', '/v2/reserved_addrs'],
    ...['/edges/https/edghts_1/routes/edghtsrt_1', '/edges/https/edghts_1/routes/edghtsrt_1/saml'],
    ...['/edges/tcp/edgtcp_1/routes/edghtsrt_1/compression', '/endpoint_configurations/ec_1'],
  ])('%j is an unknown path: 404 for every method', async (path) => {
    const api = client(open())
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      expect(outcome(await api(method, path))).toBe('404 ERR_GATEWAY_90400')
    }
  })

  test('ids in a path may be percent-encoded', async () => {
    const gateway = open()
    const { id } = gateway.reservedAddrs.create()
    const encoded = `${PATH}/%72${id.slice(1)}`
    expect((await client(gateway)('GET', encoded)).body.id).toBe(id)
    expect(outcome(await client(gateway)('GET', `${PATH}/%zz`))).toBe('400 ERR_GATEWAY_223')
  })
})

describe('HEAD (rules: answers#head)', () => {
  test('is answered like GET without a body', async () => {
    const gateway = open()
    const { id } = gateway.reservedAddrs.create()
    for (const path of [PATH, `${PATH}/${id}`, `${PATH}/ra_gone`, '/nowhere', `${PATH}?x=1`]) {
      const [head, get] = [await client(gateway)('HEAD', path), await client(gateway)('GET', path)]
      expect([head.status, head.text]).toEqual([get.status, ''])
      expect([...head.headers.keys()]).toEqual([...get.headers.keys()])
      expect(head.headers.get('content-type')).toBe('application/json')
    }
  })

  test('needs the key and the version as GET does', async () => {
    expect((await client(open())('HEAD', PATH, { headers: { authorization: null } })).status).toBe(401)
    expect((await client(open())('HEAD', PATH, { headers: { 'service-version': null } })).status).toBe(400)
  })
})

describe('Headers of answers (rules: answers#operation-id)', () => {
  test('are an operation id of its own, and application/json where there is a body', async () => {
    const gateway = open()
    const { id } = gateway.reservedAddrs.create()
    const api = client(gateway)
    const answers = [await api('POST', PATH), await api('GET', PATH), await api('GET', '/nowhere')]
    const deleted = await api('DELETE', `${PATH}/${id}`)
    expect([deleted.status, deleted.text, deleted.headers.get('content-type')]).toEqual([204, '', null])
    for (const { headers } of answers) expect(headers.get('content-type')).toBe('application/json')
    const ids = [...answers, deleted].map(({ headers }) => headers.get('service-operation-id'))
    for (const operationId of ids) expect(operationId).toMatch(/^op_[0-9A-Za-z]{27}$/)
    expect(new Set(ids).size).toBe(4)
  })

  test('of a deletion with emptyJsonOnDelete are those of a 200 with {} (rules: answers#empty-json-on-delete)', async () => {
    const gateway = open({ emptyJsonOnDelete: true })
    const { id } = gateway.reservedAddrs.create()
    const { id: domain } = gateway.reservedDomains.create({ domain: 'app.example.com' })
    const api = client(gateway)
    for (const path of [`${PATH}/${id}`, `/reserved_domains/${domain}/certificate`, MODULE]) {
      const answer = await api('DELETE', path)
      expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([200, '{}', 'application/json'])
    }
    expect(outcome(await api('DELETE', `${PATH}/${id}`))).toBe('404 ERR_GATEWAY_90404')
  })
})

describe('CORS (rules: answers#cors)', () => {
  test.each(PATHS)('answers a preflight of %s with its methods and no need of a key', async (path, methods) => {
    const gateway = open({ keys: ['secret'] })
    const response = await gateway.fetch(gateway.url + path, {
      method: 'OPTIONS',
      headers: {
        origin: ORIGIN,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization,service-version,x-mine',
      },
    })
    expect([response.status, await response.text(), response.headers.get('content-type')]).toEqual([204, '', null])
    expect(response.headers.get('access-control-allow-origin')).toBe(ORIGIN)
    expect(response.headers.get('access-control-allow-credentials')).toBe('true')
    expect(response.headers.get('access-control-allow-headers')).toBe('authorization,service-version,x-mine')
    expect(response.headers.get('access-control-max-age')).toBe('600')
    expect(listItems(response.headers.get('access-control-allow-methods'))).toEqual(methods)
    expect(response.headers.get('service-operation-id')).toMatch(/^op_/)
  })

  test('rejects a preflight of an unknown path with 404', async () => {
    const headers = { origin: ORIGIN, 'access-control-request-method': 'GET' }
    expect(outcome(await client(open())('OPTIONS', '/nowhere', { headers }))).toBe('404 ERR_GATEWAY_90400')
  })

  test('lets a page read answers, errors and the operation id', async () => {
    const gateway = open()
    const { id } = gateway.reservedAddrs.create()
    const api = client(gateway)
    const headers = { origin: ORIGIN }
    const answers = [
      await api('GET', PATH, { headers }),
      await api('GET', '/nowhere', { headers }),
      await api('GET', PATH, { headers: { ...headers, authorization: null } }),
      await api('DELETE', `${PATH}/${id}`, { headers }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 401, 204])
    for (const answer of answers) {
      expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN)
      expect(answer.headers.get('access-control-allow-credentials')).toBe('true')
      expect(answer.headers.get('access-control-expose-headers')).toContain('Service-Operation-Id')
      expect(answer.headers.get('vary')).toContain('Origin')
    }
  })

  test('is left out for requests without an origin', async () => {
    const { headers } = await client(open())('GET', PATH)
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})

describe('Base URLs (rules: answers#uris)', () => {
  test.each([
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['https://api.example.com/v2/tunnels', 'https://api.example.com/v2/tunnels'],
    ['https://api.example.com/v2/', 'https://api.example.com/v2'],
    ['http://localhost', 'http://localhost'],
    ['http://[::1]:3000/a', 'http://[::1]:3000/a'],
  ])('%s is where all URIs point to and requests go', async (baseUrl, url) => {
    const gateway = open({ baseUrl })
    const api = client(gateway)
    expect(gateway.url).toBe(url)
    const created = (await api('POST', PATH)).body
    await api('POST', PATH)
    expect(created.uri).toBe(`${url}/reserved_addrs/${created.id}`)
    expect((await api('GET', created.uri)).body).toEqual(created)
    const { body } = await api('GET', `${PATH}?limit=1`)
    expect(body.uri).toBe(`${url}/reserved_addrs`)
    expect(body.next_page_uri.startsWith(`${url}/reserved_addrs?`)).toBe(true)
    expect((await api('GET', body.next_page_uri)).body.reserved_addrs).toEqual([created])
    expect(outcome(await api('GET', `${url}/nowhere`))).toBe('404 ERR_GATEWAY_90400')
  })

  test("are the dialect's own by default, and a request may go to any host", async () => {
    const gateway = open()
    expect(gateway.url).toBe('https://api.gateway.test')
    const { id } = gateway.reservedAddrs.create()
    expect((await client(gateway)('GET', `http://elsewhere.example:81/reserved_addrs/${id}`)).body.id).toBe(id)
  })

  test('follow where the gateway is served, unless an option sets one', async () => {
    const free = open()
    const { id } = free.reservedAddrs.create()
    free.transport.servedAt('http://127.0.0.1:4040')
    expect(free.url).toBe('http://127.0.0.1:4040')
    expect(free.reservedAddrs.get(id).uri).toBe(`http://127.0.0.1:4040/reserved_addrs/${id}`)
    free.transport.servedAt(undefined)
    expect(free.reservedAddrs.get(id).uri).toBe(`https://api.gateway.test/reserved_addrs/${id}`)
    const fixed = open({ baseUrl: 'https://mine.example' })
    fixed.transport.servedAt('http://127.0.0.1:4040')
    expect(fixed.url).toBe('https://mine.example')
  })
})
