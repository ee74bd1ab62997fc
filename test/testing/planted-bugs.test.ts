import { describe, expect, test, vi } from 'vitest'
import { createNgrok, type Ngrok } from '../../src/gateway/ngrok.ts'
import type { ManualClock } from '../../src/index.ts'
import { matchers, testWithGateway } from '../../src/testing/testing.ts'

const API = 'https://api.ngrok.com'
const headers = { authorization: 'Bearer key', 'ngrok-version': '2', 'content-type': 'application/json' }
const policy = { authority: 'letsencrypt' }

const send = (method: string, path: string, body?: object) =>
  fetch(API + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
const read = async (...request: Parameters<typeof send>) => (await send(...request)).json()
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

type Work = (gateway: Ngrok<ManualClock>) => Promise<unknown>

/** Tests of applications, each with a bug, and the line of the report that says what it is. */
const BUGS: Readonly<Record<string, readonly [work: Work, plain: string | RegExp]>> = {
  'reads the first page alone, and then sends 30 other requests': [
    async (gateway) => {
      for (let n = 0; n < 101; n++) gateway.reservedAddrs.create()
      const { reserved_addrs: all } = await read('GET', '/reserved_addrs')
      for (const { id } of all.slice(0, 30)) await send('PATCH', `/reserved_addrs/${id}`, { metadata: 'seen' })
      expect(all).toHaveLength(101)
    },
    'There is another page, but no later request fetched it: see its next_page_uri.',
  ],
  'asks for pages by a parameter of another API': [
    async () => expect((await read('GET', '/reserved_addrs?offset=100')).reserved_addrs).toEqual([]),
    '"offset" is not a query parameter of this operation. Supported: limit, before_id, filter.',
  ],
  'compares dates of the service with local dates': [
    async (gateway) => {
      const { created_at } = gateway.reservedDomains.create({ domain: 'app.example.com' })
      expect(created_at.slice(0, 10)).toBe(`${new Date().getFullYear()}-12-31`)
    },
    "The service's times are in UTC. Local times in this process have the offset -05:00.",
  ],
  'polls on after a failed attempt': [
    async ({ provisioning, clock }) => {
      provisioning.failNext('DNS_ERROR')
      const body = { domain: 'app.example.com', certificate_management_policy: policy }
      const { id } = await read('POST', '/reserved_domains', body)
      const waiting = (async () => {
        for (let polls = 0; polls < 20; polls++) {
          if ((await read('GET', `/reserved_domains/${id}`)).certificate) return 'ready'
          await sleep(10_000)
        }
        return 'timed out'
      })()
      await clock.advanceAsync('10m')
      expect(await waiting).toBe('failed')
    },
    'Its provisioning_job has the error_code DNS_ERROR: the attempt has failed.',
  ],
  'looks for the code of an error elsewhere': [
    async () => expect((await read('POST', '/reserved_addrs', { color: 'red' })).error?.code).toBe('ERR_NGROK_214'),
    /POST \/reserved_addrs → 400 has the body \{"error_code":"ERR_NGROK_214","status_code":400,/,
  ],
  'does not wait as long as Retry-After says': [
    async ({ faults, clock }) => {
      faults.add({ times: 2, error: 'too_many_requests', retryAfter: '20s' })
      const statuses: number[] = []
      const retries = (async () => {
        for (let tries = 0; tries < 2; tries++) {
          statuses.push((await send('GET', '/reserved_addrs')).status)
          await sleep(1000)
        }
      })()
      await clock.advanceAsync('1m')
      await retries
      expect(statuses).toContain(200)
    },
    "It came 1 s after a response with Retry-After: 20, on the gateway's clock.",
  ],
  'empties a field that it does not send': [
    async (gateway) => {
      const { id: child } = gateway.staticBackends.create({ address: 'localhost:80' })
      const { id } = gateway.weightedBackends.create({ backends: { [child]: 1 } })
      await send('PATCH', `/backends/weighted/${id}`, { description: 'new' })
      expect(gateway.weightedBackends.get(id).backends).not.toEqual({})
    },
    'It also cleared backends, which the request did not mention.',
  ],
  'looks for a name as it was typed': [
    async () => {
      await send('POST', '/reserved_domains', { domain: 'Shop.Example.com' })
      const { reserved_domains } = await read('GET', '/reserved_domains')
      expect(reserved_domains[0].domain).toBe('Shop.Example.com')
    },
    'domain is "shop.example.com" in the response, but "Shop.Example.com" was sent.',
  ],
  'parses the body of a response that has none': [
    async (gateway) => read('DELETE', `/reserved_addrs/${gateway.reservedAddrs.create().id}`),
    /DELETE \/reserved_addrs\/ra_\w+ → 204 has no body/,
  ],
  'creates again after a lost response': [
    async (gateway) => {
      gateway.faults.add({ times: 1, phase: 'after', drop: true })
      await send('POST', '/reserved_addrs', {}).catch(() => send('POST', '/reserved_addrs', {}))
      expect(gateway.reservedAddrs.list().reserved_addrs).toHaveLength(1)
    },
    /An identical request already created ra_\w+\./,
  ],
  'takes seconds for milliseconds': [
    async ({ clock }) => {
      let polls = 0
      const polling = (async () => {
        for (; polls < 500; polls++) {
          await send('GET', '/reserved_domains')
          await sleep(5)
        }
      })()
      await clock.advanceAsync('1m')
      await polling
      expect(polls).toBeLessThan(10)
    },
    /500 times until .*, 2\d\d a second: GET \/reserved_domains/,
  ],
  'begins each page at the first ID of the one before': [
    async (gateway) => {
      for (let n = 0; n < 5; n++) gateway.reservedAddrs.create()
      const all = []
      for (let cursor = '', pages = 0; pages < 3; pages++) {
        const { reserved_addrs: page } = await read('GET', `/reserved_addrs?limit=2${cursor}`)
        all.push(...page)
        cursor = `&before_id=${page[0].id}`
      }
      expect(all).toHaveLength(5)
    },
    /before_id=ra_\w+ → 200\n {6}1 of its 2 items were on the previous page: see that page's next_page_uri\./,
  ],
  'retries a request that was rejected': [
    async () => {
      const creating = (async () => {
        for (let tries = 0; tries < 3; tries++) {
          if ((await send('POST', '/reserved_addrs', { color: 'red' })).ok) return 'created'
          await sleep(1000)
        }
        return 'rejected'
      })()
      const later = (async () => {
        for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve))
        return 'waiting'
      })()
      expect(await Promise.race([creating, later])).toBe('rejected')
    },
    /set after POST \/reserved_addrs → 400\. Is your code retrying a request that was rejected\?/,
  ],
  'remembers the first state of a domain': [
    async (gateway) => {
      gateway.provisioning.failNext('INTERNAL_ERROR')
      gateway.reservedDomains.create({ domain: 'app.example.com', certificate_management_policy: policy })
      const { reserved_domains } = await read('GET', '/reserved_domains')
      gateway.clock.advance('30s')
      expect(reserved_domains[0].certificate_management_status.provisioning_job.error_code).toBe('INTERNAL_ERROR')
    },
    'The attempt for app.example.com failed at 2026-01-01T00:00:30Z (INTERNAL_ERROR), but no later response shows the failure.',
  ],
  'reads another field of the items of a list': [
    async (gateway) => {
      gateway.reservedAddrs.create()
      const { reserved_addrs } = await read('GET', '/reserved_addrs')
      expect(reserved_addrs.map(({ address }: { address?: string }) => address)).toEqual(['tcp://1.tcp.ngrok.io'])
    },
    /GET \/reserved_addrs → 200 has the fields .*; the first of reserved_addrs has id, uri, created_at, .*\baddr,/,
  ],
  'looks for what it created, although the creation was rejected': [
    async () => {
      await send('POST', '/reserved_domains', { domain: 'no name' })
      const { reserved_domains } = await read('GET', '/reserved_domains')
      expect(reserved_domains[0].id).toMatch(/^rd_/)
    },
    /reserved_domains is empty\n {4}Before that: POST \/reserved_domains → 400\. Did your code ignore that error\?\n/,
  ],
  'reads the fields of an object that is no error': [
    async () => {
      throw await read('POST', '/reserved_addrs', { color: 'red' })
    },
    /^color is not a field of this operation\. .*\n\nThe gateway at .*\n {2}requests:\n.*POST \/reserved_addrs \{"color":"red"\} → 400/,
  ],
  'asks for a certificate by the ID of its domain': [
    async (gateway) => {
      const { id } = gateway.reservedDomains.create({ domain: 'app.example.com' })
      expect((await read('GET', `/tls_certificates/${id}`)).subject_common_name).toBe('app.example.com')
    },
    /There is no resource with the ID "rd_\w+": such an ID starts with "cert_"\./,
  ],
}

describe('The error of a failing test tells the bug of an application that', () => {
  test.each(Object.entries(BUGS))('%s', async (_name, [work, plain]) => {
    vi.stubEnv('TZ', 'America/New_York')
    const runs: (() => Promise<unknown>)[] = []
    const base = (_: string, run: () => Promise<unknown>) => runs.push(run)
    const options = { create: createNgrok<ManualClock>, globals: true }
    testWithGateway(base, options)('of an application', ({ gateway }) => work(gateway))
    const message = await runs[0]?.().then(String, ({ message: text }: Error) => text)
    vi.unstubAllEnvs()
    expect(message).toMatch(plain)
  })

  test('without a hint at an earlier certificate that a response had shown, which was renewed since', async () => {
    const runs: (() => Promise<unknown>)[] = []
    const base = (_: string, run: () => Promise<unknown>) => runs.push(run)
    testWithGateway(base, { create: createNgrok<ManualClock>, globals: true })(
      'of an application',
      async (fixtures) => {
        const { gateway } = fixtures
        const { id } = gateway.reservedDomains.create({
          domain: 'app.example.com',
          certificate_management_policy: policy,
        })
        await read('GET', `/reserved_domains/${id}`)
        gateway.clock.advance('30s')
        await read('GET', `/reserved_domains/${id}`)
        gateway.clock.advance('61d')
        throw new Error('It broke.')
      },
    )
    const message = await runs[0]?.().then(String, ({ message: text }: Error) => text)
    expect(message).toContain('renewed')
    expect(message).not.toContain('no later response shows it')
  })

  test('without a hint at time zones if only the report of a matcher has dates', async () => {
    vi.stubEnv('TZ', 'America/New_York')
    const runs: (() => Promise<unknown>)[] = []
    const base = (_: string, run: () => Promise<unknown>) => runs.push(run)
    testWithGateway(base, { create: createNgrok<ManualClock>, globals: true })(
      'of an application',
      async ({ gateway }) => {
        await send('POST', '/reserved_addrs', {})
        const { pass, message } = matchers.toHaveNoLeftovers(gateway)
        if (!pass) throw new Error(message())
      },
    )
    const message = await runs[0]?.().then(String, ({ message: text }: Error) => text)
    vi.unstubAllEnvs()
    expect(message).toContain('requests left 1')
    expect(message).not.toContain('Local times')
  })
})
