import { describe, expect, it } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { type Clock, manualClock } from '../../../src/index.ts'
import { copyAsJson } from '../../support/full-gateway.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { make, Needs } from '../../testing/survives/programs/make.ts'
import { KINDS } from '../../testing/survives/programs/writes.ts'

const CLOCKS: readonly (readonly [name: string, clock: () => Clock | undefined])[] = [
  ['the system clock', () => undefined],
  ['a clock with an odd millisecond', () => manualClock('2026-03-01T00:00:00.209Z')],
]

// rules: stores#damage
describe.each(CLOCKS)('What was created on %s', (_, createClock) => {
  const options = { seed: 'kinds', clock: createClock(), dns: 'off' } as const

  it.each(Object.entries(KINDS))('is restored and loaded: %s', (_name, kind) => {
    const store = memoryStore()
    const gateway = createNgrok({ ...options, store })
    make(new Needs(gateway), kind)
    const snapshot = gateway.snapshot({ privateKeys: true })
    const restored = createNgrok(options)
    restored.restore(copyAsJson(snapshot))
    expect(restored.snapshot({ privateKeys: true }).records).toEqual(snapshot.records)
    const reopened = createNgrok({ ...options, store: memoryStore(store.commits) })
    expect(reopened.snapshot({ privateKeys: true }).records).toEqual(snapshot.records)
  })

  it.each(['0s', '1ms', '1500ms', '90d'] as const)(
    'is restored and loaded: a session of an application user for %s',
    (expires_in) => {
      const store = memoryStore()
      const gateway = createNgrok({ ...options, store })
      const user = gateway.declare.applicationUser({}).id
      gateway.declare.applicationSession({ user, expires_in })
      const snapshot = gateway.snapshot({ privateKeys: true })
      createNgrok(options).restore(copyAsJson(snapshot))
      createNgrok({ ...options, store: memoryStore(store.commits) })
    },
  )
})
