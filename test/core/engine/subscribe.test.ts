import { deepStrictEqual } from 'node:assert/strict'
import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Commit, createGateway, manualClock } from '../../../src/index.ts'
import { widgetRecords, widgets } from '../../service/kit/widgets.ts'
import { client } from '../../support/client.ts'
import { CLOCK_START } from '../../support/clock.ts'
import { collectCommits, isDeeplyFrozen, open } from '../../support/gateway.ts'
import { pem, upload } from '../../support/pem.ts'
import { dueAfter } from '../../support/provisioning.ts'

const policy = { authority: 'letsencrypt' }

describe('The commits for subscribers (rules: transactions#commits)', () => {
  it('come in order, with operation, time and the records before and after; rejected calls have none', () => {
    const gateway = open()
    const commits = collectCommits(gateway)
    const { id } = gateway.reservedAddrs.create({ description: 'x' })
    gateway.reservedAddrs.update(id, { description: 'y' })
    gateway.reservedAddrs.get(id)
    expect(() => gateway.reservedDomains.create({ domain: 'a_b.c' })).toThrow()
    gateway.reservedAddrs.delete(id)
    expect(commits.map(({ operation }) => operation)).toEqual([
      'reserved_addrs.create',
      'reserved_addrs.update',
      'reserved_addrs.delete',
    ])
    const [created, updated, deleted] = commits.map(({ changes }) => changes[0])
    expect(created).toMatchObject({ collection: 'reserved_addrs', key: id, after: { description: 'x' } })
    expect(created?.before).toBeUndefined()
    expect(updated).toMatchObject({ before: { description: 'x' }, after: { description: 'y' } })
    expect(deleted?.after).toBeUndefined()
    expect(commits.every(isDeeplyFrozen)).toBe(true)
  })

  it('report each due event as one commit, at its own time', () => {
    const gateway = createGateway({ clock: manualClock(CLOCK_START), seed: 'x' })
    gateway.reservedDomains.create({ domain: 'a.example.com', certificate_management_policy: policy })
    const commits = collectCommits(gateway)
    gateway.clock.advance('61d')
    expect(commits.map(({ operation, at }) => `${operation} ${at}`)).toEqual([
      `reserved_domains.due ${dueAfter('30s')}`,
      `reserved_domains.due ${dueAfter('30s', '60d')}`,
      `reserved_domains.due ${dueAfter('1m', '60d')}`,
    ])
    expect(commits[2]?.changes.map(({ collection, before, after }) => [collection, !!before, !!after])).toEqual([
      ['tls_certificates', true, false],
      ['tls_certificates', false, true],
      ['reserved_domains', true, true],
    ])
  })

  it('reach other subscribers, now and later, if one throws and the test made console.error throw', () => {
    const gateway = open()
    const consoleError = vi.spyOn(console, 'error').mockImplementation(() => {
      throw new Error('no output, please')
    })
    const [second, ofJournal] = [vi.fn(), vi.fn()]
    const throwing = () => {
      throw new Error('mine')
    }
    gateway.subscribe(throwing)
    gateway.subscribe(second)
    gateway.requests.subscribe(throwing)
    gateway.requests.subscribe(ofJournal)
    for (const description of ['first', 'second']) gateway.reservedAddrs.create({ description })
    gateway.requests.clear()
    expect(second).toHaveBeenCalledTimes(2)
    expect(ofJournal).toHaveBeenCalledOnce()
    consoleError.mockRestore()
  })

  it('reach other subscribers if one throws, and the caller does not get its exception', () => {
    const gateway = open()
    const consoleError = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const second = vi.fn()
    gateway.subscribe(() => {
      throw new Error('mine')
    })
    gateway.subscribe(second)
    expect(gateway.reservedAddrs.create().region).toBe('us')
    expect(second).toHaveBeenCalledOnce()
    expect(consoleError).toHaveBeenCalledOnce()
    consoleError.mockRestore()
  })

  it('stay in order when a subscriber calls the gateway', () => {
    const gateway = open()
    const operations: string[] = []
    gateway.subscribe(({ operation }) => {
      if (operation === 'reserved_addrs.create') gateway.weightedBackends.create()
    })
    gateway.subscribe(({ operation }) => operations.push(operation))
    gateway.reservedAddrs.create()
    expect(operations).toEqual(['reserved_addrs.create', 'weighted_backends.create'])
  })

  it('that a subscriber causes are not attributed to the request of the first commit', async () => {
    const gateway = open()
    gateway.subscribe(({ operation }) => {
      if (operation === 'reserved_addrs.create') gateway.weightedBackends.create()
    })
    await client(gateway)('POST', '/reserved_addrs', { json: {} })
    expect(gateway.requests.last()?.commit?.operation).toBe('reserved_addrs.create')
  })

  it('carry no webhook secret, no private key, and no key of the gateway (rules: secrets#private-keys)', () => {
    const gateway = open({ keys: ['ak_0123456789'], control: { key: 'ck_0123456789' } })
    const commits = collectCommits(gateway)
    const route = { edge_id: 'edghts_1', id: 'edghtsrt_1' }
    gateway.webhookVerification.replace(route, { provider: 'github', secret: 'hush-hush-hush' })
    gateway.webhookVerification.replace(route, { provider: 'sns' })
    gateway.reservedAddrs.create({
      description: 'of ak_0123456789 and ck_0123456789',
      metadata: `see ${pem('key-p256')}`,
    })
    gateway.tlsCertificates.create(upload('p256'))
    expect(JSON.stringify(commits)).not.toContain('PRIVATE KEY')
    const [put, replaced, created] = commits.map(({ changes }) => changes[0])
    expect(put?.after).toMatchObject({ module: { enabled: true, provider: 'github', secret: '[redacted]' } })
    expect(replaced).toMatchObject({ before: put?.after, after: { module: { provider: 'sns', secret: '' } } })
    expect(created?.after).toMatchObject({
      description: 'of [redacted] and [redacted]',
      metadata: expect.stringMatching(/^see \[redacted\]\s*$/),
    })
    expect(gateway.webhookVerification.get(route).secret).toBe('')
    expect(gateway.reservedAddrs.list().reserved_addrs[0]?.metadata).toBe(`see ${pem('key-p256')}`)
    expect(commits.every(isDeeplyFrozen)).toBe(true)
  })

  it('have their records as of the commit, without secrets, also if a subscriber reads them after later changes and a reset', () => {
    const gateway = open({ keys: ['ak_0123456789'] })
    const read: unknown[] = []
    gateway.subscribe(({ at, changes }) => read.push({ at, changes: structuredClone(changes) }))
    const unread = collectCommits(gateway)
    const { id } = gateway.reservedAddrs.create({ description: 'of ak_0123456789', metadata: pem('key-p256') })
    gateway.reservedAddrs.update(id, { description: 'second' })
    gateway.reservedAddrs.delete(id)
    gateway.reset()
    gateway.reservedAddrs.create({ description: 'later' })
    expect(unread.map(({ at, changes }) => ({ at, changes }))).toEqual(read)
    expect(unread[0]?.changes[0]?.after).toMatchObject({
      description: 'of [redacted]',
      metadata: expect.stringMatching(/^\[redacted\]\s*$/),
    })
    expect(unread[1]?.changes[0]?.after).toMatchObject({ description: 'second' })
  })

  it('redact each entry of a timeline that has a key of the gateway, in each version of the record', () => {
    const gateway = createGateway({ clock: manualClock(CLOCK_START), keys: ['ak_0123456789'] })
    const commits = collectCommits(gateway)
    const outcomes = ['first', 'of ak_0123456789', 'third'].map((message) => ({
      outcome: 'DNS_ERROR' as const,
      message,
    }))
    gateway.provisioning.script(outcomes)
    gateway.reservedDomains.create({ domain: 'a.example.com', certificate_management_policy: policy })
    gateway.clock.advance('4h')
    const [last] = commits.at(-1)?.changes.filter(({ collection }) => collection === 'reserved_domains') ?? []
    const notes = JSON.stringify(last?.after).match(/(?<="note":")[^"]*/g)
    expect(notes).toEqual(expect.arrayContaining(['first', 'of [redacted]', 'third']))
    expect(JSON.stringify(commits)).not.toContain('ak_0123456789')
    expect(JSON.stringify(gateway.provisioning.timeline('a.example.com'))).toContain('ak_0123456789')
  })

  it('redact a key of the gateway in the key of a record', () => {
    const gateway = open({ keys: ['ak-0123456789'], dns: 'simulated' })
    const commits = collectCommits(gateway)
    gateway.dns.cname('ak-0123456789.example.com', 'target.example.com')
    expect(commits[0]?.changes[0]?.key).toBe('com.example.[redacted]')
    expect(JSON.stringify(commits)).not.toContain('ak-0123456789')
  })

  it('equal plain objects with the same values, and are copied and shown like them, whether or not they were read', () => {
    const gateway = open()
    const commits = collectCommits(gateway)
    for (const description of ['a', 'b', 'c', 'd', 'e']) gateway.reservedAddrs.create({ description })
    const [first, ...others] = commits as [Commit, ...Commit[]]
    const read = { operation: first.operation, at: first.at, changes: first.changes }
    expect(first).toStrictEqual(read)
    deepStrictEqual(first, read)
    const copies = [
      (each: Commit) => structuredClone(each),
      (each: Commit) => ({ ...each }),
      (each: Commit) => JSON.parse(JSON.stringify(each)),
    ]
    for (const [index, copy] of copies.entries()) {
      const unread = others[index] as Commit
      expect(copy(unread)).toEqual({ operation: unread.operation, at: unread.at, changes: unread.changes })
    }
    expect(inspect(others[3])).toBe(inspect({ ...others[3] }))
    expect(isDeeplyFrozen(first)).toBe(true)
  })

  it('make the form of a record when a subscriber first reads it, and once for each version of the record', () => {
    const makeForm = vi.spyOn(widgetRecords, 'toPublic')
    onTestFinished(() => makeForm.mockRestore())
    const gateway = createGateway({ families: { widgets } })
    const [commits, ofOther] = [collectCommits(gateway), collectCommits(gateway)]
    const endWatch = gateway.transport.watch(() => undefined)
    const { id } = gateway.widgets.create({ name: 'left' })
    gateway.widgets.update(id, { size: 4 })
    gateway.widgets.update(id, { size: 5 })
    endWatch()
    expect(makeForm).not.toHaveBeenCalled()
    const [, second, third] = commits
    expect(third?.changes[0]?.after).toMatchObject({ size: 5 })
    expect(makeForm).toHaveBeenCalledTimes(2)
    expect(second?.changes[0]?.after).toBe(third?.changes[0]?.before)
    expect(ofOther[1]).toBe(second)
    expect(gateway.snapshot().records.widgets).toEqual([third?.changes[0]?.after])
    expect(makeForm).toHaveBeenCalledTimes(3)
  })

  it('reach a subscriber of one collection only if they change that collection, even if other subscribers get all commits', () => {
    const gateway = open()
    const [allOperations, domainOperations]: [string[], string[]] = [[], []]
    gateway.subscribe(({ operation }) => domainOperations.push(operation), 'reserved_domains')
    gateway.reservedAddrs.create()
    const end = gateway.subscribe(({ operation }) => allOperations.push(operation))
    gateway.reservedAddrs.create()
    gateway.reservedDomains.create({ domain: 'a.example.com' })
    end()
    gateway.weightedBackends.create()
    expect(allOperations).toEqual(['reserved_addrs.create', 'reserved_domains.create'])
    expect(domainOperations).toEqual(['reserved_domains.create'])
    expect(() => gateway.subscribe(() => undefined, 'reserved_domain')).toThrow(
      new TypeError('No family has a collection named "reserved_domain". Did you mean reserved_domains?'),
    )
    expect(() => gateway.subscribe(() => undefined, 'x')).toThrow(
      /^No family has a collection named "x"\. Allowed: .*reserved_domains, /,
    )
  })

  it('contain their other changes for a subscriber of one collection, and none is made by reset and restore', () => {
    const gateway = open()
    const collections: string[][] = []
    gateway.subscribe(
      ({ changes }) => collections.push(changes.map(({ collection }) => collection)),
      'reserved_domains',
    )
    const { id } = gateway.reservedDomains.create({
      domain: 'a.example.com',
      certificate_management_policy: { authority: 'letsencrypt' },
    })
    gateway.provisioning.script(['DNS_ERROR'], { domain: 'a.example.com' })
    const state = gateway.snapshot()
    gateway.provisioning.attempt(id)
    expect(collections).toEqual([
      ['reserved_domains'],
      expect.arrayContaining(['reserved_domains', 'ordered_outcomes']),
    ])
    gateway.restore(state)
    gateway.reset()
    expect(collections).toHaveLength(2)
  })

  it('are known to a watcher once per call that changed the state, until it ends', () => {
    const gateway = createGateway({ clock: manualClock(CLOCK_START), seed: 'x' })
    const watcher = vi.fn()
    const end = gateway.transport.watch(watcher)
    const before = gateway.transport.sequence()
    const { id } = gateway.reservedAddrs.create()
    gateway.reservedAddrs.get(id)
    expect(() => gateway.reservedAddrs.get('absent')).toThrow()
    expect(watcher).toHaveBeenCalledTimes(1)
    expect(gateway.transport.sequence()).toBe(before + 1)
    gateway.restore(gateway.snapshot())
    expect(watcher).toHaveBeenCalledTimes(2)
    end()
    gateway.reservedAddrs.create()
    expect(watcher).toHaveBeenCalledTimes(2)
    expect(gateway.transport.sequence()).toBeGreaterThan(before + 2)
  })

  it.each([
    ['x', '"x"'],
    [undefined, 'missing'],
    [{}, 'an object'],
  ])('go to no subscriber that is not a function: %j', (subscriber, description) => {
    const gateway = open()
    const error = new TypeError(`subscriber is ${description}. Allowed: a function.`)
    expect(() => gateway.subscribe(subscriber as never)).toThrow(error)
    expect(() => gateway.requests.subscribe(subscriber as never)).toThrow(error)
  })
})
