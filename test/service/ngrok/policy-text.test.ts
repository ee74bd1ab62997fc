import { describe, expect, test } from 'vitest'
import { type PolicyLocation, policyProblems, policyTextErrors } from '../../../src/service/ngrok/policy-text.ts'

const EDGE: PolicyLocation = { protocol: 'https', place: 'edge' }
const TCP: PolicyLocation = { protocol: 'tcp', place: 'edge' }
const PUBLIC: PolicyLocation = { protocol: 'https', place: 'public' }
const INTERNAL: PolicyLocation = { protocol: 'http', place: 'internal' }
const rules = { unknownActions: 'refuse' }

const listProblems = (text: string, at: PolicyLocation, unknownActions = 'refuse') =>
  policyProblems(text, at, { ...rules, unknownActions })
const listNumbers = (text: string, at: PolicyLocation) =>
  listProblems(text, at).map(({ error, field }) => `${error.number} ${field}`)
const toPolicy = (phase: string, type: string, config = {}) =>
  JSON.stringify({ [phase]: [{ actions: [{ type, config }] }] })

test('The errors of a policy are those that operations declare', () => {
  const declared = Object.values(policyTextErrors).map(({ number }) => number)
  expect(declared).toHaveLength(new Set(declared).size)
  expect(declared).toEqual(expect.arrayContaining([2200, 2201, 2202, 2203, 2264, 2266, 18002]))
})

describe('A traffic policy as a text (rules: traffic-policy#text)', () => {
  test.each<[string, PolicyLocation]>([
    ['{}', EDGE],
    [toPolicy('on_http_request', 'circuit-breaker', { error_threshold: 0.2 }), EDGE],
    [toPolicy('on_http_response', 'compress-response'), EDGE],
    [toPolicy('on_event_stream_message', 'sse-find-replace', { replacements: [{ from: 'a' }] }), PUBLIC],
    [toPolicy('on_tcp_connect', 'terminate-tls'), { protocol: 'tls', place: 'edge' }],
    [toPolicy('on_tcp_connect', 'deny'), PUBLIC],
    ['# a comment\non_http_request:\n  - name: no\n    expressions: ["true"]\n    actions: [{ type: deny }]\n', EDGE],
    ['on_http_request:\n- expressions:\n  actions: &a\n  - type: deny\n- actions: *a\n', EDGE],
  ])('is valid: %s %o', (text, at) => {
    expect(listNumbers(text, at)).toEqual([])
  })

  test.each<[string, PolicyLocation, ...string[]]>([
    ['', EDGE, '2236 value'],
    ['[]', EDGE, '2236 value'],
    ['null', PUBLIC, '18002 traffic_policy'],
    ['on_http_request: {}', EDGE, '2236 value.on_http_request'],
    ['on_http_request:\n  - a\n b', PUBLIC, '18002 traffic_policy'],
    ['a: []\na: []', EDGE, '2236 value'],
    [toPolicy('on_http_connect', 'deny'), EDGE, '2230 value.on_http_connect'],
    [toPolicy('on_http_request', 'deny'), TCP, '2230 value.on_http_request'],
    [toPolicy('on_http_request', 'deny'), { protocol: 'tls', place: 'public' }, '2230 traffic_policy.on_http_request'],
    [toPolicy('on_tcp_connect', 'deny'), EDGE, '2248 value.on_tcp_connect'],
    [toPolicy('on_tcp_connect', 'deny'), INTERNAL, '2262 traffic_policy.on_tcp_connect'],
    [toPolicy('on_tcp_connect', 'redirect'), TCP, '2202 value.on_tcp_connect.0.actions.0.type'],
    [toPolicy('on_http_request', 'terminate-tls'), EDGE, '2202 value.on_http_request.0.actions.0.type'],
    [toPolicy('on_http_request', 'compress-response'), EDGE, '2202 value.on_http_request.0.actions.0.type'],
    [toPolicy('on_http_response', 'deny'), PUBLIC, '2202 traffic_policy.on_http_response.0.actions.0.type'],
    [toPolicy('on_event_stream_message', 'log'), EDGE, '2202 value.on_event_stream_message.0.actions.0.type'],
    ['on_http_request: [{ actions: [{ type: jump }] }]', EDGE, '2201 value.on_http_request.0.actions.0.type'],
    ['on_http_request: [{ actions: [] }]', EDGE, '2206 value.on_http_request.0.actions'],
    ['on_http_request: [{ colour: 1, actions: [{ type: deny }] }]', EDGE, '2236 value.on_http_request.0.colour'],
    ['{"on_http_request": [7]}', EDGE, '2236 value.on_http_request.0'],
    [
      'a: []\non_http_request: [{ expressions: ["("], actions: [{ type: deny, config: { status_code: 7 } }, { type: deny }] }]',
      EDGE,
      '2230 value.a',
      '2200 value.on_http_request.0.expressions.0',
      '2215 value.on_http_request.0.actions.0.config.status_code',
      '2207 value.on_http_request.0.actions.1',
    ],
  ])('is rejected: %s %o', (text, at, ...expected) => {
    expect(listNumbers(text, at)).toEqual(expected)
  })

  test('names what was received, the line, and the word "policy" in every message', () => {
    expect(listProblems('on_http_request:\n  - a\n b', EDGE)[0]?.message).toMatch(
      /^The traffic policy in value is a string of \d+ characters, which cannot be read: .* in line \d\. Allowed: JSON or YAML with/,
    )
    const [phase] = listProblems(toPolicy('on_http_request', 'deny'), TCP)
    expect(phase?.message).toBe(
      'In the policy, on_http_request is a phase that is not available for tcp edges. Allowed: on_tcp_connect.',
    )
    const [action] = listProblems(toPolicy('on_event_stream_message', 'log'), EDGE)
    expect(action?.message).toBe(
      'In the policy, on_event_stream_message[0].actions[0].type is log, which is not available in this phase. Allowed: sse-find-replace.',
    )
  })

  test('can have unknown actions in any phase if the gateway accepts them', () => {
    expect(listProblems(toPolicy('on_http_response', 'jump'), EDGE, 'accept')).toEqual([])
  })

  test.each([
    ['brackets', `a: ${'['.repeat(101)}`, 'nesting exceeded'],
    ['braces', '{a: '.repeat(101), 'nesting exceeded'],
    ['sequences', '- '.repeat(200), 'nesting exceeded'],
    ['levels of JSON', '['.repeat(1001), 'nested too deeply'],
  ])('is rejected before it is read if its %s go too deep', (_, text, message) => {
    expect(listProblems(text, EDGE)[0]?.message).toContain(message)
  })

  test.each<[string, string, string | undefined]>([
    ['YAML of 256 KiB', `on_http_request: [] ${'#'.repeat(262_124)}`, undefined],
    [
      'YAML of a character more',
      `on_http_request: [] ${'#'.repeat(262_125)}`,
      'a YAML policy can be at most 262144 characters long',
    ],
    ['JSON of any length', `{"on_http_request": []${' '.repeat(500_000)}}`, undefined],
  ])('has a length: %s', (_, text, message) => {
    const [problem] = listProblems(text, EDGE)
    if (message === undefined) expect(problem).toBeUndefined()
    else expect(problem?.message).toContain(message)
  })

  test('may have merge keys, and tags of other programs', () => {
    const text =
      'on_http_request:\n- &deny { actions: [{ type: !my deny }] }\n- { <<: *deny, name: !other [], expressions: [] }\n'
    expect(listNumbers(text, EDGE)).toEqual(['2236 value.on_http_request.1.name'])
  })

  test.each([
    ['commas', `[${','.repeat(50_000)}`],
    ['keys', Array.from({ length: 10_000 }, (_, i) => `k${i}: 1`).join('\n')],
    ['aliases', `a: &a 1\nb: [${'*a,'.repeat(20_000)}]`],
    ['wrong actions', `on_http_request: [{ actions: [${'{ type: jump },'.repeat(2000)}] }]`],
  ])('with very many %s is rejected with few problems', (_, text) => {
    expect(listProblems(text, EDGE).length).toBeLessThanOrEqual(20)
  })
})
