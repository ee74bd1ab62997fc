import { describe, expect, it } from 'vitest'
import { createGateway, type ManualClock, manualClock, type Snapshot } from '../../src/index.ts'
import { client, thrownBy } from '../support/client.ts'
import { changed, type Json, NOTHING } from '../support/damage.ts'
import { furnished, furnishedOptions, throughJson } from '../support/furnished.ts'
import { NEW_YEAR } from '../support/provisioning.ts'

describe('A snapshot is refused', () => {
  type Row = [what: string, damage: (good: Json) => unknown, message: string]
  const inRecords = (path: string, to: unknown) => (good: Json) => changed(good, ['records', ...keysOf(path)], to)
  const keysOf = (path: string) => path.split('.').map((key) => (/^\d+$/.test(key) ? Number(key) : key))
  const domain = (good: Json, name: string) =>
    good.records.reserved_domains.findIndex((each: Json) => each.domain === name)
  const at = (name: string, path: string, to: unknown) => (good: Json) =>
    inRecords(`reserved_domains.${domain(good, `${name}.example.com`)}.${path}`, to)(good)
  const twice = (collection: string) => (good: Json) =>
    inRecords(collection, [...good.records[collection], good.records[collection][0]])(good)
  const id = (prefix: string, number: string) => `${prefix}_${number.padStart(7, '0')}${'a'.repeat(20)}`

  async function expectRefused(damage: (good: Json) => unknown, message: string): Promise<void> {
    const gateway = await furnished()
    const before = JSON.stringify(gateway.snapshot())
    const error = thrownBy(() => gateway.restore(damage(throughJson(gateway.snapshot())) as Snapshot))
    expect(error.message).toContain(message)
    expect(JSON.stringify(gateway.snapshot())).toBe(before)
  }

  it.each<Row>([
    ['that is nothing', () => undefined, 'the snapshot is nothing. Allowed: an object.'],
    ['that is null', () => null, 'the snapshot is null. Allowed: an object.'],
    ['that is a text', () => '{}', 'the snapshot is "{}". Allowed: an object.'],
    ['that is a list', () => [], 'the snapshot is an array of 0. Allowed: an object.'],
    ['without a version', () => ({}), 'version is nothing. Allowed: 1, the version this fauxgate reads.'],
    [
      'of another version',
      (good) => ({ ...good, version: 2, more: 1 }),
      'version is 2. Allowed: 1, the version this fauxgate reads.',
    ],
    [
      'with a field that none has',
      (good) => ({ ...good, more: 1 }),
      'more is not a field of this operation. Supported: version, now, seed, sequence, rateLimit, records.',
    ],
    [
      'without a time',
      (good) => changed(good, ['now'], NOTHING),
      'now is nothing. Allowed: a value; the field is required.',
    ],
    [
      'with a time before 1970',
      (good) => ({ ...good, now: -1 }),
      'now is -1. Allowed: a time in ms, from 0 to 253402300799000.',
    ],
    [
      'with a time behind the last',
      (good) => ({ ...good, now: 253402300799001 }),
      'now is 253402300799001. Allowed: a time in ms, from 0 to 253402300799000.',
    ],
    [
      'with a time that is no number',
      (good) => ({ ...good, now: Number.NaN }),
      'now is NaN. Allowed: a time in ms, from 0 to 253402300799000.',
    ],
    [
      'with a private key for a seed, which every snapshot would show',
      (good) => ({ ...good, seed: '-----BEGIN PRIVATE KEY-----\nMC4CAQ' }),
      'seed is "[redacted]". Allowed: a string without a private key.',
    ],
    ['with a number for a seed', (good) => ({ ...good, seed: 5 }), 'seed is 5. Allowed: a string or null.'],
    ['with half a sequence', (good) => ({ ...good, sequence: 99.5 }), 'sequence is 99.5. Allowed: an integer.'],
    [
      'with a sequence that leaves no room',
      (good) => ({ ...good, sequence: 2 ** 43 }),
      `sequence is ${2 ** 43}. Allowed: an integer, from 0 to ${62 ** 7 - 62 ** 6}.`,
    ],
    [
      'with a text among the times of requests',
      (good) => ({ ...good, rateLimit: [1, 'x'] }),
      'rateLimit.1 is "x". Allowed: a time in ms, from 0 to 253402300799000.',
    ],
    [
      'with an unknown collection',
      inRecords('tunnels', []),
      'records.tunnels is not a field of this operation. Supported: reserved_addrs, ',
    ],
    [
      'with a collection that is no list',
      inRecords('reserved_addrs', {}),
      'records.reserved_addrs is an object. Allowed: an array.',
    ],
    [
      'with a field that no record has',
      inRecords('reserved_addrs.0.extra', 5),
      'records.reserved_addrs.0.extra is not a field of this operation. Supported: id, created_at, ',
    ],
    [
      'with an id of another type',
      inRecords('reserved_addrs.0.id', id('rd', '1')),
      `records.reserved_addrs.0.id is "${id('rd', '1')}". Allowed: "ra_" and 27 letters and digits.`,
    ],
    [
      'with an id of the future',
      (good) => changed(inRecords('reserved_addrs.0.id', id('ra', '1c'))(good), ['sequence'], 100),
      `records.reserved_addrs.0.id is "${id('ra', '1c')}". Allowed: an id that was made before number 100 of the sequence.`,
    ],
    ['with a record twice', twice('dns_records'), 'is a second record with the key "'],
    [
      'with an address twice',
      (good) =>
        inRecords('reserved_addrs', [
          good.records.reserved_addrs[0],
          { ...good.records.reserved_addrs[0], id: id('ra', '1') },
        ])(good),
      'Allowed: an address that no other one has.',
    ],
    [
      'with an address without a host',
      inRecords('reserved_addrs.0.addr', ':10000'),
      'Allowed: a host with a port from 10000 to 29999.',
    ],
    ...['09999', '30000'].map((port): [string, ReturnType<typeof inRecords>, string] => [
      `with an address at the port ${port}`,
      inRecords('reserved_addrs.0.addr', `1.tcp.example.com:${port}`),
      'Allowed: a host with a port from 10000 to 29999.',
    ]),
    [
      'with a domain name twice',
      at('uploaded', 'domain', 'failing.example.com'),
      'Allowed: a name that no other domain has.',
    ],
    [
      'with a certificate that does not exist',
      at('uploaded', 'certificate_id', id('cert', '1')),
      'Allowed: an uploaded certificate, without a policy.',
    ],
    [
      'with a certificate that does not exist beside a policy',
      at('renewing', 'certificate_id', id('cert', '1')),
      'Allowed: an automatic certificate for the domain, with a policy.',
    ],
    [
      'with an uploaded certificate beside a policy',
      (good) =>
        at(
          'renewing',
          'certificate_id',
          good.records.reserved_domains[domain(good, 'uploaded.example.com')].certificate_id,
        )(good),
      'Allowed: an automatic certificate for the domain, with a policy.',
    ],
    [
      'with the automatic certificate of another domain',
      (good) =>
        at(
          'renewing',
          'certificate_id',
          good.records.reserved_domains[domain(good, 'renewal-failing.example.com')].certificate_id,
        )(good),
      'Allowed: an automatic certificate for the domain, with a policy.',
    ],
    [
      'with an automatic certificate that nobody uses',
      inRecords('reserved_domains', []),
      'Allowed: an automatic certificate that a domain uses.',
    ],
    [
      'with a job without a policy',
      at('provisioning', 'policy', null),
      'job is an object. Allowed: null, without a policy.',
    ],
    [
      'with a policy, but neither job nor certificate',
      at('provisioning', 'job', null),
      'certificate_id is null. Allowed: a value, with a policy and no job.',
    ],
    [
      'with something due without a policy',
      at('uploaded', 'due', { at: 253402300799000, order: 0 }),
      'due is an object. Allowed: null, without a policy.',
    ],
    [
      'with something due that is past',
      (good) => at('provisioning', 'due.at', good.now)(good),
      ', the time of the state.',
    ],
    [
      'with a timeline that is too long',
      (good) => at('failing', 'timeline', Array(101).fill(good.records.reserved_domains[0].timeline[0]))(good),
      'timeline is an array of 101. Allowed: at most 100 entries.',
    ],
    [
      'with a weighted backend that names itself',
      (good) => inRecords(`weighted_backends.0.backends.${good.records.weighted_backends[0].id}`, 1)(good),
      'Allowed: another weighted backend that exists.',
    ],
    [
      'with a child that does not exist',
      inRecords('weighted_backends.0.backends', { [id('bkdwd', '1')]: 1 }),
      `records.weighted_backends.0.backends.${id('bkdwd', '1')} is "${id('bkdwd', '1')}". Allowed: another weighted backend that exists.`,
    ],
    [
      'with a route without its edge',
      inRecords('declarations', [{ id: 'edghtsrt_1', edge_id: 'edghts_9' }]),
      'records.declarations.0.edge_id is "edghts_9". Allowed: an edge that is declared.',
    ],
    [
      'with an edge on an edge',
      inRecords('declarations', [{ id: 'edghts_1', edge_id: 'edghts_1' }]),
      'records.declarations.0.edge_id is "edghts_1". Allowed: the edge of a route, else null.',
    ],
    [
      'with a declaration of what is not declared',
      inRecords('declarations.0.id', 'rd_1'),
      'Allowed: an id of what can be declared.',
    ],
    [
      'with a module of two routes',
      inRecords('compression.0.key', 'edghts_1/edghtsrt_1/edghtsrt_1'),
      'Allowed: the ids of an edge and its route, with a slash between.',
    ],
    [
      'with an expression that is none',
      inRecords('traffic_policy.0.module.inbound.0.expressions.0', '('),
      'records.traffic_policy.0.module.inbound.0.expressions.0',
    ],
    [
      'with a provider that is not known',
      inRecords('webhook_verification.0.module.provider', ''),
      'records.webhook_verification.0.module.provider: provider is missing.',
    ],
    [
      'with too many outcomes',
      inRecords('standing_outcomes', Array(10_001).fill({ domain: '', outcome: 'success' })),
      'records.standing_outcomes is an array of 10001. Allowed: at most 10000 records.',
    ],
    [
      'with the order that comes next',
      (good) => at('provisioning', 'due.order', good.sequence)(good),
      'Allowed: an integer from 0 to below ',
    ],
    [
      'with a renewal at two times',
      (good) => at('renewing', 'job', null)(good),
      'due.at is 1772409670000. Allowed: 1772409640000, as in renews_at.',
    ],
    [
      'with a time in ms in a timeline',
      at('failing', 'timeline.0.at', 1_772_409_635_000),
      'Allowed: a time in whole seconds, from 0 to 253402300799.',
    ],
    [
      'with too long metadata of a domain',
      at('failing', 'metadata', 'x'.repeat(4097)),
      'metadata has 4097 bytes in UTF-8. Allowed are at most 4096.',
    ],
    [
      'with a name that resolves to nothing',
      at('failing', 'resolves_to', [{ value: '' }]),
      'resolves_to.0.value is "". Allowed: a non-empty string.',
    ],
    [
      'with too long metadata of a certificate',
      inRecords('tls_certificates.0.metadata', 'x'.repeat(4097)),
      'metadata has 4097 bytes in UTF-8. Allowed are at most 4096.',
    ],
    [
      'with too long a description of a certificate',
      inRecords('tls_certificates.0.description', 'x'.repeat(256)),
      'description has 256 bytes in UTF-8. Allowed are at most 255.',
    ],
    [
      'with a certificate of both kinds',
      (good) => inRecords('tls_certificates.3.order', good.records.tls_certificates[0].order)(good),
      'records.tls_certificates.3.order is an object. Allowed: null, with an upload.',
    ],
    [
      'with a name twice in the zone',
      (good) => inRecords('dns_records', [...good.records.dns_records.slice(0, 2), good.records.dns_records[0]])(good),
      'records.dns_records.2 is a second record with the key "com.example.a". Allowed: each key once.',
    ],
  ])('%s', (_what, damage, message) => expectRefused(damage, message))

  type Value = [what: string, path: string, to: unknown, allowed: string]

  it.each<Value>([
    ['with a record that is none', 'reserved_addrs.0', 5, 'an object.'],
    ['with an id that is too short', 'reserved_addrs.0.id', 'ra_1', '"ra_" and 27 letters and digits.'],
    [
      'with a port out of range',
      'reserved_addrs.0.addr',
      '0.tcp.gateway.test:30000',
      'a host with a port from 10000 to 29999.',
    ],
    ['with a weight out of range', 'weighted_backends.0.backends.bkdhr_1', 10_001, ''],
    [
      'with a module of no route',
      'compression.0.key',
      'edghts_1',
      'the ids of an edge and its route, with a slash between.',
    ],
    ['with a module that no request could set', 'circuit_breaker.0.module.num_buckets', 129, ''],
    [
      'with a record of no name',
      'dns_records.0.name',
      '1.2.3.4',
      'a DNS name such as "app.example.com", not an address.',
    ],
    ['with an outcome that there is not', 'ordered_outcomes.0.outcome', 'x', '"success" or '],
    ['with an outcome for no domain', 'ordered_outcomes.0.domain', 'x_.', 'a DNS name'],
    ['with an outcome out of place', 'ordered_outcomes.0.place', 5, 'an integer less than '],
    ['with a fault that nobody could order', 'faults.0.status', 200, 'an integer from 400 to 599.'],
    [
      'with a fault that no request can meet',
      'faults.0.operation',
      'reserved_domain.create',
      'reserved_addrs.create, ',
    ],
    [
      'with a link to something else',
      'reserved_addrs.0.endpoint_configuration_id',
      'rd_1',
      '"ec_" and letters and digits.',
    ],
    ['with a certificate of no kind', 'tls_certificates.0.order', null, 'an order.'],
    [
      'with a certificate that ends before it begins',
      'tls_certificates.0.order.not_after',
      5,
      'a time in ms from 1767225630000, the not_before, on.',
    ],
    [
      'with a certificate that was issued at another time',
      'tls_certificates.0.issued_at',
      5000,
      '1767225630000, as in order.not_before.',
    ],
    ['with an upload that was issued', 'tls_certificates.3.issued_at', 5000, 'null.'],
    ['with a fault that was met less than never', 'faults.0.hits', -1, 'a number, from 0 to 4503599627370496.'],
    ['with a fault that was met half a time', 'faults.0.hits', 0.5, 'an integer.'],
  ])('%s', (_what, path, to, allowed) =>
    expectRefused(inRecords(path, to), `records.${path} is ${JSON.stringify(to)}. Allowed: ${allowed}`),
  )

  type ValueOfDomain = [what: string, name: string, path: string, to: unknown, allowed: string]

  it.each<ValueOfDomain>([
    ['with a name that no domain can have', 'uploaded', 'domain', 'a_b.example.com', 'a name without "_".'],
    ['with a region that does not exist', 'failing', 'region', 'mars', '"au" or "eu" or '],
    ['with a target that is no name', 'failing', 'cname_target', 'a b', 'a DNS name.'],
    [
      'with a challenge target of no wildcard',
      'failing',
      'acme_challenge_cname_target',
      'a.example.com',
      'null, without a wildcard with a cname_target.',
    ],
    ['with a certificate, but no renewal', 'renewing', 'renews_at', null, 'a value, with a policy and a certificate.'],
    [
      'with a renewal of nothing',
      'provisioning',
      'renews_at',
      253402300799000,
      'null, without a policy and a certificate.',
    ],
    ['with nothing due where a retry is', 'failing', 'due', null, 'a value, with a policy.'],
    ['with a retry at two times', 'failing', 'due.at', 253402300799000, ''],
    [
      'with something due within a second',
      'provisioning',
      'due.at',
      1_800_000_000_500,
      'a time in ms that is a whole second.',
    ],
    ['with an order of the future', 'provisioning', 'due.order', 1_000_000, 'an integer from 0 to below '],
    [
      'with a retry of a job that does not fail',
      'provisioning',
      'job.retries_at',
      1_800_000_000_000,
      'null, without an error_code.',
    ],
    ['with a failing job that is not retried', 'failing', 'job.retries_at', null, 'a value, with an error_code.'],
    [
      'with failures of a job that has not failed',
      'provisioning',
      'job.internal_errors',
      1,
      '0 without an error_code.',
    ],
    [
      'without the failure that a job has met',
      'renewal-failing',
      'job.internal_errors',
      0,
      'at least 1 with INTERNAL_ERROR.',
    ],
    ['with an unknown failure', 'failing', 'job.error_code', 'ODD', '"INTERNAL_ERROR" or "DNS_ERROR".'],
    ['with an unknown transition', 'failing', 'timeline.0.transition', 'melted', '"started" or "failed" or '],
    ['with half a second in a timeline', 'failing', 'timeline.0.at', 0.5, 'whole seconds.'],
    ['with an order that is no number', 'provisioning', 'due.order', 'x', 'an integer.'],
    ['with a negative order', 'provisioning', 'due.order', -1, 'an integer from 0 to below '],
    ['with half an order', 'provisioning', 'due.order', 0.5, 'an integer from 0 to below '],
    ['with a policy of no authority', 'failing', 'policy.authority', '', 'a text that is not empty.'],
    [
      'with a time before 1970 in a timeline',
      'failing',
      'timeline.0.at',
      -1,
      'a time in whole seconds, from 0 to 253402300799.',
    ],
  ])('%s', (_what, name, path, to, allowed) =>
    expectRefused(at(name, path, to), `.${path} is ${JSON.stringify(to)}. Allowed: ${allowed}`),
  )
})

describe('A snapshot that is refused changes nothing', () => {
  it('also where it is refused by the clock: then the state from before is there again', async () => {
    const gateway = await furnished()
    const stubborn = Object.create(manualClock(NEW_YEAR), {
      set: {
        value() {
          throw new RangeError('No.')
        },
      },
    }) as ManualClock
    const other = createGateway({ ...furnishedOptions(), clock: stubborn, seed: 'other' })
    const { id } = other.reservedAddrs.create()
    const before = other.snapshot()
    for (const snapshot of [gateway.snapshot(), throughJson(gateway.snapshot())]) {
      expect(() => other.restore(snapshot)).toThrow('No.')
      expect(other.snapshot()).toEqual(before)
      expect(other.reservedAddrs.get(id).id).toBe(id)
    }
    const twin = createGateway({ ...furnishedOptions(), seed: 'other' })
    twin.reservedAddrs.create()
    expect(other.reservedAddrs.create().id).toBe(twin.reservedAddrs.create().id)
  })

  it('over HTTP too, with the path in `details` (rules: control-api#calls)', async () => {
    const gateway = await furnished()
    const before = JSON.stringify(gateway.snapshot())
    const damaged = changed(throughJson(gateway.snapshot()), ['records', 'reserved_addrs', 0, 'region'], null)
    const answer = await client(gateway)('PUT', 'http://localhost/_fauxgate/state', { json: damaged })
    expect(answer.status).toBe(400)
    expect(Object.keys(answer.body.details)).toContain('field:records.reserved_addrs.0.region')
    expect(JSON.stringify(gateway.snapshot())).toBe(before)
  })

  it('is told by nobody: no subscriber hears of it', async () => {
    const gateway = await furnished()
    const commits: unknown[] = []
    gateway.subscribe((commit) => commits.push(commit))
    const damaged = changed(throughJson(gateway.snapshot()), ['records', 'reserved_addrs', 0, 'region'], null)
    expect(() => gateway.restore(damaged)).toThrow()
    expect(commits).toEqual([])
  })
})
