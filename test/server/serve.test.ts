import dns from 'node:dns'
import { Agent } from 'node:http'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { serve } from '../../src/server/node.ts'
import { requestBytes, serveGateway } from '../support/serve.ts'
import { openRawConnection } from '../support/wire.ts'

const headers = { authorization: 'Bearer key', 'service-version': '2' }
const json = { ...headers, 'content-type': 'application/json' }

afterEach(() => void vi.useRealTimers())

describe('serve', () => {
  it('keeps idle connections longer than clients do, so that no client sends a request into a closed one', async () => {
    const { server } = await serveGateway(createGateway())
    const connection = await openRawConnection(server.port, 'GET /reserved_addrs HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await connection.until(/keep-alive: .*\r\n/i)
    const seconds = Number(/keep-alive: timeout=(\d+)/i.exec(connection.received())?.[1])
    expect(seconds).toBeGreaterThan(90)
  })

  it('responds on a loopback port, and starts every URI with its own address (rules: answers#uris)', async () => {
    const { gateway, server } = await serveGateway(createGateway())
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`)
    const answer = await fetch(`${server.url}/reserved_addrs`, { method: 'POST', headers: json, body: '{}' })
    expect(answer.status).toBe(201)
    const { id, uri } = (await answer.json()) as { id: string; uri: string }
    expect(uri).toBe(`${server.url}/reserved_addrs/${id}`)
    expect(gateway.reservedAddrs.get(id).uri).toBe(uri)
  })

  it('keeps a base URL that the options set (rules: answers#uris)', async () => {
    const { gateway, server } = await serveGateway(createGateway({ baseUrl: 'https://gate.example/api/' }))
    const { id } = gateway.reservedAddrs.create()
    const answer = await fetch(`${server.url}/reserved_addrs/${id}`, { headers })
    expect(await answer.json()).toMatchObject({ uri: `https://gate.example/api/reserved_addrs/${id}` })
    const below = await fetch(`${server.url}/api/reserved_addrs/${id}`, { headers })
    expect(below.status).toBe(200)
  })

  it('shows existing records with its new address', async () => {
    const gateway = createGateway()
    const { id, uri } = gateway.reservedAddrs.create()
    expect(uri).toBe(`https://api.gateway.test/reserved_addrs/${id}`)
    const server = await serve(gateway)
    expect(gateway.reservedAddrs.get(id).uri).toBe(`${server.url}/reserved_addrs/${id}`)
    await server.close()
    expect(gateway.reservedAddrs.get(id).uri).toBe(uri)
  })

  it('has told the clients of its process when it has closed, so a server at the same port gets no reset', async () => {
    const gateway = createGateway()
    let port = 0
    for (let round = 0; round < 40; round++) {
      const server = await serve(gateway, { port })
      port = server.port
      const statuses = await Promise.all(
        [1, 2].map(async () => (await fetch(`${server.url}/reserved_addrs`, { headers })).status),
      )
      expect(statuses).toEqual([200, 200])
      await server.close()
    }
  })

  it('ends idle keep-alive connections at once when it closes', async () => {
    const { server } = await serveGateway(createGateway())
    const agent = new Agent({ keepAlive: true })
    await requestBytes(`${server.url}/reserved_addrs`, { agent, headers })
    const [socket] = Object.values(agent.freeSockets).flat()
    const ended = new Promise((resolve) => socket?.once('close', resolve))
    await server.close()
    await ended
    agent.destroy()
    await expect(fetch(server.url)).rejects.toThrow()
  })

  it('says clearly that a port is taken, with the error of the system as the cause', async () => {
    const { server } = await serveGateway(createGateway())
    const error = await serve(createGateway(), { port: server.port }).catch((thrown) => thrown)
    expect(error).toMatchObject({
      message: expect.stringContaining(`Port ${server.port} on 127.0.0.1 is in use`),
      cause: { code: 'EADDRINUSE' },
    })
  })

  it('says clearly that a host is not an address of this machine, or is nobody’s name', async () => {
    const nobody = Object.assign(new Error('getaddrinfo ENOTFOUND nobody.example'), { code: 'ENOTFOUND' })
    const lookup = vi.spyOn(dns, 'lookup').mockImplementation(((...args: unknown[]) => {
      const callback = args.at(-1) as (error: Error) => void
      callback(nobody)
    }) as unknown as typeof dns.lookup)
    const elsewhere = serve(createGateway(), { host: 'nobody.example' })
    await expect(elsewhere).rejects.toThrow('The host nobody.example is not an address of this machine.')
    lookup.mockRestore()
    await expect(serve(createGateway(), { host: '192.0.2.1' })).rejects.toThrow('The host 192.0.2.1 is not an address')
  })

  it('rejects an empty host, which to Node is every host', async () => {
    const gateway = createGateway()
    await expect(serve(gateway, { host: '' })).rejects.toThrow('host is "". Allowed: a host name or an address.')
    for (const host of ['::1%lo', '[::1]', 'a b', 'a/b', '1.2.3.4.5', 'a:b']) {
      await expect(serve(gateway, { host })).rejects.toThrow(
        `host is "${host}". Allowed: a host name, or an address without brackets and without a zone, such as "::1".`,
      )
    }
    expect(gateway.url).toBe('https://api.gateway.test')
  })

  it('rejects a certificate that is none, and does not repeat the key', async () => {
    const tls = { certificate_pem: 'none', private_key_pem: 'open-sesame' }
    const error = await serve(createGateway(), { tls }).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(TypeError)
    expect(error.message).toMatch(
      /^tls cannot be used \(.+\)\. Allowed: a certificate and its private key, both as PEM\.$/,
    )
    expect(error.message).not.toContain('open-sesame')
  })

  it.each([
    ['127.0.0.1', '127.0.0.1', 'http://127.0.0.1:'],
    ['127.0.0.9', '127.0.0.9', 'http://127.0.0.9:'],
    ['0.0.0.0', '0.0.0.0', 'http://127.0.0.1:'],
    ['0', '0.0.0.0', 'http://127.0.0.1:'],
  ])('on the host %s says that it listens on %s in truth', async (host, address, url) => {
    await using server = await serve(createGateway(), { host })
    expect([server.address, server.url]).toEqual([address, `${url}${server.port}`])
  })

  it('answers 413 to a body over 1 MiB and reads no request out of its rest (rules: requests#body)', async () => {
    const { gateway, server } = await serveGateway(createGateway())
    const smuggled = `POST /reserved_addrs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}`
    const body = `${' '.repeat(1024 * 1024)}${smuggled}`
    const answer = await fetch(`${server.url}/reserved_addrs`, { method: 'POST', headers: json, body })
    expect(answer.status).toBe(413)
    expect(await answer.json()).toMatchObject({ error_code: 'ERR_GATEWAY_90413' })
    expect(gateway.reservedAddrs.list().reserved_addrs).toEqual([])
  })

  it('rejects a body that is not UTF-8 (rules: requests#body)', async () => {
    const { server } = await serveGateway(createGateway())
    const body = Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)
    const answer = await fetch(`${server.url}/reserved_addrs`, { method: 'POST', headers: json, body })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error_code: 'ERR_GATEWAY_213' })
  })

  it.each(['gzip', 'br', 'deflate'])('names the encoding of a compressed body: %s', async (encoding) => {
    const { server } = await serveGateway(createGateway())
    const compress = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync }[encoding] ?? gzipSync
    const body = compress(JSON.stringify({ description: 'a'.repeat(100) }))
    const sent = { ...json, 'content-encoding': encoding }
    const answer = await fetch(`${server.url}/reserved_addrs`, {
      method: 'POST',
      headers: sent,
      body: new Uint8Array(body),
    })
    expect(await answer.json()).toMatchObject({
      status_code: 400,
      msg: `The body is encoded as "${encoding}". Send it without Content-Encoding. It must be a single JSON object in UTF-8.`,
    })
  })

  it('rejects JSON that is sent as compressed, and accepts the encoding identity (rules: requests#body)', async () => {
    const { server } = await serveGateway(createGateway())
    const statuses = ['gzip', 'none', 'Identity'].map(async (encoding) => {
      const sent = { method: 'POST', headers: { ...json, 'content-encoding': encoding }, body: '{}' }
      return (await fetch(`${server.url}/reserved_addrs`, sent)).status
    })
    expect(await Promise.all(statuses)).toEqual([400, 400, 201])
  })

  it('answers HEAD and 204 without a body (rules: answers#head)', async () => {
    const { gateway, server } = await serveGateway(createGateway())
    const { id } = gateway.reservedAddrs.create()
    const sendAndRead = async (method: string) => {
      const answer = await fetch(`${server.url}/reserved_addrs/${id}`, { method, headers })
      return [answer.status, answer.headers.get('content-type'), await answer.text()]
    }
    expect(await sendAndRead('HEAD')).toEqual([200, 'application/json', ''])
    expect(await sendAndRead('DELETE')).toEqual([204, null, ''])
  })

  it('answers while fake timers and a fake date are active in its process', async () => {
    const { server } = await serveGateway(createGateway())
    vi.useFakeTimers()
    const answer = await fetch(`${server.url}/reserved_addrs`, { headers })
    expect(answer.status).toBe(200)
    await answer.text()
  })

  it('closes at the end of an `await using` block, also if it is already closed', async () => {
    const server = await serve(createGateway())
    await server[Symbol.asyncDispose]()
    await expect(fetch(server.url)).rejects.toThrow()
    await expect(server.close()).resolves.toBeUndefined()
  })
})
