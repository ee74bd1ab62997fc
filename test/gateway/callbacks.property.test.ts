import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Commit, createGateway, type Gateway, type ManualClock, manualClock } from '../../src/index.ts'
import { CLOCK_START } from '../support/clock.ts'
import { exchange } from '../support/exchange.ts'
import { check, limitCases } from '../support/property.ts'

type TestGateway = Gateway<ManualClock>

const policy = { authority: 'letsencrypt', private_key_type: 'ecdsa' as const }

/** Calls that a callback may make. */
const actions: Record<string, (gateway: TestGateway, n: number) => unknown> = {
  address: (gateway) => gateway.reservedAddrs.create(),
  domain: (gateway, n) =>
    gateway.reservedDomains.create({ domain: `d${n}.example.com`, certificate_management_policy: policy }),
  drop: (gateway) => gateway.reservedDomains.delete(gateway.reservedDomains.list().reserved_domains[0]?.id ?? 'rd_1'),
  refused: (gateway) => gateway.reservedDomains.create({ domain: 'no' }),
  list: (gateway) => gateway.reservedDomains.list({ filter: 'obj.domain.contains("d")' }),
  fault: (gateway) => gateway.faults.add({ operation: 'reserved_addrs.create', times: 1, after: 1 }),
  disarm: (gateway) => gateway.faults.clear(),
  script: (gateway) => gateway.provisioning.script(['DNS_ERROR', 'success']),
  attempt: (gateway) =>
    gateway.provisioning.attempt(gateway.reservedDomains.list().reserved_domains.at(-1)?.id ?? 'rd_1'),
  record: (gateway, n) => gateway.dns.a(`d${n}.example.com`, '192.0.2.1'),
  advance: (gateway) => gateway.clock.advance('45s'),
  next: (gateway) => gateway.clock.advanceToNext(),
  snapshot: (gateway) => gateway.snapshot(),
  request: (gateway) => send(gateway),
}

function send(gateway: TestGateway, body = '{}') {
  return exchange(gateway, { body })
}

function ignoreErrors(work: () => unknown): void {
  try {
    work()
  } catch {
    // The test compares only the state.
  }
}

/** Collects the state from the commits, and compares each record before a commit. */
function mirrorCommits(gateway: TestGateway) {
  const mirror = new Map<string, object>()
  const apply = ({ changes }: Commit) => {
    for (const { collection, key, before, after } of changes) {
      expect(mirror.get(`${collection} ${key}`)).toEqual(before)
      if (after) mirror.set(`${collection} ${key}`, after)
      else mirror.delete(`${collection} ${key}`)
    }
  }
  gateway.subscribe(apply)
  return mirror
}

function listRecords(gateway: TestGateway): object[] {
  return Object.values(gateway.snapshot().records).flat()
}

const action = fc.constantFrom(...Object.keys(actions))
const step = fc.record({
  by: fc.constantFrom('caller', 'predicate', 'subscriber', 'getter'),
  actions: fc.array(action),
})

describe('Whatever callbacks do to the gateway (rules: transactions#reentrant-calls)', () => {
  it('every commit has exactly the changes, and all commits together give the state', () => {
    check(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const gateway = createGateway({ clock: manualClock(CLOCK_START), dns: 'simulated' })
        const mirror = mirrorCommits(gateway)
        let n = 0
        let depth = 0
        let queue: string[] = []
        const run = (names: readonly string[]) => {
          if (depth > 2) return
          depth++
          for (const name of names) ignoreErrors(() => actions[name]?.(gateway, n++))
          depth--
        }
        gateway.subscribe(() => run(queue.splice(0)))
        for (const { by, actions: names } of steps) {
          if (by === 'caller') run(names)
          else if (by === 'subscriber') {
            queue = [...names]
            ignoreErrors(() => gateway.reservedAddrs.create())
          } else if (by === 'predicate') {
            const fault = gateway.faults.add({
              when: () => {
                run(names)
                return n % 2 === 0
              },
            })
            ignoreErrors(() => send(gateway))
            // A call inside may have cleared all faults.
            ignoreErrors(() => gateway.faults.remove(fault.id))
          } else {
            ignoreErrors(() =>
              gateway.reservedAddrs.create({
                get description() {
                  run(names)
                  return 'x'
                },
              }),
            )
          }
        }
        queue = []
        expect([...mirror.values()]).toHaveLength(listRecords(gateway).length)
        expect(new Set([...mirror.values()].map((record) => JSON.stringify(record)))).toEqual(
          new Set(listRecords(gateway).map((record) => JSON.stringify(record))),
        )
      }),
      { numRuns: limitCases(150) },
    )
  })

  it('the error of a predicate reaches the caller, and nothing is counted', () => {
    const gateway = createGateway({ clock: manualClock(CLOCK_START) })
    gateway.faults.add({ operation: 'reserved_addrs.create', after: 5 })
    gateway.faults.add({
      when: () => {
        throw new Error('mine')
      },
    })
    expect(() => send(gateway)).toThrow('mine')
    expect(gateway.faults.all().map(({ hits, passed }) => [hits, passed])).toEqual([
      [0, 0],
      [0, 0],
    ])
    expect(gateway.reservedAddrs.list().reserved_addrs).toEqual([])
  })

  it('a predicate receives a frozen request, so it cannot change the request', () => {
    const gateway = createGateway({ clock: manualClock(CLOCK_START) })
    gateway.faults.add({
      when({ input }) {
        ;(input as { description: string }).description = 'changed'
        return false
      },
    })
    expect(() => send(gateway, '{"description":"sent"}')).toThrow('threw TypeError: Cannot assign to read only')
  })
})
