import { describe, expect, test } from 'vitest'
import { createGateway, manualClock, ngrok } from '../../src/index.ts'
import { controlsOf, outcome, read } from '../support/client.ts'
import { DOMAIN, managed, NEW_YEAR, openManual } from '../support/provisioning.ts'

describe('The control API refuses, in the shape of the service’s errors, and changes nothing:', () => {
  const POST = 'POST'
  const CLOCK = '/clock'
  const SCRIPT = '/provisioning/script'
  const ATTEMPT = '/provisioning/attempt'
  const cases: [what: string, method: string, path: string, json: unknown, expected: string, says: RegExp][] = [
    ['an unknown path', 'GET', '/nonsense', undefined, '404 ERR_GATEWAY_90400', /The segment "nonsense" is unknown/],
    ['another method', 'PATCH', CLOCK, {}, '405 ERR_GATEWAY_90405', /Allowed: GET, HEAD, POST\./],
    ['an unknown field', POST, CLOCK, { advanced: '1s' }, '400 ERR_GATEWAY_214', /Supported: advance, to, next/],
    ['a field for a reset', POST, '/reset', { seed: 'x' }, '400 ERR_GATEWAY_214', /seed/],
    ['a query where none is known', 'GET', '/clock?x=1', undefined, '400 ERR_GATEWAY_214', /x is not/],
    ['a query beside a body', POST, '/clock?x=1', { advance: 0 }, '400 ERR_GATEWAY_231', /"x" is not .* none\.$/],
    ['a query parameter twice', 'GET', `/provisioning/timeline?id=a&id=b`, undefined, '400 ERR_GATEWAY_232', /id/],
    ['no move', POST, CLOCK, {}, '400 ERR_GATEWAY_215', /exactly one of advance, to and next/],
    ['two moves', POST, CLOCK, { advance: '1s', next: true }, '400 ERR_GATEWAY_215', /exactly one/],
    ['a duration that is none', POST, CLOCK, { advance: '5 parsecs' }, '400 ERR_GATEWAY_215', /such as "30s"/],
    ['a duration of a wrong type', POST, CLOCK, { advance: true }, '400 ERR_GATEWAY_215', /such as "30s"|a string/],
    ['a duration past the year 9999', POST, CLOCK, { advance: '4000000d' }, '400 ERR_GATEWAY_215', /year 9999/],
    ['a time that is none', POST, CLOCK, { to: 'tomorrow' }, '400 ERR_GATEWAY_215', /RFC 3339/],
    [
      'a time that is past',
      POST,
      CLOCK,
      { to: '2025-12-31T23:59:59Z' },
      '400 ERR_GATEWAY_215',
      /at the earliest "2026-01-01T0/,
    ],
    ['next as false', POST, CLOCK, { next: false }, '400 ERR_GATEWAY_215', /Allowed: true/],
    ['no outcomes', POST, SCRIPT, {}, '400 ERR_GATEWAY_215', /outcomes is missing/],
    ['an unknown outcome', POST, SCRIPT, { outcomes: ['ERROR'] }, '400 ERR_GATEWAY_215', /success, INTERNAL_ERROR/],
    ['an attempt without an id', POST, ATTEMPT, {}, '400 ERR_GATEWAY_215', /id is missing/],
    ['an attempt of nobody', POST, ATTEMPT, { id: 'rd_1' }, '404 ERR_GATEWAY_90404', /rd_1/],
    ['a timeline without an id', 'GET', '/provisioning/timeline', undefined, '400 ERR_GATEWAY_215', /id is missing/],
    [
      'a record without a name',
      'PUT',
      '/dns',
      { type: 'A', value: '192.0.2.1' },
      '400 ERR_GATEWAY_215',
      /name is missing/,
    ],
    [
      'an unknown record type',
      'PUT',
      '/dns',
      { name: 'a', type: 'MX', value: 'b' },
      '400 ERR_GATEWAY_215',
      /CNAME, A, CAA, PROXY, SERVFAIL, TIMEOUT/,
    ],
    [
      'an unknown type to remove',
      'DELETE',
      '/dns?type=MX',
      undefined,
      '400 ERR_GATEWAY_215',
      /CNAME, A, CAA, PROXY, SERVFAIL, TIMEOUT/,
    ],
  ]
  test.each(cases)('%s', async (_what, method, path, json, expected, says) => {
    const { gateway } = managed({ dns: 'simulated' })
    gateway.dns.a(DOMAIN, '192.0.2.1')
    const before = [gateway.snapshot(), gateway.clock.now]
    const answer = await controlsOf(gateway.fetch, 'http://localhost')(method, path, json)
    expect(outcome(answer).slice(0, expected.length)).toBe(expected)
    expect(answer.body.msg).toMatch(says)
    expect(answer.headers.get('content-type')).toBe('application/json')
    const operation_id = answer.headers.get('service-operation-id')
    expect(answer.body).toMatchObject({ status_code: answer.status, details: { operation_id } })
    expect([gateway.snapshot(), gateway.clock.now]).toEqual(before)
  })

  test.each([
    ['the content type that fetch gives a text', {}, '415 ERR_GATEWAY_210', '{"advance":"1s"}'],
    ['another content type', { 'content-type': 'text/plain' }, '415 ERR_GATEWAY_210', '{"advance":"1s"}'],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, '415 ERR_GATEWAY_210', 'advance=1s'],
    ['no JSON', { 'content-type': 'application/json' }, '400 ERR_GATEWAY_213', '{"advance":'],
    ['a list', { 'content-type': 'application/json' }, '400 ERR_GATEWAY_213', '["1s"]'],
    ['more than 1 MiB', { 'content-type': 'application/json' }, '413 ERR_GATEWAY_90413', ' '.repeat(1024 * 1024 + 1)],
  ])('a body with %s', async (_what, headers, expected, body) => {
    const { gateway } = managed()
    const answer = await read(
      await gateway.fetch('http://localhost/_fauxgate/clock', { method: 'POST', headers, body }),
    )
    expect(outcome(answer)).toBe(expected)
    expect(gateway.clock.now).toBe(Date.parse(NEW_YEAR))
  })

  test.each([undefined, { now: Date.parse(NEW_YEAR) }])('a move of a clock that is not manual: %j', async (clock) => {
    const gateway = createGateway({ seed: 'control', ...(clock && { clock }) })
    const ask = controlsOf(gateway.fetch, 'http://localhost')
    expect((await ask('GET', '/clock')).body).toMatchObject({ manual: false })
    for (const json of [{ advance: '1s' }, { next: true }, { to: '2999-01-01T00:00:00Z' }]) {
      const answer = await ask('POST', '/clock', json)
      expect(outcome(answer)).toBe('400 ERR_GATEWAY_90420')
      expect(answer.body.msg).toContain('manual clock')
    }
  })

  test.each(['advance', 'advanceTo', 'advanceToNext', 'set'])('a move of a clock that has no %s', async (missing) => {
    const clock = { ...manualClock(0), now: 0, [missing]: undefined }
    const ask = controlsOf(createGateway({ seed: 'control', clock }).fetch, 'http://localhost')
    expect((await ask('GET', '/clock')).body).toMatchObject({ manual: false })
    expect(outcome(await ask('POST', '/clock', { advance: '1s' }))).toBe('400 ERR_GATEWAY_90420')
  })

  test('with the dialect’s own error codes and headers', async () => {
    const answer = await controlsOf(openManual({ dialect: ngrok }).fetch, 'http://localhost')('GET', '/nonsense')
    expect(outcome(answer)).toBe('404 ERR_NGROK_90400')
    expect(answer.headers.get('ngrok-operation-id')).toBe(answer.body.details.operation_id)
  })
})
