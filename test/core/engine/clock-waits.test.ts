import { getEventListeners } from 'node:events'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Clock, createGateway, type Gateway, type HttpResponse, manualClock } from '../../../src/index.ts'
import { CLOCK_START } from '../../support/clock.ts'
import { checkAsync } from '../../support/property.ts'
import { dueAfter, openManual, openWithDomain } from '../../support/provisioning.ts'

const NOW = CLOCK_START
const headers = { authorization: 'Bearer k', 'service-version': '2' }

afterEach(() => void vi.useRealTimers())

/** Waits until all pending promise callbacks have run. */
async function flushMicrotasks(): Promise<void> {
  for (let i = 0; i < 30; i++) await Promise.resolve()
}

/** Returns a response that a fault delays until a time. */
function createDelayedResponse(notBefore: number): HttpResponse {
  return { status: 200, headers: {}, body: null, delivery: { drop: false, notBefore } }
}

/** Records under a name how a promise ends. */
function recordEnd(ends: unknown[], name: unknown, promise: Promise<unknown>): void {
  promise.then(
    () => ends.push(name),
    (error) => ends.push([name, error]),
  )
}

/** Requests the addresses of a gateway. */
function send(gateway: Gateway, init: RequestInit = {}): Promise<Response> {
  return gateway.fetch(`${gateway.url}/reserved_addrs`, { headers, ...init })
}

describe('Waits for a time of a manual clock', () => {
  test('end with a reset, even if their time has not come', async () => {
    const gateway = openManual()
    const ends: unknown[] = []
    recordEnd(ends, 'late', gateway.transport.delivered(createDelayedResponse(NOW + 1000)))
    gateway.reset()
    await flushMicrotasks()
    expect(ends).toEqual(['late'])
  })

  test('end at their time or with their signals, as a model predicts, after any steps', async () => {
    type Step = { wait: number } | { abort: number } | { advance: number }
    const step: fc.Arbitrary<Step> = fc.oneof(
      fc.record({ wait: fc.nat(20) }),
      fc.record({ abort: fc.nat(30) }),
      fc.record({ advance: fc.nat(5) }),
    )
    const property = fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const gateway = openManual()
      const ends: unknown[] = []
      const expected: unknown[] = []
      const waits: { at: number; name: number; controller: AbortController }[] = []
      let name = 0
      for (const each of steps) {
        if ('wait' in each) {
          const [at, controller] = [gateway.clock.now + each.wait, new AbortController()]
          recordEnd(ends, name, gateway.transport.delivered(createDelayedResponse(at), { signal: controller.signal }))
          if (each.wait === 0) expected.push(name)
          else waits.push({ at, name, controller })
          name++
        } else if ('abort' in each) {
          const [wait] = waits.splice(each.abort, 1)
          wait?.controller.abort('enough')
          if (wait) expected.push([wait.name, 'enough'])
        } else {
          gateway.clock.advance(each.advance)
          const ready = waits.filter(({ at }) => at <= gateway.clock.now).sort((a, b) => a.at - b.at)
          for (const one of ready) waits.splice(waits.indexOf(one), 1)
          expected.push(...ready.map((one) => one.name))
        }
        await flushMicrotasks()
        expect(ends).toEqual(expected)
      }
      for (const { controller } of waits) expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1)
    })
    await checkAsync(property)
  })
})

describe('Waits for a time of the system clock', () => {
  /** Opens a gateway that delays its responses, on faked system time. */
  function openWithLatency() {
    vi.useFakeTimers({ now: NOW })
    const gateway = createGateway({ seed: 'waits' })
    gateway.faults.add({ latency: '30s' })
    return gateway
  }

  test('use one timer each, which an aborted signal clears', async () => {
    const gateway = openWithLatency()
    const controllers = [new AbortController(), new AbortController()]
    const ends: unknown[] = []
    controllers.forEach(({ signal }, i) => void recordEnd(ends, i, send(gateway, { signal })))
    await flushMicrotasks()
    expect(vi.getTimerCount()).toBe(2)
    controllers[0]?.abort('enough')
    await flushMicrotasks()
    expect([ends, vi.getTimerCount()]).toEqual([[[0, 'enough']], 1])
    await vi.advanceTimersByTimeAsync(30_000)
    expect([ends, vi.getTimerCount()]).toEqual([[[0, 'enough'], 1], 0])
  })

  test('clear their timer like they set it, even if fake timers have replaced the globals', async () => {
    const gateway = createGateway({ seed: 'waits' })
    gateway.faults.add({ latency: '30s' })
    const set = vi.spyOn(globalThis, 'setTimeout')
    const clear = vi.spyOn(globalThis, 'clearTimeout')
    const controller = new AbortController()
    const response = send(gateway, { signal: controller.signal })
    await flushMicrotasks()
    vi.useFakeTimers()
    controller.abort('enough')
    await expect(response).rejects.toBe('enough')
    vi.useRealTimers()
    const timer = set.mock.results.at(-1)?.value
    expect(clear).toHaveBeenCalledWith(timer)
    vi.restoreAllMocks()
  })
})

describe('Waits for a time of a custom clock', () => {
  test('that is only a number end with the next call after that time', async () => {
    const clock = { now: 0 }
    const gateway = createGateway({ clock })
    const ends: unknown[] = []
    recordEnd(ends, 'late', gateway.transport.delivered(createDelayedResponse(1000)))
    clock.now = 1000
    await flushMicrotasks()
    expect(ends).toEqual([])
    gateway.reservedAddrs.list()
    await flushMicrotasks()
    expect(ends).toEqual(['late'])
  })

  /** Opens a gateway on a clock with this `waitUntil`. */
  function openWithWaitUntil(waitUntil: Clock['waitUntil']) {
    return createGateway({ clock: { now: 0, ...(waitUntil && { waitUntil }) } })
  }

  test('with waitUntil end when its promise resolves', async () => {
    const calls: unknown[] = []
    const gateway = openWithWaitUntil(async (...args) => void calls.push(args))
    const { signal } = new AbortController()
    await gateway.transport.delivered(createDelayedResponse(1000), { signal })
    expect(calls).toEqual([[1000, signal, false]])
    expect(getEventListeners(signal, 'abort')).toEqual([])
    await openWithWaitUntil(() => undefined).transport.delivered(createDelayedResponse(1000))
  })

  test('reject if its waitUntil rejects, and leave no listener', async () => {
    const { signal } = new AbortController()
    const gateway = openWithWaitUntil(() => Promise.reject(new Error('stopped')))
    await expect(gateway.transport.delivered(createDelayedResponse(1), { signal })).rejects.toThrow('stopped')
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('that ignores signals end with the signal of the wait', async () => {
    const gateway = openWithWaitUntil(() => new Promise(() => undefined))
    const controller = new AbortController()
    const response = gateway.transport.delivered(createDelayedResponse(1), { signal: controller.signal })
    controller.abort('enough')
    await expect(response).rejects.toBe('enough')
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  })
})

describe('A manual clock', () => {
  const policy = { certificate_management_policy: { authority: 'letsencrypt', private_key_type: 'ecdsa' } } as const

  /** Opens a gateway on a manual clock that counts its attached followers. */
  function openWithFollowerCount() {
    const clock = manualClock(NOW)
    const { attach } = clock
    const followers = { count: 0 }
    clock.attach = (follower) => {
      followers.count++
      const detach = attach(follower)
      return () => {
        followers.count--
        detach()
      }
    }
    return { clock, followers, gateway: createGateway({ clock, seed: 'counting' }) }
  }

  test('knows no gateway in which nothing is due, and each other gateway once', () => {
    const { gateway, followers } = openWithFollowerCount()
    gateway.reservedDomains.create({ domain: 'a.example.com' })
    gateway.reset()
    expect(followers.count).toBe(0)
    for (const name of ['b', 'c']) gateway.reservedDomains.create({ domain: `${name}.example.com`, ...policy })
    gateway.reset()
    expect(followers.count).toBe(1)
  })

  test('knows a gateway that restores a snapshot in which something is due', () => {
    const { gateway, followers, clock } = openWithFollowerCount()
    gateway.restore(openWithDomain().gateway.snapshot())
    expect([followers.count, clock.advanceToNext(), clock.now]).toEqual([1, true, Date.parse(dueAfter('30s'))])
  })

  test('knows no gateway that was disposed, which settles with its next call', () => {
    const { gateway, followers, clock } = openWithFollowerCount()
    const { id } = gateway.reservedDomains.create({ domain: 'a.example.com', ...policy })
    {
      using _ = gateway
    }
    expect([followers.count, clock.nextDueAt()]).toEqual([0, undefined])
    clock.advance('31s')
    const operations: string[] = []
    gateway.subscribe(({ operation }) => operations.push(operation))
    expect(gateway.reservedDomains.get(id).certificate).not.toBeNull()
    gateway.reservedDomains.create({ domain: 'b.example.com', ...policy })
    gateway.dispose()
    expect([followers.count, operations]).toEqual([0, ['reserved_domains.due', 'reserved_domains.create']])
  })
})

describe('No abort listener remains after a call of fetch with', () => {
  const stream = () =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{}'))
        controller.close()
      },
    })
  const json = { ...headers, 'content-type': 'application/json' }
  const cases: [what: string, init: (url: string, signal: AbortSignal) => [string | Request, RequestInit?]][] = [
    ['a URL', (url, signal) => [url, { headers, signal }]],
    ['bytes', (url, signal) => [url, { method: 'POST', headers: json, body: new TextEncoder().encode('{}'), signal }]],
    [
      'a stream',
      (url, signal) => [url, { method: 'POST', headers: json, body: stream(), duplex: 'half', signal } as RequestInit],
    ],
    ['a Request and a signal', (url, signal) => [new Request(url, { headers }), { signal }]],
  ]

  for (const latency of [undefined, '30s'] as const) {
    test.each(cases)(`%s, answered ${latency ? 'later' : 'at once'}`, async (_what, input) => {
      const gateway = openManual()
      if (latency) gateway.faults.add({ latency })
      const { signal } = new AbortController()
      const answer = gateway.fetch(...input(`${gateway.url}/reserved_addrs`, signal))
      await vi.waitUntil(() => gateway.requests.count() === 1, { interval: 1 })
      await flushMicrotasks()
      gateway.clock.advance('30s')
      expect((await answer).status).toBeLessThan(500)
      expect(getEventListeners(signal, 'abort')).toEqual([])
    })
  }

  test('a body that is not read to its end', async () => {
    const gateway = openManual()
    const controller = new AbortController()
    const { signal } = controller
    let cause: unknown
    const body = new ReadableStream({
      cancel(reason) {
        cause = reason
      },
    })
    const answer = send(gateway, { method: 'POST', headers: json, body, duplex: 'half', signal } as RequestInit)
    await vi.waitUntil(() => getEventListeners(signal, 'abort').length === 1, { interval: 1 })
    controller.abort('enough')
    await expect(answer).rejects.toBe('enough')
    expect([cause, getEventListeners(signal, 'abort').length, gateway.requests.count()]).toEqual(['enough', 0, 0])
  })

  test('a request that makes the gateway fail', async () => {
    const clock = { now: 0 }
    const gateway = createGateway({ clock })
    clock.now = Number.NaN
    const { signal } = new AbortController()
    await expect(send(gateway, { signal })).rejects.toThrow(RangeError)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

describe('The signal of a call of fetch', () => {
  test('can be taken away from a Request', async () => {
    const gateway = openManual()
    const controller = new AbortController()
    const request = new Request(`${gateway.url}/reserved_addrs`, { headers, signal: controller.signal })
    controller.abort()
    expect((await gateway.fetch(request, { signal: null })).status).toBe(200)
  })

  test('of a Request ends its wait', async () => {
    const gateway = openManual()
    gateway.faults.add({ latency: '30s' })
    const controller = new AbortController()
    const answer = gateway.fetch(new Request(`${gateway.url}/reserved_addrs`, { headers, signal: controller.signal }))
    await vi.waitUntil(() => gateway.requests.count() === 1, { interval: 1 })
    controller.abort('enough')
    await expect(answer).rejects.toBe('enough')
  })
})
