import { describe, expect, test } from 'vitest'
import { ownFamilies } from '../../scripts/generate/evidence.ts'
import { ngrok, standard } from '../../src/index.ts'
import { groupOf } from '../../src/operation/operation.ts'
import { exitCodeOf, reportText } from '../../src/verify/report.ts'
import { planOf } from '../../src/verify/scenarios.ts'
import { upload } from '../support/pem.ts'
import { gatewayToVerify, KEY, verifyGateway } from '../support/verify.ts'

/** The reason against operations that no service has, unless the list of what may be called has them. */
const NOT_LISTED = 'not in the list of operations that may be called'
const own = ownFamilies()
const isListed = (operation: string, reason: string | undefined) =>
  reason !== NOT_LISTED || !own.includes(groupOf({ name: operation }))

describe('A run against fauxgate itself', () => {
  test.each([standard, ngrok])('finds no difference, and leaves nothing: $name', async ({ name }) => {
    const gateway = gatewayToVerify(name as 'standard' | 'ngrok')
    const sent: string[] = []
    const fetch = (url: string, init: RequestInit) => {
      if (init.method === 'POST') sent.push(String(init.body))
      return gateway.fetch(url, init)
    }
    const { report, entries, times } = await verifyGateway(gateway, { domain: 'mine.example' }, fetch)
    expect(report.outcomes.filter(({ verdict }) => verdict !== 'same')).toEqual([])
    expect([exitCodeOf(report), report.inventory, report.remaining, report.stopped]).toEqual([0, [], [], undefined])
    expect(gateway.leftovers()).toEqual([])
    const made = entries.filter(({ entry }) => entry === 'created')
    expect(made.length).toBeGreaterThan(name === 'ngrok' ? 30 : 8)
    expect(entries.filter(({ entry }) => entry === 'deleted')).toHaveLength(made.length)
    expect(entries.filter(({ entry }) => entry === 'creating').length).toBeGreaterThan(made.length)
    expect(report.requests).toBe(times.length)
    const isTooFast = times.some((at, index) => at - (times[index - 60] ?? -1e9) < 60_000)
    expect(isTooFast).toBe(false)
    // The prefix and the domain are in all names, and the key is nowhere.
    expect(sent.filter((body) => !body.includes('fauxgate-verify-test'))).toEqual([])
    const domains = sent.flatMap((body) => /"domain":"([^"]*)"/.exec(body)?.[1] ?? [])
    expect(domains.length).toBeGreaterThan(5)
    for (const domain of domains) expect(domain).toMatch(/^fauxgate-verify-test-[a-dD]\.+mine\.example$/)
    expect(JSON.stringify([report, entries])).not.toContain(KEY)
    const notAsked = report.operations.filter(({ verdict }) => verdict === 'not asked')
    const reasons = notAsked.flatMap(({ operation, reason }) => (isListed(operation, reason) ? [reason] : []))
    const agents = name === 'ngrok' ? ['a command would stop or restart an agent'] : []
    expect([...new Set(reasons)]).toEqual(['the service has ended edges and their modules', ...agents])
  })

  test('changes nothing of what is there, and compares lists without it', async () => {
    const gateway = gatewayToVerify('standard')
    for (const description of ['one', 'two', 'three']) gateway.reservedAddrs.create({ description })
    gateway.reservedDomains.create({ domain: 'app.example.com' })
    const before = JSON.stringify([gateway.reservedAddrs.list(), gateway.reservedDomains.list()])
    const { report } = await verifyGateway(gateway, { families: ['reserved_addrs', 'reserved_domains'] })
    expect(reportText(report)).toContain(' 0 different')
    expect(exitCodeOf(report)).toBe(0)
    expect(JSON.stringify([gateway.reservedAddrs.list(), gateway.reservedDomains.list()])).toBe(before)
  })

  test('creates nothing with --read-only', async () => {
    const gateway = gatewayToVerify()
    const methods = new Set<string>()
    const fetch = (url: string, init: RequestInit) => {
      methods.add(init.method ?? '')
      return gateway.fetch(url, init)
    }
    const { report, entries } = await verifyGateway(
      gateway,
      { isReadOnly: true, families: ['vaults', 'tunnels', 'compression'] },
      fetch,
    )
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
    const creations = [...notAsked].filter(([name, reason]) => name.endsWith('.create') && isListed(name, reason))
    const edges = creations.filter(([, reason]) => reason === 'the service has ended edges and their modules')
    expect(edges.length).toBeGreaterThan(0)
    expect(Object.fromEntries(creations.filter((each) => !edges.includes(each)))).toEqual({
      'reserved_addrs.create': 'a plan may bill an address, and the server is not on this machine',
      'reserved_domains.create': 'no --domain was given to reserve names below',
      'bot_users.create': 'a plan may bill a user, and the server is not on this machine',
      'service_users.create': 'a plan may bill a user, and the server is not on this machine',
    })
    expect(planOf({ ...FREE, domain: 'test.example' }).notAsked.has('reserved_domains.create')).toBe(false)
  })
})
