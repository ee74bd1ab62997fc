import { describe, expect, it } from 'vitest'
import { ngrokFamilies } from '../../../src/gateway/ngrok.ts'
import { openApi } from '../../../src/gateway/openapi/openapi.ts'
import { ngrok } from '../../../src/index.ts'
import { refusalKey } from '../../support/client.ts'
import { isDeeplyFrozen } from '../../support/gateway.ts'
import { openGateway } from './support.ts'

describe('A tunnel group backend (rules: backends#tunnel-groups)', () => {
  it('has the tunnels with all its labels while they are open, and these tunnels refer to it', () => {
    const { gateway } = openGateway()
    const group = gateway.tunnelGroupBackends.create({ labels: { foo: 'bar', baz: 'qux' } })
    const labelled = [{ labels: { foo: 'bar', baz: 'qux', more: 'x' } }, { labels: { foo: 'bar' } }]
    const session = gateway.declare.tunnelSession({ labelled, endpoints: [{}] })
    const { tunnels } = gateway.tunnelGroupBackends.get(group.id)
    expect(tunnels).toEqual([{ id: tunnels[0]?.id, uri: `https://api.ngrok.com/tunnels/${tunnels[0]?.id}` }])
    const all = gateway.tunnels.list().tunnels
    expect(all.map(({ labels, backends }) => [labels?.more, backends?.map(({ id }) => id)])).toEqual(
      expect.arrayContaining([
        ['x', [group.id]],
        [undefined, undefined],
        [undefined, undefined],
      ]),
    )
    const list = gateway.tunnelGroupBackends.list()
    expect([list.backends[0]?.tunnels, isDeeplyFrozen(list)]).toEqual([tunnels, true])
    expect(gateway.tunnelGroupBackends.update(group.id, { labels: { foo: 'bar' } }).tunnels).toHaveLength(2)
    expect(gateway.tunnelGroupBackends.update(group.id, { labels: {} }).tunnels).toEqual([])
    gateway.tunnelGroupBackends.update(group.id, { labels: { foo: 'bar' } })
    gateway.tunnelSessions.stop(session.id)
    expect(gateway.tunnelGroupBackends.get(group.id).tunnels).toEqual([])
  })

  it.each([
    [{ '': 'x' }, 'group_label_key_invalid'],
    [{ k: '' }, 'group_label_value_invalid'],
    [{ k: 7 }, 'group_label_value_invalid'],
    [{ ['k'.repeat(256)]: 'x' }, 'group_label_key_invalid'],
    [{ k: 'a=b' }, 'group_label_with_equals'],
    [Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`k${n}`, 'x'])), 'group_labels_too_many'],
  ])('rejects the labels %j', (labels, key) => {
    const { gateway } = openGateway()
    // These labels are invalid.
    expect(refusalKey(() => gateway.tunnelGroupBackends.create({ labels: labels as Record<string, string> }))).toBe(key)
  })
})

describe('A failover backend (rules: backends#failover)', () => {
  it('keeps its children after a PATCH without them, with the quirk keepBackendsOnPatch', () => {
    const { gateway } = openGateway({ quirks: { keepBackendsOnPatch: true } })
    const { id } = gateway.failoverBackends.create({ backends: ['bkdhr_1'] })
    expect(gateway.failoverBackends.update(id, { metadata: 'm' }).backends).toEqual(['bkdhr_1'])
  })

  it('rejects children that are not backends, are failover backends, or are too many', async () => {
    const { gateway, sendRefused } = openGateway()
    const { id } = gateway.failoverBackends.create()
    const sendBackends = (backends: unknown) => sendRefused('POST', '/backends/failover', { json: { backends } })
    expect(await sendBackends(['x'])).toBe('400 ERR_NGROK_6526')
    expect(await sendBackends(['bkdwd_gone'])).toBe('400 ERR_NGROK_6501')
    expect(await sendBackends([id])).toBe('400 ERR_NGROK_6525')
    expect(await sendBackends(Array(101).fill('bkdhr_1'))).toBe('400 ERR_NGROK_6513')
  })
})

describe('An HTTP response backend (rules: backends#http-responses)', () => {
  it('has the status 200, no body and no headers (null) by default', () => {
    expect(openGateway().gateway.httpResponseBackends.create()).toMatchObject({
      body: '',
      headers: null,
      status_code: 200,
    })
  })

  it.each([
    [{ status_code: 600 }, 6517],
    [{ status_code: 0 }, 6517],
    [{ body: 'x'.repeat(65_537) }, 6516],
    [{ headers: { 'a b': 'x' } }, 90442],
    [{ headers: { a: 'x\n' } }, 90442],
    [{ headers: { A: 'x', a: 'y' } }, 90442],
  ])('is rejected with %j', async (json, number) => {
    const { sendRefused } = openGateway()
    expect(await sendRefused('POST', '/backends/http_response', { json })).toBe(`400 ERR_NGROK_${number}`)
  })
})

describe('A static backend (rules: backends#static-addresses)', () => {
  it('keeps its address and its TLS after a PATCH with empty values, as the client for Go sends it', async () => {
    const { gateway, send } = openGateway()
    const before = gateway.staticBackends.create({ address: 'example.com:8080', tls: { enabled: true } })
    const json = { metadata: 'm', address: '', tls: {} }
    expect((await send('PATCH', `/backends/static/${before.id}`, { json })).body).toEqual({ ...before, metadata: 'm' })
  })

  it.each([
    ['', 6505],
    [':80', 6507],
    ['example.com', 6506],
    ['example.com:0', 6506],
    ['example.com:65536', 6506],
    ['http://example.com:80', 6506],
    ['example..com:80', 6506],
    ['[1::2::3]:80', 6506],
    ['[192.0.2.1]:80', 6506],
  ])('rejects the address "%s"', async (address, number) => {
    const { sendRefused } = openGateway()
    expect(await sendRefused('POST', '/backends/static', { json: { address } })).toBe(`400 ERR_NGROK_${number}`)
  })

  it.each(['localhost:1', '[::1]:80', '192.0.2.1:443', 'a_b.internal:8080'])('takes the address "%s"', (address) => {
    expect(openGateway().gateway.staticBackends.create({ address }).address).toBe(address)
  })
})

describe('Backends that other backends name (rules: backends#shared-rules)', () => {
  it('cannot be deleted before the backends that name them', async () => {
    const { gateway, send, sendRefused } = openGateway({ references: 'declared' })
    const group = gateway.tunnelGroupBackends.create({ labels: { a: 'b' } }).id
    const response = gateway.httpResponseBackends.create().id
    const weighted = gateway.weightedBackends.create({ backends: { [group]: 1 } }).id
    const failover = gateway.failoverBackends.create({ backends: [response, weighted] }).id
    for (const path of [`tunnel_group/${group}`, `http_response/${response}`, `weighted/${weighted}`]) {
      expect(await sendRefused('DELETE', `/backends/${path}`), path).toBe('400 ERR_NGROK_6502')
    }
    const order = [`failover/${failover}`, `weighted/${weighted}`, `tunnel_group/${group}`, `http_response/${response}`]
    for (const path of order) expect((await send('DELETE', `/backends/${path}`)).status, path).toBe(204)
    expect(refusalKey(() => gateway.weightedBackends.create({ backends: { [group]: 1 } }))).toBe(
      'child_backend_not_found',
    )
  })
})

it('A static backend documents the missing address for its creation alone: an update without one keeps the address', () => {
  const { paths } = openApi(ngrok, { families: ngrokFamilies })
  const documentedAt = (path: string, method: string) => JSON.stringify(paths[path]?.[method])
  expect(documentedAt('/backends/static', 'post')).toContain('static_address_missing')
  expect(documentedAt('/backends/static/{id}', 'patch')).toContain('static_address_invalid')
  expect(documentedAt('/backends/static/{id}', 'patch')).not.toContain('static_address_missing')
})
