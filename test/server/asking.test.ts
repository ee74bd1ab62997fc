import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createGateway, manualClock } from '../../src/index.ts'
import { callControl } from '../../src/server/client/server-calls.ts'
import { serve } from '../../src/server/node.ts'
import { CLOCK_START } from '../support/clock.ts'
import { runToEnd } from '../support/command.ts'
import { dueAfter } from '../support/provisioning.ts'
import { listen, serveResponse } from '../support/serve.ts'

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }
const CLOCK = '{"now": "2026-01-01T00:00:00Z", "ms": 1767225600000, "manual": true}'
const serveClock = (clock = CLOCK) => serveResponse((response) => response.writeHead(200, JSON_TYPE).end(clock))

describe('A command sends its request to the given server', () => {
  it.each(['', '/', '//', '/api', '/api//'])('below the path of its URL, such as %j', async (path) => {
    const { url, received } = await serveClock()
    expect(await runToEnd({}, 'clock', '--url', `${url}${path}`)).toMatchObject({
      code: 0,
      stdout: '2026-01-01T00:00:00Z\n',
    })
    expect(received.map((request) => request.url)).toEqual([`${path.replace(/\/+$/, '')}/_fauxgate/clock`])
  })

  it('with a key and a JSON body only if there are any', async () => {
    const { url, received } = await serveClock()
    await runToEnd({}, 'clock', '--url', url)
    await runToEnd({}, 'clock', 'to', '2026-01-01T00:00:00Z', '--url', url, '--control-key', 'open-sesame')
    await runToEnd(
      { FAUXGATE_URL: 'http://127.0.0.1:9', FAUXGATE_CONTROL_KEY: '' },
      'dns',
      'remove',
      'ä.test',
      '--url',
      url,
    )
    const [plain, keyed, removing] = received
    expect(plain).toMatchObject({ method: 'GET', body: '' })
    expect(Object.keys(plain?.headers ?? {}).sort()).toEqual(['connection', 'host'])
    expect(keyed).toMatchObject({
      method: 'POST',
      body: '{"to":"2026-01-01T00:00:00Z"}',
      headers: {
        'content-type': 'application/json',
        'content-length': '29',
        'fauxgate-control-key': 'open-sesame',
      },
    })
    expect(removing).toMatchObject({ method: 'DELETE', url: '/_fauxgate/dns?name=%C3%A4.test', body: '' })
    expect(removing?.headers).not.toHaveProperty('fauxgate-control-key')
  })

  it('and distinguishes the system clock from a manual clock', async () => {
    const { url } = await serveClock(CLOCK.replace('true', 'false'))
    expect((await runToEnd({}, 'clock', '--url', url)).stdout).toBe('2026-01-01T00:00:00Z (the system clock)\n')
  })
})

it.each([
  ['{"a": 1, "b": 0, "c": 0}', '2 collections contain no resources'],
  ['{"a": 1, "b": 0}', '1 collection contains no resources'],
  ['{"a": 1}', ''],
])('The overview of %s says how many collections are empty', async (counts, note) => {
  const { url } = await serveClock(`{"counts": ${counts}}`)
  const { stdout, stderr } = await runToEnd({}, 'overview', '--url', url)
  expect(JSON.parse(stdout)).toEqual({ counts: expect.objectContaining({ a: 1 }) })
  expect(stderr).toBe(`fauxgate: at ${url}\n${note && `fauxgate: ${note}\n`}`)
})

describe('A command says so if the response is not from a fauxgate', () => {
  const expectFailure = async (url: string, ...args: string[]) => {
    const { code, stdout, stderr } = await runToEnd({}, ...args, '--url', url)
    expect([code, stdout]).toEqual([1, ''])
    return stderr.replaceAll(url.replace('user:open-sesame@', ''), 'URL')
  }

  it.each<[number, Record<string, string>, string]>([
    [404, { 'content-type': 'text/html' }, '<h1>Not here</h1>'],
    [500, JSON_TYPE, '{"error": "ours"}'],
    [300, {}, ''],
    [301, {}, ''],
  ])('where it answers %i', async (status, headers, body) => {
    const { url } = await serveResponse((response) => response.writeHead(status, headers).end(body))
    expect(await expectFailure(url, 'clock', 'next')).toBe(
      `fauxgate: The server at URL is not a fauxgate server: its status was ${status}.\n`,
    )
  })

  it.each([
    ['clock', 'text/html', 'application/json'],
    ['report', 'text/html', 'text/plain; charset=utf-8'],
    ['overview', 'application/json', 'application/json'],
  ])('where it answers %s with a page as %s', async (command, type, expected) => {
    const { url } = await serveResponse((response) => response.writeHead(200, { 'content-type': type }).end('<html>'))
    expect(await expectFailure(url, command)).toBe(
      `fauxgate: The server at URL is not a fauxgate server: its response is not ${expected}.\n`,
    )
  })

  it('because the program speaks no HTTP, or TLS', async () => {
    const silent = await listen(createTcpServer((socket) => socket.destroy()))
    expect(await expectFailure(silent, 'clock')).toBe(
      'fauxgate: The server at URL closed the connection (ECONNRESET). Is it HTTPS?\n',
    )
    const plain = await listen(createTcpServer((socket) => socket.end('220 mail\r\n')))
    expect(await expectFailure(plain, 'clock')).toMatch(/^fauxgate: URL cannot be reached: Parse Error.*\.\n$/)
    const secure = plain.replace('http://', 'https://user:open-sesame@')
    expect(await expectFailure(secure, 'clock')).toMatch(
      /^fauxgate: The server at URL closed the connection \(EPROTO\)\. Is it HTTP\?\n$/,
    )
  })

  it('because the program does not answer in time', async () => {
    const url = await listen(createServer(() => undefined))
    await expect(callControl({ url, timeout: 1 }, 'GET', '/clock')).rejects.toThrow(
      new Error(`${url} cannot be reached: no response in time.`),
    )
  })

  it.each(['http://nowhere.invalid', 'http://127.0.0.1:9'])('because no program listens at %s', async (url) => {
    expect(await expectFailure(url, 'reset')).toBe(
      'fauxgate: No server responds at URL. Start one with "fauxgate serve", or specify it with --url or FAUXGATE_URL.\n',
    )
  })
})

it.each(['ftp://gate.test', 'http:///', 'gate'])('An invalid URL is rejected and quoted: %j', async (url) => {
  const stderr = (name: string) =>
    `fauxgate: ${name} is ${JSON.stringify(url)}. Allowed: an http or https URL. See "fauxgate help clock".\n`
  expect(await runToEnd({}, 'clock', '--url', url)).toMatchObject({ code: 2, stderr: stderr('--url') })
  expect(await runToEnd({ FAUXGATE_URL: url }, 'clock')).toMatchObject({ code: 2, stderr: stderr('FAUXGATE_URL') })
})

describe('The request to a control', () => {
  const sendAndCollect = async (...args: string[]) => {
    const { url, received } = await serveResponse((response) => response.writeHead(204).end())
    const { stderr, ...rest } = await runToEnd({ FAUXGATE_URL: url }, ...args)
    expect(rest).toEqual({ code: 0, stdout: '' })
    const [status, ...notes] = stderr.split('\n').slice(0, -1)
    expect(status).toBe(`fauxgate: done at ${url}`)
    expect(notes).toEqual(args[1] === 'add' ? [expect.stringContaining('this fault applies to ')] : [])
    expect(received).toHaveLength(1)
    const [{ method, url: path, body } = { body: '' }] = received
    return [`${method} ${path?.replace('/_fauxgate', '')}`, body === '' ? undefined : JSON.parse(body)]
  }

  it.each<[string | string[], string, unknown?]>([
    [
      'script {"outcome":"DNS_ERROR","retriesAfter":"5m"}',
      'POST /provisioning/script',
      { outcomes: [{ outcome: 'DNS_ERROR', retriesAfter: '5m' }] },
    ],
    ['script clear --domain x', 'DELETE /provisioning/script?domain=x'],
    ['expire rd_1', 'POST /provisioning/expire', { id: 'rd_1' }],
    ['timeline --state issued --skip 2 --limit 3', 'GET /timelines?state=issued&skip=2&limit=3'],
    ['dns remove n --type A --value v', 'DELETE /dns?name=n&type=A&value=v'],
    ['faults add --drop --after 1', 'POST /faults', { drop: true, after: 1 }],
    ['faults add --no-drop --times 2x', 'POST /faults', { drop: false, times: '2x' }],
    [['faults', 'add', '--body', ' {"a": 1}'], 'POST /faults', { body: { a: 1 } }],
    ['faults add --times 1234567890123456', 'POST /faults', { times: '1234567890123456' }],
    ['declare --backend b', 'POST /declare', { backend: 'b' }],
    [
      'declare --edge e --routes r1 --routes r2 --endpoint-configuration c',
      'POST /declare',
      { edge: 'e', routes: ['r1', 'r2'], endpoint_configuration: 'c' },
    ],
  ])('by %j', async (line, call, body) => {
    expect(await sendAndCollect(...(typeof line === 'string' ? line.split(' ') : line))).toEqual([call, body])
  })
})

describe('The timeline command', () => {
  it('shows the whole timeline of each domain, oldest first, with the next event and the expiry', async () => {
    const gateway = createGateway({ clock: manualClock(CLOCK_START), dns: 'simulated', seed: 'shown' })
    const policy = { authority: 'letsencrypt' } as const
    const server = await serve(gateway)
    for (const domain of ['a.example.com', 'b.example.com'])
      gateway.reservedDomains.create({ domain, certificate_management_policy: policy })
    const [second, first] = gateway.reservedDomains.list().reserved_domains
    gateway.dns.cname('a.example.com', first?.cname_target as string)
    gateway.clock.advanceToNext()
    const { stdout } = await runToEnd({ FAUXGATE_URL: server.url }, 'timeline')
    expect(stdout.replace(/(?<=needs \S+ CNAME \S+: ).*/, 'PROBLEM')).toBe(
      [
        `a.example.com (${first?.id}) is issued; the next renewal is due at ${dueAfter('60d', '30s')}; its certificate expires at ${dueAfter('90d', '30s')}`,
        gateway.provisioning.printTimeline(first?.id as string),
        '',
        `b.example.com (${second?.id}) is failing; the next attempt is due at ${dueAfter('1h', '30s')}`,
        `needs b.example.com CNAME ${second?.cname_target}: PROBLEM`,
        gateway.provisioning.printTimeline(second?.id as string),
        '',
      ].join('\n'),
    )
    gateway.reservedDomains.detachCertificateManagementPolicy(second?.id as string)
    const { stdout: unmanaged } = await runToEnd({ FAUXGATE_URL: server.url }, 'timeline', '--state', 'unmanaged')
    expect(unmanaged).toMatch(new RegExp(`^b\\.example\\.com \\(${second?.id}\\) is unmanaged\n`))
    gateway.reservedDomains.update(second?.id as string, { certificate_management_policy: policy })
    expect((await runToEnd({ FAUXGATE_URL: server.url }, 'timeline', 'b.example.com')).stdout).not.toContain(
      'a.example.com',
    )
    expect(await runToEnd({ FAUXGATE_URL: server.url }, 'attempt', 'B.example.com.')).toMatchObject({ code: 0 })
    await server.close()
  })
})
