import { expect, test } from 'vitest'
import { type CodeUnderTest, survives } from '../../../src/testing/testing.ts'
import { createCall } from './programs/client.ts'

/** Reserves an address, and rejects if the request fails. */
const reserve: CodeUnderTest = async (life) => {
  await createCall(life)('POST', '/reserved_addrs', {})
}

const options = { kinds: ['lost', '429'], faults: 1, allow: () => true, onProgress: () => undefined } as const

test('each run has the state of a new gateway: resources, journal, records of DNS and the clock', async () => {
  const states: string[] = []
  await survives(reserve, {
    ...options,
    kinds: ['429'],
    setup: async (gateway) => {
      states.push(
        JSON.stringify([
          gateway.snapshot(),
          gateway.requests.all(),
          gateway.report(),
          gateway.clock.now,
          gateway.leftovers(),
        ]),
      )
      gateway.dns.cname('app.example.com', 'other.example.com')
      // Neither a failure nor the end of the run before applies to a request of the set-up.
      await createCall(gateway)('POST', '/reserved_domains', { domain: 'app.example.com' })
    },
  })
  expect(states).toHaveLength(3)
  expect(new Set(states).size).toBe(1)
})

test('a subscriber of one run is called in no other run', async () => {
  const counts: number[] = []
  await survives(reserve, {
    ...options,
    kinds: ['429'],
    setup(gateway) {
      const at = counts.push(0) - 1
      gateway.subscribe(() => {
        counts[at] = (counts[at] ?? 0) + 1
      })
    },
  })
  // The last run has no change: its only request is answered with 429.
  expect(counts).toEqual([1, 1, 0])
})

test('a snapshot that one run saves is not there in the next', async () => {
  const counts: number[] = []
  await survives(reserve, {
    ...options,
    kinds: ['429'],
    gatewayOptions: { control: { key: 'control' } },
    setup: async ({ fetch, url }) => {
      const snapshots = `${url}/_fauxgate/snapshots`
      const control = { 'fauxgate-control-key': 'control', 'content-type': 'application/json' }
      const before = await fetch(snapshots, { headers: control })
      counts.push((await before.json()).length)
      await fetch(snapshots, { method: 'POST', headers: control, body: '{"name":"before"}' })
    },
  })
  expect(counts).toEqual([0, 0, 0])
})

test('a pending request of a crashed process ends in no later run', async () => {
  const endings: string[] = []
  const code: CodeUnderTest = async ({ gateway, url, life }) => {
    for (const name of ['first', 'second']) {
      await createCall({ fetch: gateway.fetch, url })('POST', '/reserved_addrs', {}).finally(() =>
        endings.push(`${life} ${name}`),
      )
    }
  }
  await expect(survives(code, { ...options, kinds: ['crash'], restart: true })).rejects.toThrow('expected 2')
  const listEndings = (life: number) => [`${life} first`, `${life} second`]
  // Two runs without failures, a crash at the first request, and one at the second.
  expect(endings).toEqual([...listEndings(1), ...listEndings(1), ...listEndings(2), '1 first', ...listEndings(2)])
})
