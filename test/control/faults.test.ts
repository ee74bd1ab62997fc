import { describe, expect, it } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { createGateway, type Gateway, manualClock, ngrok } from '../../src/index.ts'
import { serve } from '../../src/server/node.ts'
import { declareErrors, entry } from '../../src/service/kit/index.ts'
import { widgets } from '../service/kit/widgets.ts'
import { client, controlClient, expectError, outcome } from '../support/client.ts'
import { CLOCK_START } from '../support/clock.ts'
import { open, stateOf } from '../support/gateway.ts'

const ADDRS = '/reserved_addrs'
const headers = { authorization: 'Bearer k', 'service-version': '2' }

const list = (gateway: Gateway) => client(gateway)('GET', ADDRS)
const create = (gateway: Gateway, json = {}) => client(gateway)('POST', ADDRS, { json })

const NOW = CLOCK_START

/** Sends the same request several times. Returns the statuses. */
async function sendAll(gateway: Gateway, times: number, path = ADDRS): Promise<number[]> {
  const statuses: number[] = []
  for (let i = 0; i < times; i++) statuses.push((await client(gateway)('GET', path)).status)
  return statuses
}

describe('A fault', () => {
  it('without `times` is pending until its first request, and active after it; with `times` it is used up', async () => {
    const gateway = open()
    const states = async () =>
      ((await controlClient(gateway)('GET', '/faults')).body as unknown as { state: string }[]).map(
        ({ state }) => state,
      )
    gateway.faults.add({ operation: 'reserved_addrs.create', status: 500 })
    gateway.faults.add({ operation: 'reserved_addrs.list', times: 2 })
    expect(await states()).toEqual(['pending', 'pending'])
    await create(gateway)
    await list(gateway)
    expect(await states()).toEqual(['active', 'pending'])
    await create(gateway)
    await list(gateway)
    expect(await states()).toEqual(['active', 'used up'])
  })

  it('answers once with the default error, changes nothing, and lets the next request through', async () => {
    const gateway = open()
    gateway.faults.add({ operation: 'reserved_addrs.create', times: 1 })
    const before = gateway.snapshot().records.reserved_addrs
    const response = await create(gateway)
    expect(outcome(response)).toBe('503 ERR_GATEWAY_90500')
    expect(response.headers.get('retry-after')).toBeNull()
    expect(response.body.msg).toContain('reserved_addrs.create')
    expect(response.body.details).toEqual({ operation_id: response.headers.get('service-operation-id') })
    expect(gateway.snapshot().records.reserved_addrs).toEqual(before)
    expect((await create(gateway)).status).toBe(201)
  })

  it('responds with the status, the message and the Retry-After of its options', async () => {
    const gateway = open()
    gateway.faults.add({ method: 'GET', status: 502, message: 'bad gateway', retryAfter: '1500ms' })
    const { status, body, headers } = await list(gateway)
    expect([status, body.status_code, body.msg]).toEqual([502, 502, 'bad gateway'])
    expect(headers.get('retry-after')).toBe('2')
  })

  it.each([
    [{ error: 'too_many_requests' }, '60'],
    [{ error: 'too_many_requests', retryAfter: '2s' }, '2'],
    [{ status: 429 }, null],
    [{ error: 'domain_taken' }, null],
  ] as const)(
    'responds to %j with the Retry-After that its message names, and only for errors with one',
    async (fault, wait) => {
      const gateway = open()
      gateway.faults.add(fault)
      const { body, headers } = await list(gateway)
      expect(headers.get('retry-after')).toBe(wait)
      if (wait !== null) expect(body.msg).toContain(`${wait} seconds`)
    },
  )

  it('counts one thing in the singular, also in values that it pretends', async () => {
    const gateway = open()
    gateway.faults.add({ error: 'too_many_requests', retryAfter: '1s' })
    expect((await list(gateway)).body.msg).toBe('More than 1 request within 60 seconds. Try again in 1 second.')
  })

  it('says nothing of the page size in the message of a rate limit', async () => {
    const gateway = open()
    gateway.faults.add({ error: 'too_many_requests' })
    const { body } = await client(gateway)('GET', '/reserved_domains?limit=100')
    expect(body.msg).toBe('More than 1 request within 60 seconds. Try again in 60 seconds.')
  })

  it('responds with an error from the catalog, given by its key', async () => {
    const gateway = open()
    gateway.faults.add({ error: 'domain_taken' })
    expect(outcome(await list(gateway))).toBe('409 ERR_GATEWAY_413')
  })

  it.each([
    ['ERR_NGROK_413', 400],
    ['ERR_NGROK_226', 429],
    ...[405, 430, 447, 451, 459, 460, 461, 511, 512].map((number) => [`ERR_NGROK_${number}`, 400] as const),
  ] as const)('answers with the error of the code %s, its status and the operation id', async (error, status) => {
    const gateway = open({ dialect: ngrok })
    gateway.faults.add({ error })
    const { headers, ...answer } = await list(gateway)
    expect(outcome({ headers, ...answer })).toBe(`${status} ${error}`)
    expect(answer.body).toEqual({
      error_code: error,
      status_code: status,
      msg: expect.stringMatching(/^(?!A fault was injected).{20,}\.$/s),
      details: { operation_id: headers.get('ngrok-operation-id') },
    })
    const copy = open({ dialect: ngrok })
    copy.restore(gateway.snapshot())
    expect(outcome(await list(copy))).toBe(`${status} ${error}`)
  })

  it('has the message that the rule would give, with the values of the request', async () => {
    const gateway = open({ dialect: ngrok })
    const api = client(gateway)
    const getMessage = async (error: string, ...request: Parameters<typeof api>) => {
      gateway.faults.add({ error: error as 'ERR_NGROK_413', times: 1 })
      return (await api(...request)).body.msg
    }
    const json = { domain: 'app.example.com', region: 'mars', certificate_id: 'cert_1' }
    expect(await getMessage('ERR_NGROK_413', 'POST', '/reserved_domains', { json })).toBe(
      'The domain "app.example.com" is already reserved, as <id>. Each name can be reserved only once.',
    )
    expect(await getMessage('ERR_NGROK_400', 'POST', '/reserved_domains', { json })).toContain(
      'region is "mars". Allowed: ',
    )
    expect(await getMessage('ERR_NGROK_431', 'POST', '/reserved_domains', { json })).toBe(
      'This would bring the number of reserved domains to 2. The account allows at most 1.',
    )
    expect(await getMessage('ERR_NGROK_436', 'DELETE', '/reserved_domains/rd_1/certificate')).toMatch(
      /^rd_1 has an active certificate management policy/,
    )
    expect(await getMessage('ERR_NGROK_233', 'GET', `${ADDRS}?limit=7`)).toBe(
      'limit is "7". Allowed: a whole number from 1 to 100.',
    )
    expect(await getMessage('ERR_NGROK_511', 'POST', '/reserved_domains', { json })).toBe(
      'The domain has a dangling CNAME record. Delete the record, then reserve the domain.',
    )
  })

  it('puts no secret of the request into the message of an error', async () => {
    const gateway = open()
    const json = { certificate_pem: 'x', private_key_pem: 'the secret' }
    for (const error of ['key_unsupported', 'key_missing', 'pem_headers', 'field_unknown', 'field_invalid'] as const) {
      gateway.faults.add({ error, times: 1 })
      const { body } = await client(gateway)('POST', '/tls_certificates', { json })
      expect(body.msg.length).toBeGreaterThan(10)
      expect(JSON.stringify(body)).not.toContain('the secret')
    }
  })

  it('has the message of an injected fault if the message of its error needs an unknown value', async () => {
    const odd = declareErrors({ odd: entry(95009, 418, (it: { names: string[] }) => it.names.join(', ')) })
    const families = { widgets: { ...widgets, errors: { ...widgets.errors, ...odd } } }
    const gateway = createGateway({ families })
    gateway.faults.add({ error: 'odd' })
    const { status, body } = await list(gateway)
    expect([status, body.msg]).toEqual([418, 'A fault was injected into reserved_addrs.list by the test.'])
  })

  it('can fail after the write: the client sees an error, and the change happened', async () => {
    const gateway = open()
    gateway.faults.add({ operation: 'reserved_addrs.create', phase: 'after', status: 500, times: 1 })
    expect((await create(gateway, { description: 'x' })).status).toBe(500)
    expect(gateway.reservedAddrs.list().reserved_addrs).toMatchObject([{ description: 'x' }])
  })

  it('starts after a number of matching requests, and ends after a number of uses', async () => {
    const gateway = open()
    gateway.faults.add({ operation: 'reserved_addrs.list', after: 2, times: 2 })
    expect(await sendAll(gateway, 6)).toEqual([200, 200, 503, 503, 200, 200])
  })

  it('stays until it is removed if `times` is absent', async () => {
    const gateway = open()
    const { id } = gateway.faults.add({ path: ADDRS })
    expect(await sendAll(gateway, 3)).toEqual([503, 503, 503])
    expect(gateway.faults.all()).toMatchObject([{ id, hits: 3 }])
    gateway.faults.remove(id)
    expect((await list(gateway)).status).toBe(200)
  })

  it.each<[unknown, string]>([
    [undefined, 'spec is missing. Allowed: an object.'],
    ['GET', 'spec is "GET". Allowed: an object.'],
  ])('is an object, not %j', (spec, message) => {
    const { faults } = open()
    expect(() => faults.add(spec as object)).toThrow(message)
    expect(faults.all()).toEqual([])
  })

  it.each([undefined, null])('stays if remove() receives %s instead of its id', (id) => {
    const { faults } = open()
    faults.add({ path: ADDRS })
    // A variable without a value gets past the compiler in JavaScript.
    expect(() => faults.remove(id as unknown as string)).toThrow(
      `id is ${id === null ? 'null' : 'missing'}. Allowed: the ID of a fault.`,
    )
    expect(faults.all()).toHaveLength(1)
  })

  it('can apply to one resource, or to the requests for which a predicate returns true', async () => {
    const gateway = open()
    const [one, other] = [gateway.reservedAddrs.create(), gateway.reservedAddrs.create()]
    gateway.faults.add({ resource: one.id })
    expect((await client(gateway)('GET', `${ADDRS}/${one.id}`)).status).toBe(503)
    expect((await client(gateway)('GET', `${ADDRS}/${other.id}`)).status).toBe(200)
    gateway.faults.clear()
    gateway.faults.add({ when: ({ input }) => (input as { region?: string }).region === 'eu' })
    expect((await create(gateway, { region: 'eu' })).status).toBe(503)
    expect((await create(gateway, { region: 'us' })).status).toBe(201)
  })

  it('applies to a rejected request like to any other', async () => {
    const gateway = open()
    gateway.faults.add({ truncate: 5, times: 1 })
    const response = await gateway.fetch(`${gateway.url}${ADDRS}/ra_1`, { headers })
    expect([response.status, await response.text()]).toEqual([404, '{"err'])
    gateway.faults.add({ phase: 'after', status: 502, times: 1 })
    expect((await create(gateway, { region: 'mars' })).status).toBe(502)
  })

  it('applies after the checks of key and version, so that a wrong key still gets a 401', async () => {
    const gateway = open({ keys: ['right'] })
    gateway.faults.add({})
    expect(outcome(await list(gateway))).toBe('401 ERR_GATEWAY_203')
  })

  it('can send a body that is not JSON, or the usual body truncated', async () => {
    const gateway = open()
    gateway.faults.add({ body: '<html>', status: 502, times: 1 })
    const html = await list(gateway)
    expect([html.status, html.text, html.headers.get('content-type')]).toEqual([502, '<html>', 'text/html'])
    gateway.faults.add({ operation: 'reserved_addrs.create', truncate: 10, times: 1 })
    const response = await gateway.fetch(gateway.url + ADDRS, { method: 'POST', headers })
    expect(response.status).toBe(201)
    expect(await response.text()).toHaveLength(10)
    expect(gateway.reservedAddrs.list().reserved_addrs).toHaveLength(1)
  })

  it('cuts its own error response after the operation has run', async () => {
    const gateway = open()
    gateway.faults.add({ status: 500, body: 'a long text', truncate: 6, times: 1 })
    const answer = await gateway.fetch(gateway.url + ADDRS, { method: 'POST', headers })
    expect([answer.status, await answer.text()]).toEqual([500, 'a long'])
    expect(gateway.reservedAddrs.list().reserved_addrs).toHaveLength(1)
  })

  describe('cuts a response in the middle, whose Content-Length stays that of the whole', () => {
    const cases = [
      {
        name: 'in this process',
        serveFor: (gateway: Gateway) => ({ url: gateway.url, fetch: gateway.fetch, close() {} }),
      },
      { name: 'over a socket', serveFor: async (gateway: Gateway) => ({ fetch, ...(await serve(gateway)) }) },
    ]
    it.each(cases)('and breaks the connection there, $name', async ({ serveFor }) => {
      const gateway = open()
      const server = await serveFor(gateway)
      gateway.faults.add({ truncate: 10, ending: 'break', times: 1 })
      const response = await server.fetch(server.url + ADDRS, { method: 'POST', headers })
      const whole = JSON.stringify(gateway.reservedAddrs.list().reserved_addrs[0])
      expect([response.status, response.headers.get('content-length')]).toEqual([201, String(whole.length)])
      const reader = response.body?.getReader()
      expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(whole.slice(0, 10))
      await expect(reader?.read()).rejects.toThrow('terminated')
      expect((await server.fetch(server.url + ADDRS, { headers })).status).toBe(200)
      await server.close()
    })

    it.each(cases)('and stalls until the client gives up, $name', async ({ serveFor }) => {
      const gateway = open()
      const server = await serveFor(gateway)
      gateway.faults.add({ truncate: 0, ending: 'stall', times: 1 })
      const client = new AbortController()
      const response = await server.fetch(server.url + ADDRS, { headers, signal: client.signal })
      const reading = response.text()
      const other = await server.fetch(server.url + ADDRS, { headers })
      expect(await Promise.race([reading, other.text()])).toContain('"reserved_addrs":[]')
      client.abort(new Error('the client gave up'))
      await expect(reading).rejects.toThrow(/gave up|abort/)
      await expect.poll(() => gateway.requests.all().map(({ cancelled }) => cancelled)).toEqual([true, undefined])
      await server.close()
    })

    it('and a server that closes ends a response that stalls', async () => {
      const gateway = open()
      const server = await serve(gateway)
      gateway.faults.add({ truncate: 4, ending: 'stall' })
      const response = await fetch(server.url + ADDRS, { headers })
      await Promise.all([expect(response.text()).rejects.toThrow('terminated'), server.close()])
    })
  })

  it('draws a latency from its range by the seed, another for each request', async () => {
    const measure = async (seed: string) => {
      const gateway = createGateway({ seed, clock: manualClock(NOW) })
      gateway.faults.add({ latency: '1s..3s' })
      const delays: number[] = []
      for (let count = 0; count < 8; count++) {
        const sentAt = gateway.clock.now
        const response = list(gateway)
        gateway.clock.advanceToNext()
        await response
        delays.push(gateway.clock.now - sentAt)
      }
      return delays
    }
    const delays = await measure('a')
    expect(new Set(delays).size).toBeGreaterThan(1)
    for (const delay of delays) {
      expect(delay).toBeGreaterThanOrEqual(1000)
      expect(delay).toBeLessThanOrEqual(3000)
    }
    expect(await measure('a')).toEqual(delays)
    expect(await measure('b')).not.toEqual(delays)
  })

  it('can break the connection: fetch rejects, and the server resets the socket', async () => {
    const gateway = open()
    gateway.faults.add({ drop: true })
    await expect(list(gateway)).rejects.toMatchObject({
      message: 'fetch failed',
      cause: { code: 'ECONNRESET', message: 'A fault broke the connection.' },
    })
    const server = await serve(gateway)
    await expect(fetch(server.url + ADDRS, { headers })).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
    await server.close()
  })

  it('breaks the connection whatever its other options are, and the journal has the response that was not sent', async () => {
    const gateway = open()
    gateway.faults.add({ drop: true, phase: 'after' })
    await expect(list(gateway)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
    expect(gateway.requests.last()).toMatchObject({ status: 503 })
  })

  it.each<[Parameters<Gateway['faults']['add']>[0], string]>([
    [{ drop: true, status: 502 }, 'status is 502. Allowed: only without drop, because a broken connection'],
    [{ drop: true, error: 'domain_taken' }, 'error is "domain_taken". Allowed: only without drop'],
    [{ drop: true, body: { a: 1 }, latency: '1s' }, 'body is an object. Allowed: only without drop'],
    [{ drop: true, truncate: 0 }, 'truncate is 0. Allowed: only without drop'],
    [{ ending: 'stall' }, 'ending is "stall". Allowed: only with truncate'],
    [{ latency: '3s..1s' }, 'latency is "3s..1s". Allowed: a number of ms'],
    [{ latency: '0s..0s' }, 'latency is "0s..0s". Allowed: at least 1 ms'],
    [{ drop: true, retryAfter: '1s' }, 'retryAfter is "1s". Allowed: only without drop'],
    [{ body: 'text', message: 'no' }, 'message is "no". Allowed: only without body, which replaces it.'],
    [{ latency: '0ms' }, 'latency is "0ms". Allowed: at least 1 ms.'],
    [{ latency: 0, status: 503 }, 'latency is 0. Allowed: at least 1 ms.'],
  ])('is rejected with a field that can have no effect: %j', async (spec, message) => {
    const gateway = open()
    const before = stateOf(gateway)
    expect(expectError(() => gateway.faults.add(spec)).message).toContain(message)
    expect(stateOf(gateway)).toBe(before)
  })

  it('replaces the parts of its error by its own status, message and body', async () => {
    const gateway = open()
    gateway.faults.add({ error: 'domain_taken', status: 502, message: 'no', times: 1 })
    expect(await list(gateway)).toMatchObject({
      status: 502,
      body: { error_code: 'ERR_GATEWAY_413', status_code: 502, msg: 'no' },
    })
    gateway.faults.add({ error: 'domain_taken', body: 'text', times: 1 })
    expect(await list(gateway)).toMatchObject({ status: 409, text: 'text' })
  })

  it("delays a response on the gateway's clock, and an abort ends the wait", async () => {
    const gateway = open({ clock: manualClock(CLOCK_START) })
    gateway.faults.add({ latency: '30s' })
    let hasAnswered = false
    const response = list(gateway).then((answer) => {
      hasAnswered = true
      return answer
    })
    const { clock } = gateway as unknown as { clock: ReturnType<typeof manualClock> }
    clock.advance('29s')
    for (let i = 0; i < 20; i++) await Promise.resolve()
    expect(hasAnswered).toBe(false)
    clock.advance('1s')
    expect((await response).status).toBe(200)
    const controller = new AbortController()
    const abortedResponse = gateway.fetch(gateway.url + ADDRS, { headers, signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(abortedResponse).rejects.toThrow('enough')
  })

  it.each([
    [{ times: 0 }, /times is 0. Allowed: an integer from 1/],
    [{ status: 200 }, /status is 200. Allowed: an integer from 400 to 599/],
    [
      { error: 'nope' },
      /error is "nope". Allowed: a code such as ERR_GATEWAY_215, or the key of an error, such as domain_taken/,
    ],
    [{ error: 'domain_takn' }, /the key of an error, such as domain_taken/],
    [{ error: 'ERR_NGROK_413' }, /error is "ERR_NGROK_413". Allowed: a code such as ERR_GATEWAY_215/],
    [{ latency: '1s..2s..3s' }, /latency is "1s..2s..3s". Allowed: a number of ms, or .* or a range such as "1s..3s"/],
    [{ ending: 'slow', truncate: 1 }, /ending is "slow". Allowed: "complete" or "break" or "stall"/],
    [{ latency: '5 parsecs' }, /latency is "5 parsecs". Allowed: a number of ms/],
    [{ phase: 'during' }, /phase is "during". Allowed: before or after/],
    [{ opertion: 'x' }, /opertion is not a field/],
    [{ operation: 'reserved_addrs.creat' }, /Allowed: (reserved_addrs\.\w+, )+and \d+ others\.$/],
    [{ operation: 'reserved_addrs.list', method: 'POST' }, /method is "POST". Allowed: GET, HEAD\.$/],
    [{ method: 'TRACE' }, /method is "TRACE". Allowed: GET, HEAD, POST, PUT, PATCH, DELETE/],
    [{ path: 'reserved_addrs' }, /path is "reserved_addrs". Allowed: \/reserved_addrs, and \d+ others\.$/],
    [{ path: '/reserved_addrs/ra_1/x' }, /path is "\/reserved_addrs\/ra_1\/x". Allowed: /],
    [{ operation: 'reserved_addrs.get', path: '/reserved_addrs' }, /path is .* Allowed: \/reserved_addrs\/ra_…\.$/],
    [{ path: '/reserved_addrs/{id}' }, /path is "\/reserved_addrs\/\{id\}". Allowed: /],
    [{ path: '/reserved_addrs/:id' }, /path is "\/reserved_addrs\/:id". Allowed: /],
    [{ path: '/reserved_addrs/*' }, /path is "\/reserved_addrs\/\*". Allowed: /],
    [{ resource: 'bkdhr_1' }, /resource is "bkdhr_1". Allowed: ra_…, rd_…, (\w+_…, )*\w+_…\.$/],
    [{ operation: 'reserved_addrs.get', resource: 'rd_1' }, /resource is "rd_1". Allowed: ra_…\.$/],
    [{ operation: 'reserved_addrs.list', resource: 'ra_1' }, /resource is "ra_1". Allowed: nothing, because/],
  ])('is rejected with a message that says what is allowed: %j', (spec, message) => {
    const gateway = open()
    const before = stateOf(gateway)
    expect(() => gateway.faults.add(spec as never)).toThrow(message)
    expect(stateOf(gateway)).toBe(before)
  })

  it('applies if it is the oldest fault that matches, whatever its conditions are', async () => {
    const gateway = open()
    const { id } = gateway.reservedAddrs.create()
    const path = `${ADDRS}/${id}`
    const specs = [{}, { method: 'GET' }, { path }, { resource: id }, { operation: 'reserved_addrs.get' }] as const
    const statuses = [500, 501, 502, 504, 505]
    for (const order of [specs, [...specs].reverse()]) {
      for (const [i, spec] of order.entries()) gateway.faults.add({ ...spec, status: statuses[i] as number, times: 1 })
      expect(await sendAll(gateway, 6, path)).toEqual([...statuses, 200])
    }
  })

  it('counts a matching request for a later fault too, until the later fault begins', async () => {
    const gateway = open()
    gateway.faults.add({ operation: 'reserved_addrs.list', after: 1, times: 1, status: 500 })
    gateway.faults.add({ method: 'GET', after: 2, status: 502 })
    expect(await sendAll(gateway, 5)).toEqual([200, 500, 200, 502, 502])
  })

  it('replaces a used-up fault if there are already 1,000 faults, but never a pending one', async () => {
    const gateway = open()
    const usedFault = gateway.faults.add({ times: 1, truncate: 100_000 })
    await list(gateway)
    for (let i = 0; i < 1000; i++) gateway.faults.add({ operation: 'reserved_addrs.create' })
    expect(gateway.faults.all()).toHaveLength(1000)
    expect(gateway.faults.all().some(({ id }) => id === usedFault.id)).toBe(false)
    const before = stateOf(gateway)
    expect(() => gateway.faults.add({})).toThrow('The maximum of 1000 faults has been reached.')
    expect(stateOf(gateway)).toBe(before)
    gateway.faults.clear()
    expect(gateway.faults.add({}).hits).toBe(0)
  })

  it('has the reasons in the assertion error if it never matched', async () => {
    const gateway = open()
    expect(() => gateway.faults.assertNoPendingFaults()).not.toThrow()
    gateway.faults.add({ operation: 'reserved_domains.create', times: 2 })
    await list(gateway)
    await client(gateway)('GET', '/nope')
    const { message } = expectError(() => gateway.faults.assertNoPendingFaults())
    expect(message).toMatch(/^1 fault is still waiting for requests\.\n/)
    expect(message).toContain('applied to 0 of 2 requests')
    expect(message).toContain('GET /reserved_addrs: its operation is reserved_addrs.list, not reserved_domains.create')
    expect(message).toContain('GET /nope: is not an operation of the API')
    gateway.faults.clear()
    gateway.faults.add({ operation: 'reserved_addrs.list' })
    await list(gateway)
    expect(() => gateway.faults.assertNoPendingFaults()).not.toThrow()
  })
})

describe('The rate limit (rules: rate-limit#optional)', () => {
  it("allows 120 requests within a rolling minute of the gateway's clock, then returns 429 with Retry-After", async () => {
    const clock = manualClock(CLOCK_START)
    const gateway = open({ clock, rateLimit: true })
    for (let i = 0; i < 120; i++) {
      expect((await list(gateway)).status).toBe(200)
      clock.advance(100)
    }
    const before = stateOf(gateway)
    const refusal = await create(gateway)
    expect(outcome(refusal)).toBe('429 ERR_GATEWAY_226')
    expect(refusal.headers.get('retry-after')).toBe('48')
    expect(stateOf(gateway)).toBe(before)
    clock.advance('48s')
    expect((await list(gateway)).status).toBe(200)
    expect((await list(gateway)).status).toBe(429)
  })

  it("counts no response with status 429, even one from a fault or from the account's own limits", async () => {
    const account = { limits: { reserved_addrs: { max: 1, window: '1h' } } } as const
    const gateway = createNgrok({ clock: manualClock(CLOCK_START), account, rateLimit: { requests: 3, window: '10s' } })
    gateway.faults.add({ status: 429, times: 1 })
    gateway.faults.add({ operation: 'reserved_addrs.list', phase: 'after', error: 'too_many_requests', times: 1 })
    const statuses = []
    for (const method of ['GET', 'GET', 'POST', 'POST', 'POST', 'GET', 'GET', 'GET'] as const) {
      const init = { method, headers: { Authorization: 'Bearer k', 'Ngrok-Version': '2' } }
      statuses.push((await gateway.fetch(`${gateway.url}${ADDRS}`, init)).status)
    }
    expect(statuses).toEqual([429, 429, 201, 429, 429, 200, 200, 429])
  })

  it('counts no request without a valid key, and none on the control API', async () => {
    const gateway = open({ rateLimit: { requests: 1, window: '10s' }, keys: ['key'] })
    await client(gateway)('GET', ADDRS, { headers: { authorization: 'Bearer other' } })
    await gateway.fetch('http://localhost/_fauxgate/clock')
    expect((await list(gateway)).status).toBe(200)
    expect((await list(gateway)).status).toBe(429)
  })
})
