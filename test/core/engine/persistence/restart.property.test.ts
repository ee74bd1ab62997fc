import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createGateway, type Gateway, type ManualClock, manualClock } from '../../../../src/index.ts'
import { calls, fillIds } from '../../../support/calls.ts'
import { client } from '../../../support/client.ts'
import { CLOCK_START } from '../../../support/clock.ts'
import { stateWithSecretsOf } from '../../../support/gateway.ts'
import { memoryStore } from '../../../support/memory-store.ts'
import { checkAsync, limitCases } from '../../../support/property.ts'

type TestGateway = Gateway<ManualClock>

/** Changes of the state by controls. */
const controls: Readonly<Record<string, (gateway: TestGateway) => unknown>> = {
  advance: (gateway) => gateway.clock.advance('40s'),
  'advance a quarter': (gateway) => gateway.clock.advance('91d'),
  next: (gateway) => gateway.clock.advanceToNext(),
  'set back': (gateway) => gateway.clock.set(gateway.clock.now - 5000),
  script: (gateway) => gateway.provisioning.script(['DNS_ERROR', 'success']),
  always: (gateway) => gateway.provisioning.failAlways('INTERNAL_ERROR', { domain: 'a.example.com' }),
  record: (gateway) => gateway.dns.a('a.example.com', '192.0.2.1'),
  declare: (gateway) => gateway.declare.backend('bkdhr_1'),
  fault: (gateway) => gateway.faults.add({ operation: 'reserved_addrs.create', times: 2, after: 1 }),
  restore: (gateway) => gateway.restore(gateway.snapshot()),
  'restore without keys': (gateway) => gateway.restore(JSON.parse(JSON.stringify(gateway.snapshot()))),
  reset: (gateway) => gateway.reset(),
}

const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: calls.map((call) => ({ call, control: undefined })) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(...Object.keys(controls)).map((control) => ({ call: undefined, control })),
    },
  ),
  { minLength: 1, maxLength: 25 },
)

const openGateway = (store = memoryStore()) =>
  createGateway({ store, clock: manualClock(CLOCK_START), seed: 'cut', initial: { reservedAddrs: [{}] } })

describe('A restart (rules: stores#calls)', () => {
  it('after any call changes nothing, and every call is one commit at most', async () => {
    await checkAsync(
      fc.asyncProperty(steps, async (sequence) => {
        const store = memoryStore()
        const gateway = openGateway(store)
        const send = client(gateway)
        const listIds = () => Object.values(gateway.snapshot().records).flatMap((rows) => rows.flatMap(idOf))
        for (const { call, control } of sequence) {
          const known = listIds()
          const before = store.commits.length
          if (control) controls[control]?.(gateway)
          if (call) {
            const { method, path, input } = fillIds(call, known).call
            const query = method === 'GET' && input ? `?${new URLSearchParams(input as Record<string, string>)}` : ''
            await send(method, path + query, method === 'GET' || input === undefined ? {} : { json: input })
          }
          expect(store.commits.length - before).toBeLessThanOrEqual(1)
          expect(JSON.parse(stateWithSecretsOf(openGateway(memoryStore(store.commits))))).toEqual(
            JSON.parse(stateWithSecretsOf(gateway)),
          )
        }
      }),
      { numRuns: limitCases(30) },
    )
  })
})

const idOf = (row: object) => ('id' in row && typeof row.id === 'string' ? [row.id] : [])
