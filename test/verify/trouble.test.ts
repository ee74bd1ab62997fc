import { describe, expect, test } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import type { Gateway } from '../../src/index.ts'
import { deleteLeftovers } from '../../src/verify/clean-up.ts'
import { ServiceClient, type VerifyHost } from '../../src/verify/client.ts'
import { exitCodeOf, reportText, reportXml } from '../../src/verify/report.ts'
import { leftoversIn, markOf, RunLog, type RunLogEntry } from '../../src/verify/run-log.ts'
import { requireOwn } from '../../src/verify/safety.ts'
import { type Fetch, gatewayToVerify, KEY, runVerify, verifyGateway } from '../support/verify.ts'
import { createFetch, type Divergence, type Json } from './divergence.ts'

/** Returns a fetch function that reaches a gateway for a number of requests, and then calls another function. */
function switchAfter(gateway: Gateway, last: number, then: Fetch): Fetch {
  let count = 0
  return (url, init) => (++count <= last ? gateway.fetch(url, init) : then(url, init))
}

const refuseConnection: Fetch = () =>
  Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } }))
const respondWithPage: Fetch = async () =>
  new Response('<html>Sign in</html>', { headers: { 'content-type': 'text/html; charset=utf-8' } })
const respondWith =
  (status: number, headers: Record<string, string> = {}): Fetch =>
  async () =>
    new Response('{"error_code":"ERR_NGROK_1","msg":"no"}', {
      status,
      headers: { 'content-type': 'application/json', ...headers },
    })

const FAMILY = ['ip_policy_rules']

/** Deletes the resources that a log names, like `verify --clean`. Returns all entries of the log. */
async function cleanUpLater(gateway: Gateway, entries: readonly RunLogEntry[]): Promise<readonly RunLogEntry[]> {
  const all = [...entries]
  const signal = new AbortController().signal
  const host = { fetch: gateway.fetch, now: () => 0, sleep: async () => {}, deadline: () => signal }
  const client = new ServiceClient({
    url: gateway.url,
    key: KEY,
    versionHeader: gateway.dialect.versionHeader,
    timeout: 1,
    perMinute: 60,
    host,
    signal,
  })
  const storage = { add: (entry: RunLogEntry) => void all.push(entry) }
  expect(await deleteLeftovers(client, new RunLog(storage, entries), markOf('test'))).toEqual([])
  return all
}

describe('A run whose requests get no usable response', () => {
  test.each([
    ['nobody listens', refuseConnection, 'no connection: nothing is listening at this address (ECONNREFUSED)', 1],
    [
      'each response is a page',
      respondWithPage,
      /^responded with 200 and text\/html; charset=utf-8, which is not a list from this API/,
      2,
    ],
    ['the key is wrong', respondWith(401), /^no list could be read: responded with 401 \(ERR_NGROK_1: no\)/, 2],
    ['the key may nothing', respondWith(403), /^no list could be read: responded with 403/, 2],
    ['there is another service', respondWith(404), /^no list could be read: responded with 404/, 2],
    ['the server always fails', respondWith(503), /responded with 503/, 3],
  ])('reports the reason and ends, when %s', async (_what, fetch, reason, most) => {
    const { report, entries } = await runVerify(fetch, { families: ['ip_policies', 'vaults'] })
    expect(report.stopped).toMatch(reason)
    expect(exitCodeOf(report)).toBe(3)
    expect(report.requests).toBeLessThanOrEqual(most)
    expect([report.remaining, report.inventory, leftoversIn(entries).created]).toEqual([[], [], []])
    // The text has the reason and the totals, and no more.
    expect(reportText(report).trim().split('\n')).toHaveLength(2)
    expect(reportText(report)).toContain('0 operations the same, 0 different')
  })

  test('ends and keeps its log, when the server dies in the middle; the remaining resources can be deleted later', async () => {
    for (const last of [26, 28, 40, 80]) {
      const gateway = gatewayToVerify()
      const { report, entries } = await verifyGateway(
        gateway,
        { families: FAMILY },
        switchAfter(gateway, last, refuseConnection),
      )
      expect(report.stopped).toContain('no connection: nothing is listening at this address (ECONNREFUSED)')
      expect(exitCodeOf(report)).toBe(4)
      expect(report.requests).toBeLessThan(last + 10)
      expect(report.remaining.length).toBeGreaterThanOrEqual(gateway.leftovers().length)
      const after = await cleanUpLater(gateway, entries)
      expect([gateway.leftovers(), leftoversIn(after)]).toEqual([[], { created: [], unsure: [] }])
    }
  })

  test('leaves nothing, whichever single request fails, before or after the server did its work', async () => {
    for (const isDone of [false, true]) {
      for (let nth = 1; nth < 190; nth += 37) {
        const gateway = gatewayToVerify()
        let count = 0
        const failOnce: Fetch = async (url, init) => {
          if (++count !== nth) return gateway.fetch(url, init)
          if (isDone) await gateway.fetch(url, init)
          return refuseConnection(url, init)
        }
        const { report } = await verifyGateway(gateway, { families: FAMILY }, failOnce)
        expect([nth, report.outcomes.filter(({ verdict }) => verdict === 'differs')]).toEqual([nth, []])
        expect([nth, gateway.leftovers(), report.inventory, report.remaining]).toEqual([nth, [], [], []])
        // A failed deletion is done again.
        expect([0, 3]).toContain(exitCodeOf(report))
      }
    }
  })

  test('ends when the responses become pages', async () => {
    const gateway = gatewayToVerify()
    const { report } = await verifyGateway(gateway, { families: FAMILY }, switchAfter(gateway, 40, respondWithPage))
    expect(report.stopped).toBe('the server no longer responds with JSON')
    expect(exitCodeOf(report)).toBe(4)
    expect(report.requests).toBeLessThan(55)
  })

  test('ends when the server hangs', async () => {
    const gateway = gatewayToVerify()
    const host = createImpatientHost(switchAfter(gateway, 30, () => new Promise(() => {})))
    const { report } = await verifyGateway(gateway, { families: FAMILY, host })
    expect(report.stopped).toContain('no response within 30 s')
    expect(exitCodeOf(report)).toBe(4)
    expect(report.requests).toBeLessThan(45)
  })

  test('waits as long as a 429 says, and continues', async () => {
    const gateway = gatewayToVerify()
    let count = 0
    const fetch: Fetch = (url, init) => {
      count++
      return count === 20 ? respondWith(429, { 'retry-after': '17' })(url, init) : gateway.fetch(url, init)
    }
    const { report, times } = await verifyGateway(gateway, { families: ['ip_policies'] }, fetch)
    expect(exitCodeOf(report)).toBe(0)
    expect((times[20] ?? 0) - (times[19] ?? 0)).toBe(17_000)
  })

  test('ends when every response is a 429', async () => {
    const gateway = gatewayToVerify()
    const fetch = switchAfter(gateway, 30, respondWith(429, { 'retry-after': '1' }))
    const { report, entries } = await verifyGateway(gateway, { families: FAMILY }, fetch)
    expect(report.stopped).toContain('responded with 429 4 times')
    expect(exitCodeOf(report)).toBe(4)
    expect(report.requests).toBeLessThan(70)
    await cleanUpLater(gateway, entries)
    expect(gateway.leftovers()).toEqual([])
    const longWait = await runVerify(respondWith(429, { 'retry-after': '3600' }), { families: FAMILY })
    expect(longWait.report.stopped).toBe('responded with 429 and asked to wait 3600 s')
  })

  test('finds a creation that was done although its response was 408, before the next scenario', async () => {
    const gateway = gatewayToVerify()
    let creations = 0
    const fetch: Fetch = async (url, init) => {
      const response = await gateway.fetch(url, init)
      return init.method === 'POST' && ++creations === 1 ? respondWith(408)(url, init) : response
    }
    const { report, entries } = await verifyGateway(gateway, { families: ['ip_policies', 'vaults'] }, fetch)
    expect([exitCodeOf(report), gateway.leftovers()]).toEqual([3, []])
    expect(entries.slice(1, 5).map(({ entry }) => entry)).toEqual(['creating', 'created', 'searched', 'deleted'])
  })

  test('ends with a signal while it reads the lists, after the present request', async () => {
    const gateway = gatewayToVerify()
    const stop = new AbortController()
    const fetch = switchAfter(gateway, 2, (url, init) => {
      stop.abort()
      return gateway.fetch(url, init)
    })
    const { report } = await verifyGateway(gateway, { signal: stop.signal }, fetch)
    expect([report.stopped, report.requests]).toEqual(['stopped by a signal', 3])
    // The run did not compare the inventory.
    expect(reportXml(report)).toContain('name="as before"><skipped message="stopped by a signal"/>')
  })

  test('ends with a signal, and deletes the resources that it created', async () => {
    const gateway = gatewayToVerify()
    const stop = new AbortController()
    const fetch = switchAfter(gateway, 40, (url, init) => {
      stop.abort()
      return gateway.fetch(url, init)
    })
    const { report } = await verifyGateway(gateway, { families: FAMILY, signal: stop.signal }, fetch)
    expect([report.stopped, report.remaining, gateway.leftovers()]).toEqual(['stopped by a signal', [], []])
    expect(exitCodeOf(report)).toBe(3)
  })
})

/** Returns a host whose deadlines pass as soon as a request hangs. */
function createImpatientHost(fetch: Fetch): VerifyHost {
  return {
    now: () => 0,
    sleep: async () => {},
    deadline: () => new AbortController().signal,
    async fetch(url, init) {
      const response = fetch(url, init)
      const isHanging = await Promise.race([response.then(() => false), waitForReadyWork()])
      if (!isHanging) return response
      Object.defineProperty(init.signal, 'aborted', { value: true })
      throw new DOMException('The operation timed out.', 'TimeoutError')
    },
  }
}

/** Waits until all other ready work is done. */
function waitForReadyWork(): Promise<true> {
  return new Promise((resolve) => setImmediate(resolve, true))
}

describe('A server with responses that no service sends', () => {
  const verifyThrough = async (gateway: Gateway, alter: NonNullable<Divergence['alter']>) =>
    (await verifyGateway(gateway, { families: ['ip_policies'] }, createFetch(gateway, { at: '', alter }))).report

  test.each([
    ['items that are null', ({ body }: Json) => (body.ip_policies = [null]), 'which is not a list from this API'],
    [
      'a next page at another host',
      ({ body }: Json) => (body.next_page_uri = 'https://other.example.com/ip_policies?before_id=x'),
      'its next page is at "https://other.example.com/ip_policies?before_id=x"',
    ],
  ])('gets no creations, if its lists have %s', async (_what, alter, reason) => {
    const gateway = gatewayToVerify()
    const report = await verifyThrough(
      gateway,
      (response, { path }) => path === '/ip_policies?limit=100' && alter(response),
    )
    expect(report.stopped).toContain(reason)
    expect([exitCodeOf(report), gateway.requests.count({ method: 'POST' })]).toEqual([3, 0])
  })

  test.each(['x1', '', '../vaults'])(
    'does not make the run reject, if the id of a new resource is %j, and the resource is deleted',
    async (id) => {
      const gateway = gatewayToVerify()
      const report = await verifyThrough(gateway, ({ body, status }) => status === 201 && Object.assign(body, { id }))
      const created = report.outcomes.find(({ operation }) => operation === 'ip_policies.create')
      expect(created?.differences?.map(({ at }) => at)).toContain('body.id')
      expect([exitCodeOf(report), report.remaining, gateway.leftovers()]).toEqual([1, [], []])
      expect(report.outcomes.map(({ reason }) => reason)).not.toContain('')
    },
  )
})

describe('A run reports no difference', () => {
  test('for a limit of the plan, and for operations that need the resource that was not created', async () => {
    const gateway = createNgrok({ account: { limits: { ip_policies: 0 } } })
    const { report } = await verifyGateway(gateway, { families: ['ip_policies', 'ip_policy_rules'] })
    expect(exitCodeOf(report)).toBe(3)
    const reasons = new Set(report.outcomes.flatMap(({ reason }) => reason ?? []))
    expect([...reasons].join('\n')).toMatch(/^the account's plan: responded with 400 \(ERR_NGROK_/)
    expect([...reasons].join('\n')).toContain(
      '"ip_policies.create with every field" was not called: the account\'s plan',
    )
    expect(report.outcomes.some(({ verdict }) => verdict === 'differs')).toBe(false)
  })

  test('for a key that may not see one family', async () => {
    const gateway = gatewayToVerify()
    const fetch: Fetch = (url, init) =>
      url.includes('/vaults') ? respondWith(403)(url, init) : gateway.fetch(url, init)
    const { report } = await verifyGateway(gateway, { families: ['ip_policies', 'vaults'] }, fetch)
    expect(report.outcomes.filter(({ verdict }) => verdict === 'differs')).toEqual([])
    const vaultOutcomes = report.outcomes.filter(({ family }) => family === 'vaults')
    expect([...new Set(vaultOutcomes.map(({ reason }) => reason))]).toEqual(['responded with 403 (ERR_NGROK_1: no)'])
    expect([report.stopped, exitCodeOf(report)]).toEqual([undefined, 3])
  })
})

describe('A run fails although each response is the same', () => {
  test('if another client deletes or changes its own resource meanwhile', async () => {
    const gateway = createNgrok()
    const [first, second] = [gateway.ipPolicies.create({}), gateway.ipPolicies.create({ description: 'before' })]
    const fetch = switchAfter(gateway, 40, (url, init) => {
      if (gateway.ipPolicies.list().ip_policies.some(({ id }) => id === first.id)) {
        gateway.ipPolicies.delete(first.id)
        gateway.ipPolicies.update(second.id, { description: 'after' })
      }
      return gateway.fetch(url, init)
    })
    const { report } = await verifyGateway(gateway, { families: ['ip_policies'] }, fetch)
    expect(report.inventory.map(({ id, change }) => [id, change]).sort()).toEqual(
      [
        [first.id, 'missing'],
        [second.id, 'changed'],
      ].sort(),
    )
    expect(exitCodeOf(report)).toBe(1)
  })
})

describe('A changing request', () => {
  const isOwn = (id: string) => id === 'ipp_0123456789abcdefghijklmnopq'
  const send = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: string) => () =>
    requireOwn({ method, path, headers: {}, ...(body !== undefined && { body }) }, 'fauxgate-verify-test', isOwn)

  test('names no resource but those of the run', () => {
    expect(send('DELETE', '/ip_policies/ipp_0123456789abcdefghijklmnopq')).not.toThrow()
    expect(send('DELETE', '/ip_policies/ipp_0123456789abcdefghijklmnopr')).toThrow('which this run did not create')
    expect(send('PATCH', '/ip_policies')).toThrow('does not name exactly one resource')
    const body = '{"description":"fauxgate-verify-test","ip_policy_id":"ipp_0123456789abcdefghijklmnopr"}'
    expect(send('POST', '/ip_policy_rules', body)).toThrow('which this run did not create')
    expect(send('POST', '/ip_policies', '{}')).toThrow('without the mark')
  })
})
