import { describe, expect, test } from 'vitest'
import { client, outcome } from '../support/client.ts'
import { handClock, open } from '../support/gateway.ts'

const DAY = 86_400_000

/** Three domains: 40 days, 8 days and 1 hour old. */
function aged() {
  const clock = handClock()
  const gateway = open({ clock })
  const made = (name: string, body: object) =>
    gateway.reservedDomains.create({ domain: `${name}.example.com`, ...body })
  made('old', { region: 'eu', metadata: 'team=blue' })
  clock.turn(32 * DAY)
  made('mid', { region: 'us', description: 'büro 😀' })
  clock.turn(8 * DAY - 3_600_000)
  const fresh = made('new', { certificate_management_policy: { authority: 'letsencrypt' } })
  gateway.reservedDomains.update(fresh.id, { http_endpoint_configuration_id: 'ec_1' })
  clock.turn(1000)
  return gateway
}

/** The first labels of the domains that a filter lets through, oldest first. */
function through(filter: string): string {
  const { reserved_domains } = aged().reservedDomains.list({ filter })
  return reserved_domains
    .map(({ domain }) => domain.split('.')[0])
    .reverse()
    .join(' ')
}

describe('A list filter (decisions, "Lists")', () => {
  test.each([
    ['obj.domain == "mid.example.com"', 'mid'],
    ["obj.domain == 'mid.example.com'", 'mid'],
    ['"mid.example.com" == obj.domain', 'mid'],
    ['obj.domain != "mid.example.com"', 'old new'],
    ['obj.domain < "new"', 'mid'],
    ['obj.domain <= "new.example.com"', 'mid new'],
    ['obj.domain > "new.example.com"', 'old'],
    ['obj.domain >= "new.example.com"', 'old new'],
    ['!(obj.region == "eu")', 'mid new'],
    ['obj.region == "eu" || obj.region == "us"', 'old mid'],
    ['obj.region == "eu" && obj.domain.startsWith("old")', 'old'],
    ['obj.region == "eu" && obj.domain.startsWith("mid")', ''],
    ['obj.region == "us" || obj.region == "eu" && obj.domain == "x"', 'mid'],
    ['(obj.region == "us" || obj.region == "eu") && obj.domain == "x"', ''],
    ['obj.region in ["us", "eu"]', 'old mid'],
    ['!(obj.region in ["us", "eu"])', 'new'],
    ['obj.domain.startsWith("m")', 'mid'],
    ['obj.domain.endsWith("d.example.com")', 'old mid'],
    ['obj.domain.contains("d.ex")', 'old mid'],
    ['obj.metadata.contains("blue")', 'old'],
    ['size(obj.domain) == 15', 'old mid new'],
    ['size(obj.description) == 6', 'mid'],
    ['size(obj.description) > 0', 'mid'],
    ['obj.description == ""', 'old new'],
    ['obj.region == null', 'new'],
    ['obj.certificate_management_policy != null', 'new'],
    ['obj.certificate_management_policy.private_key_type == "rsa"', 'new'],
    ['obj.http_endpoint_configuration.id == "ec_1"', 'new'],
    ['obj.https_endpoint_configuration.id == "ec_1"', ''],
    ['true', 'old mid new'],
    ['false', ''],
  ])('%s lets through: %s', (filter, expected) => {
    expect(through(filter)).toBe(expected)
  })

  test.each([
    ['timestamp(obj.created_at) < timestamp("2025-09-05T00:00:00Z")', 'old'],
    ['timestamp(obj.created_at) == timestamp("2025-09-04T10:11:14Z")', 'old'],
    ['obj.created_at < timestamp("2025-10-07T00:00:00Z")', 'old mid'],
    ['obj.created_at > timestamp(time.now).subtract("24h")', 'new'],
    ['obj.created_at > timestamp(time.now).subtract("7d")', 'new'],
    ['obj.created_at > timestamp(time.now).subtract("9d")', 'mid new'],
    ['obj.created_at <= timestamp(time.now).subtract("30d")', 'old'],
    ['timestamp(obj.created_at).add("7d") < timestamp(time.now)', 'old mid'],
    ['timestamp("2025-09-04T10:11:14Z").add("32d") == timestamp(obj.created_at)', 'mid'],
  ])('%s compares times: %s', (filter, expected) => {
    expect(through(filter)).toBe(expected)
  })

  test.each([
    ['obj.backends.bkdhr_1 == 5', ['five']],
    ['obj.backends.bkdhr_1 >= 5', ['six', 'five']],
    ['obj.backends.bkdhr_1 > 5', ['six']],
    ['size(obj.backends) == 2', ['six']],
    ['"bkdhr_2" in obj.backends', ['six']],
    ['size(obj.backends) == 0', ['none']],
  ])('%s looks into the weights of a backend', (filter, expected) => {
    const gateway = open()
    gateway.weightedBackends.create({ metadata: 'none' })
    gateway.weightedBackends.create({ metadata: 'five', backends: { bkdhr_1: 5 } })
    gateway.weightedBackends.create({ metadata: 'six', backends: { bkdhr_1: 6, bkdhr_2: 1 } })
    expect(gateway.weightedBackends.list({ filter }).backends.map(({ metadata }) => metadata)).toEqual(expected)
  })

  test.each([
    '(',
    'obj.domain ==',
    'obj.domain = "x"',
    'obj.domain + "x" == "y"',
    '1 + 1 == 2',
    'obj.domain * 2 == 1',
    '1 - 1 == 0',
    'obj.domain ? true : false',
    'obj["domain"] == "x"',
    'obj.domain[0] == "x"',
    '{"a": 1} == {}',
    'obj.domain.matches("^a")',
    'obj.domain.reverse() == "x"',
    'obj.domain.startsWith()',
    'obj.domain.startsWith("a", "b")',
    'has(obj.domain)',
    'int("1") == 1',
    'size() == 1',
    'timestamp() == 1',
    'timestamp("yesterday") < timestamp(time.now)',
    'timestamp(time.now).add("soon") > timestamp(time.now)',
    'timestamp(time.now).add(7) > timestamp(time.now)',
    'duration("1h") == 1',
    '[1, 2].exists(x, x == 1)',
    'obj.domain',
    '"text"',
    '1',
    'size(obj.domain)',
    'timestamp(time.now)',
    '!obj.domain',
    'obj.domain && true',
    'obj',
    'other.domain == "x"',
    'domain == "x"',
    'time.now == 1',
    'obj.colour == "red"',
    'obj.certificate.colour == "red"',
    'obj.constructor == null',
    'obj.__proto__ == null',
    'obj.domain.length == 1',
    'obj.toString() == "x"',
  ])('%s is refused, as it is outside the subset (errors.md, filter_invalid)', async (filter) => {
    const answer = await client(aged())('GET', `/reserved_domains?filter=${encodeURIComponent(filter)}`)
    expect(outcome(answer)).toBe('400 ERR_GATEWAY_250')
    expect(answer.body.details['field:filter']).toBe(answer.body.msg)
  })

  test('is refused in an empty list too', async () => {
    expect(outcome(await client(open())('GET', '/reserved_addrs?filter=('))).toBe('400 ERR_GATEWAY_250')
  })

  test('of 100,000 open parentheses is refused without harm', async () => {
    const answer = await client(open())('GET', `/reserved_addrs?filter=${'('.repeat(100_000)}`)
    expect(outcome(answer)).toBe('400 ERR_GATEWAY_250')
  })

  test('works through HTTP with encoded characters', async () => {
    const filter = encodeURIComponent('obj.description == "büro 😀" && obj.region in ["us"]')
    const { body } = await client(aged())('GET', `/reserved_domains?filter=${filter}`)
    expect(body.reserved_domains.map(({ domain }: { domain: string }) => domain)).toEqual(['mid.example.com'])
  })

  test('sees certificates by what was read from them', async () => {
    const filter = encodeURIComponent('"*.example.com" in obj.subject_alternative_names.dns_names')
    const { status, body } = await client(open())('GET', `/tls_certificates?filter=${filter}`)
    expect([status, body.tls_certificates]).toEqual([200, []])
  })
})
