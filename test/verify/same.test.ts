import { describe, expect, test } from 'vitest'
import { ngrok, standard } from '../../src/index.ts'
import { exitCodeOf, reportText } from '../../src/verify/report.ts'
import { planOf } from '../../src/verify/scenarios.ts'
import { upload } from '../support/pem.ts'
import { asked, KEY, urlOf, verified } from '../support/verifying.ts'

describe('A run against fauxgate itself', () => {
  test.each([standard, ngrok])('finds no difference, and leaves nothing: $name', async ({ name }) => {
    const gateway = asked(name as 'standard' | 'ngrok')
    const { report, entries, times } = await verified(gateway.fetch, urlOf(gateway))
    expect(report.outcomes.filter(({ verdict }) => verdict !== 'same')).toEqual([])
    expect([exitCodeOf(report), report.inventory, report.remaining, report.stopped]).toEqual([0, [], [], undefined])
    expect(gateway.leftovers()).toEqual([])
    const made = entries.filter(({ entry }) => entry === 'made')
    expect(made.length).toBeGreaterThan(name === 'ngrok' ? 30 : 8)
    expect(entries.filter(({ entry }) => entry === 'gone')).toHaveLength(made.length)
    expect(entries.filter(({ entry }) => entry === 'asking').length).toBeGreaterThan(made.length)
    expect(report.requests).toBe(times.length)
    const isTooFast = times.some((at, index) => at - (times[index - 60] ?? -1e9) < 60_000)
    expect(isTooFast).toBe(false)
  })

  test('asks each operation that the list of what may be asked has, and says of each other one why not', async () => {
    const gateway = asked()
    const { report } = await verified(gateway.fetch, urlOf(gateway))
    const reasons = report.operations.filter(({ verdict }) => verdict === 'not asked').map(({ reason }) => reason)
    expect(reasons).not.toContain('')
    expect([...new Set(reasons)].sort()).toEqual([
      'a command would stop or restart an agent',
      'no operation of this API makes an edge, so none is its own',
    ])
    expect(report.operations).toHaveLength(
      planOf({ ...urlOf(gateway), ...FREE, domain: 'a.example' }).operations.length,
    )
  })

  test('changes nothing of what is there, and compares lists without it', async () => {
    const gateway = asked('standard')
    for (const description of ['one', 'two', 'three']) gateway.reservedAddrs.create({ description })
    gateway.reservedDomains.create({ domain: 'app.example.com' })
    const before = JSON.stringify([gateway.reservedAddrs.list(), gateway.reservedDomains.list()])
    const { report } = await verified(gateway.fetch, {
      ...urlOf(gateway),
      families: ['reserved_addrs', 'reserved_domains'],
    })
    expect(reportText(report)).toContain(' 0 different')
    expect(exitCodeOf(report)).toBe(0)
    expect(JSON.stringify([gateway.reservedAddrs.list(), gateway.reservedDomains.list()])).toBe(before)
  })

  test('creates nothing with --read-only', async () => {
    const gateway = asked()
    const methods = new Set<string>()
    const fetch = (url: string, init: RequestInit) => {
      methods.add(init.method ?? '')
      return gateway.fetch(url, init)
    }
    const { report, entries } = await verified(fetch, { ...urlOf(gateway), isReadOnly: true })
    expect([...methods]).toEqual(['GET'])
    expect([entries, exitCodeOf(report)]).toEqual([[], 0])
    const created = report.operations.find(({ operation }) => operation === 'vaults.create')
    expect(created).toMatchObject({ verdict: 'not asked', reason: '--read-only' })
  })
})

const FREE = { upload: upload(), isLocal: false, isReadOnly: false, dialect: 'ngrok' } as const

describe('What a run asks of a server that is not on this machine', () => {
  test('is free of charge, and no domain without one of the user', () => {
    const { notAsked } = planOf(FREE)
    const creations = [...notAsked].filter(([name]) => name.endsWith('.create'))
    expect(Object.fromEntries(creations)).toEqual({
      'reserved_addrs.create': 'a plan may bill an address, and the server is not on this machine',
      'reserved_domains.create': 'no --domain was given to reserve names below',
      'bot_users.create': 'a plan may bill a user, and the server is not on this machine',
      'service_users.create': 'a plan may bill a user, and the server is not on this machine',
    })
    expect(planOf({ ...FREE, domain: 'test.example' }).notAsked.has('reserved_domains.create')).toBe(false)
  })

  test('names nothing without its prefix, and no key', async () => {
    const gateway = asked()
    const sent: string[] = []
    const fetch = (url: string, init: RequestInit) => {
      if (init.method === 'POST') sent.push(String(init.body))
      return gateway.fetch(url, init)
    }
    const { report, entries } = await verified(fetch, { ...urlOf(gateway), domain: 'mine.example' })
    for (const body of sent) expect(body).toContain('fauxgate-verify-test')
    const domains = sent.flatMap((body) => /"domain":"([^"]*)"/.exec(body)?.[1] ?? [])
    expect(domains.length).toBeGreaterThan(5)
    for (const domain of domains) expect(domain).toMatch(/^fauxgate-verify-test-[a-d]\.+mine\.example$/)
    expect(JSON.stringify([report, entries])).not.toContain(KEY)
  })
})
