import { describe, expect, it } from 'vitest'
import type { Gateway, JournalFields } from '../../../src/index.ts'
import { client, expectError } from '../../support/client.ts'
import { createTestClock, open, START } from '../../support/gateway.ts'

describe('The journal (inspect calls)', () => {
  it('keeps request and answer with operation, time and what changed', async () => {
    const gateway = open()
    const { body } = await client(gateway)('POST', '/reserved_addrs', { json: { description: 'x' } })
    expect(gateway.requests.all()).toEqual([
      {
        operationId: expect.stringMatching(/^op_/),
        operation: 'reserved_addrs.create',
        method: 'POST',
        path: '/reserved_addrs',
        query: '',
        at: '2025-09-04T10:11:14Z',
        requestHeaders: { authorization: '[redacted]', 'content-type': 'application/json', 'service-version': '2' },
        request: { description: 'x' },
        status: 201,
        responseHeaders: {
          'content-type': 'application/json',
          'service-operation-id': expect.stringMatching(/^op_/),
        },
        response: body,
        commit: {
          operation: 'reserved_addrs.create',
          at: '2025-09-04T10:11:14Z',
          changes: [
            {
              collection: 'reserved_addrs',
              key: body.id,
              before: undefined,
              after: expect.objectContaining({ id: body.id, created_at: START }),
            },
          ],
        },
        fault: null,
      },
    ])
  })

  it('has the time of each request, also of one that is rejected before anything asks for the time', async () => {
    const clock = createTestClock()
    const gateway = open({ clock })
    for (const path of ['/reserved_addrs', '/nothing', '/nothing']) {
      await client(gateway)('GET', path)
      clock.advance(60_000)
    }
    const times = ['2025-09-04T10:11:14Z', '2025-09-04T10:12:14Z', '2025-09-04T10:13:14Z']
    expect(gateway.requests.all().map(({ at }) => at)).toEqual(times)
  })

  it('has the time of the change for a request that changed something, whatever the clock says by then', async () => {
    let now = START
    const gateway = open({ clock: { now: () => (now += 1000) } })
    const { body } = await client(gateway)('POST', '/reserved_addrs', { json: {} })
    expect(gateway.requests.last()).toMatchObject({ at: body.created_at, commit: { at: body.created_at } })
  })

  it('has the time that was read last for a request that the clock makes while it is read', async () => {
    const answers: Promise<number>[] = []
    let isReading = false
    const clock = {
      now() {
        if (!isReading) return START
        isReading = false
        answers.push(client(gateway)('GET', '/reserved_addrs').then(({ status }) => status))
        return START + 60_000
      },
    }
    const gateway: Gateway = open({ clock })
    gateway.reservedAddrs.create()
    isReading = true
    gateway.reservedAddrs.create()
    expect(await Promise.all(answers)).toEqual([409])
    expect(gateway.requests.all().map(({ at }) => at)).toEqual(['2025-09-04T10:11:14Z'])
  })

  it('has no commit for a read, nor for a request that was rejected', async () => {
    const gateway = open()
    gateway.reservedAddrs.create()
    await client(gateway)('GET', '/reserved_addrs')
    await client(gateway)('POST', '/reserved_addrs', { json: { region: 'mars' } })
    expect(gateway.requests.all().map(({ status, commit }) => [status, commit])).toEqual([
      [200, null],
      [400, null],
    ])
  })

  it('filters, counts and gives the last', async () => {
    const gateway = open()
    for (const region of ['eu', 'mars', 'us']) await client(gateway)('POST', '/reserved_addrs', { json: { region } })
    await client(gateway)('GET', '/reserved_addrs?limit=1')
    expect(gateway.requests.count()).toBe(4)
    expect(gateway.requests.count({ operation: 'reserved_addrs.create' })).toBe(3)
    expect(gateway.requests.count({ operation: 'reserved_addrs.create', status: 201 })).toBe(2)
    expect(gateway.requests.count(({ query }) => query === 'limit=1')).toBe(1)
    expect(gateway.requests.last({ status: 400 })?.request).toEqual({ region: 'mars' })
    expect(gateway.requests.last()?.method).toBe('GET')
    gateway.requests.clear()
    expect(gateway.requests.last()).toBeUndefined()
  })

  it('lists over HTTP the entries after one, or all if that entry no longer exists', async () => {
    const gateway = open()
    const api = client(gateway)
    const listPaths = async (query: string) => {
      const { body } = await api('GET', `http://localhost/_fauxgate/requests${query}`)
      return body.map(({ path }: { path: string }) => path)
    }
    const paths = ['/reserved_addrs', '/reserved_domains', '/tls_certificates']
    for (const path of paths) await api('GET', path)
    const [first, second, third] = gateway.requests.all().map(({ operationId }) => operationId)
    expect(await listPaths('')).toEqual(paths)
    expect(await listPaths(`?after=${first}`)).toEqual(paths.slice(1))
    expect(await listPaths(`?after=${second}`)).toEqual(paths.slice(2))
    expect(await listPaths(`?after=${third}`)).toEqual([])
    gateway.requests.clear()
    await api('GET', '/backends/weighted')
    expect(await listPaths(`?after=${second}`)).toEqual(['/backends/weighted'])
  })

  it('lists over HTTP the entries with equal fields, and rejects values that no entry has (rules: control-api#filters-of-the-journal)', async () => {
    const gateway = open()
    const api = client(gateway)
    for (const path of ['/reserved_addrs', '/reserved_domains']) await api('GET', path)
    const list = async (query: string) => (await api('GET', `http://localhost/_fauxgate/requests?${query}`)).body
    expect(await list('operation=reserved_domains.list&method=GET&status=200')).toHaveLength(1)
    expect(await list('path=/reserved_addrs')).toHaveLength(1)
    expect(await list('status=404')).toEqual([])
    expect((await list('operation=reserved_domain.list')).msg).toContain('reserved_domains.list')
    expect((await list('method=post')).msg).toContain('"post"')
    expect((await list('status=2O1')).msg).toContain('"2O1"')
  })

  it('finds by several fields only what agrees with each (rules: control-api#filters-of-the-journal)', async () => {
    const gateway = open()
    const api = client(gateway)
    for (const [method, path] of [
      ['GET', '/reserved_addrs'],
      ['HEAD', '/reserved_addrs'],
      ['GET', '/reserved_addrs/ra_1'],
      ['GET', '/reserved_domains'],
      ['DELETE', '/reserved_domains'],
      ['GET', '/nothing'],
    ] as const) {
      await api(method, path)
      await api(method, path, { headers: { authorization: null } })
    }
    const all = gateway.requests.all()
    const fields = ['operation', 'method', 'path', 'status'] as const
    for (const example of all) {
      for (let chosen = 0; chosen < 2 ** fields.length; chosen++) {
        const names = fields.filter((_, place) => chosen & (2 ** place))
        // Each field has the type of the same field of an entry.
        const filter = Object.fromEntries(names.map((name) => [name, example[name]])) as JournalFields
        const expected = all.filter((entry) => names.every((name) => entry[name] === example[name]))
        expect([filter, gateway.requests.all(filter)]).toEqual([filter, expected])
        expect([filter, gateway.requests.count(filter)]).toEqual([filter, expected.length])
        expect([filter, gateway.requests.last(filter)]).toEqual([filter, expected.at(-1)])
      }
    }
    const isGet = ({ method }: { method: string }) => method === 'GET'
    expect(gateway.requests.all(isGet)).toEqual(all.filter(isGet))
    expect(gateway.requests.last(isGet)).toEqual(all.filter(isGet).at(-1))
  })

  it.each([
    [
      { operaton: 'reserved_addrs.create' },
      /"operaton" is not a field of the filter\. Allowed: operation, method, path, status/,
    ],
    [
      { operation: 'reserved_addrs.craete' },
      /operation is "reserved_addrs.craete". Allowed: null, or one of reserved_addrs.create, /,
    ],
    [{ method: 'get' }, /method is "get". Allowed: one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS/],
    [{ path: 'reserved_addrs' }, /path is "reserved_addrs". Allowed: a path under the base URL/],
    [{ path: '/reserved_addrs?limit=1' }, /path is/],
    [{ status: 99 }, /status is 99. Allowed: an integer from 100 to 599/],
    [{ status: 600 }, /status is 600/],
    [{ status: '200' }, /status is "200"/],
    [
      'reserved_addrs.create',
      /the filter is "reserved_addrs.create". Allowed: a predicate, or an object with operation, /,
    ],
    [null, /the filter is null/],
  ])('rejects the filter %j, which no entry can agree with, instead of finding none', (filter, message) => {
    const { requests } = open()
    for (const read of [requests.all, requests.count, requests.last]) {
      expect(expectError(() => read(filter as never))).toMatchObject({
        key: 'field_invalid',
        message: expect.stringMatching(message),
      })
    }
  })

  it('keeps the newest entries, up to the number of its option', async () => {
    const gateway = open({ journalSize: 3 })
    for (let i = 1; i <= 5; i++) await client(gateway)('GET', `/reserved_addrs?limit=${i}`)
    expect(gateway.requests.all().map(({ query }) => query)).toEqual(['limit=3', 'limit=4', 'limit=5'])
    const off = open({ journalSize: 0 })
    await client(off)('GET', '/reserved_addrs')
    expect(off.requests.all()).toEqual([])
  })

  it('records requests to unknown paths and methods, so that teardown can fail', async () => {
    const gateway = open()
    await client(gateway)('GET', '/reserved_addrs')
    expect(() => gateway.requests.assertAllKnown()).not.toThrow()
    await client(gateway)('GET', '/nowhere')
    await client(gateway)('PUT', '/reserved_addrs')
    expect(gateway.requests.all({ operation: null }).map(({ path }) => path)).toEqual(['/nowhere', '/reserved_addrs'])
    const [first, ...lines] = expectError(() => gateway.requests.assertAllKnown()).message.split('\n')
    expect(first).toBe('2 requests match no operation of the API:')
    expect(lines[0]).toMatch(/^ {2}GET \/nowhere → 404 ERR_GATEWAY_90400: .*"nowhere" is unknown/)
    expect(lines[1]).toMatch(/^ {2}PUT \/reserved_addrs → 405 ERR_GATEWAY_90405: .*Allowed: POST, GET, HEAD\.$/)
  })

  it('does not count a preflight as an unknown request', async () => {
    const gateway = open()
    const headers = { origin: 'https://app.test', 'access-control-request-method': 'POST' }
    expect((await client(gateway)('OPTIONS', '/reserved_addrs', { headers })).status).toBe(204)
    expect(() => gateway.requests.assertAllKnown()).not.toThrow()
  })

  it('does not record the control API', async () => {
    const gateway = open()
    await gateway.fetch('http://localhost/_fauxgate/clock')
    expect(gateway.requests.count()).toBe(0)
  })
})
