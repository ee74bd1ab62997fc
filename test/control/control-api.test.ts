import { X509Certificate } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import type { Gateway, GatewayOptions } from '../../src/index.ts'
import { type Served, serve } from '../../src/server/node.ts'
import { type Control, client, controlClient, createControlClient, outcome, readResponse } from '../support/client.ts'
import { CLOCK_START, SHOWN_START } from '../support/clock.ts'
import { open } from '../support/gateway.ts'
import { pem } from '../support/pem.ts'
import { dueAfter, ECDSA, openManual, openWithDomain, timeAfter } from '../support/provisioning.ts'

const servers: Served[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

/** The two entry points of the control API. */
const entryPoints: Record<string, (gateway: Gateway) => Promise<Control>> = {
  'gateway.fetch': async (gateway) => controlClient(gateway),
  'a served port': async (gateway) => {
    const server = await serve(gateway)
    servers.push(server)
    return createControlClient(fetch, server.url)
  },
}

describe.each(Object.keys(entryPoints))('The control API (rules: control-api#calls) through %s', (way) => {
  const openControlled = async () => {
    const it = openWithDomain()
    return { ...it, send: await (entryPoints[way] as (gateway: Gateway) => Promise<Control>)(it.gateway) }
  }

  test('POST /reset goes back to the initial state and answers 204 without a body', async () => {
    const { send, gateway } = await openControlled()
    gateway.clock.advance('1d')
    const answer = await send('POST', '/reset')
    expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([204, '', null])
    expect(gateway.snapshot()).toEqual(openManual().snapshot())
    expect(gateway.clock.now).toBe(CLOCK_START)
  })

  test('GET /clock returns the time and that the clock is manual', async () => {
    const { send } = await openControlled()
    const { status, body } = await send('GET', '/clock')
    expect([status, body]).toMatchObject([200, { now: SHOWN_START, manual: true }])
  })

  test.each([
    [{ advance: '90s' }, timeAfter('90s')],
    [{ advance: 1500 }, timeAfter('1500ms')],
    [{ advance: 0 }, SHOWN_START],
    [{ to: timeAfter('31d') }, timeAfter('31d')],
    [{ to: timeAfter('31d', '2h').replace('Z', '+02:00') }, timeAfter('31d')],
    [{ next: true }, dueAfter('30s')],
  ])('POST /clock %j moves the clock and answers like GET', async (json, now) => {
    const { send } = await openControlled()
    const { status, body } = await send('POST', '/clock', json)
    expect([status, body]).toMatchObject([200, { now, manual: true }])
    expect((await send('GET', '/clock')).body).toEqual(body)
  })

  test('POST /clock {"next": true} does not move the clock when nothing is due', async () => {
    const { send, gateway, id } = await openControlled()
    gateway.reservedDomains.delete(id)
    expect((await send('POST', '/clock', { next: true })).body).toMatchObject({ now: SHOWN_START, manual: true })
  })

  test('DELETE reads its fields from a body, too', async () => {
    const { send, gateway } = await openControlled()
    const record = gateway.dns.cname('b.example.com', 'target.example.net')
    const other = gateway.dns.a('a.example.com', '192.0.2.1')
    expect((await send('DELETE', '/dns', record)).status).toBe(204)
    expect(gateway.dns.records()).toEqual([other])
  })

  test('GET /authority.pem returns the root certificate as text', async () => {
    const { send, gateway } = await openControlled()
    const { status, text, headers } = await send('GET', '/authority.pem')
    expect([status, text]).toEqual([200, gateway.authority.certificatePem])
    expect(headers.get('content-type')).toBe('application/x-pem-file')
  })

  test('POST /certificates returns the content of each certificate of a chain, as Node reads it, and stores nothing', async () => {
    const { send, gateway } = await openControlled()
    const before = JSON.stringify(gateway.snapshot())
    const chain = gateway.authority.serverCertificate({ names: ['*.example.com'], ips: ['192.0.2.1'] }).certificate_pem
    for (const certificate_pem of [chain, chain + gateway.authority.certificatePem]) {
      const { status, body } = await send('POST', '/certificates', { certificate_pem })
      const expected = certificate_pem.match(/-----BEGIN[\s\S]+?END CERTIFICATE-----/g)?.map((each) => {
        const certificate = new X509Certificate(each)
        return {
          subject: (certificate.subject ?? '').replaceAll('\n', ', '),
          issuer: certificate.issuer.replaceAll('\n', ', '),
          serial_number: certificate.serialNumber.toLowerCase(),
          not_before: new Date(certificate.validFrom).toISOString().replace('.000', ''),
          not_after: new Date(certificate.validTo).toISOString().replace('.000', ''),
          key: 'ECDSA P-256',
          names: certificate.subjectAltName?.split(', ').map((name) => name.replace(/^(DNS|IP Address):/, '')) ?? [],
          key_usages: expect.any(Array),
          sha256: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
        }
      })
      expect([status, body]).toEqual([200, expected])
    }
    const { body } = await send('POST', '/certificates', { certificate_pem: pem('leaf-rsa2048') })
    expect(body).toMatchObject([{ key: 'RSA 2048', subject: expect.stringMatching(/^C=DE, .*, CN=app.example.com/) }])
    expect(JSON.stringify(gateway.snapshot())).toBe(before)
    for (const certificate_pem of ['', 'nothing', pem('key-p256')]) {
      const { status, body } = await send('POST', '/certificates', { certificate_pem })
      expect([status, body.details['field:certificate_pem']]).toEqual([400, expect.stringMatching(/certificate_pem/)])
    }
  })

  test('HEAD is answered like GET without a body (rules: answers#head)', async () => {
    const { send } = await openControlled()
    const { status, text, headers } = await send('HEAD', '/clock')
    expect([status, text, headers.get('content-type')]).toEqual([200, '', 'application/json'])
  })
})

describe('The control API and the service’s own API', () => {
  test('have separate keys: the control API needs no API key, and the service still does', async () => {
    const gateway = openManual({ keys: ['secret'] })
    expect((await controlClient(gateway)('GET', '/clock')).status).toBe(200)
    const answer = await readResponse(await gateway.fetch('http://localhost/reserved_domains'))
    expect(outcome(answer)).toBe('401 ERR_GATEWAY_200')
  })

  test('have separate paths: without a slash after its name, the control path belongs to the service', async () => {
    const gateway = openManual()
    const answer = await readResponse(await gateway.fetch('http://localhost/_fauxgate'))
    expect(outcome(answer)).toBe('404 ERR_GATEWAY_90400')
  })

  test('have one clock and one state: a domain created over HTTP is issued by a move over HTTP', async () => {
    const { gateway, id } = openWithDomain()
    gateway.reservedDomains.update(id, { certificate_management_policy: { ...ECDSA, private_key_type: 'rsa' } })
    await controlClient(gateway)('POST', '/clock', { to: dueAfter('30s') })
    expect(gateway.reservedDomains.get(id).certificate).not.toBeNull()
  })
})

/** Opens a gateway. Returns it with a client of its control API. */
function openWithControls(options: GatewayOptions = {}) {
  const gateway = open(options)
  return { gateway, send: controlClient(gateway) }
}

describe('Faults over HTTP (rules: control-api#calls)', () => {
  test('are added, listed and removed, and apply', async () => {
    const { gateway, send } = openWithControls()
    const response = await send('POST', '/faults', { operation: 'reserved_addrs.list', status: 500 })
    expect(response).toMatchObject({ status: 200, body: { status: 500, hits: 0, passed: 0 } })
    expect((await client(gateway)('GET', '/reserved_addrs')).status).toBe(500)
    expect((await send('GET', '/faults')).body).toEqual([{ state: 'active', ...response.body, hits: 1 }])
    await send('POST', '/faults', {})
    expect((await send('DELETE', `/faults?id=${response.body.id}`)).status).toBe(204)
    expect((await send('GET', '/faults')).body).toHaveLength(1)
    expect((await send('DELETE', '/faults')).status).toBe(204)
    expect((await send('GET', '/faults')).body).toEqual([])
  })

  test('are rejected like any bad input, and cannot have a predicate', async () => {
    const { gateway, send } = openWithControls()
    expect((await send('POST', '/faults', { status: 99 })).body.msg).toMatch(/status is 99/)
    expect((await send('POST', '/faults', { when: 'always' })).body.msg).toMatch(
      /when is "always". Allowed: a function/,
    )
    expect(gateway.faults.all()).toEqual([])
  })
})

describe('The journal over HTTP (rules: control-api#calls)', () => {
  test('is read and emptied', async () => {
    const { gateway, send } = openWithControls()
    await client(gateway)('GET', '/reserved_addrs')
    expect((await send('GET', '/requests')).body).toMatchObject([{ operation: 'reserved_addrs.list', status: 200 }])
    expect((await send('DELETE', '/requests')).status).toBe(204)
    expect((await send('GET', '/requests')).body).toEqual([])
  })
})

describe('Declarations over HTTP (rules: control-api#calls, references#declared)', () => {
  test('make edges with routes, endpoint configurations and backends exist', async () => {
    const { gateway, send } = openWithControls({ references: 'declared' })
    expect((await send('POST', '/declare', { edge: 'edghts_1', routes: ['edghtsrt_1'] })).status).toBe(204)
    await send('POST', '/declare', { backend: 'bkdhr_1' })
    await send('POST', '/declare', { endpoint_configuration: 'ec_1' })
    expect(gateway.compression.replace({ edge_id: 'edghts_1', id: 'edghtsrt_1' })).toEqual({ enabled: true })
    expect(gateway.weightedBackends.create({ backends: { bkdhr_1: 1 } }).backends).toEqual({ bkdhr_1: 1 })
    const { id } = gateway.reservedAddrs.create()
    const address = gateway.reservedAddrs.update(id, { endpoint_configuration_id: 'ec_1' })
    expect(address.endpoint_configuration?.id).toBe('ec_1')
  })

  test.each([
    [{}, /one of edge, endpoint_configuration, backend/],
    [{ routes: ['edghtsrt_1'] }, /one of edge|together with their edge/],
    [{ edge: 'edghtsrt_1' }, /an ID that starts with "edghts"/],
    [{ backend: 'ec_1' }, /an ID that starts with "bkd"/],
  ])('are rejected with a message that says what is allowed: %j', async (body, message) => {
    const answer = await openWithControls({ references: 'declared' }).send('POST', '/declare', body)
    expect(answer.status).toBe(400)
    expect(answer.body.msg).toMatch(message)
  })
})

describe('Who may use the control API (issue: no web page can drive an emulator)', () => {
  test('a page of one loopback host may call another, although browsers call that cross-site', async () => {
    const headers = { origin: 'http://localhost:3000', 'sec-fetch-site': 'cross-site' }
    expect((await open().fetch('http://127.0.0.1:4747/_fauxgate/clock', { headers })).status).toBe(200)
    const noOrigin = { 'sec-fetch-site': 'cross-site' }
    expect((await open().fetch('http://127.0.0.1:4747/_fauxgate/clock', { headers: noOrigin })).status).toBe(403)
  })
})
