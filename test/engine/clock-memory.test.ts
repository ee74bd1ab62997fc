import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { bundle } from '../support/bundle.ts'

/** What runs in a process of its own, where the garbage can be collected on demand. Each case answers what it saw. */
const CASES = `
import { createGateway } from '../../src/gateway/gateway.ts'
import { manualClock } from '../../src/engine/manual-clock.ts'
import { serve } from '../../src/server/serve.ts'
import { timersOn } from '../../src/testing/timers.ts'

const policy = { certificate_management_policy: { authority: 'letsencrypt', private_key_type: 'ecdsa' } } as const
const headers = { authorization: 'Bearer k', 'service-version': '2' }
const turn = () => new Promise((resolve) => setImmediate(resolve))

async function usedMegabytes() {
  for (let i = 0; i < 3; i++) {
    await turn()
    gc()
  }
  return process.memoryUsage().heapUsed / 1e6
}

async function isGone(reference: WeakRef<object>) {
  await usedMegabytes()
  return reference.deref() === undefined
}

const cases = {
  async 'many gateways on one clock'() {
    const clock = manualClock(0)
    createGateway({ clock })
    const before = await usedMegabytes()
    for (let i = 0; i < 20_000; i++) createGateway({ clock })
    return { grown: (await usedMegabytes()) - before, next: clock.advanceToNext(), now: clock.now }
  },
  async 'many gateways with a future'() {
    const clock = manualClock(0)
    const create = () => createGateway({ clock, seed: 's' }).reservedDomains.create({ domain: 'a.example.com', ...policy })
    create()
    const before = await usedMegabytes()
    for (let i = 0; i < 8; i++) {
      for (let j = 0; j < 500; j++) create()
      await turn()
    }
    const grown = (await usedMegabytes()) - before
    const gateway = createGateway({ clock })
    const { id } = gateway.reservedDomains.create({ domain: 'a.example.com', ...policy })
    return { grown, next: clock.advanceToNext(), issued: gateway.reservedDomains.get(id).certificate !== null }
  },
  async 'answers that are waited for'() {
    const clock = manualClock(0)
    const ask = () => {
      const gateway = createGateway({ clock })
      gateway.faults.add({ latency: '30s' })
      return gateway.fetch(gateway.url + '/reserved_addrs', { headers })
    }
    const answers = Array.from({ length: 100 }, ask)
    await usedMegabytes()
    clock.advance('30s')
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    return { statuses: [...new Set(statuses)] }
  },
  async 'what is listened to'() {
    const clock = manualClock(0)
    const operations: string[] = []
    ;(() => {
      const gateway = createGateway({ clock })
      gateway.subscribe(({ operation }) => operations.push(operation))
      gateway.reservedDomains.create({ domain: 'a.example.com', ...policy })
    })()
    await usedMegabytes()
    clock.advance('30s')
    return { operations }
  },
  async 'timers that wait'() {
    const clock = manualClock(0)
    const slept = new Promise<string>((resolve) => timersOn(clock).setTimeout(() => resolve('slept'), 1000))
    await usedMegabytes()
    clock.advance('1s')
    return { slept: await Promise.race([slept, turn()]) }
  },
  async 'timers that wait no more'() {
    const clock = manualClock(0)
    const gone = (() => {
      const timers = timersOn(clock)
      timers.setTimeout(() => undefined, 10)
      timers.clearTimeout(timers.setTimeout(() => undefined, 20))
      return new WeakRef(timers.Date)
    })()
    clock.advance('1s')
    return { gone: await isGone(gone) }
  },
  async 'timers that were dropped'() {
    const clock = manualClock(0)
    const dropping = (drop: (timers: ReturnType<typeof timersOn>, timer: NodeJS.Timeout) => void) => {
      const timers = timersOn(clock)
      drop(timers, timers.setTimeout(() => undefined, 10))
      return new WeakRef(timers.Date)
    }
    const byHand = dropping(({ clearTimeout }, timer) => clearTimeout(timer))
    const byTheClock = dropping(() => clock.reset())
    const nobody = dropping(() => undefined)
    return { byHand: await isGone(byHand), byTheClock: await isGone(byTheClock), nobody: await isGone(nobody) }
  },
  async 'what is neither any more'() {
    const clock = manualClock(0)
    const gone = await (async () => {
      const gateway = createGateway({ clock })
      gateway.reservedDomains.create({ domain: 'a.example.com', ...policy })
      gateway.subscribe(() => undefined)()
      gateway.faults.add({ latency: '30s' })
      const aborting = new AbortController()
      const answer = gateway.fetch(gateway.url + '/reserved_addrs', { headers, signal: aborting.signal })
      aborting.abort()
      await answer.catch(() => undefined)
      return new WeakRef(gateway)
    })()
    return { gone: await isGone(gone) }
  },
  async 'aborted answers'() {
    const gateway = createGateway({ clock: manualClock(0), journalSize: 0 })
    const description = 'd'.repeat(255)
    for (let i = 0; i < 50; i++) gateway.reservedAddrs.create({ description })
    gateway.faults.add({ latency: '30s' })
    const one = new AbortController()
    const ask = async (signal: AbortSignal) => gateway.fetch(gateway.url + '/reserved_addrs', { headers, signal })
    const before = await usedMegabytes()
    let ended = 0
    for (let i = 0; i < 2_000; i++) {
      const aborting = new AbortController()
      const answer = ask(aborting.signal).catch(() => void ended++)
      await turn()
      aborting.abort()
      await answer
    }
    return { grown: (await usedMegabytes()) - before, ended }
  },
  async 'a server that is closed'() {
    const clock = manualClock(0)
    const gone = await (async () => {
      const gateway = createGateway({ clock })
      gateway.faults.add({ latency: '30s' })
      const server = await serve(gateway)
      const asked = Array.from({ length: 100 }, () => fetch(server.url + '/reserved_addrs', { headers }).catch(() => 'ended'))
      while (gateway.requests.count() < 100) await turn()
      await server.close()
      const ends = new Set(await Promise.all(asked))
      return { gateway: new WeakRef(gateway), ends: [...ends] }
    })()
    return { ends: gone.ends, gone: await isGone(gone.gateway) }
  },
}

const seen: Record<string, unknown> = {}
for (const [name, run] of Object.entries(cases)) seen[name] = await run()
console.log(JSON.stringify(seen))
`

type Seen = Record<string, Record<string, unknown>>

describe('In a process whose garbage is collected', () => {
  let seen: Seen = {}
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fauxgate-memory-'))
    const file = join(folder, 'cases.mjs')
    await bundle(CASES, file)
    seen = JSON.parse(execFileSync(process.execPath, ['--expose-gc', file], { encoding: 'utf8' })) as Seen
    rmSync(folder, { recursive: true })
  }, 300_000)

  /** No more than what a few kept objects take, where each kept gateway would take 13 kB. */
  const FLAT = 8

  test('20,000 gateways that were made on one clock are gone, and it goes on', () => {
    const { grown, ...rest } = seen['many gateways on one clock'] ?? {}
    expect(grown).toBeLessThan(FLAT)
    expect(rest).toEqual({ next: false, now: 0 })
  })

  test('4,000 gateways that had something due are gone, but for the last few that the runtime still looks at, and others go on', () => {
    const { grown, ...rest } = seen['many gateways with a future'] ?? {}
    expect(grown).toBeLessThan(FLAT)
    expect(rest).toEqual({ next: true, issued: true })
  })

  test('a gateway is there for those who wait for its answer, although nobody else can reach it', () => {
    expect(seen['answers that are waited for']).toEqual({ statuses: [200] })
  })

  test('a gateway is there for those who listen to its commits, although nobody else can reach it', () => {
    expect(seen['what is listened to']).toEqual({ operations: ['reserved_domains.create', 'provisioning'] })
  })

  test('timers are there as long as they wait, although nobody else can reach them', () => {
    expect(seen['timers that wait']).toEqual({ slept: 'slept' })
    expect(seen['timers that wait no more']).toEqual({ gone: true })
    expect(seen['timers that were dropped']).toEqual({ byHand: true, byTheClock: true, nobody: false })
  })

  test('a gateway is gone with the last who waited and the last who listened', () => {
    expect(seen['what is neither any more']).toEqual({ gone: true })
  })

  test('2,000 aborted answers of 25 kB hold nothing', () => {
    const { grown, ended } = seen['aborted answers'] ?? {}
    expect(grown).toBeLessThan(FLAT)
    expect(ended).toBe(2000)
  })

  test('a server that was closed with 100 answers waiting is gone, with its gateway', () => {
    expect(seen['a server that is closed']).toEqual({ ends: ['ended'], gone: true })
  })
})
