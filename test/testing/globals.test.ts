import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { createGateway, type Gateway, manualClock } from '../../src/index.ts'
import { serve } from '../../src/server/node.ts'
import { survives, type TestOptions } from '../../src/testing/testing.ts'
import { testUsing } from '../../src/testing/vitest.ts'
import { catchTestMessage, runTest } from './run-test.ts'

const URL_OF_DOMAINS = 'https://api.ngrok.com/reserved_domains'
const headers = { authorization: 'Bearer k', 'ngrok-version': '2' }
const START = Date.UTC(2026, 0, 1)

/** The globals that the option replaces. */
function readGlobals(): unknown[] {
  const names = ['fetch', 'setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'Date']
  return [...names.map((name) => Reflect.get(globalThis, name)), performance.now, AbortSignal.timeout]
}

const before = readGlobals()

/** Polls as applications do: with the global fetch, timers and dates, and without a parameter for any of them. */
async function waitForCertificate(id: string, timeout = 60_000): Promise<object> {
  for (const start = Date.now(); Date.now() - start < timeout; ) {
    const response = await fetch(`${URL_OF_DOMAINS}/${id}`, { headers, signal: AbortSignal.timeout(5_000) })
    const { certificate } = await response.json()
    if (certificate) return certificate
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
  throw new Error(`There is no certificate after ${timeout} ms.`)
}

describe('The globals option', () => {
  const ownTest = testUsing(createNgrok, { globals: true })

  ownTest('lets code poll with the global fetch and timers', async ({ gateway }) => {
    const { id } = gateway.reservedDomains.create({ domain: 'app.example.com' })
    const certificate = waitForCertificate(id)
    await gateway.clock.advanceAsync('2m')
    expect(await certificate).toEqual(gateway.reservedDomains.get(id).certificate)
    expect(gateway.requests.count()).toBeGreaterThan(25)
  })

  ownTest('moves every clock of the host with that of the gateway', async ({ gateway }) => {
    expect([Date.now(), new Date('2026-01-01T00:00:00Z').getTime()]).toEqual([START, START])
    const fired: string[] = []
    const from = performance.now()
    setTimeout(() => fired.push('setTimeout'), 1_000)
    const interval = setInterval(() => fired.push('setInterval'), 2_000)
    void sleep(3_000, 'timers/promises').then((text) => fired.push(text))
    void promisify(setTimeout)(4_000).then(() => fired.push('promisify'))
    AbortSignal.timeout(5_000).addEventListener('abort', () => fired.push('AbortSignal'))
    await gateway.clock.advanceAsync('5s')
    clearInterval(interval)
    expect(fired).toEqual(['setTimeout', 'setInterval', 'timers/promises', 'setInterval', 'promisify', 'AbortSignal'])
    expect([Date.now() - START, performance.now() - from]).toEqual([5_000, 5_000])
  })

  ownTest('applies to a test that does not name its gateway', async () => {
    expect((await fetch(URL_OF_DOMAINS, { headers })).status).toBe(200)
    expect(Date.now()).toBe(START)
  })

  describe('without the strict check', () => {
    ownTest.override('strict', false)
    ownTest('rejects requests to other hosts', async () => {
      await expect(fetch('https://elsewhere.test/')).rejects.toThrow('other requests are rejected')
    })
  })

  ownTest('replaces all of these globals', () => {
    expect(readGlobals().filter((each) => before.includes(each))).toEqual([])
  })
  afterEach(() => vi.useRealTimers())
  afterAll(() => expect(readGlobals()).toEqual(before))
})

describe('The globals option with options of install', () => {
  const agentTest = testUsing(createNgrok, { globals: { agent: true } })

  agentTest('passes them on', async () => {
    expect((await fetch('http://127.0.0.1:4040/api/tunnels')).status).toBe(200)
  })

  test('lists the requests to the agent in the report, and does not say that none arrived', async () => {
    const message = await catchTestMessage(
      async () => {
        await fetch('http://127.0.0.1:4040/api/tunnels')
        throw new Error('no URL')
      },
      { create: (each) => createNgrok(each), globals: { agent: true } },
    )
    expect(message).toContain(
      [
        '  requests:',
        '    none to the REST API',
        "  requests to the agent's API:",
        '    2026-01-01T00:00:00Z  GET /api/tunnels → 200',
        '      {"tunnels":[],"uri":"/api/tunnels"}',
      ].join('\n'),
    )
    expect(message).not.toContain('no requests arrived')
  })
})

describe('The globals option on the system clock', () => {
  const systemTest = testUsing(createNgrok, { globals: true, clock: 'system' })

  systemTest('installs the gateway, and leaves timers to the runner', async ({ gateway }) => {
    expect(readGlobals().slice(1)).toEqual(before.slice(1))
    vi.useFakeTimers({ now: START })
    onTestFinished(() => void vi.useRealTimers())
    const { id } = gateway.reservedDomains.create({ domain: 'app.example.com' })
    const certificate = waitForCertificate(id)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await certificate).toHaveProperty('uri')
  })
})

describe('The globals option of any runner', () => {
  const options: TestOptions = { create: (each) => createNgrok(each), globals: true }
  afterEach(() => expect(readGlobals()).toEqual(before))

  test('replaces the globals for the test alone', async () => {
    const message = await catchTestMessage(async (gateway) => {
      const { id } = gateway.reservedDomains.create({ domain: 'app.example.com' })
      const certificate = waitForCertificate(id)
      await gateway.clock.advanceAsync('1m')
      await certificate
    }, options)
    expect(message).toBe('passed')
  })

  test('adds no report of an unused gateway to the story of survives, which has gateways of its own', async () => {
    const message = await catchTestMessage(async () => {
      const headers = { authorization: 'Bearer k', 'ngrok-version': '2', 'content-type': 'application/json' }
      const create = async (url: string) => {
        const send = () => fetch(`${url}/reserved_addrs`, { method: 'POST', headers, body: '{}' })
        await send().catch(send)
      }
      await survives(({ url }) => create(url), { create: createNgrok, kinds: ['lost'], faults: 1 })
    }, options)
    expect(message).toContain('2 reserved_addrs, expected 1')
    expect(message).not.toContain('The gateway at')
  })

  test('restores them after a test that fails, and drops its timers', async () => {
    const clock = manualClock(START)
    const fired: string[] = []
    const error = await runTest(
      () => {
        setTimeout(() => fired.push('late'), 1_000)
        throw new Error('no')
      },
      { ...options, gatewayOptions: () => ({ clock }) },
    )
    expect(error?.message).toMatch(/^no\n/)
    clock.advance('1h')
    expect(fired).toEqual([])
  })

  test('says nothing of the time limit of a request, which is no wait', async () => {
    const fail = async () => {
      await fetch(URL_OF_DOMAINS, { headers, signal: AbortSignal.timeout(10_000) })
      throw new Error('no')
    }
    expect(await catchTestMessage(fail, options)).not.toContain('timer')
  })

  test.each<[string, (gateway: Gateway) => Promise<string>]>([
    ['the API', async () => URL_OF_DOMAINS],
    ['a served gateway', async (gateway) => `${(await serve(gateway)).url}/reserved_domains`],
  ])('suspects a missing await, and no timer, if a request to %s has a time limit of its client', async (_, place) => {
    const message = await catchTestMessage(async (gateway) => {
      const url = await place(gateway)
      // As ky does.
      void new Promise((resolve, reject) => {
        const limit = setTimeout(reject, 10_000)
        fetch(url, { headers })
          .then(resolve, reject)
          .then(() => clearTimeout(limit))
      })
      throw new Error('no')
    }, options)
    expect(message).toContain(
      '1 request was still pending when the test ended: GET /reserved_domains. Is an await missing?',
    )
    expect(message).not.toMatch(/timer|Clients of node:http/)
  })

  test('suspects no missing await of a request that Promise.all left pending after a failure', async () => {
    const message = await catchTestMessage(async (gateway) => {
      gateway.faults.add({ operation: 'reserved_domains.list', latency: '1m' })
      const read = async () => {
        throw new Error(`status ${(await fetch(`${URL_OF_DOMAINS}/rd_none`, { headers })).status}`)
      }
      await Promise.all([fetch(URL_OF_DOMAINS, { headers }), read()])
    }, options)
    expect(message).toContain(
      "ended: GET /reserved_domains. The test may have awaited it: Promise.all doesn't wait for the others after a failure, " +
        'such as GET /reserved_domains/rd_none → 404.',
    )
    expect(message).not.toContain('Is an await missing')
  })

  test('says nothing of a timer that keeps no process alive, which no code waits for', async () => {
    const fail = () => {
      setTimeout(() => undefined, 499).unref()
      throw new Error('Test timed out in 5000ms.')
    }
    expect(await catchTestMessage(fail, options)).not.toContain('timer')
  })

  test('says the milliseconds of a timer, and of the time that the clock moved to', async () => {
    const message = await catchTestMessage(async ({ clock }) => {
      await clock.advanceAsync('5s')
      setTimeout(() => undefined, 500)
      throw new Error('Test timed out in 5000ms.')
    }, options)
    expect(message).toContain(
      'It is due at 2026-01-01T00:00:05.500Z. The clock advanced to 2026-01-01T00:00:05Z, 500ms before that. Advance',
    )
  })

  test('says that timers wait where a test never moved the clock', async () => {
    const fail = () => {
      setTimeout(() => undefined, 1_000)
      throw new Error('no')
    }
    const hint =
      "1 timer is waiting for the gateway's clock. It is due at 2026-01-01T00:00:01Z. Advance the clock while your code waits: " +
      "`await gateway.clock.advanceAsync('1s')`."
    expect(await catchTestMessage(fail, options)).toContain(hint)
    const failAfterMove = (...[gateway]: Parameters<NonNullable<Parameters<typeof runTest>[0]>>) => {
      gateway.clock.advance('1ms')
      fail()
    }
    expect(await catchTestMessage(failAfterMove, options)).not.toContain('Advance the clock')
  })

  test('adds the report to the message of an error of node:assert, whose diff is the name of a format', async () => {
    const error = Object.assign(new Error('no'), { diff: 'simple' })
    const message = await catchTestMessage(() => {
      throw error
    }, options)
    expect([message, error.diff]).toEqual([expect.stringContaining('The gateway at'), 'simple'])
  })

  test('says of a timer that is due now that a move of 1 ms reaches it, and no distance after a move', async () => {
    const failWithTimer = () => {
      setTimeout(() => undefined, 0)
      throw new Error('Test timed out in 5000ms.')
    }
    expect(await catchTestMessage(failWithTimer, options)).toContain("`await gateway.clock.advanceAsync('1ms')`.")
    const message = await catchTestMessage(({ clock }) => {
      clock.advance('10m')
      failWithTimer()
    }, options)
    expect(message).toContain('It is due at 2026-01-01T00:10:00Z. The clock advanced to 2026-01-01T00:10:00Z.')
  })

  test('says how far a timer is from the time that the clock moved to, if the test then timed out', async () => {
    const message = await catchTestMessage(async ({ clock }) => {
      await clock.advanceAsync('10m')
      setTimeout(() => undefined, 60 * 60_000)
      throw new Error('Test timed out in 5000ms.')
    }, options)
    expect(message).toContain(
      'It is due at 2026-01-01T01:10:00Z. The clock advanced to 2026-01-01T00:10:00Z, 1h before that. ' +
        'Advance it further, unless your code should wait less or should have given up by then.',
    )
    expect(message).not.toContain('Advance the clock')
  })

  test('says after which request the next of several timers was set, unless requests overlapped', async () => {
    const failAfter = (...paths: readonly string[]) =>
      catchTestMessage(async () => {
        setTimeout(() => undefined, 5_000)
        await Promise.all(paths.map((path) => fetch(`${URL_OF_DOMAINS}${path}`, { headers })))
        setTimeout(() => undefined, 2_000)
        await fetch(URL_OF_DOMAINS, { headers })
        throw new Error('no')
      }, options)
    const timers = "2 timers are waiting for the gateway's clock. The next is due at 2026-01-01T00:00:02Z"
    expect(await failAfter('/rd_one')).toContain(
      `${timers}, and was set after GET /reserved_domains/rd_one → 404. Advance`,
    )
    expect(await failAfter('/rd_one', '/rd_two')).toContain(`${timers}. Advance`)
  })

  test('suspects a missing await if many timers are due at one time', async () => {
    const message = await catchTestMessage(async ({ clock }) => {
      await clock.advanceAsync('10s')
      for (let count = 0; count < 100; count++) setTimeout(() => undefined, 5_000)
      throw new Error('Test timed out in 5000ms.')
    }, options)
    expect(message).toContain(
      "100 timers are waiting for the gateway's clock. The next is due at 2026-01-01T00:00:15Z. " +
        '100 timers are due at that time. Is the await of a delay missing?',
    )
  })

  test('names no request for a timer that was set before any', async () => {
    const message = await catchTestMessage(async () => {
      setTimeout(() => undefined, 1_000)
      await fetch(URL_OF_DOMAINS, { headers })
      throw new Error('no')
    }, options)
    expect(message).toContain("1 timer is waiting for the gateway's clock. It is due at 2026-01-01T00:00:01Z. Advance")
  })

  test.each([
    ['names the timer that waits, if no request came', 3, true],
    ['suspects another client, if no request came and no timer waits', 0, false],
  ])('%s', async (_, hours, waits) => {
    const message = await catchTestMessage(async (gateway) => {
      if (hours > 0) setTimeout(() => void fetch(URL_OF_DOMAINS, { headers }), hours * 3_600_000)
      AbortSignal.timeout(86_400_000)
      await gateway.clock.advanceAsync('150m')
      throw new Error('no')
    }, options)
    const timers = "1 timer is waiting for the gateway's clock. It is due at 2026-01-01T03:00:00Z."
    expect([message.includes(timers), message.includes('node:http')]).toEqual([waits, !waits])
  })

  test('with the system clock replaces fetch alone', async () => {
    let seen: unknown[] = []
    const message = await catchTestMessage(
      () => {
        seen = readGlobals()
      },
      { ...options, clock: 'system' },
    )
    expect([message, seen[0] === before[0], seen.slice(1)]).toEqual(['passed', false, before.slice(1)])
  })

  test('rejects fake timers, which it would bring back', async () => {
    vi.useFakeTimers()
    const message = await catchTestMessage(() => undefined, options)
    vi.useRealTimers()
    expect(message).toContain(
      "The globals option puts timers on the gateway's clock, but fake timers are already installed, for example by",
    )
  })

  test.each([
    ['globals', 5, 'globals is 5. Allowed: true, false, or an object with gateway.install() options.'],
    ['clock', 'real', 'clock is "real". Allowed: "manual" or "system".'],
  ])('allows only its values: %s', async (name, value, message) => {
    const wrong = { [name]: value } as unknown as TestOptions
    await expect(async () => runTest(() => undefined, wrong)).rejects.toThrow(message)
    expect(() => testUsing(createGateway, wrong as object)).toThrow(message)
  })

  test('has no values that install rejects', async () => {
    const wrong = { ...options, globals: { other: 'pass' } } as unknown as TestOptions
    await expect(runTest(() => undefined, wrong)).resolves.toHaveProperty(
      'message',
      '"other" is not an option. Supported: others, traffic, agent.',
    )
  })
})
