import { describe, expect, test } from 'vitest'
import { client, outcome } from '../../support/client.ts'
import { createTestClock, open } from '../../support/gateway.ts'

const DAY = 86_400_000

/** Creates a gateway with three domains: 40 days, 8 days and 1 hour old. */
function openWithAges() {
  const clock = createTestClock()
  const gateway = open({ clock })
  const reserve = (name: string, body: object) =>
    gateway.reservedDomains.create({ domain: `${name}.example.com`, ...body })
  reserve('old', { region: 'eu', metadata: 'team=blue' })
  clock.advance(32 * DAY)
  reserve('mid', { region: 'us', description: 'büro 😀' })
  clock.advance(8 * DAY - 3_600_000)
  const newest = reserve('new', { certificate_management_policy: { authority: 'letsencrypt' } })
  gateway.reservedDomains.update(newest.id, { http_endpoint_configuration_id: 'ec_1' })
  clock.advance(1000)
  return gateway
}

/** Expects the first labels of the domains that a filter selects, oldest first. */
function expectDomains(filter: string, expected: string) {
  const { reserved_domains } = openWithAges().reservedDomains.list({ filter })
  const names = reserved_domains.map(({ domain }) => domain.split('.')[0])
  expect(names.reverse().join(' ')).toBe(expected)
}

/** Returns whether a filter without fields selects everything. */
function isTrue(filter: string): boolean {
  const gateway = open()
  gateway.reservedAddrs.create()
  return gateway.reservedAddrs.list({ filter }).reserved_addrs.length === 1
}

describe('A list filter (rules: filters#language)', () => {
  test.each([
    ['obj.domain == "mid.example.com"', 'mid'],
    ['obj.domain != "mid.example.com"', 'old new'],
    ['!(obj.region == "eu")', 'mid new'],
    ['obj.region == "us" || obj.region == "eu" && obj.domain == "x"', 'mid'],
    ['(obj.region == "eu") == (obj.metadata == "team=blue")', 'old mid new'],
    ['obj.domain.startsWith("m")', 'mid'],
    ['.5 < 1', 'old mid new'],
    ['obj.domain.endsWith("d.example.com")', 'old mid'],
    ['obj.domain.contains("d.ex")', 'old mid'],
    ['"old.example.com, mid.example.com".contains(obj.domain)', 'old mid'],
    ['obj.certificate_management_status.provisioning_job.started_at == obj.created_at', 'new'],
    ['obj.domain == "mid.example.com" // a comment', 'mid'],
    ['obj.domain ==\n\t"mid.example.com"', 'mid'],
    ['true', 'old mid new'],
    ['false', ''],
  ])('%s selects: %s', expectDomains)

  test.each([
    ['obj.domain < "new.example.com"', 'mid'],
    ['obj.domain >= "new.example.com"', 'old new'],
  ])('%s compares texts: %s', expectDomains)

  test.each([
    ['obj.description == ""', 'old new'],
    ['obj.description == null', 'old new'],
    ['obj.region == null', 'new'],
    ['obj.certificate == null', 'old mid new'],
    ['obj.http_endpoint_configuration.id == obj.https_endpoint_configuration.id', 'old mid'],
    ['obj.region in ["us", null]', 'mid new'],
    ['size(obj.region) == 0', 'new'],
    ['obj.region.startsWith("")', 'old mid'],
  ])('%s treats absent values, null and "" alike: %s', expectDomains)

  test.each([
    ['obj.region < "zz"', 'old mid'],
    ['obj.region >= ""', 'old mid new'],
    ['obj.region <= obj.certificate.id', 'new'],
    ['timestamp(obj.certificate_management_status.provisioning_job.started_at) < timestamp(time.now)', 'new'],
  ])('%s does not order absent values: %s', expectDomains)

  test.each([
    ['obj.region in ["us", "eu"]', 'old mid'],
    ['obj.region in []', ''],
    ['obj.domain in ["mid.example.com", obj.certificate.id]', 'mid'],
    ['true in [obj.region == "us", obj.region == "eu"]', 'old mid'],
    ['timestamp(obj.created_at) in [timestamp("2025-09-04T12:11:14+02:00")]', 'old'],
    ['timestamp(obj.created_at) in ["2025-09-04T12:11:14+02:00", null]', 'old'],
    ['timestamp(obj.created_at) in [obj.created_at]', 'old mid new'],
    ['obj.created_at in ["2025-09-04T12:11:14+02:00"]', ''],
  ])('%s searches a list: %s', expectDomains)

  test.each([
    ['obj.domain.size() == 15', 'old mid new'],
    ['size(obj.description) == 6', 'mid'],
    ['[1, 2, 3].size() == 3', 'old mid new'],
  ])('%s counts characters and items: %s', expectDomains)

  test('works through HTTP with encoded characters', async () => {
    const filter = encodeURIComponent('obj.description == "büro 😀" && obj.region in ["us"]')
    const { body } = await client(openWithAges())('GET', `/reserved_domains?filter=${filter}`)
    expect(body.reserved_domains.map(({ domain }: { domain: string }) => domain)).toEqual(['mid.example.com'])
  })

  test('that is empty selects everything', () => {
    expectDomains('', 'old mid new')
  })
})

describe('A time in a list filter (rules: filters#times)', () => {
  test.each([
    ['timestamp(obj.created_at) < timestamp("2025-09-05T00:00:00Z")', 'old'],
    ['obj.created_at == timestamp("2025-09-04T10:11:14Z")', 'old'],
    ['timestamp(obj.created_at) == "2025-09-04T12:11:14+02:00"', 'old'],
    ['obj.created_at == "2025-09-04T12:11:14+02:00"', ''],
    ['obj.created_at >= timestamp("2025-10-06T10:11:14Z")', 'mid new'],
    ['obj.created_at > timestamp(time.now).subtract("7d")', 'new'],
    ['timestamp(obj.created_at).add("7d") < timestamp(time.now)', 'old mid'],
    ['timestamp("2025-09-04T10:11:14Z").add("1d").add("31d") == obj.created_at', 'mid'],
    ['timestamp(timestamp(obj.created_at)) == timestamp("2025-09-04T10:11:14Z")', 'old'],
  ])('%s selects: %s', expectDomains)
})

describe('A literal in a list filter (rules: filters#literals)', () => {
  test.each([
    '-1 < 0',
    '--1 == 1',
    '-0 == 0',
    '1.0 == 1',
    '1e3 == 1000',
    '1.5e-1 == 0.15',
    '0x1F == 31',
    '007 == 7',
    '9007199254740991 > 9007199254740990',
    'null == null',
    '"a" == \'a\'',
    '"\\u00fc" == "ü"',
    '"\\n\\t\\"\\\\" != ""',
    '"\\x41\\101" == "AA"',
    '"\\U0001F600" == "😀"',
    'size("\\U0001F600") == 1',
    'r"\\n" == "\\\\n"',
    '"""a"b""" == "a\\"b"',
    '["a", "b"] == ["a", "b",]',
    '[] == []',
    '[["a"], [null], []] == [["a"], [""], []]',
    `${'['.repeat(249)}${']'.repeat(249)} != []`,
    '"__proto__" != "constructor"',
  ])('%s is true', (filter) => {
    expect(isTrue(filter)).toBe(true)
  })

  test.each(['1 == 2', '"a" == "b"', '[1] == [2]', '[1] == []', '1 < 1', '"a" < "a"', '2 > 3', '"a" > "a"', '-1 > 0'])(
    '%s is false',
    (filter) => {
      expect(isTrue(filter)).toBe(false)
    },
  )
})

describe('A rejected list filter (rules: filters#language)', () => {
  test('is rejected in an empty list too', async () => {
    expect(outcome(await client(open())('GET', '/reserved_addrs?filter=('))).toBe('400 ERR_GATEWAY_250')
  })

  test('of 100,000 open parentheses is rejected', async () => {
    const answer = await client(open())('GET', `/reserved_addrs?filter=${'('.repeat(100_000)}`)
    expect(outcome(answer)).toBe('400 ERR_GATEWAY_250')
  })
})
