import { describe, expect, it } from 'vitest'
import { createGateway, type ManualClock, manualClock, type Snapshot } from '../../src/index.ts'
import { client, expectError } from '../support/client.ts'
import { CLOCK_START } from '../support/clock.ts'
import { type Json, REMOVED, replaceAt } from '../support/damage.ts'
import { copyAsJson, createFullGateway, fullGatewayOptions } from '../support/full-gateway.ts'
import { collectCommits } from '../support/gateway.ts'

describe('A snapshot is rejected', () => {
  const splitPath = (path: string) => path.split('.').map((key) => (/^\d+$/.test(key) ? Number(key) : key))
  const findDomainIndex = (good: Json, name: string) =>
    good.records.reserved_domains.findIndex((each: Json) => each.domain === `${name}.example.com`)
  /** Returns a path with the number of a domain in the place of its name. */
  const insertNumbers = (good: Json, path: string) =>
    path.replace(/<([\w-]+)>/, (_, name) => String(findDomainIndex(good, name)))
  const createId = (prefix: string, number: string) => `${prefix}_${number.padStart(7, '0')}${'a'.repeat(20)}`

  async function expectRefusal(expected: string, damage: (good: Json) => unknown): Promise<void> {
    const gateway = await createFullGateway()
    const good = copyAsJson(gateway.snapshot())
    const before = JSON.stringify(gateway.snapshot())
    const { message } = expectError(() => gateway.restore(damage(good) as Snapshot))
    expect(message).toContain(insertNumbers(good, expected))
    expect(JSON.stringify(gateway.snapshot())).toBe(before)
  }

  it.each([undefined, null, '{}', []])('that is %j', (value) => expectRefusal('the snapshot is ', () => value))

  it('that is a promise, because `await` is missing', () =>
    expectRefusal('the snapshot is a Promise. Allowed: an object.', () => Promise.resolve({})))

  type Value = [path: string, to: unknown, field?: string]
  const LATE = 253402300799000

  it.each<Value>([
    ['version', REMOVED],
    ['version', 2],
    ['now', REMOVED],
    ['now', -1],
    ['seed', '-----BEGIN PRIVATE KEY-----\nMC4CAQ'],
    ['sequence', 99.5],
    ['rateLimit', [1, 'x'], 'rateLimit.1'],
  ])('with %s: %j', (path, to, field = path) => expectRefusal(`${field} is `, (good) => replaceAt(good, [path], to)))

  it.each<Value>([
    ['reserved_addrs', {}],
    ['reserved_addrs.0', 5],
    ['reserved_addrs.0.id', 'ra_1'],
    ['reserved_addrs.0.id', createId('ra', 'zzzzz')],
    ['reserved_addrs.0.addr', ':10000'],
    ['reserved_addrs.0.addr', '1.tcp.example.com:30000'],
    ['reserved_addrs.0.endpoint_configuration_id', 'rd_1'],
    ['weighted_backends.0.backends.bkdhr_1', 10_001],
    [
      'weighted_backends.0.backends',
      { [createId('bkdwd', '1')]: 1 },
      `weighted_backends.0.backends.${createId('bkdwd', '1')}`,
    ],
    ['declarations', [{ id: 'edghtsrt_1', edge_id: 'edghts_9' }], 'declarations.0.edge_id'],
    ['declarations', [{ id: 'edghts_1', edge_id: 'edghts_1' }], 'declarations.0.edge_id'],
    ['declarations.0.id', 'rd_1'],
    ['compression.0.key', 'edghts_1/edghtsrt_1/edghtsrt_1'],
    ['circuit_breaker.0.module.num_buckets', 129],
    ['traffic_policy.0.module.inbound.0.expressions.0', '('],
    ['dns_records.0.name', '1.2.3.4'],
    ['ordered_outcomes.0.outcome', 'x'],
    ['ordered_outcomes.0.domain', 'x_.'],
    ['standing_outcomes', Array(10_001).fill({ domain: '', outcome: 'success' })],
    ['faults.0.status', 200],
    ['faults.0.operation', 'reserved_domain.create'],
    ['faults.0.hits', -1],
    ['tls_certificates.0.order', null],
    ['tls_certificates.0.order.not_after', 5],
    ['tls_certificates.0.issued_at', 5000],
    ['reserved_domains.<uploaded>.domain', 'a_b.example.com'],
    ['reserved_domains.<uploaded>.domain', 'failing.example.com'],
    ['reserved_domains.<uploaded>.certificate_id', createId('cert', '1')],
    ['reserved_domains.<uploaded>.due', { at: LATE, order: 0 }],
    ['reserved_domains.<renewing>.certificate_id', createId('cert', '1')],
    ['reserved_domains.<renewing>.renews_at', null],
    ['reserved_domains.<renewing>.job', null, 'reserved_domains.<renewing>.due.at'],
    ['reserved_domains.<provisioning>.policy', null, 'reserved_domains.<provisioning>.job'],
    ['reserved_domains.<provisioning>.job', null, 'reserved_domains.<provisioning>.certificate_id'],
    ['reserved_domains.<provisioning>.renews_at', LATE],
    ['reserved_domains.<provisioning>.due.at', 1_800_000_000_500],
    ['reserved_domains.<provisioning>.due.at', 0],
    ['reserved_domains.<provisioning>.due.order', 1_000_000],
    ['reserved_domains.<provisioning>.job.retries_at', 1_800_000_000_000],
    ['reserved_domains.<provisioning>.job.internal_errors', 1],
    ['reserved_domains.<renewal-failing>.job.internal_errors', 0],
    ['reserved_domains.<failing>.job.retries_at', null],
    ['reserved_domains.<failing>.job.error_code', 'ODD'],
    ['reserved_domains.<failing>.region', 'mars'],
    ['reserved_domains.<failing>.cname_target', 'a b'],
    ['reserved_domains.<failing>.acme_challenge_cname_target', 'a.example.com'],
    ['reserved_domains.<failing>.due', null],
    ['reserved_domains.<failing>.due.at', LATE],
    ['reserved_domains.<failing>.policy.authority', ''],
    ['reserved_domains.<failing>.policy.authority', '__proto__'],
    ['reserved_domains.<failing>.resolves_to', [{ value: 7 }], 'reserved_domains.<failing>.resolves_to.0.value'],
    ['reserved_domains.<failing>.timeline.0.transition', 'melted'],
    ['reserved_domains.<failing>.timeline.0.at', 0.5],
    ['reserved_domains.<failing>.timeline.0.at', 1_772_409_635_000],
  ])('with the records %s: %j', (path, to, field = path) =>
    expectRefusal(`records.${field} is `, (good) =>
      replaceAt(good, splitPath(insertNumbers(good, `records.${path}`)), to),
    ),
  )

  type Damage = [what: string, field: string, path: string, to: (good: Json) => unknown]
  const repeatFirst = (records: Json[]) => [...records, records[0]]

  it.each<Damage>([
    ['a record twice', 'dns_records.', 'dns_records', ({ records }) => repeatFirst(records.dns_records)],
    [
      'an address twice',
      'reserved_addrs.',
      'reserved_addrs',
      ({ records: { reserved_addrs: all } }) => [all[0], { ...all[0], id: createId('ra', '1') }],
    ],
    [
      'an uploaded certificate beside a policy',
      'certificate_id is',
      'reserved_domains.<renewing>.certificate_id',
      (good) => good.records.reserved_domains[findDomainIndex(good, 'uploaded')].certificate_id,
    ],
    [
      'the automatic certificate of another domain',
      'certificate_id is',
      'reserved_domains.<renewing>.certificate_id',
      (good) => good.records.reserved_domains[findDomainIndex(good, 'renewal-failing')].certificate_id,
    ],
    ['an automatic certificate that nobody uses', 'tls_certificates.', 'reserved_domains', () => []],
    ['something due that is past', 'due.at is', 'reserved_domains.<provisioning>.due.at', ({ now }) => now],
    ['the order that comes next', 'due.order is', 'reserved_domains.<provisioning>.due.order', (good) => good.sequence],
    [
      'a timeline that is too long',
      'timeline is',
      'reserved_domains.<failing>.timeline',
      (good) => Array(101).fill(good.records.reserved_domains[0].timeline[0]),
    ],
    [
      'a weighted backend that names itself',
      'weighted_backends.0.backends.',
      'weighted_backends.0.backends',
      (good) => ({ [good.records.weighted_backends[0].id]: 1 }),
    ],
    [
      'a certificate of both kinds',
      'tls_certificates.3.order is',
      'tls_certificates.3.order',
      (good) => good.records.tls_certificates[0].order,
    ],
  ])('with %s', (_what, field, path, to) =>
    expectRefusal(field, (good) => replaceAt(good, splitPath(insertNumbers(good, `records.${path}`)), to(good))),
  )

  it.each<Damage>([
    ['a field that none has', 'more is not a field', 'more', () => 1],
    ['an unknown collection', 'records.tunnels is not a field', 'records.tunnels', () => [{}]],
    ['an unknown field', 'records.reserved_addrs.0.extra is not a field', 'records.reserved_addrs.0.extra', () => 5],
    ['an unknown provider', 'provider is missing', 'records.webhook_verification.0.module.provider', () => ''],
    ['long metadata of a domain', '4097 bytes', 'records.reserved_domains.0.metadata', () => 'x'.repeat(4097)],
    ['long metadata', '4097 bytes', 'records.tls_certificates.0.metadata', () => 'x'.repeat(4097)],
    ['a long description', '256 bytes', 'records.tls_certificates.0.description', () => 'x'.repeat(256)],
  ])('with %s, with the message that a request gets', (_what, expected, path, to) =>
    expectRefusal(expected, (good) => replaceAt(good, splitPath(path), to(good))),
  )
})

describe('A snapshot that is rejected changes nothing', () => {
  it('even if the clock rejects it: the earlier state is restored', async () => {
    const gateway = await createFullGateway()
    const refusingClock = Object.create(manualClock(CLOCK_START), {
      set: {
        value() {
          throw new RangeError('No.')
        },
      },
    }) as ManualClock
    const other = createGateway({ ...fullGatewayOptions(), clock: refusingClock, seed: 'other' })
    const { id } = other.reservedAddrs.create()
    const before = other.snapshot()
    for (const snapshot of [gateway.snapshot(), copyAsJson(gateway.snapshot())]) {
      expect(() => other.restore(snapshot)).toThrow('No.')
      expect(other.snapshot()).toEqual(before)
      expect(other.reservedAddrs.get(id).id).toBe(id)
    }
    const twin = createGateway({ ...fullGatewayOptions(), seed: 'other' })
    twin.reservedAddrs.create()
    expect(other.reservedAddrs.create().id).toBe(twin.reservedAddrs.create().id)
  })

  it('over HTTP too, with the path in `details` (rules: control-api#calls)', async () => {
    const gateway = await createFullGateway()
    const before = JSON.stringify(gateway.snapshot())
    const damagedSnapshot = replaceAt(copyAsJson(gateway.snapshot()), ['records', 'reserved_addrs', 0, 'region'], null)
    const answer = await client(gateway)('PUT', 'http://localhost/_fauxgate/state', { json: damagedSnapshot })
    expect(answer.status).toBe(400)
    expect(Object.keys(answer.body.details)).toContain('field:records.reserved_addrs.0.region')
    expect(JSON.stringify(gateway.snapshot())).toBe(before)
  })

  it('is not reported to any subscriber', async () => {
    const gateway = await createFullGateway()
    const commits = collectCommits(gateway)
    const damagedSnapshot = replaceAt(copyAsJson(gateway.snapshot()), ['records', 'reserved_addrs', 0, 'region'], null)
    expect(() => gateway.restore(damagedSnapshot)).toThrow()
    expect(commits).toEqual([])
  })
})
