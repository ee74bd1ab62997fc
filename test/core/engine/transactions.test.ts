import { describe, expect, it } from 'vitest'
import {
  createGateway,
  type Dialect,
  type Gateway,
  type GatewayError,
  manualClock,
  standard,
} from '../../../src/index.ts'
import { client, expectError, refusalKey } from '../../support/client.ts'
import { CLOCK_START } from '../../support/clock.ts'
import { collectCommits, open, stateOf } from '../../support/gateway.ts'

const policy = { authority: 'letsencrypt' }

/** Creates a dialect that runs code when a reserved domain is formatted, at the end of its transaction. */
function createDialect(work: () => void): Dialect {
  let isChecked = false
  return {
    ...standard,
    get domainRegion(): Dialect['domainRegion'] {
      // The gateway looks at it first when it is created.
      if (isChecked) work()
      isChecked = true
      return 'as set'
    },
  }
}

/** Opens a gateway on which formatting a domain fails while `isFailing` is set. */
function openFailing() {
  const state = { isFailing: false }
  const dialect = createDialect(() => {
    if (state.isFailing) throw new Error('no')
  })
  return { state, gateway: createGateway({ dialect, seed: 'x', clock: manualClock(CLOCK_START) }) }
}

describe('A transaction that fails in the middle (rules: transactions#all-or-nothing)', () => {
  it('leaves no record, no commit, no event and no number behind', () => {
    const { state, gateway } = openFailing()
    const twin = openFailing()
    const before = stateOf(gateway)
    const commits = collectCommits(gateway)
    state.isFailing = true
    expect(() =>
      gateway.reservedDomains.create({ domain: 'a.example.com', certificate_management_policy: policy }),
    ).toThrow('no')
    state.isFailing = false
    expect(commits).toEqual([])
    expect(stateOf(gateway)).toBe(before)
    expect(gateway.clock.advanceToNext()).toBe(false)
    const body = { domain: 'a.example.com', certificate_management_policy: policy }
    expect(gateway.reservedDomains.create(body)).toEqual(twin.gateway.reservedDomains.create(body))
  })

  it('undoes a change of many records as a whole, and earlier due events are due again', () => {
    const { state, gateway } = openFailing()
    const { id } = gateway.reservedDomains.create({ domain: 'a.example.com', certificate_management_policy: policy })
    gateway.clock.advance('30s')
    const before = stateOf(gateway)
    state.isFailing = true
    const certificate_management_policy = { ...policy, private_key_type: 'ecdsa' as const }
    for (let i = 0; i < 200; i++) {
      expect(() => gateway.reservedDomains.update(id, { certificate_management_policy })).toThrow('no')
    }
    state.isFailing = false
    expect(stateOf(gateway)).toBe(before)
    gateway.clock.advance('61d')
    expect(gateway.provisioning.timeline(id).map(({ transition }) => transition)).toEqual([
      'started',
      'issued',
      'renewal started',
      'renewed',
    ])
  })
})

describe('A call into the gateway from code that it runs itself (rules: transactions#reentrant-calls)', () => {
  const calls: Record<string, (gateway: Gateway) => unknown> = {
    'a read': (gateway) => gateway.reservedAddrs.list(),
    'a write': (gateway) => gateway.reservedAddrs.create(),
    'a control': (gateway) => gateway.provisioning.pendingOutcomes(),
    'a snapshot': (gateway) => gateway.snapshot(),
    leftovers: (gateway) => gateway.leftovers(),
    'a reset': (gateway) => gateway.reset(),
    'a restore': (gateway) => gateway.restore(createGateway().snapshot()),
  }

  it.each(Object.entries(calls))('is rejected inside a transaction: %s', (_name, call) => {
    const refusals: GatewayError[] = []
    const dialect = createDialect(() => refusals.push(expectError(() => call(gateway))))
    const gateway: Gateway = open({ dialect })
    const before = gateway.snapshot().records.reserved_addrs
    gateway.reservedDomains.create({ domain: 'a.example.com' })
    expect(refusals.map(({ key, message }) => [key, message])).toEqual([
      ['gateway_busy', 'The gateway cannot be called from within a transaction. Call it after that code returns.'],
    ])
    expect(gateway.snapshot().records.reserved_addrs).toEqual(before)
    expect(gateway.reservedDomains.list().reserved_domains).toHaveLength(1)
  })

  it('is rejected inside a transaction over HTTP too, as 409', async () => {
    const answers: Promise<number>[] = []
    const dialect = createDialect(() => answers.push(client(gateway)('GET', '/reserved_addrs').then((it) => it.status)))
    const gateway: Gateway = open({ dialect })
    gateway.reservedDomains.create({ domain: 'a.example.com' })
    expect(await Promise.all(answers)).toEqual([409])
  })

  it.each(Object.entries(calls))('is rejected while the clock is read: %s', (_name, call) => {
    const refusals: string[] = []
    const clock = {
      now() {
        if (refusals.length === 0) {
          refusals.push('asked')
          refusals[0] = refusalKey(() => call(gateway))
        }
        return Date.UTC(2026, 0, 1)
      },
    }
    const gateway: Gateway = createGateway({ clock })
    gateway.reservedAddrs.create()
    expect(refusals).toEqual(['gateway_busy'])
    expect(gateway.reservedAddrs.list().reserved_addrs).toHaveLength(1)
  })

  it('does not keep the gateway busy when the clock fails', () => {
    let isFailing = true
    const gateway = createGateway({ clock: { now: () => (isFailing ? Number.NaN : 0) } })
    expect(() => gateway.reservedAddrs.create()).toThrow(RangeError)
    isFailing = false
    expect(gateway.reservedAddrs.create().created_at).toBe('1970-01-01T00:00:00Z')
  })
})

describe('The input of a call is read before the transaction', () => {
  it('a getter of a body that calls the gateway causes two commits, one after the other', () => {
    const gateway = open()
    const operations: string[] = []
    gateway.subscribe(({ operation, changes }) => operations.push(`${operation} ${changes.length}`))
    gateway.reservedDomains.create({
      get domain() {
        gateway.reservedAddrs.create()
        return 'a.example.com'
      },
    })
    expect(operations).toEqual(['reserved_addrs.create 1', 'reserved_domains.create 1'])
  })

  it('ids whose getters return different values are read once', () => {
    const gateway = open()
    let reads = 0
    const ids = {
      get edge_id() {
        return `edghts_${reads++}`
      },
      id: 'edghtsrt_1',
    }
    gateway.compression.replace(ids, { enabled: false })
    expect(reads).toBe(1)
    expect(gateway.compression.get({ edge_id: 'edghts_0', id: 'edghtsrt_1' })).toEqual({ enabled: false })
  })
})
