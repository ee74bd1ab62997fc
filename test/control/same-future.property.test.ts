import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createGateway, type Gateway, type ManualClock, manualClock, ngrok, standard } from '../../src/index.ts'
import { callOverHttp, calls, fillIds } from '../support/calls.ts'
import { refusalKey } from '../support/client.ts'
import { CLOCK_START } from '../support/clock.ts'
import { copyAsJson } from '../support/full-gateway.ts'
import { check, limitCases } from '../support/property.ts'

const DAY = 86_400_000
const name = fc.constantFrom('a.example.com', 'b.example.com', '*.c.example.com')
const outcomes = fc.array(fc.constantFrom('success' as const, 'INTERNAL_ERROR' as const, 'DNS_ERROR' as const), {
  maxLength: 3,
})

type Control = (gateway: Gateway<ManualClock>) => unknown

/** Returns an arbitrary step that uses a control of a gateway, with a random value. */
const createControl = <T>(value: fc.Arbitrary<T>, use: (it: Gateway<ManualClock>, value: T) => unknown) =>
  value.map(
    (each): Control =>
      (it) =>
        use(it, each),
  )

const control: fc.Arbitrary<Control> = fc.oneof(
  createControl(fc.constantFrom(0, 999, 30_000, 61_000, DAY, 61 * DAY), (it, ms) => it.clock.advance(ms)),
  createControl(fc.tuple(name, outcomes), (it, [domain, next]) => it.provisioning.script(next, { domain })),
  createControl(outcomes, (it, next) => it.provisioning.script(next)),
  createControl(name, (it, domain) => it.provisioning.failAlways('DNS_ERROR', { domain })),
  createControl(name, (it, domain) => it.dns.cname(domain, 'elsewhere.example.net')),
  fc.constant<Control>((it) => it.faults.add({ method: 'GET', times: 2, after: 1, retryAfter: '2s' })),
  fc.constant<Control>((it) => it.declare.edge('edghts_1', { routes: ['edghtsrt_1'] })),
)

const step = fc.oneof({ weight: 4, arbitrary: calls }, { weight: 2, arbitrary: control })
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

function listIds(gateway: Gateway): string[] {
  const { records } = gateway.snapshot()
  return Object.values(records).flatMap((rows) => rows.flatMap((row) => ('id' in row ? [String(row.id)] : [])))
}

/** Takes a step. Returns its result or its error. */
function takeStep(gateway: Gateway<ManualClock>, step: Step, ids: readonly string[]): unknown {
  if (typeof step === 'function') return refusalKey(() => step(gateway))
  return callOverHttp(gateway, fillIds(step, ids).call)
}

const removeSecrets = (answer: unknown) => JSON.stringify(answer).replace(/\\"secret\\":\\"[^"]*"/g, '')

describe('A gateway that is restored from a snapshot has the same future as the first', () => {
  it.each([standard, ngrok])('whatever came before and comes after, in the dialect $name', (dialect) => {
    const open = (seed: string) =>
      createGateway({
        ...{ dialect, seed, clock: manualClock(CLOCK_START), dns: 'simulated', addressesPerRegion: 3 },
        rateLimit: { requests: 30, window: '60s' },
      })
    check(
      fc.property(fc.array(step, { maxLength: 25 }), fc.array(step, { maxLength: 12 }), (past, future) => {
        const first = open('first')
        for (const each of past) takeStep(first, each, listIds(first))
        const [fromObject, fromJson, fromBareJson] = [open('second'), open('third'), open('fourth')]
        fromObject.restore(first.snapshot())
        fromJson.restore(copyAsJson(first.snapshot({ privateKeys: true })))
        fromBareJson.restore(copyAsJson(first.snapshot()))
        for (const each of future) {
          const ids = listIds(first)
          const expected = takeStep(first, each, ids)
          expect(takeStep(fromObject, each, ids)).toEqual(expected)
          expect(takeStep(fromJson, each, ids)).toEqual(expected)
          expect(removeSecrets(takeStep(fromBareJson, each, ids))).toBe(removeSecrets(expected))
        }
        const end = first.snapshot({ privateKeys: true })
        expect(fromObject.snapshot({ privateKeys: true })).toEqual(end)
        expect(fromJson.snapshot({ privateKeys: true })).toEqual(end)
      }),
      { numRuns: limitCases(60) },
    )
  })
})
