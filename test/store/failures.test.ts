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
} from '../../src/index.ts'
import { client, expectError } from '../support/client.ts'
import { stateWithSecretsOf } from '../support/gateway.ts'
import { deferredStore, memoryStore } from '../support/memory-store.ts'
import { NEW_YEAR } from '../support/provisioning.ts'

const policy = { authority: 'letsencrypt', private_key_type: 'ecdsa' } as const
const FULL = new Error('disk full')

/** Keeps errors off the console until the end of the test. */
function quietConsole() {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => printed.mockRestore())
  return printed
}

function failing() {
  const store = memoryStore()
  const gateway = createGateway({
    store,
    clock: manualClock(NEW_YEAR),
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
  'an outcome on order': (gateway) => gateway.provisioning.script(['DNS_ERROR']),
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

describe('A call that the store does not keep (rules: stores#failures)', () => {
  it.each(Object.entries(calls))('is refused and changes nothing: %s', (_name, call) => {
    const { store, gateway, id } = failing()
    const before = stateWithSecretsOf(gateway)
    const now = gateway.clock.now
    const told = vi.fn()
    gateway.subscribe(told)
    store.failure = FULL
    const error = expectError(() => call(gateway, id))
    expect(error).toMatchObject({ key: 'store_failed', code: 'ERR_GATEWAY_90507', status: 507, cause: FULL })
    expect(error.message).toContain('disk full')
    expect(gateway.clock.now).toBe(now)
    store.failure = undefined
    expect(stateWithSecretsOf(gateway)).toBe(before)
    expect(told).not.toHaveBeenCalled()
    const twin = failing()
    call(gateway, id)
    call(twin.gateway, twin.id)
    expect(stateWithSecretsOf(gateway)).toBe(stateWithSecretsOf(twin.gateway))
  })

  it('is answered with 507 over HTTP', async () => {
    const { store, gateway } = failing()
    const before = stateWithSecretsOf(gateway)
    store.failure = FULL
    const answer = await client(gateway)('POST', '/reserved_addrs', { json: {} })
    expect(answer.status).toBe(507)
    expect(answer.body).toMatchObject({ error_code: 'ERR_GATEWAY_90507', status_code: 507 })
    const moved = await gateway.fetch('http://localhost/_fauxgate/clock', {
      method: 'POST',
      body: '{"advance": "90d"}',
      headers: { 'content-type': 'application/json' },
    })
    expect(moved.status).toBe(507)
    store.failure = undefined
    expect(stateWithSecretsOf(gateway)).toBe(before)
    expect(gateway.requests.last()).toMatchObject({ status: 507, commit: null })
  })

  it('can be a read, when something has become due', () => {
    const clock = { now: Date.parse(NEW_YEAR) }
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
    const broken = {
      load: () => {
        throw FULL
      },
      append: () => undefined,
    }
    expect(() => createGateway({ store: broken })).toThrow(FULL)
  })

  it('is the first one of a store with an async function, since a promise may reject without notice', () => {
    // The types allow an async `append`, and JavaScript an async `load` too.
    const load = (async () => undefined) as unknown as Store['load']
    const append = async () => Promise.reject(FULL)
    const message = 'of the store returned a promise. Allowed: a function that is not async.'
    expect(() => createGateway({ store: { load, append } })).toThrow(`\`load\` ${message}`)
    const error = expectError(() => createGateway({ store: { load: () => undefined, append } }))
    expect(error).toMatchObject({ key: 'store_failed', message: expect.stringContaining(`\`append\` ${message}`) })
  })

  it('is any that comes from the store itself', () => {
    const store = memoryStore()
    const gateway = createGateway({ store })
    const { append } = store
    store.append = (commit) => {
      gateway.reservedAddrs.list()
      append(commit)
    }
    expect(expectError(() => gateway.reservedAddrs.create()).message).toContain('inside its store')
  })

  it('takes the clock of several gateways back, and leaves each of them as its store has it', () => {
    const clock = manualClock(NEW_YEAR)
    const [one, two] = [memoryStore(), memoryStore()]
    const first = createGateway({ clock, store: one })
    const second = createGateway({ clock, store: two })
    two.failure = FULL
    expect(() => clock.advance('1h')).toThrow(GatewayError)
    expect(clock.now).toBe(Date.parse(NEW_YEAR))
    expect([first.snapshot().now, second.snapshot().now]).toEqual([clock.now, clock.now])
    one.failure = FULL
    expect(() => clock.advance('1h')).toThrow(GatewayError)
    expect(clock.now).toBe(Date.parse(NEW_YEAR))
  })
})

describe('What is answered before it is safe (rules: stores#safe-answers)', () => {
  const create = (gateway: Gateway) => client(gateway)('POST', '/reserved_addrs', { json: {} })
  const list = (gateway: Gateway) => client(gateway)('GET', '/reserved_addrs')
  const addresses = (gateway: Gateway) => gateway.reservedAddrs.list().reserved_addrs

  /** A gateway whose first commit is safe, and whose store is safe later only when it is told so. */
  async function openDeferred(options: GatewayOptions<ManualClock> = {}) {
    const store = deferredStore()
    const gateway = createGateway({ clock: manualClock(NEW_YEAR), ...options, store })
    store.flush()
    await Promise.resolve()
    return { store, gateway }
  }

  /** A store that makes a promise of its own for each commit. */
  function promising(store: Store = { load: () => undefined, append: () => undefined }) {
    const promises: { resolve: () => void; reject: (error: Error) => void }[] = []
    const flushed = () => new Promise<void>((resolve, reject) => void promises.push({ resolve, reject }))
    return { promises, gateway: createGateway({ store: { ...store, flushed } }) }
  }

  it('waits over HTTP, reads of it too, until the store says so', async () => {
    const { store, gateway } = await openDeferred()
    const answered: string[] = []
    const created = create(gateway).then(({ status }) => answered.push(`POST ${status}`))
    const listed = list(gateway).then(({ status }) => answered.push(`GET ${status}`))
    await nextTurn()
    expect(answered).toEqual([])
    expect(gateway.requests.count()).toBe(0)
    store.flush()
    await Promise.all([created, listed])
    expect(answered.sort()).toEqual(['GET 200', 'POST 201'])
    expect(gateway.requests.count()).toBe(2)
    expect((await list(gateway)).status).toBe(200)
  })

  it('is refused for everyone who waits when it is lost, and the gateway stands where the store does', async () => {
    const { store, gateway } = await openDeferred({ provisioningDelay: 0 })
    const waiting = [create(gateway), list(gateway)]
    const { id } = gateway.reservedDomains.create({ domain: 'a.example.com', certificate_management_policy: policy })
    const settled = expect(gateway.provisioning.settled(id)).rejects.toMatchObject({ key: 'store_failed', cause: FULL })
    const delivered = gateway.transport.delivered(
      gateway.transport.exchange({ method: 'GET', url: '/nothing', header: () => null, body: '' }),
    )
    store.lose(FULL)
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([507, 507])
    expect((await delivered).status).toBe(507)
    await settled
    expect(gateway.requests.all().map(({ status, commit }) => [status, commit])).toEqual([
      [507, null],
      [507, null],
      [507, null],
    ])
    expect(addresses(gateway)).toEqual([])
    const created = create(gateway)
    await Promise.resolve()
    store.flush()
    expect((await created).status).toBe(201)
    expect(addresses(createGateway({ store: memoryStore(store.safe.commits) }))).toHaveLength(1)
  })

  it('is asked for again at every call where the store cannot even say what it has', async () => {
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
    expect(addresses(gateway)).toEqual([])
  })

  it('is undone for a direct call, which had its answer at once', async () => {
    const printed = quietConsole()
    const { store, gateway } = await openDeferred()
    gateway.reservedAddrs.create()
    gateway.clock.advance('1h')
    store.lose(FULL)
    await nextTurn()
    // Before anybody asks.
    expect(gateway.clock.now).toBe(Date.parse(NEW_YEAR))
    expect(addresses(gateway)).toEqual([])
    expect(printed).toHaveBeenCalledOnce()
  })

  it('is lost without anybody knowing, unless that is printed, also where others waited for what was safe before', async () => {
    const printed = quietConsole()
    const store = deferredStore()
    const gateway = createGateway({ store })
    const created = create(gateway)
    await Promise.resolve()
    store.flush()
    expect((await created).status).toBe(201)
    gateway.reservedAddrs.create()
    store.lose(FULL)
    await nextTurn()
    expect(printed).toHaveBeenCalledOnce()
    expect(addresses(gateway)).toHaveLength(1)
  })

  it('is said to be lost where nobody waits for it, also after somebody has asked while all was safe', async () => {
    const printed = quietConsole()
    const { promises, gateway } = promising()
    promises[0]?.resolve()
    await nextTurn()
    expect((await list(gateway)).status).toBe(200)
    gateway.reservedAddrs.create()
    promises.at(-1)?.reject(FULL)
    await nextTurn()
    expect(printed).toHaveBeenCalledOnce()
  })

  it('is lost once, however many promises of the store say so', async () => {
    const printed = quietConsole()
    const safe = memoryStore()
    createGateway({ store: safe })
    const load = vi.fn(safe.load)
    const { promises, gateway } = promising({ load, append: () => undefined })
    for (let n = 0; n < 3; n++) gateway.reservedAddrs.create()
    expect([promises.length, load.mock.calls.length]).toEqual([3, 1])
    for (const { reject } of promises) reject(FULL)
    await nextTurn()
    expect([printed.mock.calls.length, load.mock.calls.length]).toEqual([1, 2])
    // What is written after that can be lost as well.
    gateway.reservedAddrs.create()
    promises.at(-1)?.reject(FULL)
    await nextTurn()
    expect([printed.mock.calls.length, load.mock.calls.length]).toEqual([2, 3])
    expect(addresses(gateway)).toEqual([])
  })

  it('is safe when its last promise says so, and not when an earlier one does', async () => {
    const { promises, gateway } = promising(memoryStore())
    const answered: number[] = []
    const noted = create(gateway).then(({ status }) => answered.push(status))
    await nextTurn()
    const [first, ...others] = promises
    first?.resolve()
    await nextTurn()
    const read = list(gateway).then(({ status }) => answered.push(status))
    await nextTurn()
    expect(answered).toEqual([])
    for (const { resolve } of others) resolve()
    await Promise.all([noted, read])
    expect(answered).toEqual([201, 200])
  })

  it('is no part of the state where the first commit of all is lost (rules: stores#failures)', async () => {
    quietConsole()
    const store = deferredStore()
    const initially = { seed: 'first', initial: { reservedAddrs: [{}] } }
    const gateway = createGateway({ ...initially, store, clock: manualClock(NEW_YEAR) })
    const initial = stateWithSecretsOf(gateway)
    const lost = create(gateway)
    await Promise.resolve()
    store.lose(FULL)
    expect((await lost).status).toBe(507)
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
    const again = createGateway({ store: memoryStore(store.safe.commits), clock: manualClock(NEW_YEAR) })
    expect(stateWithSecretsOf(again)).toBe(stateWithSecretsOf(gateway))
  })

  it('keeps what counts as initial also where a reset would have made it with other ids', () => {
    const { store: first } = failing()
    const store = memoryStore(first.commits)
    const initial = { reservedAddrs: [{}] }
    const gateway = createGateway({ store, clock: manualClock(NEW_YEAR), seed: 'another', initial })
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

  it('is free again where a gateway could not be created', () => {
    const store = memoryStore()
    expect(() => createGateway({ store, initial: { reservedDomains: [{ domain: 'x' }] } })).toThrow(
      'at least two labels',
    )
    expect(createGateway({ store }).leftovers()).toEqual([])
  })
})
