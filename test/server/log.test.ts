import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createControlClient } from '../support/client.ts'
import { startServer, startServerProcess } from '../support/command.ts'
import { newFile } from '../support/folder.ts'
import { openRawConnection, waitUntil } from '../support/wire.ts'

const MANUAL = ['--clock', 'manual', '--start', '2026-01-01T00:00:00Z', '--seed', 'log', '--dialect', 'ngrok']
const headers = { authorization: 'Bearer a-key-of-somebody', 'ngrok-version': '2', 'content-type': 'application/json' }
const body = JSON.stringify({ domain: 'app.example.com', certificate_management_policy: { authority: 'letsencrypt' } })

afterEach(() => void vi.useRealTimers())

/** Returns the lines that a server logs for some requests. */
async function collectLog(flags: readonly string[], sendRequests: (url: string) => Promise<unknown>, environment = {}) {
  const { url, output, stop } = await startServer(environment, ...MANUAL, ...flags)
  await sendRequests(url)
  await stop()
  const [first = '', ...more] = output.stdout.replaceAll(url, 'URL').trimEnd().split('\n')
  // Between these lines, text has four lines on how to connect, and JSON has one.
  const isConnect = (line: string) => /^(\{"event":"connect"|Dialect: |Inspector, |Clients need | {2}curl )/.test(line)
  const lines = more.filter((line) => !isConnect(line))
  return { first, lines, stderr: output.stderr }
}

/** Reserves a domain twice, waits for its certificate, and requests the clock and an unknown path. */
async function sendUsualRequests(url: string): Promise<void> {
  for (let i = 0; i < 2; i++) await fetch(`${url}/reserved_domains`, { method: 'POST', headers, body })
  await createControlClient(fetch, url)('POST', '/clock', { advance: '30s' })
  await fetch(`${url}/_fauxgate/clock`)
  await fetch(`${url}/nowhere/a-key-of-somebody?key=a-key-of-somebody`, { headers })
}

describe('The log', () => {
  it('has one line for each request, and one for each step of provisioning after its cause', async () => {
    const { first, lines, stderr } = await collectLog([], sendUsualRequests)
    expect(first).toBe('fauxgate (ngrok) listens on URL')
    expect(lines.map((line) => line.replace(/\d+(\.\d)? ms/, 'N ms').replace(/(rd|cert)_\w+/g, '$1_…'))).toEqual([
      '2026-01-01T00:00:00Z POST   /reserved_domains                  201 reserved_domains.create N ms',
      '2026-01-01T00:00:00Z cert   app.example.com                    started A certificate with an ecdsa key is requested.',
      '2026-01-01T00:00:00Z POST   /reserved_domains                  400 ERR_NGROK_413 reserved_domains.create N ms The domain "app.example.com" is already reserved, as rd_…. Each name can be reserved only once.',
      '2026-01-01T00:00:30Z cert   app.example.com                    issued cert_… is valid until 2026-04-01T00:00:30Z, and will be renewed at 2026-03-02T00:00:30Z.',
      '2026-01-01T00:00:30Z POST   /_fauxgate/clock                   200 N ms',
      expect.stringMatching(
        /^2026-01-01T00:00:30Z GET {4}\/nowhere\/\[redacted\] +404 N ms GET "\/nowhere\/\[redacted\]" is not part of/,
      ),
    ])
    expect(stderr).toBe('')
  })

  it('contains no token that a request created, sent, or was rejected for', async () => {
    const tokens: string[] = []
    const { lines, stderr } = await collectLog(['--log', 'json'], async (url) => {
      for (const path of ['/credentials', '/api_keys']) {
        const created = await (await fetch(url + path, { method: 'POST', headers, body: '{}' })).json()
        tokens.push(created.token)
        await fetch(url + path, { headers: { ...headers, authorization: `Bearer ${created.token}` } })
      }
    })
    expect(lines.map((line) => JSON.parse(line).status)).toEqual([201, 400, 201, 200])
    for (const token of tokens) expect(lines.join() + stderr).not.toContain(token.slice(-21))
  })

  it('has each step of provisioning once, in order, also if one advance of the clock runs many', async () => {
    const { lines } = await collectLog(['--log', 'json'], async (url) => {
      await fetch(`${url}/reserved_domains`, { method: 'POST', headers, body })
      await createControlClient(fetch, url)('POST', '/clock', { advance: '125d' })
    })
    const events = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'provisioning')
    expect(events.map(({ at, transition }) => [at, transition])).toEqual([
      ['2026-01-01T00:00:00Z', 'started'],
      ['2026-01-01T00:00:30Z', 'issued'],
      ['2026-03-02T00:00:30Z', 'renewal started'],
      ['2026-03-02T00:01:00Z', 'renewed'],
      ['2026-05-01T00:01:00Z', 'renewal started'],
      ['2026-05-01T00:01:30Z', 'renewed'],
    ])
    const messages = events.map(({ message }) => message)
    expect(new Set(messages).size).toBe(5)
  })

  it('has each attempt of one second', async () => {
    const { lines } = await collectLog(['--log', 'json'], async (url) => {
      await fetch(`${url}/reserved_domains`, { method: 'POST', headers, body })
      const call = createControlClient(fetch, url)
      await call('POST', '/provisioning/script', { outcomes: ['DNS_ERROR', 'DNS_ERROR'] })
      for (let attempt = 0; attempt < 2; attempt++)
        await call('POST', '/provisioning/attempt', { id: 'app.example.com' })
    })
    const transitions = lines.flatMap((line) => JSON.parse(line).transition ?? [])
    expect(transitions).toEqual(['started', 'failed', 'retried', 'failed'])
  })

  it('is one JSON object per line with --log json, from the first line on', async () => {
    const { first, lines } = await collectLog(['--log', 'json'], sendUsualRequests)
    expect(JSON.parse(first)).toEqual({
      event: 'listening',
      message: 'fauxgate (ngrok) listens on URL',
      url: 'URL',
      address: '127.0.0.1',
      port: expect.any(Number),
      dialect: 'ngrok',
    })
    const events = lines.map((line) => JSON.parse(line))
    const [one, two] = ['request', 'provisioning']
    expect(events.map(({ event }) => event)).toEqual([one, two, one, two, one, one])
    expect(events[2]).toMatchObject({ at: '2026-01-01T00:00:00.000Z', status: 400, error: 'ERR_NGROK_413' })
    expect(events[3]).toMatchObject({ at: '2026-01-01T00:00:30Z', domain: 'app.example.com', transition: 'issued' })
  })

  it.each([[], ['--log', 'json']])('shows no key, wherever a client sends it, with %j', async (...flags) => {
    const keys = ['--key', 'a-key-of-somebody', '--control-key', 'control-of-all']
    const { first, lines, stderr } = await collectLog([...flags, ...keys], async (url) => {
      await sendUsualRequests(url)
      await fetch(`${url}/control-of-all`, { headers })
      await fetch(`${url}/reserved_domains/a-key-of-somebody`, { headers: { authorization: 'a-key-of-somebody' } })
      // The log reuses its search for the next request, so each key follows another one.
      for (const key of ['another-secret-key', 'third-secret-key', 'another-secret-key'])
        await fetch(`${url}/reserved_domains/${key}`, { headers: { authorization: `Bearer ${key}` } })
    })
    expect(lines.length).toBeGreaterThan(5)
    expect([first, ...lines, stderr].join('\n')).not.toMatch(/a-key-of|control-of|another-secret|third-secret/)
  })

  it('prints only the URL with --quiet', async () => {
    expect(await collectLog(['--quiet'], sendUsualRequests)).toEqual({
      first: 'fauxgate (ngrok) listens on URL',
      lines: [],
      stderr: '',
    })
  })

  it('prints the address of each port with --quiet', async () => {
    const flags = ['--quiet', '--agent', '0', '--traffic', '0', '--traffic-tls', '0']
    const { lines } = await collectLog(flags, sendUsualRequests)
    expect(lines.map((line) => line.replace(/:\d+/g, ':PORT'))).toEqual([
      "The agent's local API is at http://127.0.0.1:PORT/api. Nothing connects to ngrok.",
      'Visitors to its endpoints: http://HOST.localhost:PORT for https://HOST',
      'Visitors to its endpoints, with TLS: https://HOST.localhost:PORT for https://HOST',
    ])
  })

  it('prints only the URL with --quiet when a changed file restarts it', async () => {
    const file = newFile('c.json', '{}')
    const { output } = await startServer({}, '--quiet', '--watch', '--config', file)
    const address = output.stdout
    writeFileSync(file, '{"name": "second"}')
    await waitUntil(() => output.stdout.split(address).length === 3)
    expect(output.stdout).toBe(address + address)
  })

  it('has colours if the environment asks for them', async () => {
    const { lines } = await collectLog([], (url) => fetch(`${url}/reserved_addrs`, { headers }), { FORCE_COLOR: '1' })
    expect(lines.join('')).toContain('\u001b[')
  })

  it('on the system clock has due events at their time, without any request', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const starting = startServer({}, '--provisioning-delay', '1ms')
    await vi.advanceTimersByTimeAsync(5)
    const { url, output } = await starting
    await fetch(`${url}/reserved_domains`, { method: 'POST', headers: { ...headers, 'service-version': '2' }, body })
    await vi.advanceTimersByTimeAsync(3000)
    expect(output.stdout).toMatch(/\n\d\d:\d\d:\d\d cert {3}app\.example\.com +issued cert_/)
  })
})

it('A log that nobody reads neither stops the server nor keeps it from stopping', async () => {
  const { url, child } = await startServerProcess('serve', '--port', '0')
  child.stdout?.removeAllListeners('data').pause()
  const { socket, received } = await openRawConnection(Number(new URL(url).port))
  socket.write(`GET /${'x'.repeat(250)} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(600))
  await waitUntil(() => received().split('HTTP/1.1 404').length > 600)
  child.kill('SIGTERM')
  // Not "close", which waits for the reader.
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
})

it('GET / answers with links to the inspector and the API, as text or HTML', async () => {
  const { lines } = await collectLog([], async (url) => {
    const text = await (await fetch(url)).text()
    expect(text).toMatch(/^This is fauxgate, an emulated tunnel gateway \(ngrok\)/)
    expect(text).toContain(`${url}/_fauxgate/\n`)
    const page = await fetch(url, { headers: { accept: 'text/html,*/*' } })
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await page.text()).toContain(`<a href="${url}/_fauxgate/">`)
    expect((await fetch(url, { method: 'POST' })).status).toBe(404)
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })
  expect(lines).toHaveLength(4)
})
