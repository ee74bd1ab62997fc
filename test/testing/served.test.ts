import { get } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { type Clock, type Gateway, manualClock } from '../../src/index.ts'
import { serve } from '../../src/server/node.ts'
import { testWithGateway } from '../../src/testing/testing.ts'

const headers = { authorization: 'Bearer key', 'ngrok-version': '2', 'content-type': 'application/json' }
const create = (url: string) => fetch(`${url}/reserved_addrs`, { method: 'POST', headers, body: '{}' })

/** Runs a test with a served gateway. Returns the message of its error, or `passed`. */
async function run(
  work: (url: string, gateway: Gateway) => unknown,
  closesEarly: boolean,
  clock: Clock = manualClock('2026-01-01T00:00:00Z'),
): Promise<string> {
  const runs: (() => Promise<unknown>)[] = []
  const closers: (() => Promise<void>)[] = []
  const base = (_name: string, each: () => Promise<unknown>) => runs.push(each)
  testWithGateway(base, { create: createNgrok<Clock>, gatewayOptions: { clock } })(
    'of an application',
    async ({ gateway }) => {
      const { url, close } = await serve(gateway)
      closers.push(close)
      try {
        await work(url, gateway)
      } finally {
        if (closesEarly) await close()
      }
    },
  )
  const message = await runs[0]?.().then(
    () => 'passed',
    (error: Error) => error.message,
  )
  for (const close of closers) await close()
  return message ?? 'never run'
}

describe.each([
  ['closes in the test', true],
  ['closes later', false],
])('A failing test whose server %s', (_name, closesEarly) => {
  test('names the request over HTTP that it did not await', async () => {
    const message = await run(async (url, gateway) => {
      await create(url)
      create(url).catch(() => undefined)
      expect(gateway.leftovers()).toHaveLength(2)
    }, closesEarly)
    expect(message).toMatch(
      /\n1 request over HTTP was still pending when the server closed or the test ended: POST \/reserved_addrs\. Is an await missing\?\n/,
    )
  })

  test('suspects Promise.all, and no missing await, if another request failed just before', async () => {
    const message = await run(async (url, gateway) => {
      gateway.faults.add({ operation: 'reserved_addrs.create', latency: '1m' })
      const read = async () => {
        const { status } = await fetch(`${url}/reserved_addrs/ra_none`, { headers })
        throw new Error(`status ${status}`)
      }
      await Promise.all([create(url), read()])
    }, closesEarly)
    expect(message).toContain(
      'pending when the server closed or the test ended: POST /reserved_addrs. The test may have awaited it: ' +
        "Promise.all doesn't wait for the others after a failure, such as GET /reserved_addrs/ra_none → 404.",
    )
    expect(message).not.toContain('Is an await missing')
  })

  test('names none if it awaited all', async () => {
    const message = await run(async (url, gateway) => {
      await create(url)
      await fetch(`${url}/_fauxgate/report`)
      expect(gateway.leftovers()).toHaveLength(2)
    }, closesEarly)
    expect(message).toContain('The gateway at ')
    expect(message).not.toContain('still pending')
  })

  test('does not fail for such a request alone, which another process may have sent', async () => {
    const passing = async (url: string) => {
      await create(url)
      create(url).catch(() => undefined)
    }
    expect(await run(passing, closesEarly)).toBe('passed')
  })
})

test('A failing test names the only request over HTTP, if it did not await that request', async () => {
  const message = await run((url, gateway) => {
    create(url).catch(() => undefined)
    expect(gateway.leftovers()).toHaveLength(1)
  }, false)
  expect(message).toContain('1 request over HTTP was still pending')
})

test('A test fails for a request over HTTP with an object instead of an API key', async () => {
  const message = await run(async (url) => {
    await fetch(`${url}/reserved_addrs`, { headers: { ...headers, authorization: `Bearer ${{}}` } })
  }, true)
  expect(message).toContain(
    '1 request sent a stringified object instead of an API key: GET /reserved_addrs with [object Object].',
  )
})

describe('A test that its runner has ended, and whose request over HTTP a fault holds back', () => {
  const hold = (clock: Clock) =>
    run(
      async (url, gateway) => {
        gateway.faults.add({ latency: '1m' })
        get(`${url}/reserved_addrs`, { headers, timeout: 10_000 }).on('error', () => undefined)
        throw new Error('Test timed out in 5000ms.')
      },
      false,
      clock,
    )

  test('is told which timeouts of clients do not follow a manual clock, and not that an await is missing', async () => {
    const message = await hold(manualClock('2026-01-01T00:00:00Z'))
    expect(message).toContain(
      '1 request over HTTP was still pending when the server closed or the test ended: GET /reserved_addrs. ' +
        "The test may have awaited it. The `timeout` of node:http and, after a file's first test, undici's `headersTimeout` " +
        "don't follow the gateway's clock. With the `globals` option, `AbortSignal.timeout` does.",
    )
    expect(message).not.toContain('Is an await missing')
  })

  test('is told nothing of these on the system clock', async () => {
    expect(await hold({ now: Date.now() })).not.toContain('still pending')
  })
})
