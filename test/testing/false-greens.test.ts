import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createGateway, type Gateway } from '../../src/index.ts'
import { matchers } from '../../src/testing/testing.ts'
import { expectError } from '../support/client.ts'
import { catchTestMessage } from './run-test.ts'

expect.extend(matchers)

const headers = { authorization: 'Bearer k', 'service-version': '2', 'content-type': 'application/json' }
const newDomain = { domain: 'app.example.com', certificate_management_policy: { authority: 'letsencrypt' } } as const

const send = (gateway: Gateway, path: string, method = 'GET') => gateway.fetch(gateway.url + path, { method, headers })

describe('A request that the journal has dropped', () => {
  async function sendSixRequests(gateway: Gateway) {
    await send(gateway, '/reserved_domain')
    for (let n = 0; n < 5; n++) await send(gateway, '/reserved_addrs')
    return gateway
  }

  test.each([3, 0])('still counts, and is known to be for no operation, with a journal of %d', async (journalSize) => {
    const gateway = await sendSixRequests(createGateway({ journalSize }))
    expect(gateway.requests.all()).toHaveLength(journalSize)
    expect(gateway).toHaveBeenRequested('reserved_addrs.list', { times: 5 })
    expect(gateway).toHaveBeenRequested('reserved_addrs.list', { status: 200, times: 5 })
    expect(() => expect(gateway).toHaveBeenRequested('reserved_addrs.list', { times: 3 })).toThrow('there were 5')
    expect(() => expect(gateway).not.toHaveBeenRequested('reserved_addrs.list')).toThrow('there were 5')
    expect(() => gateway.requests.assertAllKnown()).toThrow(
      /^1 request matches no operation of the API:\n {2}GET \/reserved_domain → 404 ERR_GATEWAY_\d+: /,
    )
    gateway.requests.clear()
    expect(gateway.requests.count()).toBe(0)
  })

  test('makes a search throw if only dropped requests match', async () => {
    const gateway = await sendSixRequests(createGateway({ journalSize: 0 }))
    const message = 'The journal has dropped 5 such requests, and has no others. Use `gateway.requests.count`'
    expect(() => gateway.requests.all({ operation: 'reserved_addrs.list' })).toThrow(message)
    expect(() => gateway.requests.last({ operation: 'reserved_addrs.list' })).toThrow(message)
    expect(gateway.requests.all({ operation: 'reserved_addrs.create' })).toEqual([])
    expect(gateway.requests.last({ operation: 'reserved_addrs.create' })).toBeUndefined()
    expect(gateway.requests.last()).toBeUndefined()
    expect(() => expect(gateway).toHaveBeenRequested('reserved_addrs.list', { status: 503 })).toThrow('there was none')
  })

  test('makes a count by a predicate throw, since the result is not known', async () => {
    const gateway = await sendSixRequests(createGateway({ journalSize: 3 }))
    expect(() => gateway.requests.count(({ status }) => status === 404)).toThrow(
      'The number of requests with this predicate is not known: there were at least 0, and the journal has dropped 3 requests',
    )
  })

  test('makes a count by a path throw, if its operation, method and status may be those of the path', () => {
    const gateway = createGateway({ journalSize: 0 })
    const get = (url: string) => gateway.transport.exchange({ method: 'GET', url, header: () => null, body: '' })
    for (let n = 0; n < 3; n++) get(`/nowhere/${n}`)
    expect(gateway.requests.count({ operation: null })).toBe(3)
    expect(gateway.requests.count({ method: 'POST', path: '/nowhere/1' })).toBe(0)
    const message = 'with this path is not known: there were at least 0, and the journal has dropped 3 requests '
    for (const method of ['count', 'all', 'last'] as const)
      expect(() => gateway.requests[method]({ path: '/nowhere/1' }), method).toThrow(message)
    get('/reserved_addrs/undefined')
    expect(() => gateway.requests.assertAllKnown()).toThrow(
      '4 requests match no operation of the API, or have no ID in the path:',
    )
  })
})

describe('A test fails', () => {
  test('for an outcome for a domain that nobody reserved', async () => {
    const error = await catchTestMessage((gateway) =>
      gateway.provisioning.failNext('DNS_ERROR', { domain: 'app.example.com' }),
    )
    expect(error.match(/No attempt used/g)).toHaveLength(1)
    expect(error).toContain('DNS_ERROR for app.example.com.\n  app.example.com: no domain with that name is reserved.')
  })

  test('for failAlways for a domain that has no attempt', async () => {
    const error = await catchTestMessage((gateway) => {
      gateway.provisioning.failAlways('DNS_ERROR', { domain: 'ap.example.com' })
      gateway.reservedDomains.create(newDomain)
      gateway.clock.advance('1m')
    })
    expect(error).toContain('No attempt used these outcomes: always DNS_ERROR for ap.example.com.')
    expect(error).toContain('ap.example.com: no domain with that name is reserved; the newest are app.example.com.')
    const result = catchTestMessage((gateway) => {
      gateway.provisioning.failAlways('DNS_ERROR', { domain: 'app.example.com' })
      gateway.reservedDomains.create(newDomain)
      gateway.clock.advance('1m')
    })
    expect(await result).toBe('passed')
  })

  test.each([
    ['reset()', (gateway: Gateway) => gateway.reset()],
    ['restore()', (gateway: Gateway) => gateway.restore(createGateway().snapshot())],
  ])('for the unused fault and outcome that %s dropped', async (name, drop) => {
    const error = await catchTestMessage((gateway) => {
      gateway.faults.add({ operation: 'reserved_domains.delete', times: 1 })
      gateway.provisioning.script(['DNS_ERROR'])
      drop(gateway)
    })
    expect(error).toContain(`${name} dropped unused items:\n1 fault is still waiting for requests.`)
    expect(error).toContain('No attempt used these outcomes: DNS_ERROR for any domain.')
  })

  test('for a fault and an unknown path that a reset and a clear over HTTP dropped', async () => {
    const error = await catchTestMessage(async (gateway) => {
      gateway.faults.add({ operation: 'reserved_domains.delete', times: 1 })
      await gateway.fetch('http://localhost/_fauxgate/reset', { method: 'POST' })
      await send(gateway, '/reserved_domain')
      await gateway.fetch('http://localhost/_fauxgate/requests', { method: 'DELETE' })
    })
    expect(error).toContain('reset() dropped unused items:\n1 fault is still waiting for requests.')
    expect(error).toContain('requests.clear() dropped unused items:\n1 request matches no operation of the API:')
  })

  test('for a control call over HTTP that was rejected', async () => {
    const error = await catchTestMessage(async (gateway) => {
      await gateway.fetch('http://localhost/_fauxgate/rest', { method: 'POST' })
      await send(gateway, '/_fauxgate/reset', 'POST')
    })
    expect(error).toContain(
      '2 control calls were rejected and had no effect: POST /_fauxgate/rest → 404, POST /_fauxgate/reset → 403.',
    )
  })

  test('for a fault whose predicate threw, although the application ignores the error', async () => {
    const error = await catchTestMessage(async (gateway) => {
      const isShop = (input: unknown) => (input as { domain: string }).domain.startsWith('shop')
      gateway.faults.add({ operation: 'reserved_domains.create', when: ({ input }) => isShop(input) })
      const request = gateway.fetch(`${gateway.url}/reserved_domains`, { method: 'POST', headers, body: '{}' })
      await expect(request).rejects.toThrow(
        'The function `when` of the fault {"operation":"reserved_domains.create"} with a predicate threw TypeError: Cannot read',
      )
    })
    expect(error).toContain('The function `when` of a fault threw TypeError: Cannot read')
  })

  test('but not for a fault that restore() keeps', async () => {
    const result = catchTestMessage(async (gateway) => {
      gateway.faults.add({ operation: 'reserved_domains.list', times: 1 })
      gateway.restore(gateway.snapshot())
      expect((await send(gateway, '/reserved_domains')).status).toBe(503)
    })
    expect(await result).toBe('passed')
  })

  test('for an unknown path that requests.clear() dropped', async () => {
    const error = await catchTestMessage(async (gateway) => {
      await send(gateway, '/reserved_domain')
      gateway.requests.clear()
    })
    expect(error).toContain('requests.clear() dropped unused items:\n1 request matches no operation of the API:')
  })

  test('for a callback that is no function, with the same message as without a fixture', async () => {
    const calls: ((gateway: Gateway) => unknown)[] = [
      ({ faults }) => faults.add({ when: 'every time' as never }),
      ({ subscribe }) => subscribe('each commit' as never),
      ({ requests }) => requests.subscribe('each entry' as never),
    ]
    for (const call of calls)
      expect(await catchTestMessage(call)).toContain(expectError(() => call(createGateway())).message)
  })

  test('for an expectation that failed in a subscriber, which the gateway ignores', async () => {
    const consoleError = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    onTestFinished(() => consoleError.mockRestore())
    const error = await catchTestMessage((gateway) => {
      gateway.subscribe(() => expect(1).toBe(2))
      gateway.reservedAddrs.create()
    })
    expect(error).toContain('A subscriber of gateway.subscribe threw AssertionError: expected 1 to be 2')
  })

  test('for a rejected request to another host, although the application ignores the error', async () => {
    const error = await catchTestMessage(async (gateway) => {
      gateway.install()
      await fetch('https://api.ngrok.com/reserved_domains').catch(() => undefined)
    })
    expect(error).toContain(
      '1 request was for another host, and rejected:\n  GET https://api.ngrok.com/reserved_domains',
    )
  })

  test('for a request to another host also if `others` is undefined, such as a variable without a value', async () => {
    const error = await catchTestMessage(async (gateway) => {
      gateway.install({ others: undefined } as object)
      await fetch('https://api.ngrok.com/reserved_domains').catch(() => undefined)
    })
    expect(error).toContain('1 request was for another host, and rejected')
  })

  test('for options of install() that are no object', async () => {
    const error = await catchTestMessage((gateway) => gateway.install('refuse' as never))
    expect(error).toMatch(/^options is "refuse"\. Allowed: an object\./)
  })

  test.each([
    ['undefined', 'of a variable without a value'],
    ['null', 'of null'],
    [`${{}}`, 'of an object'],
    [`${Promise.resolve()}`, 'of a promise'],
    [new URL(`http://x/${Promise.resolve()}`).pathname.slice(1), 'of a promise in a URL'],
    [encodeURIComponent(`${Promise.resolve()}`), 'of a promise in an escaped path'],
  ])('for an id that is %s, the text %s', async (id) => {
    // A URL has no spaces.
    const text = id.replace(' ', '%20')
    const error = await catchTestMessage((gateway) => send(gateway, `/reserved_domains/${id}`, 'DELETE'))
    expect(error).toContain(
      `DELETE /reserved_domains/${text} → 400 ERR_GATEWAY_223: the path has ${text} instead of an ID. Is an await missing`,
    )
    expect(error).toMatch(/\n {6}id is ".*\. Is an await missing, or a field misspelled\?\n/)
  })

  test.each<[form: string, createArguments: (url: string, init: RequestInit) => Parameters<Gateway['fetch']>]>([
    ['an object', (url, init) => [url, init]],
    ['a Request', (url, init) => [new Request(url, init)]],
  ])('for an API key that was not awaited, in the headers of %s', async (_form, createArguments) => {
    const key = Promise.resolve('key')
    const error = await catchTestMessage(async ({ fetch, url }) => {
      const init = { headers: { 'Service-Version': '2', Authorization: `Bearer ${key}` } }
      expect((await fetch(...createArguments(`${url}/reserved_domains`, init))).status).toBe(200)
    })
    expect(error).toContain(
      'allow this):\n1 request sent a stringified object instead of an API key: GET /reserved_domains with [object Promise]. Is an await',
    )
  })

  test('for such an id in a request that fails with another error, whose message has no hint about ids', async () => {
    const error = await catchTestMessage(({ fetch, url }) => fetch(`${url}/reserved_domains/undefined`))
    expect(error).toContain('the path has undefined instead of an ID. Is an await missing')
    expect(error).toMatch(/\n {6}The Authorization header is missing\. Send "Authorization: Bearer <API key>"\.\n/)
  })
})

describe('A condition that nothing or everything matches is rejected', () => {
  const gateway = createGateway()

  // The types allow no promise, but JavaScript does.
  const asyncPredicate = (async () => false) as unknown as () => boolean

  test('as an async predicate of a fault', async () => {
    const ownGateway = createGateway()
    ownGateway.faults.add({ when: asyncPredicate })
    await expect(ownGateway.fetch(`${ownGateway.url}/reserved_domains`, { headers })).rejects.toThrow(
      'threw TypeError: it returned a promise. Allowed: true or false, from a function that is not async.',
    )
  })

  test.each(['all', 'count', 'last'] as const)('as an async predicate of requests.%s', async (call) => {
    const { fetch, url, requests } = createGateway()
    await fetch(`${url}/reserved_domains`, { headers })
    expect(() => requests[call](asyncPredicate)).toThrow('The predicate returned a promise. Allowed: true or false,')
  })

  test.each(['operation', 'method', 'path', 'status'] as const)('as a field of a filter of requests: %s', (name) => {
    const filter = { [name]: undefined } as object
    const message = `${name} is undefined. Allowed: a value, or omit it.`
    for (const call of ['all', 'count', 'last'] as const) expect(() => gateway.requests[call](filter)).toThrow(message)
  })

  test.each(['/reserved_domains/{id}', '/reserved_domains/:id', '/reserved_domains/*'])(
    'as a path of requests with a placeholder: %s',
    (path) => {
      const message = `the filter's path is "${path}". Allowed: a path under the base URL, such as `
      expect(() => gateway.requests.count({ path })).toThrow(message)
    },
  )

  test.each([
    [{ operation: undefined }, 'operation is undefined. Allowed: a value, or omit it.'],
    [{ times: undefined }, 'times is undefined'],
    [{ resource: null }, 'resource is null. Allowed: a value, or omit it.'],
    [{ method: 'GET', path: '/reserved_domains/{id}' }, 'Allowed: /reserved_addrs/ra_…, /reserved_addrs, '],
  ])('as a fault: %j', (spec, message) => {
    expect(() => gateway.faults.add(spec as object)).toThrow(message)
  })

  test('as the domain of a script', () => {
    const domain = undefined as unknown as string
    expect(() => gateway.provisioning.failAlways('DNS_ERROR', { domain })).toThrow('domain is undefined')
    expect(() => gateway.provisioning.script(['success'], { domain })).toThrow('domain is undefined')
    expect(() => gateway.provisioning.clear({ domain })).toThrow('domain is undefined')
    const noName = { domain: null as unknown as string }
    expect(() => gateway.provisioning.script(['success'], noName)).toThrow('domain is null. Allowed: a value, or omit')
    expect(() => gateway.provisioning.clear(noName)).toThrow('domain is null')
  })

  test.each([
    [{ path: '/reserved_domain' }, 'the filter\'s path is "/reserved_domain". Allowed: /reserved_domains.'],
    [{ method: 'POST' }, 'the filter\'s method is "POST". Allowed: GET, HEAD.'],
    [{ status: undefined }, 'received status undefined'],
    [{ times: undefined }, 'received times undefined'],
    [{ operation: 'reserved_domains.create' }, 'received two operations. Pass one, as the first argument.'],
    [2, 'received 2. Allowed: an object with times, status, method, or path.'],
    [null, 'received null. Allowed: an object with'],
    [() => false, 'received a function. Allowed: an object with'],
  ])('as requests of an operation: %j', (options, message) => {
    const expectation = () => expect(gateway).not.toHaveBeenRequested('reserved_domains.list', options as object)
    expect(expectError(expectation).message).toContain(message)
  })
})
