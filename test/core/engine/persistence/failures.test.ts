import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  createGateway,
  type Gateway,
  GatewayError,
  type GatewayOptions,
  type ManualClock,
  manualClock,
  type Store,
} from '../../../../src/index.ts'
import { client, expectError } from '../../../support/client.ts'
import { CLOCK_START } from '../../../support/clock.ts'
import { stateWithSecretsOf } from '../../../support/gateway.ts'
import { deferredStore, memoryStore } from '../../../support/memory-store.ts'

const policy = { authority: 'letsencrypt', private_key_type: 'ecdsa' } as const
const FULL = new Error('disk full')

/** Silences `console.error` until the end of the test. */
function silenceConsole() {
  const consoleError = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => consoleError.mockRestore())
  return consoleError
}

function openWithFailingStore() {
  const store = memoryStore()
  const gateway = createGateway({
    store,
    clock: manualClock(CLOCK_START),
    seed: 'failing',
    initial: { reservedAddrs: [{}] },
  })
  const { id } = gateway.reservedDomains.create({ domain: 'a.example.com', certificate_management_policy: policy })
  gateway.clock.advance('1h')
  return { store, gateway, id }
}

const calls: Record<string, (gateway: Gateway<ManualClock>, id: string) => unknown> = {
  create: (gateway) => gateway.reservedAddrs.create(),
  update: (gateway, id) => gateway.reservedDomains.update(id, { description: 'x' }),
  delete: (gateway, id) => gateway.reservedDomains.delete(id),
  'a record of the zone': (gateway) => gateway.dns.a('a.example.com', '192.0.2.1'),
  'a scripted outcome': (gateway) => gateway.provisioning.script(['DNS_ERROR']),
  'a fault': (gateway) => gateway.faults.add({ operation: 'reserved_addrs.list' }),
  'a declaration': (gateway) => gateway.declare.backend('bkdhr_1'),
  'a move of the clock': (gateway) => gateway.clock.advance('200d'),
  'a move to the next event': (gateway) => gateway.clock.advanceToNext(),
  'a move to a renewal': (gateway, id) => gateway.provisioning.renewNow(id),
  'a clock that is set': (gateway) => gateway.clock.set('2027-01-01T00:00:00Z'),
  'a clock that is reset': (gateway) => gateway.clock.reset(),
  reset: (gateway) => gateway.reset(),
  restore: (gateway) => gateway.restore(JSON.parse(JSON.stringify(gateway.snapshot()))),
}

describe('A call whose commit the store rejects (rules: stores#failures)', () => {
  it.each(Object.entries(calls))('is rejected and changes nothing: %s', (_name, call) => {
    const { store, gateway, id } = openWithFailingStore()
    const before = stateWithSecretsOf(gateway)
    const now = gateway.clock.now
    const subscriber = vi.fn()
    gateway.subscribe(subscriber)
    store.failure = FULL
    const error = expectError(() => call(gateway, id))
    expect(error).toMatchObject({ key: 'store_failed', code: 'ERR_GATEWAY_90507', status: 507, cause: FULL })
    expect(error.message).toContain('disk full')
    expect(gateway.clock.now).toBe(now)
    store.failure = undefined
    expect(stateWithSecretsOf(gateway)).toBe(before)
    expect(subscriber).not.toHaveBeenCalled()
    const twin = openWithFailingStore()
    call(gateway, id)
    call(twin.gateway, twin.id)
    expect(stateWithSecretsOf(gateway)).toBe(stateWithSecretsOf(twin.gateway))
  })

  it('gets the status 507 over HTTP', async () => {
    const { store, gateway } = openWithFailingStore()
    const before = stateWithSecretsOf(gateway)
    store.failure = FULL
    const answer = await client(gateway)('POST', '/reserved_addrs', { json: {} })
    expect(answer.status).toBe(507)
    expect(answer.body).toMatchObject({ error_code: 'ERR_GATEWAY_90507', status_code: 507 })
    const clockResponse = await gateway.fetch('http://localhost/_fauxgate/clock', {
      method: 'POST',
      body: '{"advance": "90d"}',
      headers: { 'content-type': 'application/json' },
    })
    expect(clockResponse.status).toBe(507)
    store.failure = undefined
    expect(stateWithSecretsOf(gateway)).toBe(before)
    expect(gateway.requests.last()).toMatchObject({ status: 507, commit: null })
  })

  it('can be a read, if an event has become due', () => {
    const clock = { now: CLOCK_START }
    const store = memoryStore()
    const gateway = createGateway({ store, clock })
    const { id } = gateway.reservedDomains.create({ domain: 'a.example.com', certificate_management_policy: policy })
    clock.now += 60_000
    store.failure = FULL
    expect(expectError(() => gateway.reservedDomains.get(id)).key).toBe('store_failed')
    expect(expectError(() => gateway.transport.settle()).key).toBe('store_failed')
    store.failure = undefined
    expect(gateway.reservedDomains.get(id).certificate).not.toBeNull()
    expect(store.commits).toHaveLength(3)
  })

  it('can be the creation of the gateway', () => {
    const store = memoryStore()
    store.failure = FULL
    const initial = { reservedAddrs: [{}] }
    expect(expectError(() => createGateway({ store, initial })).key).toBe('store_failed')
    expect(expectError(() => createGateway({ store })).key).toBe('store_failed')
    const brokenStore = {
      load: () => {
        throw FULL
      },
      append: () => undefined,
    }
    expect(() => createGateway({ store: brokenStore })).toThrow(FULL)
  })

  it('is the first call if the store has an async function, whose promise could reject unnoticed', () => {
    // The types allow an async `append`, and JavaScript an async `load` too.
    const load = (async () => undefined) as unknown as Store['load']
    const append = async () => Promise.reject(FULL)
    const message = 'of the store returned a promise. Allowed: a function that is not async.'
    expect(() => createGateway({ store: { load, append } })).toThrow(`\`load\` ${message}`)
    const error = expectError(() => createGateway({ store: { load: () => undefined, append } }))
    expect(error).toMatchObject({ key: 'store_failed', message: expect.stringContaining(`\`append\` ${message}`) })
  })

  it('is any call that the store itself makes', () => {
    const store = memoryStore()
    const gateway = createGateway({ store })
    const { append } = store
    store.append = (commit) => {
      gateway.reservedAddrs.list()
      append(commit)
    }
    expect(expectError(() => gateway.reservedAddrs.create()).message).toContain('from within its store')
  })

  it('sets back the clock of several gateways, and each of them has the state of its store', () => {
    const clock = manualClock(CLOCK_START)
    const [firstStore, secondStore] = [memoryStore(), memoryStore()]
    const first = createGateway({ clock, store: firstStore })
    const second = createGateway({ clock, store: secondStore })
    secondStore.failure = FULL
    expect(() => clock.advance('1h')).toThrow(GatewayError)
    expect(clock.now).toBe(CLOCK_START)
    expect([first.snapshot().now, second.snapshot().now]).toEqual([clock.now, clock.now])
    firstStore.failure = FULL
    expect(() => clock.advance('1h')).toThrow(GatewayError)
    expect(clock.now).toBe(CLOCK_START)
  })
})

describe('A change that the store has not flushed yet (rules: stores#confirmed-responses)', () => {
  const create = (gateway: Gateway) => client(gateway)('POST', '/reserved_addrs', { json: {} })
  const list = (gateway: Gateway) => client(gateway)('GET', '/reserved_addrs')
  const listAddresses = (gateway: Gateway) => gateway.reservedAddrs.list().reserved_addrs

  /** Creates a gateway whose first commit is flushed. Its store flushes further commits only on request. */
  async function openDeferred(options: GatewayOptions<ManualClock> = {}) {
    const store = deferredStore()
    const gateway = createGateway({ clock: manualClock(CLOCK_START), ...options, store })
    store.flush()
    await Promise.resolve()
    return { store, gateway }
  }

  /** Creates a gateway whose store has a separate promise for each commit. */
  function openWithPromises(store: Store = { load: () => undefined, append: () => undefined }) {
    const promises: { resolve: () => void; reject: (error: Error) => void }[] = []
    const flushed = () => new Promise<void>((resolve, reject) => void promises.push({ resolve, reject }))
    return { promises, gateway: createGateway({ store: { ...store, flushed } }) }
  }

  it('leaves the operation IDs of its requests to them, even if the store loses it', async () => {
    const { store, gateway } = await openDeferred()
    const ids = new Set<unknown>()
    for (let n = 0; n < 3; n++) {
      const lost = create(gateway)
      await Promise.resolve()
      store.lose(FULL)
      const { status, body } = await lost
      expect(status).toBe(507)
      ids.add(body.details.operation_id)
    }
    expect(ids.size).toBe(3)
    expect(new Set(gateway.requests.all().map(({ operationId }) => operationId))).toEqual(ids)
  })

  it('delays HTTP responses, also those of reads, until the store has flushed it', async () => {
    const { store, gateway } = await openDeferred()
    const responses: string[] = []
    const created = create(gateway).then(({ status }) => responses.push(`POST ${status}`))
    const listed = list(gateway).then(({ status }) => responses.push(`GET ${status}`))
    await nextTurn()
    expect(responses).toEqual([])
    expect(gateway.requests.count()).toBe(0)
    store.flush()
    await Promise.all([created, listed])
    expect(responses.sort()).toEqual(['GET 200', 'POST 201'])
    expect(gateway.requests.count()).toBe(2)
    expect((await list(gateway)).status).toBe(200)
  })

  it('gives every waiting request 507 if the store loses it, and the gateway returns to the state of the store', async () => {
    const { store, gateway } = await openDeferred({ provisioningDelay: 0 })
    const responses = [create(gateway), list(gateway)]
    const { id } = gateway.reservedDomains.create({ domain: 'a.example.com', certificate_management_policy: policy })
    const settled = expect(gateway.provisioning.settled(id)).rejects.toMatchObject({ key: 'store_failed', cause: FULL })
    const delivered = gateway.transport.delivered(
      gateway.transport.exchange({ method: 'GET', url: '/nothing', header: () => null, body: '' }),
    )
    store.lose(FULL)
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([507, 507])
    expect((await delivered).status).toBe(507)
    await settled
    expect(gateway.requests.all().map(({ status, commit }) => [status, commit])).toEqual([
      [507, null],
      [507, null],
      [507, null],
    ])
    expect(listAddresses(gateway)).toEqual([])
    const created = create(gateway)
    await Promise.resolve()
    store.flush()
    expect((await created).status).toBe(201)
    expect(listAddresses(createGateway({ store: memoryStore(store.safe.commits) }))).toHaveLength(1)
  })

  it('makes each call load the store again, if loading failed after a loss', async () => {
    const { store, gateway } = await openDeferred()
    const load = vi.spyOn(store, 'load').mockImplementation(() => {
      throw FULL
    })
    const created = create(gateway)
    await Promise.resolve()
    store.lose(FULL)
    expect((await created).status).toBe(507)
    expect(expectError(() => gateway.reservedAddrs.list()).key).toBe('store_failed')
    load.mockRestore()
    expect(listAddresses(gateway)).toEqual([])
  })

  it('is undone after a loss even if its direct call has returned', async () => {
    const consoleError = silenceConsole()
    const { store, gateway } = await openDeferred()
    gateway.reservedAddrs.create()
    gateway.clock.advance('1h')
    store.lose(FULL)
    await nextTurn()
    // Before any other call.
    expect(gateway.clock.now).toBe(CLOCK_START)
    expect(listAddresses(gateway)).toEqual([])
    expect(consoleError).toHaveBeenCalledOnce()
  })

  it('has its loss printed if no request waits for it, also after a request waited for an earlier change', async () => {
    const consoleError = silenceConsole()
    const store = deferredStore()
    const gateway = createGateway({ store })
    const created = create(gateway)
    await Promise.resolve()
    store.flush()
    expect((await created).status).toBe(201)
    gateway.reservedAddrs.create()
    store.lose(FULL)
    await nextTurn()
    expect(consoleError).toHaveBeenCalledOnce()
    expect(listAddresses(gateway)).toHaveLength(1)
  })

  it('has its loss printed if no request waits for it, also after a request without unflushed changes', async () => {
    const consoleError = silenceConsole()
    const { promises, gateway } = openWithPromises()
    promises[0]?.resolve()
    await nextTurn()
    expect((await list(gateway)).status).toBe(200)
    gateway.reservedAddrs.create()
    promises.at(-1)?.reject(FULL)
    await nextTurn()
    expect(consoleError).toHaveBeenCalledOnce()
  })

  it('is lost once, even if several promises of the store reject', async () => {
    const consoleError = silenceConsole()
    const store = memoryStore()
    createGateway({ store })
    const load = vi.fn(store.load)
    const { promises, gateway } = openWithPromises({ load, append: () => undefined })
    for (let n = 0; n < 3; n++) gateway.reservedAddrs.create()
    expect([promises.length, load.mock.calls.length]).toEqual([3, 1])
    for (const { reject } of promises) reject(FULL)
    await nextTurn()
    expect([consoleError.mock.calls.length, load.mock.calls.length]).toEqual([1, 2])
    // A later commit can be lost as well.
    gateway.reservedAddrs.create()
    promises.at(-1)?.reject(FULL)
    await nextTurn()
    expect([consoleError.mock.calls.length, load.mock.calls.length]).toEqual([2, 3])
    expect(listAddresses(gateway)).toEqual([])
  })

  it('is flushed when its last promise resolves, not an earlier one', async () => {
    const { promises, gateway } = openWithPromises(memoryStore())
    const responses: number[] = []
    const created = create(gateway).then(({ status }) => responses.push(status))
    await nextTurn()
    const [first, ...others] = promises
    first?.resolve()
    await nextTurn()
    const listed = list(gateway).then(({ status }) => responses.push(status))
    await nextTurn()
    expect(responses).toEqual([])
    for (const { resolve } of others) resolve()
    await Promise.all([created, listed])
    expect(responses).toEqual([201, 200])
  })

  it('is not in the state if the store loses its very first commit (rules: stores#failures)', async () => {
    silenceConsole()
    const store = deferredStore()
    const initially = { seed: 'first', initial: { reservedAddrs: [{}] } }
    const gateway = createGateway({ ...initially, store, clock: manualClock(CLOCK_START) })
    const initial = stateWithSecretsOf(gateway)
    const lostResponse = create(gateway)
    await Promise.resolve()
    store.lose(FULL)
    expect((await lostResponse).status).toBe(507)
    expect(stateWithSecretsOf(gateway)).toBe(initial)
    const append = vi.spyOn(store, 'append').mockImplementationOnce(() => {
      throw FULL
    })
    expect(expectError(() => gateway.reservedAddrs.create()).key).toBe('store_failed')
    append.mockRestore()
    const created = create(gateway)
    await Promise.resolve()
    store.flush()
    expect((await created).status).toBe(201)
    expect(store.safe.commits[0]?.replaces).toMatchObject({ seed: 'first' })
    const restarted = createGateway({ store: memoryStore(store.safe.commits), clock: manualClock(CLOCK_START) })
    expect(stateWithSecretsOf(restarted)).toBe(stateWithSecretsOf(gateway))
  })

  it('does not start anew after a loss if the store has no state any more (rules: stores#failures)', async () => {
    silenceConsole()
    let flushed = Promise.resolve()
    const store = { load: () => undefined, append: () => undefined, flushed: () => flushed }
    const gateway = createGateway({ store, clock: manualClock(CLOCK_START) })
    await nextTurn()
    flushed = Promise.reject(FULL)
    gateway.reservedAddrs.create()
    await nextTurn()
    expect(expectError(() => gateway.reservedAddrs.list())).toMatchObject({
      key: 'store_failed',
      message: expect.stringContaining('it no longer has a state'),
    })
  })

  it('keeps the initial resources after a failed reset, which would have given them other ids', () => {
    const { store: first } = openWithFailingStore()
    const store = memoryStore(first.commits)
    const initial = { reservedAddrs: [{}] }
    const gateway = createGateway({ store, clock: manualClock(CLOCK_START), seed: 'another', initial })
    const before = stateWithSecretsOf(gateway)
    expect(gateway.leftovers()).toHaveLength(1)
    store.failure = FULL
    expect(expectError(() => gateway.reset()).key).toBe('store_failed')
    store.failure = undefined
    expect(stateWithSecretsOf(gateway)).toBe(before)
    gateway.reset()
    expect(gateway.leftovers()).toEqual([])
    expect(stateWithSecretsOf(gateway)).not.toBe(before)
  })
})

describe('A store', () => {
  it('has one gateway at a time (rules: stores#one-gateway)', () => {
    const store = memoryStore()
    const gateway = createGateway({ store })
    expect(() => createGateway({ store })).toThrow('store is in use by another gateway')
    gateway.reservedAddrs.create()
    gateway.dispose()
    expect(createGateway({ store }).leftovers()).toHaveLength(1)
  })

  it('is free again if a gateway could not be created', () => {
    const store = memoryStore()
    expect(() => createGateway({ store, initial: { reservedDomains: [{ domain: 'x' }] } })).toThrow(
      'at least two labels',
    )
    expect(createGateway({ store }).leftovers()).toEqual([])
  })
})
