import { describe, expect, test } from 'vitest'
import { catchError, client, outcome, refusalKey } from '../../support/client.ts'
import { open } from '../../support/gateway.ts'
import { encodePunycode } from '../../support/punycode.ts'

const LABEL_63 = 'a'.repeat(63)
/** 253 characters: three labels of 63 and one of 61. */
const NAME_253 = `${LABEL_63}.${LABEL_63}.${LABEL_63}.${'b'.repeat(61)}`

function reserve(domain: unknown): string {
  return refusalKey(() => open().reservedDomains.create({ domain: domain as string }))
}

// rules: domain-names#punycode
test.each([
  ['münchen.example.com', 'xn--mnchen-3ya.example.com'],
  ['MÜNCHEN.Example.com', 'xn--mnchen-3ya.example.com'],
  ['*.例え.テスト', '*.xn--r8jz45g.xn--zckzah'],
  ['例え。example.com', 'xn--r8jz45g.example.com'],
  ['mu\u0308nchen.de', 'xn--mnchen-3ya.de'],
])('A name in Unicode is rejected, and the message names its Punycode: %s', (domain, punycode) => {
  const gateway = open()
  const error = catchError(() => gateway.reservedDomains.create({ domain }))
  expect(error).toMatchObject({ key: 'domain_character_invalid' })
  expect(error?.message).toContain(`such as "${punycode}", the same name in Punycode.`)
  expect(gateway.reservedDomains.list().reserved_domains).toEqual([])
  expect(gateway.reservedDomains.create({ domain: punycode }).domain).toBe(punycode)
  const script = catchError(() => gateway.provisioning.failNext('DNS_ERROR', { domain }))
  expect(script?.message).toContain(`"${punycode}"`)
})

test.each(['mün chen.de', 'a_ü.de', 'ü', `${'ü'.repeat(80)}.de`, '\ud800.de'])(
  'A name that is not valid in Punycode either is rejected without one: %j',
  (domain) => {
    const error = catchError(() => open().reservedDomains.create({ domain }))
    expect(error?.message).not.toContain('Punycode')
  },
)

describe('A domain name (rules: domain-names#grammar)', () => {
  test.each([
    'example.com',
    'app.example.com',
    'a.b',
    '1.2.3.4a',
    '1.2.3.4-5',
    '0.example.com',
    'localhost.example.com',
    'app.my-localhost',
    'a-b.example.com',
    'a--b.example.com',
    '*.example.com',
    '*.0.uk',
    `${LABEL_63}.example.com`,
    NAME_253,
    'xn--mnchen-3ya.de',
    'www.xn--mnchen-3ya.de',
    'xn--ls8h.la',
    'example.xn--p1ai',
    // Punycode by RFC 3492, even if the URL parser of a runtime rejects the letters.
    'xn--a.example.com',
    'xn--iva.example.com',
    // The label is not Punycode, because it does not begin with xn--.
    'axn--b.example.com',
    'gateway.test',
  ])('may be %s, which is stored unchanged', async (domain) => {
    const { status, body } = await client(open())('POST', '/reserved_domains', { json: { domain } })
    expect([status, body.domain]).toEqual([201, domain])
  })

  test.each([
    ['App.EXAMPLE.com', 'app.example.com'],
    ['XN--MNCHEN-3YA.DE', 'xn--mnchen-3ya.de'],
    ['*.Example.Com', '*.example.com'],
  ])('is stored in lower case: %s', (sent, stored) => {
    expect(open().reservedDomains.create({ domain: sent }).domain).toBe(stored)
  })

  test.each([
    ['www.*.example.com', 'domain_wildcard_not_first'],
    ['*.*.example.com', 'domain_wildcard_not_first'],
    ['w*.example.com', 'domain_wildcard_mixed'],
    ['*w.example.com', 'domain_wildcard_mixed'],
    ['a b.example.com', 'domain_character_invalid'],
    ['münchen.de', 'domain_character_invalid'],
    ['app.example.com:443', 'domain_character_invalid'],
    ['ａpp.example.com', 'domain_character_invalid'],
    // The lower case of the Kelvin sign is the letter k.
    ['\u212Aelvin.example.com', 'domain_character_invalid'],
    ['-app.example.com', 'domain_label_start_invalid'],
    ['app.-example.com', 'domain_label_start_invalid'],
    ['app-.example.com', 'domain_label_end_invalid'],
    ['xn--.example.com', 'domain_label_end_invalid'],
    ['a..example.com', 'domain_empty_label'],
    ['example.com.', 'domain_empty_label'],
    ['ab--cd.example.com', 'domain_hyphens_3_4'],
    ['app.ab--cd.com', 'domain_hyphens_3_4'],
    ['xn--0.example.com', 'domain_punycode_invalid'],
    ['www.xn--0.com', 'domain_punycode_invalid'],
    ['xn--zzzzzzzz99999999.com', 'domain_punycode_invalid'],
    // These code points are not characters: U+110000, and the surrogates U+D800 and U+DFFF.
    [`xn--${encodePunycode(0x110000)}.com`, 'domain_punycode_invalid'],
    [`xn--${encodePunycode(0xd800)}.com`, 'domain_punycode_invalid'],
    [`xn--${encodePunycode(0x61, 0xdfff)}.com`, 'domain_punycode_invalid'],
    // Two surrogates are one letter together, and so encode to another text.
    [`xn--${encodePunycode(0xd83d, 0xde00)}.com`, 'domain_punycode_invalid'],
    ['xn--mnchen-3y.de', 'domain_punycode_invalid'],
    ['xn--mnchen-3ya-.de', 'domain_label_end_invalid'],
    ['1.2.3.4', 'domain_suffix_unreachable'],
    ['a.0', 'domain_suffix_unreachable'],
    ['app.localhost', 'domain_suffix_unreachable'],
    ['a.b.LOCALHOST', 'domain_suffix_unreachable'],
    ['*.com', 'domain_wildcard_suffix'],
    // Labels are checked before the suffix, and the number of labels before both.
    ['a_b.localhost', 'domain_underscore'],
    ['*.c_m', 'domain_underscore'],
    ['a_b.example.com', 'domain_underscore'],
    ['_acme-challenge.example.com', 'domain_underscore'],
    ['localhost', 'domain_not_qualified'],
    ['*', 'domain_not_qualified'],
    [`a${LABEL_63}.example.com`, 'domain_label_too_long'],
    [`app.${LABEL_63}a`, 'domain_label_too_long'],
    [`${NAME_253}b`, 'domain_too_long'],
    [`${'a.'.repeat(60_000)}com`, 'domain_too_long'],
  ])('cannot be %j', (domain, key) => {
    expect(reserve(domain)).toBe(key)
  })

  /** The samples of RFC 3492, section 7.1, in lower case. */
  test.each([
    'egbpdaj6bu4bxfgehfvwxn',
    'ihqwcrb4cv8a8dqg056pqjye',
    'proprostnemluvesky-uyb24dma41a',
    'b1abfaaepdrnnbgefbadotcwatmq2g4l',
    '3b-ww4c5e180e575a65lsy2b',
    '-with-super-monkeys-pc58ag80a8qai00g7n9n',
    'hello-another-way--fc4qua05auwb3674vfr0b',
    '2-u9tlzr9756bt3uc0v',
  ])('may have a label of Punycode such as xn--%s (RFC 3492)', (encoded) => {
    expect(reserve(`xn--${encoded}.example.com`)).toBe('ok')
  })

  test.each([[7], [true], [['app.example.com']], [{ name: 'app.example.com' }], [null], [undefined]])(
    'is required and a string: %j is rejected (rules: reserved-domains#resource)',
    (domain) => {
      expect(reserve(domain)).toBe('field_invalid')
    },
  )

  test('is rejected when it is empty', () => {
    expect(reserve('')).toBe('domain_not_qualified')
  })

  test.each(['app.example.com', 'APP.example.com', 'app.EXAMPLE.COM'])(
    'can be reserved only once, in any case: %s is rejected',
    async (domain) => {
      const api = client(open())
      const { body } = await api('POST', '/reserved_domains', { json: { domain: 'app.example.com' } })
      const again = await api('POST', '/reserved_domains', { json: { domain } })
      expect(outcome(again)).toBe('409 ERR_GATEWAY_413')
      expect(again.body.msg).toContain(body.id)
    },
  )

  test('can be reserved in addition to its wildcard and its subdomains', () => {
    const gateway = open()
    for (const domain of ['example.com', '*.example.com', 'app.example.com', '*.app.example.com']) {
      expect(gateway.reservedDomains.create({ domain }).domain).toBe(domain)
    }
  })

  test('can be reserved again after its domain was deleted', () => {
    const gateway = open()
    const first = gateway.reservedDomains.create({ domain: 'app.example.com' })
    gateway.reservedDomains.delete(first.id)
    const second = gateway.reservedDomains.create({ domain: 'app.example.com' })
    expect(second.id).not.toBe(first.id)
    expect(second.cname_target).not.toBe(first.cname_target)
  })
})

describe('CNAME targets (rules: reserved-domains#cname-targets)', () => {
  const TARGET = /^[0-9a-z]+\.[0-9a-z]+\.cname\.gateway\.test$/

  test.each(['app.example.com', 'gateway.test.example.com', 'evilgateway.test', 'test.gateway'])(
    'of the custom name %s are a cname_target of two random labels and no ACME target',
    (domain) => {
      const { cname_target, acme_challenge_cname_target } = open().reservedDomains.create({ domain })
      expect(cname_target).toMatch(TARGET)
      expect(acme_challenge_cname_target).toBeNull()
    },
  )

  test('of a custom wildcard are two different ones', () => {
    const { cname_target, acme_challenge_cname_target } = open().reservedDomains.create({ domain: '*.example.com' })
    expect(cname_target).toMatch(TARGET)
    expect(acme_challenge_cname_target).toMatch(TARGET)
    expect(acme_challenge_cname_target).not.toBe(cname_target)
  })

  test.each(['gateway.test', 'app.gateway.test', 'a.b.gateway.test', '*.gateway.test', 'APP.Gateway.TEST'])(
    'of the service-owned name %s are null',
    (domain) => {
      const { cname_target, acme_challenge_cname_target } = open().reservedDomains.create({ domain })
      expect([cname_target, acme_challenge_cname_target]).toEqual([null, null])
    },
  )

  test('differ from domain to domain, and stay the same when a domain changes', () => {
    const gateway = open()
    const names = Array.from({ length: 50 }, (_, i) => `app-${i}.example.com`)
    const domains = names.map((domain) => gateway.reservedDomains.create({ domain }))
    expect(new Set(domains.map(({ cname_target }) => cname_target)).size).toBe(50)
    const first = domains[0] as (typeof domains)[0]
    expect(gateway.reservedDomains.update(first.id, { metadata: 'x' }).cname_target).toBe(first.cname_target)
  })
})
