import { Ajv } from 'ajv'
import { load as parse } from 'js-yaml'
import { describe, expect, test } from 'vitest'
import { createPolicySchema } from '../../../scripts/generate/policy-schema.ts'
import { checkPolicyValue } from '../../../src/service/policy/index.ts'
import { WARNINGS } from '../../../src/service/policy/warnings/index.ts'

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
  rule('terminate-tls', { min_version: 1.2 }, 'on_tcp_connect'),
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
  ['an id that is none of an IP policy', rule('restrict-ips', { ip_policies: ['rd_1'] })],
]

describe('policy.schema.json (rules: traffic-policy#numbers)', () => {
  test.each(VALID)('takes %j, as the check does', (policy) => {
    expect(checkPolicyValue(policy)).toEqual([])
    expect(validate(policy), JSON.stringify(validate.errors)).toBe(true)
  })

  test.each(INVALID)('refuses %s, as the check does', (_, policy) => {
    expect(checkPolicyValue(policy)).not.toEqual([])
    expect(validate(policy)).toBe(false)
  })

  test.each(WARNINGS.flatMap(({ wrong, right }) => [wrong, right]))('takes the example of a warning', (text) => {
    expect(validate(parse(text)), JSON.stringify(validate.errors)).toBe(true)
  })
})
