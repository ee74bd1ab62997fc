import { afterEach, describe, expect, test, vi } from 'vitest'
import { readResponse } from '../../support/client.ts'
import { exchange } from '../../support/exchange.ts'
import { open, stateOf } from '../../support/gateway.ts'

const HEADERS = { authorization: 'Bearer key', 'service-version': '2', 'content-type': 'application/json' }
const URL_OF_ALL = 'https://api.gateway.test/reserved_addrs'
const BODY = '{"description":"東京 😀"}'

type Call = readonly [what: string, call: () => [input: string | Request, init?: RequestInit], status: number]

/** Creates a stream of the chunks. */
function streamOf(...chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
}

/** Waits some turns of the event loop for a promise. */
async function settleSoon<T>(promise: Promise<T>): Promise<T | unknown> {
  let state: unknown = 'still waiting'
  promise.then(
    (value) => {
      state = value
    },
    (error) => {
      state = error
    },
  )
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
  return state
}

describe('gateway.fetch can replace the global fetch', () => {
  test('is bound: it works without the gateway in front of it', async () => {
    const { fetch } = open()
    expect((await fetch(URL_OF_ALL, { headers: HEADERS })).status).toBe(200)
  })

  test("lets timers fire in a loop that forgets to wait, so that a runner's time-out can end it", async () => {
    const gateway = open()
    let hasFired = false
    setTimeout(() => {
      hasFired = true
    })
    for (let count = 0; count < 3000; count++) await gateway.fetch(`${gateway.url}/reserved_addrs`)
    expect(hasFired).toBe(true)
  })

  test('answers a real Response, whose body can be read once', async () => {
    const response = await open().fetch(URL_OF_ALL, { headers: HEADERS })
    expect(response).toBeInstanceOf(Response)
    expect([response.ok, response.status]).toEqual([true, 200])
    expect(await response.clone().json()).toEqual(await response.json())
    await expect(response.text()).rejects.toThrow(TypeError)
  })

  test.each([
    ['a text', URL_OF_ALL, { method: 'POST', headers: HEADERS, body: BODY }],
    ['a URL object', new URL(URL_OF_ALL), { method: 'POST', headers: HEADERS, body: BODY }],
    ['a Request', new Request(URL_OF_ALL, { method: 'POST', headers: HEADERS, body: BODY }), undefined],
    ['a Request with init over it', new Request(URL_OF_ALL, { headers: HEADERS }), { method: 'POST', body: BODY }],
    ['a lower-case method', URL_OF_ALL, { method: 'post', headers: HEADERS, body: BODY }],
    ['a Headers object', URL_OF_ALL, { method: 'POST', headers: new Headers(HEADERS), body: BODY }],
    ['a list of headers', URL_OF_ALL, { method: 'POST', headers: Object.entries(HEADERS), body: BODY }],
    ['bytes', URL_OF_ALL, { method: 'POST', headers: HEADERS, body: new TextEncoder().encode(BODY) }],
    ['a buffer', URL_OF_ALL, { method: 'POST', headers: HEADERS, body: new TextEncoder().encode(BODY).buffer }],
    ['a blob', URL_OF_ALL, { method: 'POST', headers: HEADERS, body: new Blob([BODY]) }],
  ])('takes %s', async (_what, input, init) => {
    const { status, body } = await readResponse(await open().fetch(input, init as RequestInit))
    expect([status, body.description]).toEqual([201, '東京 😀'])
  })

  test('takes a stream, also one that splits characters between its chunks', async () => {
    const bytes = new TextEncoder().encode(BODY)
    const body = streamOf(...Array.from(bytes, (byte) => new Uint8Array([byte])))
    const init = { method: 'POST', headers: HEADERS, body, duplex: 'half' } as RequestInit
    expect((await readResponse(await open().fetch(URL_OF_ALL, init))).body.description).toBe('東京 😀')
  })

  test('stops reading a stream that never ends, once it is over the limit', async () => {
    const read = { chunks: 0, cancelled: false }
    const body = new ReadableStream({
      pull(controller) {
        read.chunks++
        controller.enqueue(new Uint8Array(65_536))
      },
      cancel() {
        read.cancelled = true
      },
    })
    const init = { method: 'POST', headers: HEADERS, body, duplex: 'half' } as RequestInit
    expect((await open().fetch(URL_OF_ALL, init)).status).toBe(413)
    expect(read.cancelled).toBe(true)
    expect(read.chunks).toBeLessThan(25)
  })

  test.each([
    ['rejects', () => Promise.reject(new Error('no'))],
    ['never ends', () => new Promise<void>(() => {})],
  ])('does not wait for a stream whose cancellation %s', async (_what, cancel) => {
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(2 ** 21)), cancel })
    const init = { method: 'POST', headers: HEADERS, body, duplex: 'half' } as RequestInit
    expect(await settleSoon(open().fetch(URL_OF_ALL, init))).toMatchObject({ status: 413 })
  })

  test.each([
    ['dot segments', 'https://api.gateway.test/a/../reserved_addrs', {}],
    ['spaces around it', ` ${URL_OF_ALL}\n`, {}],
    ['a space and characters beyond ASCII', `${URL_OF_ALL}?filter=obj.description == "é"`, {}],
    [
      'a text without a content type',
      URL_OF_ALL,
      { method: 'POST', headers: { authorization: 'Bearer key' }, body: '{}' },
    ],
  ])('sends the same as with a Request: %s', async (_what, url, init: RequestInit) => {
    const gateway = open()
    await gateway.fetch(url, { headers: HEADERS, ...init })
    await gateway.fetch(new Request(url, { headers: HEADERS, ...init }))
    const [plain, whole] = gateway.requests
      .all()
      .map(({ operationId: _, response: __, responseHeaders, ...sent }) => sent)
    expect(plain).toEqual(whole)
  })

  test('keeps the fragment of a URL to itself', async () => {
    expect((await open().fetch(`${URL_OF_ALL}?limit=1#x?y=1`, { headers: HEADERS })).status).toBe(200)
  })

  test.each([
    ['GET with a text', URL_OF_ALL, { headers: HEADERS, body: '{}' }],
    ['HEAD with a text', URL_OF_ALL, { method: 'HEAD', headers: HEADERS, body: '{}' }],
    ['GET with bytes', URL_OF_ALL, { headers: HEADERS, body: new Uint8Array(1) }],
    ['GET with an empty text', URL_OF_ALL, { headers: HEADERS, body: '' }],
    ['a header that cannot be', URL_OF_ALL, { headers: { 'bad header': 'x' } }],
    ['a method that cannot be', URL_OF_ALL, { method: 'BAD METHOD', headers: HEADERS }],
    ['a relative URL', '/reserved_addrs', { headers: HEADERS }],
    ['a URL without a scheme', 'localhost:3000/reserved_addrs', { headers: HEADERS }],
    ['a URL with credentials', 'https://user:pass@api.gateway.test/reserved_addrs', { headers: HEADERS }],
  ])('rejects with a TypeError, as fetch does: %s', async (_what, input, init) => {
    await expect(open().fetch(input, init as RequestInit)).rejects.toThrow(TypeError)
  })

  test('says what it cannot use, and repeats no query, which may contain a key', async () => {
    const { fetch } = open()
    await expect(fetch('/reserved_addrs?key=s3cret#x', {})).rejects.toThrow('"/reserved_addrs" is not an absolute URL.')
    await expect(fetch('https://me:s3cret@?x')).rejects.toThrow('"https://" is not an absolute URL.')
    const withPassword = fetch('https://me:s3cret@api.gateway.test/reserved_addrs')
    await expect(withPassword).rejects.toThrow('The URL for "api.gateway.test" contains credentials.')
    const get = fetch(URL_OF_ALL, { method: 'head', body: '{}' })
    await expect(get).rejects.toThrow('A HEAD request cannot have a body.')
    await expect(fetch(URL_OF_ALL, { method: 'TRACE' })).rejects.toThrow('"TRACE" is not a method that fetch can use.')
    const signal = new AbortController() as unknown as AbortSignal
    await expect(fetch(URL_OF_ALL, { signal })).rejects.toThrow('signal is an AbortController. Allowed: an AbortSignal')
  })

  test('answers at the first turn: a call is made before the next line of the caller runs', () => {
    const gateway = open()
    void gateway.fetch(URL_OF_ALL, { method: 'POST', headers: HEADERS, body: BODY })
    expect(gateway.reservedAddrs.list().reserved_addrs).toHaveLength(1)
  })
})

describe('An aborted request (as fetch)', () => {
  test.each([
    ['a text', BODY],
    ['bytes', new TextEncoder().encode(BODY)],
  ])('rejects with the reason and changes nothing: %s', async (_what, body) => {
    const gateway = open()
    const before = stateOf(gateway)
    const init = { method: 'POST', headers: HEADERS, body: body as BodyInit }
    const plain = gateway.fetch(URL_OF_ALL, { ...init, signal: AbortSignal.abort() })
    await expect(plain).rejects.toMatchObject({ name: 'AbortError' })
    const withReason = gateway.fetch(URL_OF_ALL, { ...init, signal: AbortSignal.abort(new Error('enough')) })
    await expect(withReason).rejects.toThrow('enough')
    expect(stateOf(gateway)).toBe(before)
  })

  test('rejects a Request whose signal was aborted', async () => {
    const request = new Request(URL_OF_ALL, { headers: HEADERS, signal: AbortSignal.abort() })
    await expect(open().fetch(request)).rejects.toMatchObject({ name: 'AbortError' })
  })

  test.each(['fetch', 'delivered'] as const)('rejects while the store flushes its changes: by %s', async (how) => {
    const flushed = () => new Promise<void>(() => {})
    const gateway = open({ store: { load: () => undefined, append: () => {}, flushed } })
    const abort = new AbortController()
    const { signal } = abort
    const answer =
      how === 'fetch'
        ? gateway.fetch(URL_OF_ALL, { method: 'POST', headers: HEADERS, body: BODY, signal })
        : gateway.transport.delivered(exchange(gateway, { body: BODY }), { signal })
    answer.catch(() => {})
    expect(await settleSoon<unknown>(answer)).toBe('still waiting')
    abort.abort()
    expect(await settleSoon<unknown>(answer)).toMatchObject({ name: 'AbortError' })
  })

  test('rejects while its stream is still open, and changes nothing', async () => {
    const gateway = open()
    const before = stateOf(gateway)
    const abort = new AbortController()
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{')) })
    const init = { method: 'POST', headers: HEADERS, body, duplex: 'half', signal: abort.signal } as RequestInit
    const answer = gateway.fetch(URL_OF_ALL, init)
    answer.catch(() => {})
    abort.abort()
    expect(await settleSoon(answer)).toMatchObject({ name: 'AbortError' })
    expect(stateOf(gateway)).toBe(before)
  })
})

describe('While timers are faked (no host timers on the request path)', () => {
  const { nextTick } = process
  let isFrozen = false

  afterEach(() => {
    vi.useRealTimers()
    isFrozen = false
    process.nextTick = nextTick
  })

  /**
   * Stops everything that could advance time or defer work. Vitest refuses to fake nextTick in forks, so this function
   * replaces nextTick. Vitest may restore the replacement later, so the replacement must work then. `microtasks` also
   * stops queueMicrotask, which the platform's body streams need.
   */
  function freezeTime({ microtasks = false } = {}): void {
    vi.useFakeTimers({
      toFake: [
        'setTimeout',
        'setInterval',
        'setImmediate',
        'Date',
        'performance',
        ...(microtasks ? (['queueMicrotask'] as const) : []),
      ],
    })
    isFrozen = true
    process.nextTick = (...call: Parameters<typeof nextTick>) => {
      if (!isFrozen) nextTick(...call)
    }
  }

  /** Waits for a promise while nothing but promises moves. */
  async function requestWhileFrozen(send: () => Promise<unknown>): Promise<unknown> {
    const settled: { value: unknown } = { value: 'no response' }
    const settle = (value: unknown) => {
      settled.value = value
    }
    void send().then(settle, settle)
    for (let turn = 0; turn < 300; turn++) await null
    return settled.value
  }

  const PLAIN: readonly Call[] = [
    ['a URL', () => [URL_OF_ALL, { headers: HEADERS }], 200],
    ['a text', () => [URL_OF_ALL, { method: 'POST', headers: HEADERS, body: BODY }], 201],
    ['a Request without a body', () => [new Request(URL_OF_ALL, { headers: HEADERS })], 200],
  ]
  const STREAMED: readonly Call[] = [
    ['a Request with a text', () => [new Request(URL_OF_ALL, { method: 'POST', headers: HEADERS, body: BODY })], 201],
    ['bytes', () => [URL_OF_ALL, { method: 'POST', headers: HEADERS, body: new TextEncoder().encode(BODY) }], 201],
  ]

  test.each([...PLAIN, ...STREAMED])('answers %s, and the JSON can be read', async (_what, call, status) => {
    const { fetch } = open()
    const results: unknown[] = []
    freezeTime()
    await requestWhileFrozen(async () => {
      const response = await fetch(...call())
      results.push(response.status, typeof (await response.json()).uri)
    })
    expect(results).toEqual([status, 'string'])
  })

  test.each(PLAIN)('answers %s also with faked microtasks', async (_what, call, status) => {
    const { fetch } = open()
    freezeTime({ microtasks: true })
    expect(await requestWhileFrozen(async () => (await fetch(...call())).status)).toBe(status)
  })

  test('reads the faked date by default', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2030, 0, 2, 3, 4, 5) })
    const { createGateway } = await import('../../../src/index.ts')
    expect(createGateway({ seed: 'test' }).reservedAddrs.create().created_at).toBe('2030-01-02T03:04:05Z')
  })
})
