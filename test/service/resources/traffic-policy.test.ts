import { describe, expect, test } from 'vitest'
import type { GatewayOptions } from '../../../src/index.ts'
import { client, outcome } from '../../support/client.ts'
import { withoutFacts } from '../../support/details.ts'
import { open } from '../../support/gateway.ts'

const PATH = '/edges/https/edghts_1/routes/edghtsrt_1/policy'
const DENY = { type: 'deny', config: { status_code: 403 } }

/** The action types in policy-actions.txt. */
const ACTIONS =
  `add-headers ai-gateway basic-auth circuit-breaker close-connection compress-response custom-response deny
  forward-internal http-request jwt-validation log oauth openid-connect owasp-crs-request owasp-crs-response rate-limit redirect
  remove-headers request-body-find-replace response-body-find-replace restrict-ips saml set-vars sse-find-replace
  terminate-tls url-rewrite verify-webhook`.split(/\s+/)
const DOCUMENTED = ['url-rewrite', 'custom-response', 'deny', 'log']
const UNDOCUMENTED = ACTIONS.filter((type) => !DOCUMENTED.includes(type))

const put = (json: object, options: GatewayOptions = {}) => client(open(options))('PUT', PATH, { json })
const putAction = (action: unknown, options?: GatewayOptions) => put({ inbound: [{ actions: [action] }] }, options)

describe('A traffic policy (rules: traffic-policy#rules)', () => {
  test('is returned as sent, with fields in the order of the document', async () => {
    const rule = {
      actions: [{ config: { status_code: 403 }, type: 'deny' }],
      expressions: ["req.Method == 'PUT'"],
      name: 'no writes',
    }
    const { status, text } = await put({ outbound: [], inbound: [rule], enabled: false })
    expect(status).toBe(200)
    expect(text).toBe(
      '{"enabled":false,"inbound":[{"name":"no writes","expressions":["req.Method == \'PUT\'"],' +
        '"actions":[{"type":"deny","config":{"status_code":403}}]}],"outbound":[]}',
    )
  })

  test.each([{}, { inbound: null }, { inbound: [], outbound: null }])(
    'always has both directions as arrays: %j',
    async (json) => {
      expect((await put(json)).text).toBe('{"enabled":true,"inbound":[],"outbound":[]}')
    },
  )

  test.each(['inbound', 'outbound'])('keeps the order of rules and actions of %s', async (direction) => {
    const rules = ['b', 'a', 'c'].map((name) => ({ name, actions: [{ type: 'log' }, { type: 'set-vars' }, DENY] }))
    expect((await put({ [direction]: rules })).body[direction]).toEqual(rules)
  })

  test.each([
    ['inbound', 'a text'],
    ['inbound.0', ['a text']],
    ['inbound.0.name', [{ name: 7, actions: [DENY] }]],
    ['inbound.0.expressions.1', [{ expressions: ['true', 7], actions: [DENY] }]],
    ['inbound.0.actions', [{ actions: 'deny' }]],
    ['inbound.0.actions.0.type', [{ actions: [{ type: 7 }] }]],
    ['inbound.0.actions.1', [{ actions: [{ type: 'log' }, null] }]],
    ['inbound.0.actions.0.type', [{ actions: [{ config: {} }] }]],
    ['inbound.0.actions.0.config', [{ actions: [{ type: 'log', config: 'x' }] }]],
  ])('rejects a wrong type at %s: %j', async (field, value) => {
    const response = await put({ [field.split('.')[0] as string]: value })
    expect(outcome(response)).toBe('400 ERR_GATEWAY_215')
    expect(response.body.details[`field:${field}`]).toBe(response.body.msg)
  })

  test.each([
    ['inbound.0.colour', [{ colour: 'red', actions: [DENY] }]],
    ['inbound.0.actions.0.colour', [{ actions: [{ ...DENY, colour: 'red' }] }]],
  ])('rejects an unknown field at %s', async (field, inbound) => {
    const response = await put({ inbound })
    expect(outcome(response)).toBe('400 ERR_GATEWAY_214')
    expect(response.body.details[`field:${field}`]).toBe(response.body.msg)
  })

  test('names every problem of all rules in details (rules: errors#all-problems)', async () => {
    const inbound = [{ actions: [] }, { actions: [{ type: 'teleport' }], expressions: ['(', 'true'] }]
    const outbound = [{ actions: [{ type: 'deny', config: { status_code: 'no' } }] }]
    const { body } = await put({ inbound, outbound })
    expect(Object.keys(withoutFacts(body.details)).sort()).toEqual([
      'field:inbound.0.actions',
      'field:inbound.1.actions.0.type',
      'field:inbound.1.expressions.0',
      'field:outbound.0.actions.0.config.status_code',
      'operation_id',
    ])
  })
})

describe('Rules of a traffic policy (rules: traffic-policy#rules)', () => {
  test.each([[{ name: 'x' }], [{ actions: [] }], [{ actions: null }]])('need an action: %j', async (rule) => {
    expect(outcome(await put({ outbound: [rule] }))).toBe('400 ERR_GATEWAY_2206')
  })

  test.each([
    "req.URL.startsWith('/api')",
    "req.Method == 'GET' && req.ContentLength > 1000",
    "'X-Token' in req.Headers",
    'res.StatusCode >= 500',
    "conn.Geo.CountryCode in ['DE', 'AT']",
    "req.Headers['x'][0].matches('^a+$') ? true : false",
    'size(req.URL) < 100',
    'true',
  ])('can have the expression %s', async (expression) => {
    const { status, body } = await put({ inbound: [{ expressions: [expression], actions: [DENY] }] })
    expect([status, body.inbound[0].expressions]).toEqual([200, [expression]])
  })

  test.each(['req.Method ==', '(', '', 'a b', '== 1', "req.URL = 'x'", "'open", 'if (true) {}'])(
    'cannot have the expression %j',
    async (expression) => {
      const response = await put({ inbound: [{ expressions: ['true', expression], actions: [DENY] }] })
      expect(outcome(response)).toBe('400 ERR_GATEWAY_2200')
      expect(response.body.msg).toMatch(
        /^inbound\.0\.expressions\.1 is ".*", which is not valid CEL: (?!undefined)\S.*\S\. A CEL/,
      )
      expect(response.body.details['field:inbound.0.expressions.1']).toBe(response.body.msg)
    },
  )

  test.each([
    ['deny', { type: 'log' }],
    ['deny', DENY],
    ['custom-response', { type: 'url-rewrite', config: { from: '/a', to: '/b' } }],
  ])('cannot have an action after %s: %j', async (type, after) => {
    const response = await put({ inbound: [{ actions: [{ type: 'log' }, { type }, after] }] })
    expect(outcome(response)).toBe('400 ERR_GATEWAY_2207')
    expect(response.body.details['field:inbound.0.actions.2']).toBe(response.body.msg)
  })

  test('can end with a terminating action, and so can the next rule', async () => {
    const rules = [{ actions: [{ type: 'log' }, DENY] }, { actions: [{ type: 'custom-response' }] }]
    expect((await put({ inbound: rules })).status).toBe(200)
  })

  test.each(['redirect', 'close-connection', 'forward-internal'])(
    'can have an action after %s, which does not count as terminating',
    async (type) => {
      expect((await put({ inbound: [{ actions: [{ type }, { type: 'log' }] }] })).status).toBe(200)
    },
  )
})

describe('Actions of a traffic policy (rules: traffic-policy#actions)', () => {
  test.each(UNDOCUMENTED)('can be of the type %s with any object as config, or none', async (type) => {
    const config = { 'any-key': [1, 'two', null, { three: true }], status_code: 'free' }
    const { status, body } = await putAction({ type, config })
    expect([status, body.inbound[0].actions[0]]).toEqual([200, { type, config }])
    expect((await putAction({ type })).body.inbound[0].actions[0]).toEqual({ type })
  })

  test.each([
    ['url-rewrite', { from: '/a(.*)', to: '/b$1' }],
    ['custom-response', { content: '<h1>', content_type: 'text/html', status_code: 503 }],
    ['custom-response', { status_code: 200 }],
    ['deny', { status_code: 404 }],
    ['deny', {}],
    ['log', { metadata: { key: 'value', nested: { a: [1] } } }],
    ['log', {}],
  ])('of the documented type %s take the config %j, and further fields', async (type, config) => {
    const more = { ...config, further: [1, { deep: null }] }
    const { status, body } = await putAction({ type, config: more })
    expect([status, body.inbound[0].actions[0]]).toEqual([200, { type, config: more }])
  })

  test.each([
    ['url-rewrite', 'from', { from: 7, to: '/b' }],
    ['custom-response', 'content', { content: 7 }],
    ['custom-response', 'content_type', { content_type: true }],
    ['custom-response', 'status_code', { status_code: 200.5 }],
    ['deny', 'status_code', { status_code: '404' }],
    ['log', 'metadata', { metadata: 'text' }],
  ])('of the documented type %s check the field %s: %j', async (type, field, config) => {
    const response = await putAction({ type, config })
    expect(outcome(response)).toBe('400 ERR_GATEWAY_2204')
    expect(response.body.details[`field:inbound.0.actions.0.config.${field}`]).toBe(response.body.msg)
  })

  test.each([100, 599])('can have the status code %d', async (status_code) => {
    expect((await putAction({ type: 'deny', config: { status_code } })).status).toBe(200)
    expect((await putAction({ type: 'custom-response', config: { status_code } })).status).toBe(200)
  })

  test.each([
    [undefined, ['from', 'to']],
    [null, ['from', 'to']],
    [{}, ['from', 'to']],
    [{ from: null, to: '/b' }, ['from']],
    [{ from: '/a' }, ['to']],
    [{ from: 7 }, ['from', 'to']],
  ])('of the type url-rewrite need from and to: %j', async (config, missing) => {
    const response = await putAction({ type: 'url-rewrite', config })
    expect(outcome(response)).toBe('400 ERR_GATEWAY_2204')
    const fields = missing.map((field) => `field:inbound.0.actions.0.config.${field}`)
    expect(Object.keys(withoutFacts(response.body.details))).toEqual(['operation_id', ...fields])
  })

  test.each(['content', 'content_type', 'status_code'])(
    'of the type custom-response can go without %s, or have it as null',
    async (field) => {
      const { status, body } = await putAction({ type: 'custom-response', config: { [field]: null } })
      expect([status, body.inbound[0].actions[0].config]).toEqual([200, { [field]: null }])
    },
  )

  test.each(['teleport', 'DENY', 'deny ', '', 'constructor', '__proto__', 'toString'])(
    'cannot be of the unknown type %j, unless unknownActions is "accept"',
    async (type) => {
      const refused = await putAction({ type, config: { a: 1 } })
      expect(outcome(refused)).toBe('400 ERR_GATEWAY_2201')
      const accepted = await putAction({ type, config: { a: 1 } }, { unknownActions: 'accept' })
      expect([accepted.status, accepted.body.inbound[0].actions]).toEqual([200, [{ type, config: { a: 1 } }]])
    },
  )

  test('of documented types are checked also with unknownActions "accept"', async () => {
    const response = await putAction({ type: 'deny', config: { status_code: 'no' } }, { unknownActions: 'accept' })
    expect(outcome(response)).toBe('400 ERR_GATEWAY_2204')
  })

  test('keep keys such as __proto__ and constructor as data (rules: requests#keys-are-data)', async () => {
    const config = '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"metadata":{"__proto__":null}}'
    const raw = `{"inbound":[{"actions":[{"type":"log","config":${config}}]}]}`
    const api = client(open())
    const { status, text } = await api('PUT', PATH, { raw, headers: { 'content-type': 'application/json' } })
    expect([status, text]).toEqual([200, `{"enabled":true,${raw.slice(1, -1)},"outbound":[]}`])
    expect((await api('GET', PATH)).text).toBe(text)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})
