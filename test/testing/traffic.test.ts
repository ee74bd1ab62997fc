import { performance as hostPerformance } from 'node:perf_hooks'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Gateway, type ManualClock, manualClock } from '../../src/index.ts'
import { timersOn } from '../../src/testing/clock.ts'
import '../../src/testing/vitest.ts'
import { CLOCK_START } from '../support/clock.ts'
import { catchTestMessage } from './run-test.ts'

const headers = { authorization: 'Bearer k', 'service-version': '2', 'content-type': 'application/json' }

/** Creates the application under test: a small client. */
function createClient(gateway: Pick<Gateway, 'url'> & { fetch: typeof fetch }) {
  const send = (method: string, path: string, body?: object) =>
    gateway.fetch(gateway.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return {
    reserve: (domain: string) =>
      send('POST', '/reserved_domains', { domain, certificate_management_policy: { authority: 'letsencrypt' } }),
    remove: (id: string) => send('DELETE', `/reserved_domains/${id}`),
    list: () => send('GET', '/reserved_domains'),
  }
}

const expectToPass = async (work: (gateway: Gateway<ManualClock>) => unknown) =>
  expect(await catchTestMessage(work)).toBe('passed')

afterEach(() => void vi.useRealTimers())

describe('A forgotten await', () => {
  test('fails before the clock advances, because the request has not arrived yet', async () => {
    const error = await catchTestMessage(async (gateway) => {
      const { reserve } = createClient(gateway)
      const onboard = async () => {
        reserve('app.example.com')
      }
      await onboard()
      gateway.clock.advance('30s')
      const { reserved_domains: domains } = gateway.reservedDomains.list()
      if (domains.every(({ certificate }) => !certificate)) throw new Error('There is no certificate.')
    })
    expect(error).toMatch(/^There is no certificate\./)
    expect(error).toContain(
      '1 request was still pending when the test ended: POST /reserved_domains. Is an await missing?',
    )
  })

  test('is not suspected where the runner has ended a slow test, which may have awaited all', async () => {
    const error = await catchTestMessage((gateway) => {
      void createClient(gateway).list()
      throw new Error('Test timed out in 5000ms.')
    })
    expect(error).toContain('1 request was still pending when the test ended: GET /reserved_domains. The test may')
    expect(error).not.toContain('Is an await missing')
  })

  test('fails at the end of a test, and the error names the requests', async () => {
    const error = await catchTestMessage(async (gateway) => {
      const { reserve, remove } = createClient(gateway)
      const { id } = await (await reserve('app.example.com')).json()
      const rollBack = async () => {
        remove(id)
        remove(id)
      }
      await rollBack()
    })
    expect(error).toMatch(
      /2 requests were still pending when the test ended: DELETE \/reserved_domains\/rd_\w+, DELETE .*Is an await missing/,
    )
  })

  test('hides the faults that wait, because it may use them', async () => {
    const error = await catchTestMessage((gateway) => {
      gateway.faults.add({ operation: 'reserved_domains.list', latency: '5s' })
      void createClient(gateway).list()
    })
    expect(error).toContain('1 request was still pending when the test ended: GET /reserved_domains.')
    const [before] = error.split('The gateway at')
    expect(before).not.toContain('still waiting for requests')
  })

  test('is a hint if only an asynchronous move let the request arrive', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    onTestFinished(() => warn.mockRestore())
    const forget = async (gateway: Gateway<ManualClock>) => {
      const { reserve } = createClient(gateway)
      const onboard = async () => {
        reserve('app.example.com')
      }
      await onboard()
      await gateway.clock.advanceAsync('30s')
      expect(gateway.reservedDomains.list().reserved_domains[0]?.certificate).not.toBeNull()
    }
    await expectToPass(forget)
    const hint = 'POST /reserved_domains was still pending when the test called `advanceAsync`'
    expect(warn.mock.calls).toEqual([[expect.stringContaining(hint)]])
    const error = await catchTestMessage(async (gateway) => {
      await forget(gateway)
      throw new Error('no')
    })
    expect(error).toContain(hint)
  })

  test('is no hint if the test awaits the request after the move', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    onTestFinished(() => warn.mockRestore())
    await expectToPass(async (gateway) => {
      const { reserve, list } = createClient(gateway)
      const reserved = reserve('app.example.com')
      await gateway.clock.advanceAsync('30s')
      await reserved
      await list()
      await gateway.clock.advanceAsync('30s')
    })
    expect(warn).not.toHaveBeenCalled()
  })

  test('is allowed by `strict: false`', async () => {
    const work = (gateway: Gateway<ManualClock>) => void createClient(gateway).list()
    expect(await catchTestMessage(work, { strict: false })).toBe('passed')
    expect(await catchTestMessage(work)).toContain(
      '1 request was still pending when the test ended: GET /reserved_domains',
    )
  })

  test('fails through the global fetch, too', async () => {
    const error = await catchTestMessage((gateway) => {
      gateway.install()
      const { url } = gateway
      void createClient({ url, fetch: (...args) => globalThis.fetch(...args) }).list()
    })
    expect(error).toContain('1 request was still pending')
  })
})

describe('An `advanceAsync` that nobody waits for', () => {
  test('fails the test, and the error has the call', async () => {
    const error = await catchTestMessage((gateway) => {
      gateway.clock.advanceAsync('1h').catch(() => undefined)
    })
    expect(error).toContain(
      '1 move of the clock was still pending when the test ended: clock.advanceAsync("1h"). Is an await missing?',
    )
  })

  test('is named after the error of a failing test, with others', async () => {
    const error = await catchTestMessage(({ clock }) => {
      void clock.advanceToAsync('2026-02-01T00:00:00Z')
      void clock.advanceToNextAsync()
      throw new Error('There is no certificate.')
    })
    expect(error).toMatch(/^There is no certificate\./)
    expect(error).toContain(
      '2 moves of the clock were still pending when the test ended: clock.advanceToAsync("2026-02-01T00:00:00Z"), clock.advanceToNextAsync(). Is',
    )
  })

  test('passes if the test waits for the move later, or if the call was rejected', () =>
    expectToPass(async ({ clock }) => {
      const move = clock.advanceAsync('1h')
      await move
      await expect(clock.advanceAsync('soon' as never)).rejects.toThrow('soon')
    }))

  test('leaves no trace on a clock that outlives the test', async () => {
    const clock = manualClock(CLOCK_START)
    const { advanceAsync } = clock
    expect(await catchTestMessage(() => undefined, { gatewayOptions: () => ({ clock }) })).toBe('passed')
    expect(clock.advanceAsync).toBe(advanceAsync)
  })
})

describe('A request that nobody waits for', () => {
  const forgetAwait = async (gateway: Gateway) => {
    void createClient(gateway).list()
  }

  test('counts as requested, although it has not arrived', async () => {
    const error = await catchTestMessage(async (gateway) => {
      await forgetAwait(gateway)
      expect(gateway).not.toHaveBeenRequested('reserved_domains.list')
    })
    expect(error).toMatch(/^Expected no request for reserved_domains\.list, but there was 1\./)
    // The matcher has added the report, and the fixture does not add it again.
    expect(error.match(/The gateway at /g)).toHaveLength(1)
  })

  test.each<[string, (gateway: Gateway) => unknown]>([
    ['count()', ({ requests }) => expect(requests.count()).toBe(1)],
    ['all()', ({ requests }) => expect(requests.all()).toHaveLength(1)],
    ['toHaveBeenRequested', (gateway) => expect(gateway).toHaveBeenRequested('reserved_domains.list')],
  ])('is in %s, and still fails its test', async (_name, assertRequested) => {
    const error = await catchTestMessage(async (gateway) => {
      await forgetAwait(gateway)
      assertRequested(gateway)
    })
    expect(error).toMatch(/^Your assertions passed, /)
    expect(error).toContain('1 request was still pending when the test ended: GET /reserved_domains. Is an await')
  })
})

describe('A request', () => {
  test('arrives first, if the same synchronous run then moves the clock or reads the journal', () =>
    expectToPass(async (gateway) => {
      const { clock } = gateway
      gateway.faults.add({ operation: 'reserved_domains.list', times: 1, latency: '2s' })
      const response = createClient(gateway).list()
      clock.advance('2s')
      expect((await response).status).toBe(200)
      const secondResponse = createClient(gateway).list()
      expect(gateway.requests.count()).toBe(2)
      await secondResponse
    }))

  test('arrives in the order sent, on a later turn', () =>
    expectToPass(async (gateway) => {
      const names = ['a', 'b', 'c'].map((name) => `${name}.example.com`)
      const { reserve } = createClient(gateway)
      const responses = Promise.all(names.map(reserve))
      await Promise.resolve()
      expect(gateway.reservedDomains.list().reserved_domains).toEqual([])
      expect((await responses).map(({ status }) => status)).toEqual([201, 201, 201])
      expect(gateway.requests.all().map(({ request }) => (request as { domain: string }).domain)).toEqual(names)
    }))

  test.each<[string, HeadersInit, (init: never) => unknown]>([
    ['an object', { ...headers }, (init: Record<string, string>) => Object.assign(init, { authorization: '' })],
    ['Headers', new Headers(headers), (init: Headers) => init.delete('authorization')],
    ['an array', Object.entries(headers), (init: string[][]) => init[0]?.splice(1, 1, '')],
  ])('keeps the fields with which it was sent, with headers that are %s', (_what, init, change) =>
    expectToPass(async (gateway) => {
      const url = new URL(`${gateway.url}/reserved_domains`)
      const response = gateway.fetch(url, { headers: init })
      change(init as never)
      url.pathname = '/reserved_addrs'
      expect((await response).status).toBe(200)
      expect(gateway).toHaveBeenRequested('reserved_domains.list')
    }),
  )

  test('that no fetch accepts makes the promise reject, and the call does not throw', () =>
    expectToPass(async ({ fetch, url }) => {
      for (const init of [{ headers: 5 }, { method: 5 }] as unknown as RequestInit[]) {
        await fetch(url, init).catch(() => undefined)
      }
    }))

  test('never arrives, if it is aborted before', () =>
    expectToPass(async (gateway) => {
      const { signal, abort } = createAbort()
      const response = gateway.fetch(`${gateway.url}/reserved_domains`, { headers, signal })
      abort()
      await expect(response).rejects.toThrow('no longer wanted')
      expect(gateway.requests.count()).toBe(0)
    }))

  test('arrives while the timers of the host are faked', () =>
    expectToPass(async (gateway) => {
      vi.useFakeTimers()
      expect((await createClient(gateway).list()).status).toBe(200)
    }))

  test('and those that follow it arrive at one stop of an asynchronous move', () =>
    expectToPass(async (gateway) => {
      const { setTimeout } = timersOn(gateway.clock)
      const { list } = createClient(gateway)
      const work = async () => {
        await new Promise<void>((resolve) => setTimeout(resolve, 1000))
        for (let n = 0; n < 20; n++) await list()
        return gateway.clock.now
      }
      const end = work()
      const start = gateway.clock.now
      await gateway.clock.advanceAsync('1h')
      expect((await end) - start).toBe(1000)
      expect(new Set(gateway.requests.all().map(({ at }) => at)).size).toBe(1)
    }))
})

function createAbort() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort(new Error('no longer wanted')) }
}

describe('A test that fails after waits on timers of the host', () => {
  /** Polls four times, and then fails. `wait` runs after each poll. */
  async function pollAndFail(gateway: Gateway<ManualClock>, wait: () => unknown) {
    for (let n = 0; n < 4; n++) {
      await createClient(gateway).list()
      wait()
    }
    throw new Error('There is no certificate.')
  }

  /** Lets time pass in which the event loop of the host is idle, as while a timer waits. */
  function createIdleTime() {
    let idle = 0
    const measure = (since?: { idle: number }) => ({ idle: idle - (since?.idle ?? 0), active: 0, utilization: 0 })
    const spy = vi.spyOn(hostPerformance, 'eventLoopUtilization').mockImplementation(measure)
    onTestFinished(() => spy.mockRestore())
    return (ms: number) => {
      idle += ms
    }
  }

  const hint =
    "Your code paused 3 times between a response and its next request, but the gateway's manual clock has not"

  test('has a hint, if the clock of the gateway has not moved', async () => {
    const passTime = createIdleTime()
    const error = await catchTestMessage((gateway) => pollAndFail(gateway, () => passTime(500)))
    expect(error).toContain(hint)
  })

  test('has no hint, if the host was busy meanwhile, as with a slow client', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const passTime = vi.advanceTimersByTime
    createIdleTime()
    expect(await catchTestMessage((gateway) => pollAndFail(gateway, () => passTime(500)))).not.toContain('paused')
  })

  test('has no hint, if a busy machine made some pauses among many requests', async () => {
    const passIdleTime = createIdleTime()
    let requests = 0
    const passTime = () => passIdleTime(++requests % 6 === 0 ? 500 : 0)
    const error = await catchTestMessage(async (gateway) => {
      for (let n = 0; n < 5; n++) await pollAndFail(gateway, passTime).catch(() => undefined)
      throw new Error('There is no certificate.')
    })
    expect(error).not.toContain('paused')
  })

  test('has no hint, if the clock has moved, or if no time passed', async () => {
    const passTime = createIdleTime()
    const moveBoth = (gateway: Gateway<ManualClock>) => {
      gateway.clock.advance('1s')
      passTime(500)
    }
    expect(await catchTestMessage((gateway) => pollAndFail(gateway, () => moveBoth(gateway)))).not.toContain('paused')
    expect(await catchTestMessage((gateway) => pollAndFail(gateway, () => undefined))).not.toContain('paused')
  })
})

describe('A failure about a date', () => {
  test.each([
    ['America/New_York', 'expected 2026-01-01 to be 2025-12-31', '-05:00'],
    ['Asia/Kolkata', 'expected "2026-07-01T00:00:00Z"', '+05:30'],
    ['UTC', 'expected 2026-01-01 to be 2025-12-31', undefined],
    ['America/New_York', 'expected 1 to be 2', undefined],
  ])('in the time zone %s: %s', async (zone, message, offset) => {
    vi.stubEnv('TZ', zone)
    onTestFinished(() => void vi.unstubAllEnvs())
    const error = await catchTestMessage(() => {
      throw new Error(message)
    })
    const hint = `The service's times are in UTC. Local times in this process have the offset ${offset}.`
    if (offset) expect(error).toContain(hint)
    else expect(error).not.toContain('UTC')
  })
})
