import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { manualClock } from '../../../src/index.ts'
import { serveTraffic } from '../../../src/server/traffic/serve-traffic.ts'
import type { VisitorLog } from '../../../src/server/traffic/visitor-log.ts'
import { openRawPorts, openRawUpstream, visitRaw } from '../../support/raw-traffic.ts'

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const HOST = 'host: app.example.com\r\n'
const LONG_HOST = `${'a.'.repeat(20_000)}com`
const HOST_SIZES = 'at most 253 characters, with at most 63 between dots'
const TOO_LONG = expect.stringMatching(new RegExp(`^The host is "(a\\.){40}.{1,3}"\\. Allowed: ${HOST_SIZES}\\.$`))

describe('The response to a request that reaches no endpoint says why (rules: traffic#ports):', () => {
  test.each([
    ['two hosts', `GET / HTTP/1.1\r\n${HOST}${HOST}\r\n`, 'The request has two Host headers.'],
    ['no host', 'GET / HTTP/1.1\r\n\r\n', 'The Host header is missing.'],
    ['a host that cannot be read', 'GET / HTTP/1.1\r\nhost: a@b\r\n\r\n', 'The host is malformed.'],
    [
      'a coding of HTTP/1.0',
      `POST / HTTP/1.0\r\n${HOST}transfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      'HTTP/1.0 has no Transfer-Encoding.',
    ],
    [
      'another coding',
      `POST / HTTP/1.1\r\n${HOST}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
      'The only supported Transfer-Encoding is chunked.',
    ],
    [
      'a fragment',
      `GET /a#b HTTP/1.1\r\n${HOST}\r\n`,
      'The target contains a fragment or a character that is not allowed in URLs.',
    ],
    ['CONNECT', `CONNECT a.example.com:443 HTTP/1.1\r\n${HOST}\r\n`, 'This server does not support CONNECT.'],
    [
      'an expectation',
      `GET / HTTP/1.1\r\n${HOST}expect: tea\r\n\r\n`,
      'The only supported expectation is 100-continue.',
    ],
    ['a long host', `GET / HTTP/1.1\r\nhost: ${LONG_HOST}\r\n\r\n`, TOO_LONG],
    ['a long host in the target', `GET http://${LONG_HOST}/ HTTP/1.1\r\n${HOST}\r\n`, TOO_LONG],
    ['a long x-fauxgate-host', `GET / HTTP/1.1\r\n${HOST}x-fauxgate-host: ${LONG_HOST}\r\n\r\n`, TOO_LONG],
    [
      'a long label',
      `GET / HTTP/1.1\r\nhost: ${'a'.repeat(64)}.example.com:80\r\n\r\n`,
      `The host is "${'a'.repeat(64)}.example.com". Allowed: ${HOST_SIZES}.`,
    ],
    [
      'a label that is long as Punycode',
      `GET / HTTP/1.1\r\nhost: ${'àéöüñç'.repeat(9)}.com\r\n\r\n`,
      expect.stringMatching(/^The host is "xn--.*Allowed: at most 253 characters/),
    ],
    ['another scheme', `GET ftp://a HTTP/1.1\r\n${HOST}\r\n`, 'The target is neither a path nor a URL.'],
  ])('%s', async (_what, sent, why) => {
    const upstream = await openRawUpstream(OK)
    const { ports } = await openRawPorts(upstream.url)
    const text = await (await visitRaw(ports.plain, sent)).until(/\n$/)
    const [head, body] = text.split('\r\n\r\n')
    expect(body?.replace(/\n$/, '')).toEqual(why)
    expect(head).toMatch(/^content-type: text\/plain; charset=utf-8\r?$/im)
    expect(upstream.requests).toEqual([])
  })
})

describe('The ports for visitors', () => {
  const [server] = ['http://127.0.0.1:9']
  const key = 'https://app.internal'

  test.each(['http://localhost:9', 'http://127.0.0.1:9', 'http://127.9.9.9:9', 'http://[::1]:9'])(
    'may forward to %s, which is this machine',
    async (each) => {
      expect(await serveTraffic(createNgrok(), '127.0.0.1', { upstreams: [`${key}=${each}`] })).toEqual([])
    },
  )

  test.each(['http://example.com', 'http://128.0.0.1', 'http://[::2]', 'http://localhost.example.com'])(
    'may not forward to %s, and the error has the option as it was written',
    async (each) => {
      await expect(serveTraffic(createNgrok(), '127.0.0.1', { upstreams: [`${key}=${each}`] }, '--upstream'))
        .rejects //
        .toThrow(
          `--upstream contains "${each}/". Allowed: servers on this machine, or hosts allowed by --upstream-host.`,
        )
    },
  )

  test('are closed if another one cannot be opened', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    onTestFinished(() => void taken.close())
    const { port } = taken.address() as AddressInfo // It listens at a port.
    const [first] = await serveTraffic(createNgrok(), '127.0.0.1', { traffic: 0 })
    const free = first?.port ?? 0
    await first?.close()
    const config = { traffic: free, trafficTls: port, upstreams: [`${key}=${server}`] }
    await expect(serveTraffic(createNgrok(), '127.0.0.1', config)).rejects.toThrow('EADDRINUSE')
    const again = createServer().listen(free, '127.0.0.1')
    await once(again, 'listening')
    again.close()
  })

  test('name their URLs', async () => {
    const ports = await serveTraffic(createNgrok(), '127.0.0.1', { traffic: 0, trafficTls: 0 })
    onTestFinished(async () => void (await Promise.all(ports.map((each) => each.close()))))
    expect(ports.map(({ url }) => url)).toEqual([
      `http://localhost:${ports[0]?.port}`,
      `https://localhost:${ports[1]?.port}`,
    ])
  })

  test('log each visit once, without its query, with the number of its error', async () => {
    const upstream = await openRawUpstream(OK)
    const gateway = createNgrok({ clock: manualClock('2026-01-01T00:00:00Z') })
    gateway.declare.tunnelSession({
      endpoints: [
        { url: 'https://app.example.com', forwards_to: 'http://localhost:3000' },
        { url: 'https://down.example.com', forwards_to: 'http://localhost:9' },
      ],
    })
    const logged: Parameters<VisitorLog>[0][] = []
    const config = { traffic: 0, upstreams: [`http://localhost:3000=${upstream.url}`] }
    const [port] = await serveTraffic(gateway, '127.0.0.1', config, 'upstreams', (line) => void logged.push(line))
    onTestFinished(() => port?.close())
    const visit = async (host: string) =>
      (await visitRaw(port?.port ?? 0, `GET /a?token=x HTTP/1.1\r\nhost: ${host}\r\n\r\n`)).until(/\r\n\r\n./)
    await visit('app.example.com')
    await visit('down.example.com')
    expect(logged).toEqual([
      {
        ...{ at: Date.UTC(2026, 0, 1), method: 'GET', path: 'https://app.example.com/a', operation: null },
        ...{ duration: expect.any(Number), status: 200, error: null, message: null },
      },
      expect.objectContaining({ path: 'https://down.example.com/a', status: 502, error: 'ERR_NGROK_8012' }),
    ])
  })
})
