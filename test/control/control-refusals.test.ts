import { describe, expect, test } from 'vitest'
import { createGateway, manualClock, ngrok } from '../../src/index.ts'
import { controlClient, outcome, readResponse } from '../support/client.ts'
import { CLOCK_START, SHOWN_START } from '../support/clock.ts'
import { addDurations, DOMAIN, openManual, openWithDomain } from '../support/provisioning.ts'

describe('The control API rejects, in the shape of the service’s errors, and changes nothing:', () => {
  const INVALID = '400 ERR_GATEWAY_215'
  const TIMELINE = 'GET /provisioning/timeline'
  const SCRIPT = 'POST /provisioning/script'
  const ATTEMPT = 'POST /provisioning/attempt'
  const EARLIEST = new RegExp(`at the earliest "${SHOWN_START.slice(0, 12)}`)
  const TYPES = /CNAME, A, CAA, PROXY, SERVFAIL, TIMEOUT/
  const cases: [what: string, call: string, json: unknown, expected: string, message: RegExp][] = [
    ['an unknown path', 'GET /nonsense', undefined, '404 ERR_GATEWAY_90400', /The segment "nonsense" is unknown/],
    ['another method', 'PATCH /clock', {}, '405 ERR_GATEWAY_90405', /Allowed: GET, HEAD, POST\./],
    ['an unknown field', 'POST /clock', { advanced: '1s' }, '400 ERR_GATEWAY_214', /Supported: advance, to, next/],
    ['a field for a reset', 'POST /reset', { seed: 'x' }, '400 ERR_GATEWAY_214', /seed/],
    ['a query where none is known', 'GET /clock?x=1', undefined, '400 ERR_GATEWAY_214', /x is not/],
    ['a query beside a body', 'POST /clock?x=1', { advance: 0 }, '400 ERR_GATEWAY_231', /"x" is not .* none\.$/],
    ['a query parameter twice', `${TIMELINE}?id=a&id=b`, undefined, '400 ERR_GATEWAY_232', /id/],
    ['no move', 'POST /clock', {}, INVALID, /exactly one of advance, to, and next/],
    ['two moves', 'POST /clock', { advance: '1s', next: true }, INVALID, /exactly one/],
    ['a duration that is none', 'POST /clock', { advance: '5 parsecs' }, INVALID, /such as "30s"/],
    ['a duration of a wrong type', 'POST /clock', { advance: true }, INVALID, /such as "30s"|a string/],
    ['a duration past the year 9999', 'POST /clock', { advance: '4000000d' }, INVALID, /year 9999/],
    ['a time that is none', 'POST /clock', { to: 'tomorrow' }, INVALID, /RFC 3339/],
    ['a past time', 'POST /clock', { to: addDurations(CLOCK_START, '-1s') }, INVALID, EARLIEST],
    ['next as false', 'POST /clock', { next: false }, INVALID, /Allowed: true/],
    ['no outcomes', SCRIPT, {}, INVALID, /outcomes is missing/],
    ['an unknown outcome', SCRIPT, { outcomes: ['ERROR'] }, INVALID, /success, INTERNAL_ERROR/],
    ['an attempt without an ID', ATTEMPT, {}, INVALID, /id is missing/],
    ['an attempt of nobody', ATTEMPT, { id: 'rd_1' }, '404 ERR_GATEWAY_90404', /rd_1/],
    ['a timeline without an ID', TIMELINE, undefined, INVALID, /id is missing/],
    ['a record without a name', 'PUT /dns', { type: 'A', value: '192.0.2.1' }, INVALID, /name is missing/],
    ['an unknown record type', 'PUT /dns', { name: 'a', type: 'MX', value: 'b' }, INVALID, TYPES],
    ['an unknown type to remove', 'DELETE /dns?type=MX', undefined, INVALID, TYPES],
  ]
  test.each(cases)('%s', async (_what, call, json, expected, message) => {
    const { gateway } = openWithDomain({ dns: 'simulated' })
    gateway.dns.a(DOMAIN, '192.0.2.1')
    const before = [gateway.snapshot(), gateway.clock.now]
    const [method = '', path = ''] = call.split(' ')
    const answer = await controlClient(gateway)(method, path, json)
    expect(outcome(answer).slice(0, expected.length)).toBe(expected)
    expect(answer.body.msg).toMatch(message)
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
    const { gateway } = openWithDomain()
    const answer = await readResponse(
      await gateway.fetch('http://localhost/_fauxgate/clock', { method: 'POST', headers, body }),
    )
    expect(outcome(answer)).toBe(expected)
    expect(gateway.clock.now).toBe(CLOCK_START)
  })

  test.each([undefined, { now: CLOCK_START }])('a move of a clock that is not manual: %j', async (clock) => {
    const gateway = createGateway({ seed: 'control', ...(clock && { clock }) })
    const send = controlClient(gateway)
    expect((await send('GET', '/clock')).body).toMatchObject({ manual: false })
    for (const json of [{ advance: '1s' }, { next: true }, { to: '2999-01-01T00:00:00Z' }]) {
      const answer = await send('POST', '/clock', json)
      expect(outcome(answer)).toBe('400 ERR_GATEWAY_90420')
      expect(answer.body.msg).toContain('manual clock')
    }
  })

  test.each(['advance', 'advanceTo', 'advanceToNext', 'set'])('a move of a clock that has no %s', async (method) => {
    const clock = { ...manualClock(0), now: 0, [method]: undefined }
    const send = controlClient(createGateway({ seed: 'control', clock }))
    expect((await send('GET', '/clock')).body).toMatchObject({ manual: false })
    expect(outcome(await send('POST', '/clock', { advance: '1s' }))).toBe('400 ERR_GATEWAY_90420')
  })

  test('with the dialect’s own error codes and headers', async () => {
    const answer = await controlClient(openManual({ dialect: ngrok }))('GET', '/nonsense')
    expect(outcome(answer)).toBe('404 ERR_NGROK_90400')
    expect(answer.headers.get('ngrok-operation-id')).toBe(answer.body.details.operation_id)
  })
})
