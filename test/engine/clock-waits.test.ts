import { getEventListeners } from 'node:events'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Clock, createGateway, type Gateway, type HttpResponse, manualClock } from '../../src/index.ts'
import { checkAsync } from '../support/property.ts'
import { NEW_YEAR, openManual, openWithDomain } from '../support/provisioning.ts'

const NOW = Date.parse(NEW_YEAR)
const headers = { authorization: 'Bearer k', 'service-version': '2' }

afterEach(() => void vi.useRealTimers())

/** Lets everything go on that waits for nothing but its turn. */
async function turns(): Promise<void> {
  for (let i = 0; i < 30; i++) await Promise.resolve()
}

/** An answer that a fault has delayed until a time. */
function lateUntil(notBefore: number): HttpResponse {
  return { status: 200, headers: {}, body: null, delivery: { drop: false, notBefore } }
}

/** Notes under a name how a promise ends. */
function noting(ends: unknown[], name: unknown, promise: Promise<unknown>): void {
  promise.then(
    () => ends.push(name),
    (error) => ends.push([name, error]),
  )
}

/** Asks a gateway for its addresses. */
function ask(gateway: Gateway, init: RequestInit = {}): Promise<Response> {
  return gateway.fetch(`${gateway.url}/reserved_addrs`, { headers, ...init })
}

describe('Waits for a time of a manual clock', () => {
  test('end with a reset, even if their time has not come', async () => {
    const gateway = openManual()
    const ends: unknown[] = []
    noting(ends, 'late', gateway.transport.delivered(lateUntil(NOW + 1000)))
    gateway.reset()
    await turns()
    expect(ends).toEqual(['late'])
  })

  test('end, or are ended by their signals, as a model says, whatever is done in between', async () => {
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
      const waiting: { at: number; name: number; aborting: AbortController }[] = []
      let name = 0
      for (const each of steps) {
        if ('wait' in each) {
          const [at, aborting] = [gateway.clock.now + each.wait, new AbortController()]
          noting(ends, name, gateway.transport.delivered(lateUntil(at), { signal: aborting.signal }))
          if (each.wait === 0) expected.push(name)
          else waiting.push({ at, name, aborting })
          name++
        } else if ('abort' in each) {
          const [aborted] = waiting.splice(each.abort, 1)
          aborted?.aborting.abort('enough')
          if (aborted) expected.push([aborted.name, 'enough'])
        } else {
          gateway.clock.advance(each.advance)
          const ready = waiting.filter(({ at }) => at <= gateway.clock.now).sort((a, b) => a.at - b.at)
          for (const one of ready) waiting.splice(waiting.indexOf(one), 1)
          expected.push(...ready.map((one) => one.name))
        }
        await turns()
        expect(ends).toEqual(expected)
      }
      for (const { aborting } of waiting) expect(getEventListeners(aborting.signal, 'abort')).toHaveLength(1)
    })
    await checkAsync(property)
  })
})

describe('Waits for a time of the system clock', () => {
  /** A delayed answer on faked system time. */
  function openWithLatency() {
    vi.useFakeTimers({ now: NOW })
    const gateway = createGateway({ seed: 'waits' })
    gateway.faults.add({ latency: '30s' })
    return gateway
  }

  test('use one timer each, which an aborted signal clears', async () => {
    const gateway = openWithLatency()
    const aborting = [new AbortController(), new AbortController()]
    const ends: unknown[] = []
    aborting.forEach(({ signal }, i) => void noting(ends, i, ask(gateway, { signal })))
    await turns()
    expect(vi.getTimerCount()).toBe(2)
    aborting[0]?.abort('enough')
    await turns()
    expect([ends, vi.getTimerCount()]).toEqual([[[0, 'enough']], 1])
    await vi.advanceTimersByTimeAsync(30_000)
    expect([ends, vi.getTimerCount()]).toEqual([[[0, 'enough'], 1], 0])
  })

  test('take their timer back where they set it, whatever has become of the globals', async () => {
    const gateway = createGateway({ seed: 'waits' })
    gateway.faults.add({ latency: '30s' })
    const set = vi.spyOn(globalThis, 'setTimeout')
    const clear = vi.spyOn(globalThis, 'clearTimeout')
    const aborting = new AbortController()
    const waiting = ask(gateway, { signal: aborting.signal })
    await turns()
    vi.useFakeTimers()
    aborting.abort('enough')
    await expect(waiting).rejects.toBe('enough')
    vi.useRealTimers()
    const timer = set.mock.results.at(-1)?.value
    expect(clear).toHaveBeenCalledWith(timer)
    vi.restoreAllMocks()
  })
})

describe('Waits for a time of a clock of the user’s', () => {
  test('that is only a number end with the next call after that time', async () => {
    const clock = { now: 0 }
    const gateway = createGateway({ clock })
    const ends: unknown[] = []
    noting(ends, 'late', gateway.transport.delivered(lateUntil(1000)))
    clock.now = 1000
    await turns()
    expect(ends).toEqual([])
    gateway.reservedAddrs.list()
    await turns()
    expect(ends).toEqual(['late'])
  })

  /** A clock that can be waited for, and knows nothing of signals. */
  function waitable(waitUntil: Clock['waitUntil']) {
    return createGateway({ clock: { now: 0, ...(waitUntil && { waitUntil }) } })
  }

  test('with waitUntil end when its promise resolves', async () => {
    const asked: unknown[] = []
    const gateway = waitable(async (...args) => void asked.push(args))
    const { signal } = new AbortController()
    await gateway.transport.delivered(lateUntil(1000), { signal })
    expect(asked).toEqual([[1000, signal]])
    expect(getEventListeners(signal, 'abort')).toEqual([])
    await waitable(() => undefined).transport.delivered(lateUntil(1000))
  })

  test('reject if its waitUntil rejects, and leave no listener', async () => {
    const { signal } = new AbortController()
    const gateway = waitable(() => Promise.reject(new Error('stopped')))
    await expect(gateway.transport.delivered(lateUntil(1), { signal })).rejects.toThrow('stopped')
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('that ignores signals end with the signal of the wait', async () => {
    const gateway = waitable(() => new Promise(() => undefined))
    const aborting = new AbortController()
    const waiting = gateway.transport.delivered(lateUntil(1), { signal: aborting.signal })
    aborting.abort('enough')
    await expect(waiting).rejects.toBe('enough')
    expect(getEventListeners(aborting.signal, 'abort')).toEqual([])
  })
})

describe('A manual clock', () => {
  const policy = { certificate_management_policy: { authority: 'letsencrypt', private_key_type: 'ecdsa' } } as const

  /** A manual clock that counts how many followers are attached. */
  function counting() {
    const clock = manualClock(NOW)
    const { attach } = clock
    const attached = { count: 0 }
    clock.attach = (follower) => {
      attached.count++
      const detach = attach(follower)
      return () => {
        attached.count--
        detach()
      }
    }
    return { clock, attached, gateway: createGateway({ clock, seed: 'counting' }) }
  }

  test('knows no gateway in which nothing is due, and each other one once', () => {
    const { gateway, attached } = counting()
    gateway.reservedDomains.create({ domain: 'a.example.com' })
    gateway.reset()
    expect(attached.count).toBe(0)
    for (const name of ['b', 'c']) gateway.reservedDomains.create({ domain: `${name}.example.com`, ...policy })
    gateway.reset()
    expect(attached.count).toBe(1)
  })

  test('knows a gateway that restores a snapshot in which something is due', () => {
    const { gateway, attached, clock } = counting()
    gateway.restore(openWithDomain().gateway.snapshot())
    expect([attached.count, clock.advanceToNext(), clock.now]).toEqual([1, true, NOW + 30_000])
  })

  test('knows no gateway that was disposed, which settles with its next call', () => {
    const { gateway, attached, clock } = counting()
    const { id } = gateway.reservedDomains.create({ domain: 'a.example.com', ...policy })
    {
      using _ = gateway
    }
    expect([attached.count, clock.nextDueAt()]).toEqual([0, undefined])
    clock.advance('30s')
    const operations: string[] = []
    gateway.subscribe(({ operation }) => operations.push(operation))
    expect(gateway.reservedDomains.get(id).certificate).not.toBeNull()
    gateway.reservedDomains.create({ domain: 'b.example.com', ...policy })
    gateway.dispose()
    expect([attached.count, operations]).toEqual([0, ['provisioning', 'reserved_domains.create']])
  })
})

describe('No abort listener outlives the call of fetch that it was for:', () => {
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
    ['a Request beside', (url, signal) => [new Request(url, { headers }), { signal }]],
  ]

  for (const latency of [undefined, '30s'] as const) {
    test.each(cases)(`%s, answered ${latency ? 'later' : 'at once'}`, async (_what, input) => {
      const gateway = openManual()
      if (latency) gateway.faults.add({ latency })
      const { signal } = new AbortController()
      const answer = gateway.fetch(...input(`${gateway.url}/reserved_addrs`, signal))
      await vi.waitUntil(() => gateway.requests.count() === 1, { interval: 1 })
      await turns()
      gateway.clock.advance('30s')
      expect((await answer).status).toBeLessThan(500)
      expect(getEventListeners(signal, 'abort')).toEqual([])
    })
  }

  test('a body that is not read to its end', async () => {
    const gateway = openManual()
    const aborting = new AbortController()
    const { signal } = aborting
    let cancelled: unknown
    const body = new ReadableStream({
      cancel(reason) {
        cancelled = reason
      },
    })
    const answer = ask(gateway, { method: 'POST', headers: json, body, duplex: 'half', signal } as RequestInit)
    await vi.waitUntil(() => getEventListeners(signal, 'abort').length === 1, { interval: 1 })
    aborting.abort('enough')
    await expect(answer).rejects.toBe('enough')
    expect([cancelled, getEventListeners(signal, 'abort').length, gateway.requests.count()]).toEqual(['enough', 0, 0])
  })

  test('a request that makes the gateway fail', async () => {
    const clock = { now: 0 }
    const gateway = createGateway({ clock })
    clock.now = Number.NaN
    const { signal } = new AbortController()
    await expect(ask(gateway, { signal })).rejects.toThrow(RangeError)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

describe('The signal of a call of fetch', () => {
  test('can be taken away from a Request', async () => {
    const gateway = openManual()
    const aborting = new AbortController()
    const request = new Request(`${gateway.url}/reserved_addrs`, { headers, signal: aborting.signal })
    aborting.abort()
    expect((await gateway.fetch(request, { signal: null })).status).toBe(200)
  })

  test('of a Request ends its wait', async () => {
    const gateway = openManual()
    gateway.faults.add({ latency: '30s' })
    const aborting = new AbortController()
    const answer = gateway.fetch(new Request(`${gateway.url}/reserved_addrs`, { headers, signal: aborting.signal }))
    await vi.waitUntil(() => gateway.requests.count() === 1, { interval: 1 })
    aborting.abort('enough')
    await expect(answer).rejects.toBe('enough')
  })
})
