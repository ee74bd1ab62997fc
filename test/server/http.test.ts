import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runToEnd, startCommand } from '../support/command.ts'
import { newFolder } from '../support/folder.ts'
import { openRawUpstream, type RawAnswer, visitRaw } from '../support/raw-traffic.ts'
import { waitUntil } from '../support/wire.ts'

/** Starts an application of this machine, which says what it received. */
async function startApp(): Promise<string> {
  const app = http.createServer((request, response) => response.end(`${request.method} ${request.headers.host}`))
  app.listen(0, '127.0.0.1')
  await once(app, 'listening')
  onTestFinished(() => void app.close())
  return String((app.address() as AddressInfo).port) // It listens at a port.
}

const ANY_PORTS = ['--port', '0', '--agent', '0', '--traffic', '0', '--traffic-tls', '0']

async function startHttp(...args: string[]) {
  return startHttpFor(await startApp(), ...args)
}

async function startHttpFor(app: string, ...args: string[]) {
  const server = await startCommand({}, ['http', app, ...ANY_PORTS, ...args], 'Forwards')
  onTestFinished(async () => void (await server.stop()))
  const { stdout } = server.output
  const found = (pattern: RegExp) => pattern.exec(stdout)?.[1] ?? ''
  return {
    ...server,
    publicUrl: found(/Forwards (\S+) to/),
    here: found(/(http:\S+\.localhost:\d+)/),
    secure: found(/(https:\S+\.localhost:\d+)/),
    agentApi: found(/local API is at (\S+)\./),
  }
}

/** Sends a request to a URL below localhost, whose names Node does not resolve. */
async function visit(here: string, path = '/') {
  const { port, host } = new URL(here)
  const [response] = (await once(http.get({ host: '127.0.0.1', port, path, headers: { host } }), 'response')) as [
    http.IncomingMessage,
  ]
  let text = ''
  for await (const part of response.setEncoding('utf8')) text += part
  return { status: response.statusCode, text }
}

describe('fauxgate http', () => {
  test('forwards the visitor requests to the application, and logs them', async () => {
    const { here, publicUrl, output } = await startHttp()
    const { host } = new URL(publicUrl)
    expect(publicUrl).toMatch(/^https:\/\/[0-9a-f]{12}\.ngrok-free\.app$/)
    expect(await visit(here, '/hook?secret=1')).toEqual({ status: 200, text: `GET ${host}` })
    await waitUntil(() => output.stdout.includes(`https://${host}/hook`))
    expect(output.stdout).toMatch(/GET {4}https:\S+\/hook +200/)
    expect(output.stdout).not.toContain('secret=1')
  })

  test('prints for visitors only addresses that answer, with and without TLS', async () => {
    const { here, secure, output, publicUrl } = await startHttp()
    const { hostname } = new URL(publicUrl)
    const printed = output.stdout.match(/^.*localhost:\d+$/gm)
    expect(printed).toEqual([`  ${here}`, `  ${secure}`])
    expect((await visit(here)).status).toBe(200)
    const { host, port } = new URL(secure)
    const trust = { servername: hostname, rejectUnauthorized: false }
    const request = https.get({ host: '127.0.0.1', port, headers: { host }, agent: false, ...trust })
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    expect(response.resume().statusCode).toBe(200)
  })

  test("shows the tunnel in the agent's API, and opens it again after a reset", async () => {
    const { url, agentApi, here, publicUrl } = await startHttp('--url', 'app.example.com')
    expect(publicUrl).toBe('https://app.example.com')
    const list = async () => (await (await fetch(`${agentApi}/tunnels`)).json()).tunnels
    expect(await list()).toMatchObject([{ name: 'command_line', public_url: publicUrl }])
    await fetch(`${url}/_fauxgate/reset`, { method: 'POST' })
    await waitUntil(async () => (await list()).length === 1)
    expect((await visit(here)).status).toBe(200)
  })

  test.each([
    ['https://app.example.com', 'app.example.com'],
    ['app.example.com', 'app.example.com'],
    ['https://App.example.com:443', 'app.example.com'],
    ['https://a.b.ngrok.app', 'a.b.ngrok.app'],
    ['https://*.example.com', '*.example.com'],
  ])('for %s reserves the domain %s, and says so', async (wanted, domain) => {
    const { url, output } = await startHttp('--url', wanted)
    expect(output.stdout).toContain(`Reserved the domain ${domain}.`)
    const headers = { authorization: 'Bearer any', 'ngrok-version': '2' }
    const { reserved_domains } = await (await fetch(`${url}/reserved_domains`, { headers })).json()
    expect(reserved_domains).toMatchObject([{ domain }])
  })

  test.each([
    ['--url', 'https://a.ngrok.app'],
    ['--plan', 'free'],
  ])('reserves nothing that it does not need: %s %s', async (...args) => {
    const { publicUrl, output } = await startHttp(...args)
    expect(publicUrl).toMatch(/^https:/)
    expect(output.stdout).not.toContain('Reserved the domain')
  })

  test('follows a traffic policy, also one that changes', async () => {
    const file = join(newFolder(), 'policy.yml')
    const deny = (path: string) =>
      `on_http_request:\n  - expressions: ["req.url.path == '${path}'"]\n    actions: [{ type: deny }]\n`
    writeFileSync(file, deny('/admin'))
    const { here, output } = await startHttp('--traffic-policy-file', file, '--watch')
    expect((await visit(here, '/admin')).status).toBe(403)
    expect((await visit(here, '/other')).status).toBe(200)
    writeFileSync(file, 'on_http_request:\n  - actions: [{ type: denyy }]\n')
    await waitUntil(() => output.stderr.includes('denyy'))
    writeFileSync(file, deny('/other'))
    await waitUntil(() => output.stdout.split('Forwards').length === 3)
    const last = output.stdout.slice(output.stdout.lastIndexOf('Forwards'))
    expect((await visit(/http:\S+\.localhost:\d+/.exec(last)?.[0] ?? '', '/other')).status).toBe(403)
  })

  test('names the line of an error in a traffic policy', async () => {
    const file = join(newFolder(), 'policy.yml')
    writeFileSync(file, 'on_http_request:\n  - actions:\n      - type: denyy\n')
    const { code, stderr } = await runToEnd({}, 'http', '3000', ...ANY_PORTS, '--traffic-policy-file', file)
    expect([code, stderr]).toEqual([2, expect.stringContaining('policy.yml:3:15: In the policy, on_http_request[0]')])
  })

  test('continues a stored state with one tunnel', async () => {
    const file = join(newFolder(), 'state.json')
    const first = await startHttp('--state', file)
    await first.stop()
    const { agentApi, output } = await startHttp('--state', file)
    expect(output.stderr).toBe('')
    const { tunnels } = await (await fetch(`${agentApi}/tunnels`)).json()
    expect(tunnels).toHaveLength(1)
  })

  test.each<[string[], string, number?]>([
    [[], 'http needs ADDRESS.'],
    [['foo:bar'], 'ADDRESS is "foo:bar". Allowed: a port'],
    [['tcp://localhost:22'], 'ADDRESS is "tcp://localhost:22". Allowed: a port'],
    [
      ['3000', '--url', 'https://app.example.com', '--plan', 'free'],
      'a custom hostname. The free plan does not include these',
    ],
    [
      ['3000', '--url', 'https://app.example.com', '--taken-domain', 'example.com'],
      'another account has "example.com"',
    ],
    [['3000', '--url', 'https://x y'], 'url is "https://x y". Allowed: a URL'],
    [['3000', '--url', 'https://app.example.com/path'], 'Allowed: a URL without a path'],
    [['3000', '--traffic-policy-file', 'nope.yml'], 'nope.yml cannot be read', 1],
    [
      ['example.com:80'],
      'ADDRESS is "example.com:80". Allowed: a server on this machine, or on a host allowed by --up',
    ],
  ])('rejects %j', async (args, message, expected = 2) => {
    const { code, stderr } = await runToEnd({}, 'http', ...args, ...ANY_PORTS)
    expect(code).toBe(expected)
    expect(stderr).toContain(message)
  })

  test('rejects a dialect without tunnels', async () => {
    const { code, stderr } = await runToEnd({}, 'http', '3000', '--dialect', 'standard')
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^fauxgate: The agent's API needs ngrok's families, /)])
  })

  test('uses the next ports if the usual ones are taken', async () => {
    const start = async () => {
      const server = await startCommand({}, ['http', await startApp(), '--port', '0'], 'Forwards')
      onTestFinished(async () => void (await server.stop()))
      return [...server.output.stdout.matchAll(/^(?:The agent's| {2}https?:).*:(\d+)(?:\/api|$)/gm)].map(
        ([, port]) => port,
      )
    }
    const ports = [...(await start()), ...(await start())]
    expect([ports.length, new Set(ports).size]).toEqual([6, 6])
  })
})

describe('Bytes of visitors at fauxgate http (rules: traffic#ports)', () => {
  const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
  const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n'
  const CHUNKS = `transfer-encoding: chunked\r\n\r\n${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`

  /** Sends requests for `HOST` to both ports, one after the other. Returns what each visitor gets. */
  async function send(answer: RawAnswer, bytes: string, ...args: string[]) {
    const upstream = await openRawUpstream(answer)
    const { here, secure, stop } = await startHttpFor(upstream.url, ...args)
    const texts: string[] = []
    for (const url of [here, secure]) {
      const { hostname, port } = new URL(url)
      const sent = bytes.replaceAll('HOST', hostname)
      texts.push(await (await visitRaw(Number(port), sent, url === secure ? hostname : undefined)).closed())
    }
    await stop()
    return { upstream, texts }
  }

  test.each(['DELETE', 'OPTIONS', 'TRACE', 'GET', 'HEAD', 'POST'])(
    'have the chunked body of %s framed for the application',
    async (method) => {
      const sent = `${method} /a HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\n${CHUNKS}`
      const { upstream, texts } = await send(OK, sent)
      expect(texts.map((text) => text.slice(0, 13))).toEqual(['HTTP/1.1 200 ', 'HTTP/1.1 200 '])
      const received = upstream.requests.map(({ head, body }) => [head.split(' HTTP')[0], body])
      expect(received).toEqual([`${method} /a`, `${method} /a`].map((line) => [line, SMUGGLED]))
    },
  )

  const request = (path: string) => `GET ${path} HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\n\r\n`

  test('get an error for a header of the policy that cannot be sent', async () => {
    const file = join(newFolder(), 'policy.yml')
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is an expression of the policy
    const headers = { 'x-a': '${req.url.path}' }
    const on_http_response = [{ actions: [{ type: 'add-headers', config: { headers } }] }]
    writeFileSync(file, JSON.stringify({ on_http_response }))
    const { texts } = await send(OK, request('/a%0ab'), '--traffic-policy-file', file)
    for (const text of texts) expect(text).toMatch(/^HTTP\/1.1 500 .*ngrok-error-code: ERR_NGROK_3900/s)
  })

  test.each([
    ['before its response', '', /^HTTP\/1.1 502 .*ERR_NGROK_3004/s],
    ['in the middle of a head', 'HTTP/1.1 200 OK\r\nconte', /^HTTP\/1.1 502 .*ERR_NGROK_3004/s],
    [
      'in the middle of a body',
      'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok',
      /content-length: 9\r\n.*\r\n\r\nok$/s,
    ],
  ])('end in an error if the application breaks off %s', async (_name, bytes, gets) => {
    const { texts } = await send((socket) => socket.end(bytes), request('/a'))
    for (const text of texts) expect(text).toMatch(gets)
  })
})
