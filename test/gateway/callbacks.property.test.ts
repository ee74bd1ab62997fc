import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Commit, createGateway, type Gateway, type ManualClock, manualClock } from '../../src/index.ts'
import { exchange } from '../support/exchange.ts'
import { check, limitCases } from '../support/property.ts'

type Held = Gateway<ManualClock>

const policy = { authority: 'letsencrypt', private_key_type: 'ecdsa' as const }

/** Things that a callback may do to the gateway. */
const deeds: Record<string, (gateway: Held, n: number) => unknown> = {
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
  ask: (gateway) => ask(gateway),
}

function ask(gateway: Held, body = '{}') {
  return exchange(gateway, { body })
}

function ignoreErrors(work: () => unknown): void {
  try {
    work()
  } catch {
    // Refusals are none of this test's business: what they leave behind is.
  }
}

/** The state as the commits tell it, checked against what each of them says was there before. */
function mirrorOf(gateway: Held) {
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

function recordsOf(gateway: Held): object[] {
  return Object.values(gateway.snapshot().records).flat()
}

const deed = fc.constantFrom(...Object.keys(deeds))
const step = fc.record({ by: fc.constantFrom('caller', 'predicate', 'subscriber', 'getter'), deeds: fc.array(deed) })

describe('Whatever callbacks do to the gateway (rules: transactions#no-calls-from-inside)', () => {
  it('every commit has exactly the changes, and all commits together give the state', () => {
    check(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const gateway = createGateway({ clock: manualClock('2026-01-01T00:00:00Z'), dns: 'simulated' })
        const mirror = mirrorOf(gateway)
        let n = 0
        let depth = 0
        let queue: string[] = []
        const run = (names: readonly string[]) => {
          if (depth > 2) return
          depth++
          for (const name of names) ignoreErrors(() => deeds[name]?.(gateway, n++))
          depth--
        }
        gateway.subscribe(() => run(queue.splice(0)))
        for (const { by, deeds: names } of steps) {
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
            ignoreErrors(() => ask(gateway))
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
        expect([...mirror.values()]).toHaveLength(recordsOf(gateway).length)
        expect(new Set([...mirror.values()].map((record) => JSON.stringify(record)))).toEqual(
          new Set(recordsOf(gateway).map((record) => JSON.stringify(record))),
        )
      }),
      { numRuns: limitCases(150) },
    )
  })

  it('the error of a predicate reaches the caller, and nothing is counted', () => {
    const gateway = createGateway({ clock: manualClock('2026-01-01T00:00:00Z') })
    gateway.faults.add({ operation: 'reserved_addrs.create', after: 5 })
    gateway.faults.add({
      when: () => {
        throw new Error('mine')
      },
    })
    expect(() => ask(gateway)).toThrow('mine')
    expect(gateway.faults.all().map(({ hits, passed }) => [hits, passed])).toEqual([
      [0, 0],
      [0, 0],
    ])
    expect(gateway.reservedAddrs.list().reserved_addrs).toEqual([])
  })

  it('a predicate gets the request frozen, so what it does to it changes nothing', () => {
    const gateway = createGateway({ clock: manualClock('2026-01-01T00:00:00Z') })
    gateway.faults.add({
      when({ input }) {
        ;(input as { description: string }).description = 'changed'
        return false
      },
    })
    expect(() => ask(gateway, '{"description":"sent"}')).toThrow('threw TypeError: Cannot assign to read only')
  })
})
