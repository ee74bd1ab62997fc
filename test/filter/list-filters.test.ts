import { describe, expect, test } from 'vitest'
import { client, outcome } from '../support/client.ts'
import { handClock, open } from '../support/gateway.ts'
import { pem, upload } from '../support/pem.ts'

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

/** Whether a filter without fields lets everything through. */
function holds(filter: string): boolean {
  const gateway = open()
  gateway.reservedAddrs.create()
  return gateway.reservedAddrs.list({ filter }).reserved_addrs.length === 1
}

describe('A list filter (rules: filters#language)', () => {
  test.each([
    ['obj.domain == "mid.example.com"', 'mid'],
    ['"mid.example.com" == obj.domain', 'mid'],
    ['obj.domain != "mid.example.com"', 'old new'],
    ['!(obj.region == "eu")', 'mid new'],
    ['obj.region == "eu" || obj.region == "us"', 'old mid'],
    ['obj.region == "eu" && obj.domain.startsWith("old")', 'old'],
    ['obj.region == "us" || obj.region == "eu" && obj.domain == "x"', 'mid'],
    ['(obj.region == "us" || obj.region == "eu") && obj.domain == "x"', ''],
    ['obj.domain < "z" && obj.domain > "a" && obj.domain > "n"', 'old new'],
    ['(obj.region == "eu") == (obj.metadata == "team=blue")', 'old mid new'],
    ['(obj.region == "eu") != true', 'mid new'],
    ['obj.domain.startsWith("m")', 'mid'],
    ['obj.domain.endsWith("d.example.com")', 'old mid'],
    ['obj.domain.contains("d.ex")', 'old mid'],
    ['obj.metadata.contains("blue")', 'old'],
    ['"old.example.com, mid.example.com".contains(obj.domain)', 'old mid'],
    ['obj.certificate_management_policy.private_key_type == "rsa"', 'new'],
    ['obj.certificate_management_status.provisioning_job.started_at == obj.created_at', 'new'],
    ['obj.http_endpoint_configuration.id == "ec_1"', 'new'],
    ['obj.domain == "mid.example.com" // a comment', 'mid'],
    ['obj.domain ==\n\t"mid.example.com"', 'mid'],
    ['true', 'old mid new'],
    ['false', ''],
  ])('%s lets through: %s', (filter, expected) => {
    expect(through(filter)).toBe(expected)
  })

  test.each([
    ['obj.domain < "new.example.com"', 'mid'],
    ['obj.domain <= "new.example.com"', 'mid new'],
    ['obj.domain > "new.example.com"', 'old'],
    ['obj.domain >= "new.example.com"', 'old new'],
    ['"new.example.com" >= obj.domain', 'mid new'],
  ])('%s compares texts: %s', (filter, expected) => {
    expect(through(filter)).toBe(expected)
  })

  test.each([
    ['obj.description == ""', 'old new'],
    ['obj.description == null', 'old new'],
    ['obj.description != null', 'mid'],
    ['obj.region == null', 'new'],
    ['obj.region != ""', 'old mid'],
    ['obj.certificate == null', 'old mid new'],
    ['obj.certificate_management_policy != null', 'new'],
    ['obj.certificate_management_policy.authority == null', 'old mid'],
    ['obj.http_endpoint_configuration.id == obj.https_endpoint_configuration.id', 'old mid'],
    ['obj.region in [null]', 'new'],
    ['obj.region in ["us", null]', 'mid new'],
    ['null in [obj.region]', 'new'],
    ['size(obj.region) == 0', 'new'],
    ['obj.region.startsWith("")', 'old mid'],
    ['"x".contains(obj.region)', ''],
  ])('%s takes what is absent, null and "" for the same: %s', (filter, expected) => {
    expect(through(filter)).toBe(expected)
  })

  test.each([
    ['obj.region < "zz"', 'old mid'],
    ['obj.region > ""', 'old mid'],
    ['obj.region <= "zz"', 'old mid'],
    ['obj.region >= ""', 'old mid new'],
    ['obj.region <= ""', 'new'],
    ['obj.region <= obj.certificate.id', 'new'],
    ['obj.region < obj.certificate.id', ''],
    ['timestamp(obj.certificate_management_status.provisioning_job.started_at) < timestamp(time.now)', 'new'],
  ])('%s puts what is absent in no order: %s', (filter, expected) => {
    expect(through(filter)).toBe(expected)
  })

  test.each([
    ['obj.region in ["us", "eu"]', 'old mid'],
    ['!(obj.region in ["us", "eu"])', 'new'],
    ['obj.region in []', ''],
    ['"eu" in [obj.region]', 'old'],
    ['obj.domain in ["mid.example.com", obj.certificate.id]', 'mid'],
    ['size(obj.domain) in [14, 15]', 'old mid new'],
    ['true in [obj.region == "us", obj.region == "eu"]', 'old mid'],
    ['obj.created_at in [timestamp("2025-09-04T10:11:14Z")]', 'old'],
    ['timestamp(obj.created_at) in [timestamp("2025-09-04T12:11:14+02:00")]', 'old'],
    ['obj.created_at in ["2025-09-04T12:11:14+02:00"]', ''],
    ['["a"] in [[], ["a"]]', 'old mid new'],
    ['["a"] in [[], null]', ''],
  ])('%s looks into a list: %s', (filter, expected) => {
    expect(through(filter)).toBe(expected)
  })

  test.each([
    ['size(obj.domain) == 15', 'old mid new'],
    ['obj.domain.size() == 15', 'old mid new'],
    ['size(obj.description) == 6', 'mid'],
    ['size(obj.description) > 0', 'mid'],
    ['size([]) == 0', 'old mid new'],
    ['[1, 2, 3].size() == 3', 'old mid new'],
  ])('%s counts characters and items: %s', (filter, expected) => {
    expect(through(filter)).toBe(expected)
  })

  test.each([
    ['obj.backends.bkdhr_1 == 5', ['five']],
    ['obj.backends.bkdhr_1 != 5', ['six', 'none']],
    ['obj.backends.bkdhr_1 >= 5', ['six', 'five']],
    ['obj.backends.bkdhr_1 < 6', ['five']],
    ['obj.backends.bkdhr_1 >= 5.5', ['six']],
    ['obj.backends.bkdhr_1 == null', ['none']],
    ['obj.backends.bkdhr_1 == obj.backends.bkdhr_2', ['none']],
    ['obj.backends.bkdhr_1 in [5, null]', ['five', 'none']],
    ['null in [5, obj.backends.bkdhr_1]', ['none']],
    ['obj.backends.bkdhr_1 in [obj.backends.bkdhr_2, 6]', ['six', 'none']],
    ['size(obj.backends) == 2', ['six']],
    ['size(obj.backends) == 0', ['none']],
    ['"bkdhr_2" in obj.backends', ['six']],
    ['!("bkdhr_1" in obj.backends)', ['none']],
    ['obj.metadata in obj.backends', []],
    ['"constructor" in obj.backends', []],
    ['obj.backends.constructor == null', ['six', 'five', 'none']],
  ])('%s looks into the weights of a backend', (filter, expected) => {
    const gateway = open()
    gateway.weightedBackends.create({ metadata: 'none' })
    gateway.weightedBackends.create({ metadata: 'five', backends: { bkdhr_1: 5 } })
    gateway.weightedBackends.create({ metadata: 'six', backends: { bkdhr_1: 6, bkdhr_2: 1 } })
    expect(gateway.weightedBackends.list({ filter }).backends.map(({ metadata }) => metadata)).toEqual(expected)
  })

  test.each([
    ['"*.example.com" in obj.subject_alternative_names.dns_names', ['full', 'full']],
    ['!("*.example.com" in obj.subject_alternative_names.dns_names)', ['bare']],
    ['obj.subject_alternative_names.dns_names == ["app.example.com", "*.example.com"]', ['full', 'full']],
    ['obj.subject_alternative_names.dns_names == ["*.example.com", "app.example.com"]', []],
    ['obj.subject_alternative_names.dns_names != ["app.example.com"]', ['full', 'full', 'bare']],
    ['obj.key_usages == []', ['bare']],
    ['obj.key_usages in [["x"], ["digitalSignature", "keyEncipherment"]]', ['full', 'full']],
    ['"clientAuth" in obj.extended_key_usages', ['full', 'full']],
    ['size(obj.key_usages) == 2', ['full', 'full']],
    ['obj.private_key_type == "ed25519"', ['full']],
    ['obj.subject_country == null', ['bare']],
    ['obj.not_before < obj.not_after', ['full', 'full', 'bare']],
    ['obj.not_before == timestamp("2026-11-20T17:03:10+01:00")', ['full', 'full']],
    ['obj.not_after > timestamp("2029-02-22T16:03:09Z")', ['full', 'full']],
    ['obj.not_after > timestamp("2029-02-22T16:03:10Z")', []],
    ['obj.issued_at == null', ['full', 'full', 'bare']],
    ['timestamp(obj.issued_at) == null', ['full', 'full', 'bare']],
    ['obj.issued_at < timestamp(time.now)', []],
    ['obj.issued_at >= timestamp(time.now)', []],
    ['timestamp(obj.issued_at).add("1d") != null', []],
  ])('%s sees certificates by what was read from them', async (filter, expected) => {
    const gateway = open()
    gateway.tlsCertificates.create({
      certificate_pem: pem('odd-bare'),
      private_key_pem: pem('key-p256'),
      metadata: 'bare',
    })
    for (const kind of ['p256', 'ed25519'] as const) {
      gateway.tlsCertificates.create({ ...upload(kind), metadata: 'full' })
    }
    const { status, body } = await client(gateway)('GET', `/tls_certificates?filter=${encodeURIComponent(filter)}`)
    expect([status, body.tls_certificates.map(({ metadata }: { metadata: string }) => metadata)]).toEqual([
      200,
      expected,
    ])
  })

  test('works through HTTP with encoded characters', async () => {
    const filter = encodeURIComponent('obj.description == "büro 😀" && obj.region in ["us"]')
    const { body } = await client(aged())('GET', `/reserved_domains?filter=${filter}`)
    expect(body.reserved_domains.map(({ domain }: { domain: string }) => domain)).toEqual(['mid.example.com'])
  })

  test('that is empty lets everything through', () => {
    expect(through('')).toBe('old mid new')
  })
})

describe('A literal in a list filter (rules: filters#literals)', () => {
  test.each([
    '-1 < 0',
    '-1 == -1',
    '--1 == 1',
    '-0 == 0',
    '-1.5 < -1',
    '1.0 == 1',
    '1e3 == 1000',
    '1.5e-1 == 0.15',
    '0x1F == 31',
    '-0x1f == -31',
    '007 == 7',
    '9007199254740991 > 9007199254740990',
    'null == null',
    'true == true',
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
    '[[5], [null]] == [[5], [null]]',
    '[["a"], [null], []] == [["a"], [""], []]',
    '[null, [1], [2, null]] != [[1]]',
    `${'['.repeat(249)}${']'.repeat(249)} != []`,
    '"__proto__" != "constructor"',
  ])('%s holds', (filter) => {
    expect(holds(filter)).toBe(true)
  })

  test.each(['1 == 2', '"a" == "b"', '[1] == [2]', '[1] == []', '1 < 1', '"a" < "a"', '2 > 3', '"a" > "a"', '-1 > 0'])(
    '%s does not hold',
    (filter) => {
      expect(holds(filter)).toBe(false)
    },
  )
})

describe('A refused list filter (rules: filters#language)', () => {
  test('is refused in an empty list too', async () => {
    expect(outcome(await client(open())('GET', '/reserved_addrs?filter=('))).toBe('400 ERR_GATEWAY_250')
  })

  test('of 100,000 open parentheses is refused without harm', async () => {
    const answer = await client(open())('GET', `/reserved_addrs?filter=${'('.repeat(100_000)}`)
    expect(outcome(answer)).toBe('400 ERR_GATEWAY_250')
  })
})
