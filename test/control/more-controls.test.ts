import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { client } from '../support/client.ts'
import { open } from '../support/gateway.ts'

const json = { 'content-type': 'application/json' }

/** Asks the control API of a gateway. */
function controls(gateway: ReturnType<typeof open>) {
  return async (method: string, path: string, body?: unknown) => {
    const init = body === undefined ? { method } : { method, headers: json, body: JSON.stringify(body) }
    const answer = await gateway.fetch(`http://localhost/_fauxgate${path}`, init)
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
  }
}

describe('Faults over HTTP (rules: control-api#calls)', () => {
  it('are armed, met, listed and removed', async () => {
    const gateway = open()
    const ask = controls(gateway)
    const armed = await ask('POST', '/faults', { operation: 'reserved_addrs.list', status: 500 })
    expect(armed).toEqual({ status: 200, body: expect.objectContaining({ status: 500, hits: 0, passed: 0 }) })
    expect((await client(gateway)('GET', '/reserved_addrs')).status).toBe(500)
    expect((await ask('GET', '/faults')).body).toEqual([{ ...armed.body, hits: 1 }])
    await ask('POST', '/faults', {})
    expect((await ask('DELETE', `/faults?id=${armed.body.id}`)).status).toBe(204)
    expect((await ask('GET', '/faults')).body).toHaveLength(1)
    expect((await ask('DELETE', '/faults')).status).toBe(204)
    expect((await ask('GET', '/faults')).body).toEqual([])
  })

  it('are refused like any bad input, and cannot have a predicate', async () => {
    const gateway = open()
    const ask = controls(gateway)
    expect((await ask('POST', '/faults', { status: 99 })).body.msg).toMatch(/status is 99/)
    expect((await ask('POST', '/faults', { when: 'always' })).body.msg).toMatch(/when is "always". Allowed: a function/)
    expect(gateway.faults.all()).toEqual([])
  })
})

describe('The journal over HTTP (rules: control-api#calls)', () => {
  it('is read and emptied', async () => {
    const gateway = open()
    const ask = controls(gateway)
    await client(gateway)('GET', '/reserved_addrs')
    expect((await ask('GET', '/requests')).body).toMatchObject([{ operation: 'reserved_addrs.list', status: 200 }])
    expect((await ask('DELETE', '/requests')).status).toBe(204)
    expect((await ask('GET', '/requests')).body).toEqual([])
  })
})

describe('Declarations over HTTP (rules: control-api#calls, references#declared)', () => {
  it('make edges with routes, endpoint configurations and backends exist', async () => {
    const gateway = open({ references: 'declared' })
    const ask = controls(gateway)
    expect((await ask('POST', '/declare', { edge: 'edghts_1', routes: ['edghtsrt_1'] })).status).toBe(204)
    await ask('POST', '/declare', { backend: 'bkdhr_1' })
    await ask('POST', '/declare', { endpoint_configuration: 'ec_1' })
    expect(gateway.compression.replace({ edge_id: 'edghts_1', id: 'edghtsrt_1' })).toEqual({ enabled: true })
    expect(gateway.weightedBackends.create({ backends: { bkdhr_1: 1 } }).backends).toEqual({ bkdhr_1: 1 })
    const { id } = gateway.reservedAddrs.create()
    const linked = gateway.reservedAddrs.update(id, { endpoint_configuration_id: 'ec_1' })
    expect(linked.endpoint_configuration?.id).toBe('ec_1')
  })

  it.each([
    [{}, /one of edge, endpoint_configuration, backend/],
    [{ routes: ['edghtsrt_1'] }, /one of edge|together with their edge/],
    [{ edge: 'edghtsrt_1' }, /an id that starts with "edghts"/],
    [{ backend: 'ec_1' }, /an id that starts with "bkd"/],
  ])('are refused with what is allowed: %j', async (body, message) => {
    const gateway = open({ references: 'declared' })
    const answer = await controls(gateway)('POST', '/declare', body)
    expect(answer.status).toBe(400)
    expect(answer.body.msg).toMatch(message)
  })
})

describe('Who may use the control API (issue: no web page can drive an emulator)', () => {
  it('a page of one loopback host may ask another, though browsers call that cross-site', async () => {
    const headers = { origin: 'http://localhost:3000', 'sec-fetch-site': 'cross-site' }
    expect((await open().fetch('http://127.0.0.1:4747/_fauxgate/clock', { headers })).status).toBe(200)
    const bare = { 'sec-fetch-site': 'cross-site' }
    expect((await open().fetch('http://127.0.0.1:4747/_fauxgate/clock', { headers: bare })).status).toBe(403)
  })
})

describe('A clock of somebody else', () => {
  it('is left alone by a reset', () => {
    let resets = 0
    const clock = { now: 5, reset: () => resets++ }
    createGateway({ clock }).reset()
    expect(resets).toBe(0)
  })
})

describe('The private key of a certificate', () => {
  it('that there is not is refused by what it was looked for as', () => {
    const id = `cert_${'0'.repeat(27)}`
    const { authority, tlsCertificates } = open()
    expect(() => authority.privateKeyPem(id)).toThrow(`TLS certificate ${id}`)
    expect(() => authority.privateKeyPem(id)).toThrow(messageOf(() => tlsCertificates.get(id)))
  })
})

function messageOf(call: () => unknown): string {
  try {
    call()
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('nothing was thrown')
}
