import { X509Certificate } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { createGateway, type Gateway, manualClock, ngrok } from '../../src/index.ts'
import { type Served, serve } from '../../src/server/node.ts'
import { type Answer, outcome, read } from '../support/client.ts'
import { pem } from '../support/pem.ts'
import { DOMAIN, ECDSA, managed, NEW_YEAR, openManual, timeAfter } from '../support/provisioning.ts'

const open: Served[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

type Ask = (method: string, path: string, json?: unknown) => Promise<Answer>

/** Asks the control API without any key, by a fetch function below a base URL. */
function asks(fetch: Gateway['fetch'], base: string): Ask {
  return async (method, path, json) => {
    const sent =
      json === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) }
    return read(await fetch(`${base}/_fauxgate${path}`, { method, ...sent }))
  }
}

/** The two ways to the control API. */
const ways: Record<string, (gateway: Gateway) => Promise<Ask>> = {
  'gateway.fetch': async (gateway) => asks(gateway.fetch, 'http://localhost'),
  'a served port': async (gateway) => {
    const server = await serve(gateway)
    open.push(server)
    return asks(fetch, server.url)
  },
}

describe.each(Object.keys(ways))('The control API (rules: control-api#calls) through %s', (way) => {
  const controlled = async () => {
    const it = managed()
    return { ...it, ask: await (ways[way] as (gateway: Gateway) => Promise<Ask>)(it.gateway) }
  }

  test('POST /reset goes back to the initial state and answers 204 without a body', async () => {
    const { ask, gateway } = await controlled()
    gateway.clock.advance('1d')
    const answer = await ask('POST', '/reset')
    expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([204, '', null])
    expect(gateway.snapshot()).toEqual(openManual().snapshot())
    expect(gateway.clock.now).toBe(Date.parse(NEW_YEAR))
  })

  test('GET /clock tells the time and that it can be moved', async () => {
    const { ask } = await controlled()
    const { status, body } = await ask('GET', '/clock')
    expect([status, body]).toEqual([200, { now: NEW_YEAR, manual: true }])
  })

  test.each([
    [{ advance: '90s' }, timeAfter('90s')],
    [{ advance: 1500 }, timeAfter('1s')],
    [{ advance: 0 }, NEW_YEAR],
    [{ to: '2026-02-01T00:00:00Z' }, '2026-02-01T00:00:00Z'],
    [{ to: '2026-02-01T02:00:00+02:00' }, '2026-02-01T00:00:00Z'],
    [{ next: true }, timeAfter('30s')],
  ])('POST /clock %j moves the clock and answers like GET', async (json, now) => {
    const { ask } = await controlled()
    const { status, body } = await ask('POST', '/clock', json)
    expect([status, body]).toEqual([200, { now, manual: true }])
    expect((await ask('GET', '/clock')).body).toEqual(body)
  })

  test('POST /clock {"next": true} stays where it is when nothing is due', async () => {
    const { ask, gateway, id } = await controlled()
    gateway.reservedDomains.delete(id)
    expect((await ask('POST', '/clock', { next: true })).body).toEqual({ now: NEW_YEAR, manual: true })
  })

  test('POST /provisioning/script orders outcomes, for a domain or for any', async () => {
    const { ask, gateway, id } = await controlled()
    const answers = [
      await ask('POST', '/provisioning/script', { outcomes: ['DNS_ERROR', 'success'], domain: DOMAIN.toUpperCase() }),
      await ask('POST', '/provisioning/script', { outcomes: ['INTERNAL_ERROR'] }),
    ]
    expect(answers.map(({ status, text }) => [status, text])).toEqual([
      [204, ''],
      [204, ''],
    ])
    expect(gateway.provisioning.pendingOutcomes()).toHaveLength(3)
    expect(gateway.provisioning.attempt(id).certificate_management_status?.provisioning_job?.error_code).toBe(
      'DNS_ERROR',
    )
  })

  test('POST /provisioning/attempt runs the attempt now and answers the domain', async () => {
    const { ask, id, domain } = await controlled()
    const { status, body } = await ask('POST', '/provisioning/attempt', { id })
    expect(status).toBe(200)
    expect(body.certificate).not.toBeNull()
    expect(body).toEqual(domain())
    expect(outcome(await ask('POST', '/provisioning/attempt', { id }))).toBe('404 ERR_GATEWAY_90404')
  })

  test('GET /provisioning/timeline answers what the direct API does', async () => {
    const { ask, id, gateway } = await controlled()
    gateway.clock.advance('1m')
    const { status, body } = await ask('GET', `/provisioning/timeline?id=${id}`)
    expect([status, body]).toEqual([200, gateway.provisioning.timeline(id)])
    expect(body).toHaveLength(2)
  })

  test('/dns sets, lists and removes records', async () => {
    const { ask, gateway } = await controlled()
    const record = { name: 'b.example.com', type: 'CNAME', value: 'target.example.net' }
    const put = await ask('PUT', '/dns', { ...record, name: 'B.example.com.' })
    expect([put.status, put.body]).toEqual([200, record])
    const other = gateway.dns.a('a.example.com', '192.0.2.1')
    const third = gateway.dns.a('c.example.com', '192.0.2.1')
    const list = await ask('GET', '/dns')
    expect([list.status, list.body]).toEqual([200, [other, record, third]])
    expect((await ask('DELETE', '/dns', record)).status).toBe(204)
    expect(gateway.dns.records()).toEqual([other, third])
    expect((await ask('DELETE', '/dns?name=A.example.com')).status).toBe(204)
    expect(gateway.dns.records()).toEqual([third])
    expect((await ask('DELETE', '/dns')).status).toBe(204)
    expect(gateway.dns.records()).toEqual([])
  })

  test('GET /authority.pem answers the root certificate as text', async () => {
    const { ask, gateway } = await controlled()
    const { status, text, headers } = await ask('GET', '/authority.pem')
    expect([status, text]).toEqual([200, gateway.authority.certificatePem])
    expect(headers.get('content-type')).toBe('application/x-pem-file')
  })

  test('POST /certificates says what each certificate of a chain has, as Node reads it, and keeps nothing', async () => {
    const { ask, gateway } = await controlled()
    const before = JSON.stringify(gateway.snapshot())
    const chain = gateway.authority.serverCertificate({ names: ['*.example.com'], ips: ['192.0.2.1'] }).certificate_pem
    for (const certificate_pem of [chain, chain + gateway.authority.certificatePem]) {
      const { status, body } = await ask('POST', '/certificates', { certificate_pem })
      const expected = certificate_pem.match(/-----BEGIN[\s\S]+?END CERTIFICATE-----/g)?.map((each) => {
        const read = new X509Certificate(each)
        return {
          subject: (read.subject ?? '').replaceAll('\n', ', '),
          issuer: read.issuer.replaceAll('\n', ', '),
          serial_number: read.serialNumber.toLowerCase(),
          not_before: new Date(read.validFrom).toISOString().replace('.000', ''),
          not_after: new Date(read.validTo).toISOString().replace('.000', ''),
          key: 'ECDSA P-256',
          names: read.subjectAltName?.split(', ').map((name) => name.replace(/^(DNS|IP Address):/, '')) ?? [],
          key_usages: expect.any(Array),
          sha256: read.fingerprint256.replaceAll(':', '').toLowerCase(),
        }
      })
      expect([status, body]).toEqual([200, expected])
    }
    const { body } = await ask('POST', '/certificates', { certificate_pem: pem('leaf-rsa2048') })
    expect(body).toMatchObject([{ key: 'RSA 2048', subject: expect.stringMatching(/^C=DE, .*, CN=app.example.com/) }])
    expect(JSON.stringify(gateway.snapshot())).toBe(before)
    for (const certificate_pem of ['', 'nothing', pem('key-p256')]) {
      const { status, body } = await ask('POST', '/certificates', { certificate_pem })
      expect([status, body.details['field:certificate_pem']]).toEqual([400, expect.stringMatching(/certificate_pem/)])
    }
  })

  test('HEAD is answered like GET without a body (rules: answers#head)', async () => {
    const { ask } = await controlled()
    const { status, text, headers } = await ask('HEAD', '/clock')
    expect([status, text, headers.get('content-type')]).toEqual([200, '', 'application/json'])
  })
})

describe('The control API refuses, in the shape of the service’s errors, and changes nothing:', () => {
  const POST = 'POST'
  const CLOCK = '/clock'
  const SCRIPT = '/provisioning/script'
  const ATTEMPT = '/provisioning/attempt'
  const cases: [what: string, method: string, path: string, json: unknown, expected: string, says: RegExp][] = [
    ['an unknown path', 'GET', '/nonsense', undefined, '404 ERR_GATEWAY_90400', /the segment "nonsense" is not known/],
    ['a path below a known one', 'GET', '/clock/now', undefined, '404 ERR_GATEWAY_90400', /clock\/now/],
    ['another method', 'PATCH', CLOCK, {}, '405 ERR_GATEWAY_90405', /Allowed: GET, HEAD, POST\./],
    ['GET for a reset', 'GET', '/reset', undefined, '405 ERR_GATEWAY_90405', /Allowed: POST\./],
    ['an unknown field', POST, CLOCK, { advanced: '1s' }, '400 ERR_GATEWAY_214', /Supported: advance, to, next/],
    ['an unknown field beside a good one', POST, SCRIPT, { outcomes: [], x: 1 }, '400 ERR_GATEWAY_214', /x is not/],
    ['a field for a reset', POST, '/reset', { seed: 'x' }, '400 ERR_GATEWAY_214', /seed/],
    ['a query where none is known', 'GET', '/clock?x=1', undefined, '400 ERR_GATEWAY_214', /x is not/],
    ['a query beside a body', POST, '/clock?x=1', { advance: 0 }, '400 ERR_GATEWAY_231', /"x" is not .* none\.$/],
    ['a query parameter twice', 'GET', `/provisioning/timeline?id=a&id=b`, undefined, '400 ERR_GATEWAY_232', /id/],
    ['no move', POST, CLOCK, {}, '400 ERR_GATEWAY_215', /exactly one of advance, to and next/],
    ['no body for a move', POST, CLOCK, undefined, '400 ERR_GATEWAY_215', /exactly one of advance, to and next/],
    ['two moves', POST, CLOCK, { advance: '1s', next: true }, '400 ERR_GATEWAY_215', /exactly one/],
    ['a duration that is none', POST, CLOCK, { advance: '5 parsecs' }, '400 ERR_GATEWAY_215', /such as "30s"/],
    ['a negative duration', POST, CLOCK, { advance: -1 }, '400 ERR_GATEWAY_215', /such as "30s"/],
    ['a duration of a wrong type', POST, CLOCK, { advance: true }, '400 ERR_GATEWAY_215', /such as "30s"|a string/],
    ['a duration past the year 9999', POST, CLOCK, { advance: '4000000d' }, '400 ERR_GATEWAY_215', /year 9999/],
    ['a time that is none', POST, CLOCK, { to: 'tomorrow' }, '400 ERR_GATEWAY_215', /RFC 3339/],
    ['a date that is none', POST, CLOCK, { to: '2026-02-30T00:00:00Z' }, '400 ERR_GATEWAY_215', /RFC 3339/],
    ['a time that is past', POST, CLOCK, { to: '2025-12-31T23:59:59Z' }, '400 ERR_GATEWAY_215', /from 2026-01-01T0/],
    ['next as false', POST, CLOCK, { next: false }, '400 ERR_GATEWAY_215', /Allowed: true/],
    ['no outcomes', POST, SCRIPT, {}, '400 ERR_GATEWAY_215', /outcomes is nothing/],
    ['an unknown outcome', POST, SCRIPT, { outcomes: ['ERROR'] }, '400 ERR_GATEWAY_215', /success, INTERNAL_ERROR/],
    ['outcomes as a text', POST, SCRIPT, { outcomes: 'success' }, '400 ERR_GATEWAY_215', /an array/],
    ['an attempt without an id', POST, ATTEMPT, {}, '400 ERR_GATEWAY_215', /id is nothing/],
    ['an attempt of another type', POST, ATTEMPT, { id: 'cert_1' }, '400 ERR_GATEWAY_227', /"rd_"/],
    ['an attempt of nobody', POST, ATTEMPT, { id: 'rd_1' }, '404 ERR_GATEWAY_90404', /rd_1/],
    ['a timeline of nobody', 'GET', '/provisioning/timeline?id=rd_1', undefined, '404 ERR_GATEWAY_90404', /rd_1/],
    ['a timeline without an id', 'GET', '/provisioning/timeline', undefined, '400 ERR_GATEWAY_215', /id is nothing/],
    ['a record without a name', 'PUT', '/dns', { type: 'A', value: '192.0.2.1' }, '400 ERR_GATEWAY_215', /name is no/],
    [
      'an unknown record type',
      'PUT',
      '/dns',
      { name: 'a', type: 'MX', value: 'b' },
      '400 ERR_GATEWAY_215',
      /CNAME or A/,
    ],
    ['an unknown type to remove', 'DELETE', '/dns?type=MX', undefined, '400 ERR_GATEWAY_215', /CNAME or A/],
  ]
  test.each(cases)('%s', async (_what, method, path, json, expected, says) => {
    const { gateway } = managed({ dns: 'simulated' })
    gateway.dns.a(DOMAIN, '192.0.2.1')
    const before = [gateway.snapshot(), gateway.clock.now]
    const answer = await asks(gateway.fetch, 'http://localhost')(method, path, json)
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
    const ask = asks(gateway.fetch, 'http://localhost')
    expect((await ask('GET', '/clock')).body).toMatchObject({ manual: false })
    for (const json of [{ advance: '1s' }, { next: true }, { to: '2999-01-01T00:00:00Z' }]) {
      const answer = await ask('POST', '/clock', json)
      expect(outcome(answer)).toBe('400 ERR_GATEWAY_90420')
      expect(answer.body.msg).toContain('manual clock')
    }
  })

  test.each(['advance', 'advanceTo', 'advanceToNext', 'set'])('a move of a clock that has no %s', async (missing) => {
    const clock = { ...manualClock(0), now: 0, [missing]: undefined }
    const ask = asks(createGateway({ seed: 'control', clock }).fetch, 'http://localhost')
    expect((await ask('GET', '/clock')).body).toMatchObject({ manual: false })
    expect(outcome(await ask('POST', '/clock', { advance: '1s' }))).toBe('400 ERR_GATEWAY_90420')
  })

  test('with the dialect’s own error codes and headers', async () => {
    const answer = await asks(openManual({ dialect: ngrok }).fetch, 'http://localhost')('GET', '/nonsense')
    expect(outcome(answer)).toBe('404 ERR_NGROK_90400')
    expect(answer.headers.get('ngrok-operation-id')).toBe(answer.body.details.operation_id)
  })
})

describe('The control API and the service’s own API', () => {
  test('are apart: the one needs no key even where keys are given, the other still does', async () => {
    const gateway = openManual({ keys: ['secret'] })
    expect((await asks(gateway.fetch, 'http://localhost')('GET', '/clock')).status).toBe(200)
    const answer = await read(await gateway.fetch('http://localhost/reserved_domains'))
    expect(outcome(answer)).toBe('401 ERR_GATEWAY_200')
  })

  test('are apart: without the slash behind its name it is a path of the service’s', async () => {
    const gateway = openManual()
    const answer = await read(await gateway.fetch('http://localhost/_fauxgate'))
    expect(outcome(answer)).toBe('404 ERR_GATEWAY_90400')
  })

  test('have one clock and one state: a domain created over HTTP is issued by a move over HTTP', async () => {
    const { gateway, id } = managed()
    gateway.reservedDomains.update(id, { certificate_management_policy: { ...ECDSA, private_key_type: 'rsa' } })
    await asks(gateway.fetch, 'http://localhost')('POST', '/clock', { advance: '30s' })
    expect(gateway.reservedDomains.get(id).certificate).not.toBeNull()
  })
})
