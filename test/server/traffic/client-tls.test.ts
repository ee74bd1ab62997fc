import { once } from 'node:events'
import tls from 'node:tls'
import { afterEach, describe, expect, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { serveTraffic } from '../../../src/server/traffic/serve-traffic.ts'
import { certificatePair } from '../../../src/testing/certificates.ts'
import { policyOf } from '../../traffic/visits.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const PAIR = certificatePair({ issuers: 1, notBefore: '2020-01-01T00:00:00Z', notAfter: '2090-01-01T00:00:00Z' })
const [, ROOT = ''] = PAIR.certificate_pem.split(/(?=-----BEGIN)/)

/** Opens the port with TLS of a gateway with an endpoint, and sends it requests. */
async function open(type: string, config: object, expressions: readonly string[] = []) {
  const gateway = createNgrok({ provisioningDelay: 0 })
  const traffic_policy = policyOf(type, config, type === 'deny' ? 'on_http_request' : 'on_tcp_connect', expressions)
  gateway.declare.tunnelSession({ endpoints: [{ url: 'https://app.ngrok.app', traffic_policy }] })
  gateway.traffic.upstream('https://app.ngrok.app', () => new Response('up'))
  const [port] = await serveTraffic(gateway, '127.0.0.1', { trafficTls: 0 })
  closing.push(() => port?.close())
  const visit = async (options: tls.ConnectionOptions) => {
    const servername = 'app.ngrok.app'
    const socket = tls.connect({
      host: '127.0.0.1',
      port: port?.port ?? 0,
      servername,
      rejectUnauthorized: false,
      ...options,
    })
    socket.on('error', () => undefined)
    socket.write(`GET / HTTP/1.1\r\nhost: ${servername}\r\nconnection: close\r\n\r\n`)
    let text = ''
    socket.on('data', (part) => {
      text += part
    })
    await once(socket, 'close')
    return text.slice(0, 12)
  }
  return { gateway, visit }
}

// rules: traffic#client-certificates
describe('A port with TLS', () => {
  test('asks for the certificate that a policy requires, and closes without one', async () => {
    const { gateway, visit } = await open('terminate-tls', { mutual_tls_certificate_authorities: [ROOT] })
    expect(await visit({})).toBe('')
    expect(JSON.stringify(gateway.traffic.last()?.trace)).toContain('it presents no certificate')
    const shown = { cert: PAIR.certificate_pem, key: PAIR.private_key_pem }
    expect(await visit(shown)).toBe('HTTP/1.1 200')
    const stranger = certificatePair({ issuers: 1, seed: 'stranger', notAfter: '2090-01-01T00:00:00Z' })
    expect(await visit({ cert: stranger.certificate_pem, key: stranger.private_key_pem })).toBe('')
  })

  test('tells policies the version and the cipher suite, and asks nobody else for a certificate', async () => {
    const { gateway, visit } = await open('deny', {}, ["conn.tls.version == '1.2'", "conn.tls.cipher_suite != ''"])
    const shown = { cert: PAIR.certificate_pem, key: PAIR.private_key_pem }
    expect([await visit({ maxVersion: 'TLSv1.2' }), await visit(shown)]).toEqual(['HTTP/1.1 403', 'HTTP/1.1 200'])
    expect(gateway.traffic.last()?.from?.certificate).toBeUndefined()
  })

  test('closes for a version that the endpoint does not allow', async () => {
    const { visit } = await open('terminate-tls', { min_version: '1.3' })
    expect([await visit({ maxVersion: 'TLSv1.2' }), await visit({})]).toEqual(['', 'HTTP/1.1 200'])
  })
})
