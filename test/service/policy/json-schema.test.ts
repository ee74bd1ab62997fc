import { Ajv } from 'ajv'
import { load as parse } from 'js-yaml'
import { describe, expect, test } from 'vitest'
import { createPolicySchema } from '../../../scripts/generate/policy-schema.ts'
import { checkPolicyValue } from '../../../src/service/policy/index.ts'
import { readDuration } from '../../../src/service/policy/time.ts'
import { WARNINGS } from '../../../src/service/policy/warnings/index.ts'

import { MISTAKES } from './mistakes.ts'

const keywords = ['enumDescriptions']
const validate = new Ajv({
  strict: true,
  allowUnionTypes: true,
  strictRequired: false,
  strictTypes: false,
  keywords,
}).compile(createPolicySchema())

const rule = (type: string, config?: unknown, phase = 'on_http_request') => ({
  [phase]: [{ actions: [{ type, ...(config !== undefined && { config }) }] }],
})

const VALID: readonly object[] = [
  {},
  { on_http_request: null },
  rule('deny'),
  rule('deny', null),
  rule('deny', { status_code: 404 }),
  rule('add-headers', { headers: { 'x-a': 'b', 'x-b': '${conn.client_ip}', 'x-c': 5 } }),
  rule('rate-limit', {
    name: 'a',
    algorithm: 'sliding_window',
    capacity: 10,
    rate: '1m30s',
    bucket_key: ['conn.client_ip'],
  }),
  rule('verify-webhook', { provider: 'GitHub', secret: "${secrets.get('v', 's')}" }),
  rule('set-vars', { vars: [{ a: { b: [1] } }, { c: '${vars.a}' }] }),
  rule('ai-gateway', { anything: { goes: true } }),
  rule('http-request', { url: 'https://a.internal', query_params: [{ key: 'a', value: 'b' }], timeout: '5s' }),
  rule('compress-response', { algorithms: ['gzip', 'br'] }, 'on_http_response'),
  { on_http_request: [{ name: 'a', expressions: ["req.method == 'GET'", true], actions: [{ type: 'deny' }] }] },
]

const INVALID: readonly (readonly [mistake: string, policy: object])[] = [
  ['an unknown phase', { on_http_requests: [] }],
  ['an unknown action', rule('dny')],
  ['an action of another phase', rule('deny', {}, 'on_http_response')],
  ['an unknown field', rule('deny', { status: 404 })],
  ['a status that is a text', rule('deny', { status_code: '404' })],
  ['a status out of its range', rule('deny', { status_code: 600 })],
  ['a missing config', rule('redirect')],
  ['a missing field', rule('redirect', { from: 'a' })],
  ['a duration without a unit', rule('circuit-breaker', { error_threshold: 0.5, window_duration: 10 })],
  ['an unknown algorithm', rule('compress-response', { algorithms: ['zip'] }, 'on_http_response')],
  [
    'eleven headers',
    rule('add-headers', { headers: Object.fromEntries([...'abcdefghijk'].map((name) => [name, 'x'])) }),
  ],
  ['a variable with two names', rule('set-vars', { vars: [{ a: 1, b: 2 }] })],
  ['a rule without actions', { on_http_request: [{ expressions: [] }] }],
  ['an unknown field of a rule', { on_http_request: [{ expression: 'true', actions: [{ type: 'deny' }] }] }],
  ['an ID that is none of an IP policy', rule('restrict-ips', { ip_policies: ['rd_1'] })],
]

describe('policy.schema.json (rules: traffic-policy#numbers)', () => {
  test.each(VALID)('takes %j, as the check does', (policy) => {
    expect(checkPolicyValue(policy)).toEqual([])
    expect(validate(policy), JSON.stringify(validate.errors)).toBe(true)
  })

  test.each(INVALID)('rejects %s, as the check does', (_, policy) => {
    expect(checkPolicyValue(policy)).not.toEqual([])
    expect(validate(policy)).toBe(false)
  })

  // What is left are expressions, patterns of RE2, the content of certificates, and mistakes of several actions together.
  const NOT_SAID = [2200, 2205, 2207, 2213, 2216, 2224, 2228, 2239, 2242, 2250, 2261, 2266, 2267]
  test.each(MISTAKES.filter(([number, , , options]) => !options && !NOT_SAID.includes(number)))(
    'rejects %i at %s',
    (_, __, policy) => {
      expect(validate(policy)).toBe(false)
    },
  )

  const DURATIONS =
    '0 1s 9s 10s 59s 60s 65s 070s 100s 110s 1m 3m 61m 1440m 1441m 24h 25h 60000ms 65000ms 70000ms 1m10s 1.5m 86400s 86410s 5 s 1x'
  test.each(DURATIONS.split(' '))('takes the duration %s where the check does, if it has one unit', (text) => {
    const limit = { name: 'a', algorithm: 'sliding_window', capacity: 10, bucket_key: ['conn.client_ip'] }
    for (const policy of [
      rule('rate-limit', { ...limit, rate: text }),
      rule('http-request', { url: 'https://a.internal', timeout: text }),
      rule('circuit-breaker', { error_threshold: 0.5, window_duration: text }),
      rule('oauth', { provider: 'google', max_session_duration: text }),
    ]) {
      const isTaken = checkPolicyValue(policy).every(({ severity }) => severity !== 'error')
      // A pattern cannot tell the sum of several units.
      if (isTaken || !/^1m10s|^1\.5m/.test(text)) expect(validate(policy), JSON.stringify(policy)).toBe(isTaken)
    }
    expect(readDuration(text) === undefined).toBe(['5', 's', '1x'].includes(text))
  })

  const TEXTS: readonly (readonly [type: string, config: (text: string) => object, texts: readonly string[]])[] = [
    [
      'restrict-ips',
      (cidr) => ({ allow: [cidr] }),
      ['1.2.3.4/0', '01.2.3.4/8', '1.2.3.4/33', '::/0', '::1/128', '2001:db8::/129', '1.2.3/8', 'a/8'],
    ],
    [
      'add-headers',
      (name) => ({ headers: { [name]: 'a' } }),
      ['x-a', 'user-agent', 'User-agent', 'user-agents', 'a b', 'a'.repeat(257)],
    ],
    ['redirect', (name) => ({ to: 'a', headers: { [name]: 'a' } }), ['user-agent', 'a:']],
    ['custom-response', (value) => ({ headers: { a: value } }), ['a\tb', 'a\r', 'é', 'a'.repeat(8193)]],
    [
      'forward-internal',
      (url) => ({ url }),
      ['https://a.internal', 'https://a.internal:80/b?c#d', 'a.internal', 'https:///a', 'https://a b'],
    ],
    [
      'basic-auth',
      (each) => ({ credentials: [each] }),
      ['a:12345678', ':12345678', 'a:b:345678', 'a:1234567', 'a', `a:${'b'.repeat(129)}`],
    ],
    [
      'oauth',
      (domain) => ({ provider: 'google', auth_cookie_domain: domain }),
      ['a.com', '.a.com', 'a', 'a..com', '-a.com', 'a-.com', 'a.b-c.d'],
    ],
    ['oauth', (provider) => ({ provider }), ['google', 'amazon', 'facebook']],
    ['oauth', (client_id) => ({ provider: 'google', client_id }), ['', 'a']],
    ['verify-webhook', (provider) => ({ provider }), ['sns', 'SNS', 'github', 'GitHub']],
  ]
  test.each(TEXTS)('takes what the check takes: %s %s', (type, config, texts) => {
    for (const text of texts) {
      const policy = rule(type, config(text))
      const isTaken = checkPolicyValue(policy).every(({ severity }) => severity !== 'error')
      expect(validate(policy), JSON.stringify(policy)).toBe(isTaken)
    }
  })

  test.each(WARNINGS.flatMap(({ wrong, right }) => [wrong, right]))('takes the example of a warning', (text) => {
    expect(validate(parse(text)), JSON.stringify(validate.errors)).toBe(true)
  })
})
