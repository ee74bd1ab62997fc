import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { createAuthority } from '../../../src/service/x509/authority.ts'
import type { IssuingAuthority } from '../../../src/service/x509/order.ts'
import { createDraw, createOrder, DAY } from './issuing-support.ts'

/** The present, at which node:tls checks certificates. */
const now = Date.now()
const authorities = {
  'the test keys': createAuthority('test', createDraw('seed')),
  'keys of its own': createAuthority(createDraw('secret'), createDraw('seed')),
}

/** Connects once to a server with the certificate of an order. Returns the received text, or the code of the error. */
async function exchange(
  authority: IssuingAuthority,
  order: ReturnType<typeof createOrder>,
  options: { servername: string; ca?: string; maxVersion?: 'TLSv1.2' },
): Promise<string> {
  const { certificate_pem, private_key_pem } = authority.issue(order)
  const server = createServer({ cert: certificate_pem, key: private_key_pem }, (socket) => socket.end('hello'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, ...options })
  try {
    let received = ''
    for await (const chunk of client) received += chunk
    return received
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  } finally {
    client.destroy()
    server.close()
    await once(server, 'close')
  }
}

describe.each(['ecdsa', 'rsa'] as const)('a TLS server with an issued %s chain', (private_key_type) => {
  const order = createOrder({ private_key_type, not_before: now - DAY })
  const wildcard = { ...order, domain: '*.example.com' }

  describe.each(Object.entries(authorities))('from an authority with %s', (_, authority) => {
    const ca = authority.certificatePem
    it.each([
      ['app.example.com', order, { servername: 'app.example.com', ca }],
      ['app.example.com over TLS 1.2', order, { servername: 'app.example.com', ca, maxVersion: 'TLSv1.2' as const }],
      ['a name under a wildcard', wildcard, { servername: 'some.example.com', ca }],
      [
        'a long name',
        { ...order, domain: `${'a'.repeat(60)}.example.com` },
        { servername: `${'a'.repeat(60)}.example.com`, ca },
      ],
    ])('is accepted by a client that trusts the root: %s', async (_, order, options) => {
      expect(await exchange(authority, order, options)).toBe('hello')
    })
  })

  it('is rejected by a client that trusts the root of another authority with the same name', async () => {
    const { 'the test keys': authority, 'keys of its own': other } = authorities
    const options = { servername: 'app.example.com', ca: other.certificatePem }
    expect(await exchange(authority, order, options)).toMatch(/UNABLE_TO|CERT_SIGNATURE_FAILURE/)
  })
})
