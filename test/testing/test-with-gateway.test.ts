import { afterEach, describe, expect, expectTypeOf, onTestFinished, test, vi } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { createGateway, type Gateway, type ManualClock, manualClock } from '../../src/index.ts'
import { assertStrict, type Strict, testWithGateway } from '../../src/testing/testing.ts'
import { expectError } from '../support/client.ts'
import { CLOCK_START } from '../support/clock.ts'
import { runTest } from './run-test.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const headers = { authorization: 'Bearer k', 'service-version': '2' }

/** Creates a runner that records its arguments, with the variants of node:test. */
function createRunner() {
  const tests: { via: string; name: string; rest: readonly unknown[]; run: (...context: unknown[]) => unknown }[] = []
  const define =
    (via: string) =>
    (name: string, ...rest: unknown[]) => {
      const run = rest.find((each) => typeof each === 'function') as (...context: unknown[]) => unknown
      tests.push({ via, name, rest: rest.filter((each) => each !== run), run })
      return via
    }
  const base = Object.assign(define('test'), { only: define('only'), skip: define('skip'), todo: define('todo') })
  return { base, tests }
}

/** Installs the gateway of a test, and then never ends. */
const hang = ({ gateway }: { gateway: Gateway }) => {
  gateway.install()
  return new Promise(() => undefined)
}

describe('The test of any runner', () => {
  test('passes each test its own gateway, then the arguments of the runner', async () => {
    const { base, tests } = createRunner()
    const ownTest = testWithGateway(base)
    const calls: unknown[][] = []
    expect(ownTest('one', ({ gateway }, ...context) => calls.push([gateway, ...context]))).toBe('test')
    ownTest('another', { timeout: 5 }, ({ gateway }) => calls.push([gateway]))
    ownTest('a third', ({ gateway }) => calls.push([gateway]), 500)
    expect(tests.map(({ name, rest }) => [name, ...rest])).toEqual([
      ['one'],
      ['another', { timeout: 5 }],
      ['a third', 500],
    ])
    for (const { run } of tests) {
      // A runner that counts parameters would pass a callback.
      expect(run).toHaveLength(0)
      await run('context')
    }
    const gateways = calls.map(([gateway]) => gateway as Gateway<ManualClock>)
    expect(calls[0]).toEqual([gateways[0], 'context'])
    expect(new Set(gateways).size).toBe(3)
    expect(gateways.map((gateway) => gateway.snapshot().seed)).toEqual(['one', 'another', 'a third'])
    expect(gateways.map(({ clock }) => clock.now)).toEqual(Array(3).fill(Date.UTC(2026, 0, 1)))
  })

  test('reads a variant only when a test does: Bun throws in CI when `only` is read', () => {
    const bun = {
      get only(): never {
        throw new Error('.only is disabled in CI environments')
      },
    }
    const base = Object.defineProperties(() => undefined, Object.getOwnPropertyDescriptors(bun))
    const ownTest = testWithGateway(base) as { only?: unknown }
    expect(() => ownTest.only).toThrow('.only is disabled')
  })

  test('has the variants that define tests, where the runner has them', () => {
    const { base, tests } = createRunner()
    const ownTest = testWithGateway(base)
    ownTest.only('a', () => undefined)
    ownTest.skip('b', () => undefined)
    expect(tests.map(({ via }) => via)).toEqual(['only', 'skip'])
    expect(ownTest).not.toHaveProperty('concurrent')
    expectTypeOf<keyof typeof ownTest>().toEqualTypeOf<'only' | 'skip'>()
  })

  test('takes options, or a function that returns options for each test', async () => {
    const clocks: ManualClock[] = []
    const { base, tests } = createRunner()
    const ownTest = testWithGateway(base, {
      gatewayOptions: () => ({ clock: manualClock('2030-06-01T00:00:00Z'), seed: 'x' }),
    })
    for (const name of ['one', 'another']) {
      ownTest(name, ({ gateway }) => {
        expectTypeOf(gateway).toEqualTypeOf<Gateway<ManualClock>>()
        expect(gateway.snapshot().seed).toBe('x')
        clocks.push(gateway.clock)
        gateway.clock.advance('1h')
      })
    }
    for (const { run } of tests) await run()
    expect(clocks.map(({ now }) => now)).toEqual(Array(2).fill(Date.UTC(2030, 5, 1, 1)))
    expect(clocks[0]).not.toBe(clocks[1])
    const options = { gatewayOptions: { initial: { reservedDomains: [{ domain: 'app.example.com' }] } } }
    expect(
      await runTest((gateway) => expect(gateway.reservedDomains.list().reserved_domains).toHaveLength(1), options),
    ).toBeUndefined()
  })

  test('reports on failure what happened at the gateway, in the message and in the stack', async () => {
    const error = await runTest(async (gateway) => {
      await gateway.fetch(`${gateway.url}/reserved_domains`, { headers })
      throw new TypeError('It broke.')
    })
    expect(error).toBeInstanceOf(TypeError)
    expect(error?.message).toMatch(
      /^It broke\.\n\nThe gateway at 2026-01-01T00:00:00Z:\n {2}requests:\n.*GET \/reserved_domains → 200\n$/,
    )
    expect(error?.stack).toContain(error?.message)
    expect(error?.stack).toMatch(/\n {4}at .*test-with-gateway\.test\.ts/)
  })

  test('reports on failure which events the account has sent', async () => {
    const { base, tests } = createRunner()
    testWithGateway(base, { create: createNgrok<ManualClock> })('one', ({ gateway }) => {
      const target = { datadog: { api_key: 'a key' } }
      const { id } = gateway.eventDestinations.create({ format: 'json', target })
      gateway.eventSubscriptions.create({ sources: [{ type: 'vault_created.v0' }], destination_ids: [id] })
      gateway.vaults.create({ name: 'app' })
      throw new Error('It broke.')
    })
    await expect(tests[0]?.run()).rejects.toThrow(
      /^It broke\.\n\n.* {2}sent events:\n {4}2026-01-01T00:00:00Z vault_created\.v0 of vault_\w+ for ed_\w+: kept\n/s,
    )
  })

  test.each<[options: unknown, message: string]>([
    [{ stict: false }, '"stict" is not an option. Supported: create, gatewayOptions, strict, globals, clock.'],
    [{ strict: 'no' }, 'strict is "no". Allowed: true or false.'],
    [{ gatewayOptions: 5 }, 'gatewayOptions is 5. Allowed: an object, or a function that returns one.'],
    [null, 'options is null. Allowed: an object.'],
  ])('throws for wrong options: %j', (options, message) => {
    expect(() => testWithGateway(() => undefined, options as object)).toThrow(new TypeError(message))
  })

  test.each<[options: object, message: string]>([
    [{ gatewayOptions: () => undefined }, 'gatewayOptions is missing. Allowed: an object.'],
    [{ gatewayOptions: async () => ({ seed: 'x' }) }, 'gatewayOptions is a Promise. Allowed: an object.'],
    [{ gatewayOptions: () => [{ seed: 'x' }] }, 'gatewayOptions is an array of 1 item. Allowed: an object.'],
    [{ create: () => undefined }, 'create returned nothing. Allowed: a gateway.'],
    [{ create: async () => createGateway() }, 'create returned a promise: await it first. Allowed: a gateway.'],
  ])('fails a test if a function in its options returns a wrong value: %j', async (options, message) => {
    expect((await runTest(() => undefined, options))?.message).toBe(message)
  })

  test('fails a test whose gateway an earlier test has used, with its resources and faults', async () => {
    const options = { create: () => shared }
    const shared = createGateway({ clock: manualClock(CLOCK_START) })
    expect(await runTest(() => undefined, options)).toBeUndefined()
    expect((await runTest(() => undefined, options))?.message).toBe(
      'create returned the gateway of an earlier test. Allowed: a new gateway for each test.',
    )
  })

  test.each([undefined, {}])('throws for %j in the place of a runner', (runner) => {
    expect(() => testWithGateway(runner as never)).toThrow(/Allowed: the function of a runner/)
  })

  test('also reports after an abort, whose message cannot be assigned', async () => {
    const error = await runTest(async (gateway) => {
      gateway.faults.add({ latency: '5s' })
      await gateway.fetch(gateway.url, { headers, signal: AbortSignal.abort() })
    })
    expect(error).toBeInstanceOf(DOMException)
    expect(error?.name).toBe('AbortError')
    expect(error?.message).toMatch(/^This operation was aborted\n\nThe gateway at 2026-01-01T00:00:00Z/)
    expect(error?.stack).toContain(error?.message)
  })

  test('says that the code under test waits on fake timers, which the manual clock does not advance', async () => {
    vi.useFakeTimers()
    const error = await runTest(() => {
      setTimeout(() => undefined, 1000)
      throw new Error('There is no certificate.')
    })
    expect(error?.message).toContain(
      "1 timer is waiting on the runner's fake timers, which do not follow the gateway's manual",
    )
    expect(
      (await runTest(() => Promise.reject(new Error('x')), { gatewayOptions: { clock: Date as never } }))?.message,
    ).not.toContain('timer is waiting')
  })

  test('reports after the name of an error that has no message', async () => {
    const error = await runTest(() => {
      throw new Error()
    })
    expect(error?.stack).toMatch(/^Error:? ?\n\nThe gateway at [\s\S]*\n {4}at .*test-with-gateway\.test\.ts/)
  })

  test('names what `create` returned instead of a gateway', async () => {
    const create = (async () => createGateway()) as never
    const error = await runTest(() => undefined, { create })
    expect(error?.message).toBe('create returned a promise: await it first. Allowed: a gateway.')
  })

  const frozen = Object.freeze(new Error('It broke.'))
  test.each([frozen, 'a text', null, 5, { message: 5 }, Object.freeze({ code: 1 })])(
    'rethrows unchanged a value that cannot have a report: %j',
    async (value) => {
      const outcome = runTest(() => {
        throw value
      })
      expect(await outcome).toBe(value)
      expect(frozen.message).toBe('It broke.')
    },
  )

  test('fails if a test that passed left something pending, and reports it once', async () => {
    const leaveFault = (gateway: Gateway) => gateway.faults.add({ operation: 'reserved_domains.delete', times: 1 })
    const error = await runTest(leaveFault)
    expect(error?.message).toMatch(/^Your assertions passed, .*`strict: false`/)
    expect(error?.message.match(/"reserved_domains\.delete"/g)).toHaveLength(1)
    expect(error?.stack).toBe(`${error?.name}: ${error?.message}`)
    expect(error?.message).not.toContain('pending:')
    expect(await runTest(leaveFault, { strict: false })).toBeUndefined()
  })

  test.each(['onTestFinished', 'after'])(
    'uninstalls a gateway when the runner ends a test that hangs, by %s',
    (hook) => {
      const endHooks: (() => void)[] = []
      const { base, tests } = createRunner()
      const before = globalThis.fetch
      testWithGateway(base)('hangs', hang)
      void tests[0]?.run({ [hook]: (work: () => void) => endHooks.push(work) })
      expect(globalThis.fetch).not.toBe(before)
      for (const work of endHooks)
        expect(work).toThrow('The test runner ended this test before the test function finished.')
      expect(globalThis.fetch).toBe(before)
    },
  )

  test('uninstalls a gateway and prints the report when Bun ends a test, although Bun has no global hook', () => {
    const endHooks: (() => void)[] = []
    const addEndHook = (work: () => void) => endHooks.push(work)
    const getBuiltin = process.getBuiltinModule
    const getModule = (name: string) => (name === 'bun:test' ? { onTestFinished: addEndHook } : getBuiltin(name))
    vi.spyOn(process, 'getBuiltinModule').mockImplementation(getModule)
    vi.stubGlobal('Bun', {})
    const consoleError = vi.spyOn(console, 'error').mockReturnValue()
    const { base, tests } = createRunner()
    const before = globalThis.fetch
    testWithGateway(base)('hangs', hang)
    void tests[0]?.run()
    for (const work of endHooks) work()
    expect(globalThis.fetch).toBe(before)
    expect(consoleError.mock.lastCall?.[0]).toMatch(
      /^Error: The test runner ended this test before the test function finished\.\n\nThe gateway at [\s\S]*test-with-gateway\.test\.ts:\d+:\d+$/,
    )
  })

  test.each([
    ['error', 'error'],
    ['unhandledrejection', 'reason'],
  ])('adds the report to an error that nothing caught, at the event %s of Deno', async (type, property) => {
    const host = new EventTarget()
    vi.stubGlobal('addEventListener', host.addEventListener.bind(host))
    vi.stubGlobal('removeEventListener', host.removeEventListener.bind(host))
    const dispatch = (error: unknown) => host.dispatchEvent(Object.assign(new Event(type), { [property]: error }))
    const errorInTest = new Error('It broke in a timer.')
    await runTest(async (gateway) => {
      await gateway.fetch(`${gateway.url}/reserved_domains`)
      dispatch(errorInTest)
      dispatch('a text, which cannot have a report')
    })
    expect(errorInTest.message).toMatch(
      /^It broke in a timer\.\n\nThe gateway at .*:\n {2}requests:\n.* GET \/reserved_domains → 401/,
    )
    const errorAfterTest = new Error('It broke after the test.')
    dispatch(errorAfterTest)
    expect(errorAfterTest.message).toBe('It broke after the test.')
  })

  test('does not uninstall the gateway of a concurrent test at the global afterEach, which runs for other tests', () => {
    const hook = vi.fn<(work: () => void) => void>()
    vi.stubGlobal('afterEach', hook)
    const { base, tests } = createRunner()
    const before = globalThis.fetch
    testWithGateway(Object.assign(base, { concurrent: base })).concurrent('hangs', ({ gateway }) => {
      const { uninstall } = gateway.install()
      onTestFinished(uninstall)
      return new Promise(() => undefined)
    })
    void tests[0]?.run()
    hook.mock.calls[0]?.[0]()
    expect(globalThis.fetch).not.toBe(before)
  })

  test('uninstalls a gateway that a test installed, also when the test fails', async () => {
    const before = globalThis.fetch
    const installAndFetch = async (gateway: Gateway) => {
      gateway.install()
      expect((await fetch(`${gateway.url}/reserved_domains`, { headers })).status).toBe(200)
    }
    expect(await runTest(installAndFetch)).toBeUndefined()
    expect(globalThis.fetch).toBe(before)
    expect(
      await runTest((gateway) => {
        gateway.install()
        throw new Error('It broke.')
      }),
    ).toBeDefined()
    expect(globalThis.fetch).toBe(before)
  })
})

describe('assertStrict', () => {
  test.each([
    [undefined, 'nothing'],
    [Promise.resolve(createGateway()), 'a Promise'],
    [{ url: 'http://127.0.0.1' }, 'an object'],
  ])('throws for a value that is no gateway: %s', (value, received) => {
    const message = `assertStrict received ${received}. Allowed: a gateway.`
    expect(() => assertStrict(value as never)).toThrow(new TypeError(message))
  })

  test('names everything that a test has left, in one error', async () => {
    const gateway = createGateway()
    expect(() => assertStrict(gateway)).not.toThrow()
    gateway.faults.add({ operation: 'reserved_addrs.list', times: 1 })
    gateway.provisioning.script(['DNS_ERROR'])
    await gateway.fetch(`${gateway.url}/nowhere`)
    const { name, message, stack } = expectError(() => assertStrict(gateway))
    expect(name).toBe('GatewayAssertionError')
    expect(message).toMatch(
      /^1 fault is still waiting for requests\.\n(.*\n)+No attempt used .*\n(.*\n)+1 request matches no operation/,
    )
    expect(stack).not.toContain('src/testing/fixture.ts')
  })

  test('rethrows any other error', () => {
    const gateway: Strict = createGateway()
    const error = new TypeError('It is broken.')
    const assertNoPendingFaults = () => {
      throw error
    }
    const faults = Object.assign(Object.create(gateway.faults), { assertNoPendingFaults })
    expect(expectError(() => assertStrict({ ...gateway, faults }))).toBe(error)
  })
})
