import { describe, expect, test } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { type Gateway, manualClock } from '../../src/index.ts'
import { client } from '../support/client.ts'
import { CLOCK_START } from '../support/clock.ts'
import { createFullGateway } from '../support/full-gateway.ts'

/** The arguments of members that need some. All others are called without arguments, and with each id. */
const ARGUMENTS: Readonly<Record<string, readonly unknown[][]>> = {
  'faults.add': [[{ operation: 'reserved_addrs.list', times: 1, body: { a: [{ b: 1 }] } }]],
  'dns.cname': [['new.example.com', 'target.example.com']],
  'dns.a': [['new.example.com', '1.2.3.4']],
  'declare.edge': [['edghts_2', { routes: ['edghtsrt_2'] }]],
  snapshot: [[], [{ privateKeys: true }]],
}

/** Members that end the gateway, change globals, wait for something, or remove what other members return. */
const LEFT_OUT =
  /(^|\.)(fetch|install|close|reset|restore|clear|clearScript|delete|remove|subscribe|exchange|waitFor.*|advance.*)$/

/** Yields a gateway's functions with their paths, such as `faults.all`. */
function* listFunctions(owner: object, path: readonly string[] = []): Generator<[path: string, call: () => unknown[]]> {
  const names = new Set<string>()
  for (let each = owner; each && each !== Object.prototype; each = Object.getPrototypeOf(each)) {
    for (const name of Object.getOwnPropertyNames(each)) if (name !== 'constructor') names.add(name)
  }
  for (const name of names) {
    const value: unknown = Reflect.get(owner, name)
    const at = [...path, name]
    if (LEFT_OUT.test(at.join('.'))) continue
    if (typeof value === 'function') yield [at.join('.'), value.bind(owner)]
    else if (typeof value === 'object' && value !== null && path.length < 2) {
      yield [at.join('.'), () => value as unknown[]] // The caller changes whatever it is.
      if (!Array.isArray(value)) yield* listFunctions(value, at)
    }
  }
}

/** Changes everything in a value that its owner lets a caller change. Functions and objects with functions stay. */
function damage(value: unknown, mark: string, seen = new Set<unknown>()): void {
  if (typeof value !== 'object' || value === null || seen.has(value) || ArrayBuffer.isView(value)) return
  seen.add(value)
  if (Object.values(value).some((each) => typeof each === 'function')) return
  for (const inner of Object.values(value)) damage(inner, mark, seen)
  for (const name of Object.keys(value)) Reflect.set(value, name, mark)
  if (Array.isArray(value)) Reflect.set(value, value.length, mark)
  else Reflect.set(value, 'added', mark)
}

function stateOf(gateway: Gateway): string {
  const { requests, faults, dns, provisioning, dialect, url } = gateway
  const lists = [requests.all(), faults.all(), dns.records(), provisioning.pendingOutcomes()]
  return JSON.stringify([lists, gateway.leftovers(), dialect, url, gateway.snapshot({ privateKeys: true })])
}

/** Returns the id of the first resource of each list. */
function findIds(gateway: Gateway): string[] {
  return Object.entries(gateway).flatMap(([name, family]) => {
    // The list of sources needs the id of a subscription.
    if (typeof family?.list !== 'function' || name === 'eventSources') return []
    const pages: object[] = Object.values<object>(family.list()).filter(Array.isArray)
    return pages.flatMap((items) => Reflect.get(Reflect.get(items, 0) ?? {}, 'id') ?? [])
  })
}

const gateways = {
  createGateway: () => createFullGateway(),
  async createNgrok() {
    const gateway = createNgrok({ seed: 'returned', clock: manualClock(CLOCK_START) })
    const { id } = gateway.ipPolicies.create({ description: 'the office' })
    gateway.credentials.create()
    gateway.reservedDomains.create({ domain: 'app.example.com' })
    gateway.dns.cname('app.example.com', 'target.example.com')
    gateway.faults.add({ operation: 'reserved_addrs.list', body: { a: [1] } })
    await client(gateway)('GET', `/ip_policies/${id}`)
    return gateway
  },
}

describe('Everything that a member of a gateway returns (rules: transactions#all-or-nothing)', () => {
  test.each(Object.entries(gateways))('is frozen or a copy: %s', async (_, create) => {
    const gateway: Gateway = await create()
    // The calls below are not awaited, so what they load must be there before the file ends.
    const { traffic, agent } = gateway
    await Promise.allSettled([traffic.fetch('https://app.example.com'), agent.fetch('http://localhost:4040/api')])
    const ids = findIds(gateway)
    // A snapshot freezes what it shows, so the members at the top come last.
    const all = [...listFunctions(gateway)]
    const isNested = ([path]: (typeof all)[number]) => path.includes('.')
    const functions = [...all.filter(isNested), ...all.filter((each) => !isNested(each))]
    const returned = new Set<string>()
    for (const [path, call] of functions) {
      for (const args of ARGUMENTS[path] ?? [[], ...ids.map((id) => [id])]) {
        let value: unknown
        try {
          value = Reflect.apply(call, undefined, structuredClone(args))
        } catch {
          continue
        }
        if (value instanceof Promise) void value.catch(() => undefined)
        else if (typeof value === 'object' && value !== null) {
          returned.add(path)
          damage(value, `damaged through ${path}`)
        }
      }
    }
    const damages = stateOf(gateway).match(/damaged through [\w.]+/g) ?? []
    expect([...new Set(damages)]).toEqual([])
    const expected = ['faults.add', 'faults.all', 'dns.records', 'requests.all', 'snapshot', 'reservedDomains.list']
    expect([...returned]).toEqual(expect.arrayContaining(expected))
  })

  test('does not share an object with the caller', () => {
    const gateway = createNgrok()
    const body = { a: [1] }
    const spec = { operation: 'reserved_addrs.list' as const, body }
    gateway.faults.add(spec)
    body.a.push(2)
    expect(gateway.faults.all()).toMatchObject([{ body: { a: [1] } }])
    expect(Object.isFrozen(body) || Object.isFrozen(spec)).toBe(false)
  })
})
