import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { started, startedIn } from '../support/command.ts'

const MANUAL = ['--clock', 'manual', '--start', '2026-01-01T00:00:00Z', '--seed', 'log', '--dialect', 'ngrok']
const headers = { authorization: 'Bearer a-key-of-somebody', 'ngrok-version': '2', 'content-type': 'application/json' }

/** What a server logs of some requests. */
async function loggedIn(
  environment: NodeJS.ProcessEnv,
  flags: readonly string[],
  asked: (url: string) => Promise<unknown>,
) {
  const { url, output, child, exited } = await startedIn(environment, 'serve', '--port', '0', ...MANUAL, ...flags)
  await asked(url)
  child.kill('SIGTERM')
  await exited
  const [first = '', ...lines] = output.stdout.replaceAll(url, 'URL').trimEnd().split('\n')
  return { first, lines, stderr: output.stderr }
}

const logged = (flags: readonly string[], asked: (url: string) => Promise<unknown>) => loggedIn({}, flags, asked)

/** A domain is reserved, twice; its certificate comes; the first look at it. */
async function aLife(url: string): Promise<void> {
  const body = JSON.stringify({
    domain: 'app.example.com',
    certificate_management_policy: { authority: 'letsencrypt' },
  })
  await fetch(`${url}/reserved_domains`, { method: 'POST', headers, body })
  await fetch(`${url}/reserved_domains`, { method: 'POST', headers, body })
  const json = { 'content-type': 'application/json' }
  await fetch(`${url}/_fauxgate/clock`, { method: 'POST', headers: json, body: '{"advance": "30s"}' })
  await fetch(`${url}/_fauxgate/clock`)
  await fetch(`${url}/nowhere/a-key-of-somebody?key=a-key-of-somebody`, { headers })
}

const MS = /\d+(\.\d)? ms/

describe('The log', () => {
  it('has one line for each request, and one for each thing that provisioning does, behind what caused it', async () => {
    const { first, lines, stderr } = await logged([], aLife)
    expect(first).toBe('fauxgate (ngrok) listens on URL')
    expect(lines.map((line) => line.replace(MS, 'N ms').replace(/(rd|cert)_\w+/g, '$1_…'))).toEqual([
      '2026-01-01T00:00:00Z POST   /reserved_domains                  201 reserved_domains.create N ms',
      '2026-01-01T00:00:00Z cert   app.example.com                    started A certificate with an ecdsa key is requested.',
      '2026-01-01T00:00:00Z POST   /reserved_domains                  400 ERR_NGROK_413 reserved_domains.create N ms The domain "app.example.com" is reserved already, as rd_…. A name can be reserved once.',
      '2026-01-01T00:00:30Z cert   app.example.com                    issued cert_… is in use, to be renewed at 2026-03-02T00:00:30Z.',
      '2026-01-01T00:00:30Z POST   /_fauxgate/clock                   200 N ms',
      expect.stringMatching(
        /^2026-01-01T00:00:30Z GET {4}\/nowhere\/\[redacted\] +404 ERR_NGROK_90400 N ms GET "\/nowhere\/\[redacted\]" is not a path/,
      ),
    ])
    expect(stderr).toBe('')
  })

  it('is a JSON object a line with --log json, the first line too', async () => {
    const { first, lines } = await logged(['--log', 'json'], aLife)
    expect(JSON.parse(first)).toEqual({
      event: 'listening',
      message: 'fauxgate (ngrok) listens on URL',
      url: 'URL',
      address: '127.0.0.1',
      port: expect.any(Number),
      dialect: 'ngrok',
    })
    const events = lines.map((line) => JSON.parse(line))
    expect(events.map(({ event }) => event)).toEqual([
      'request',
      'provisioning',
      'request',
      'provisioning',
      'request',
      'request',
    ])
    expect(events[2]).toEqual({
      event: 'request',
      at: '2026-01-01T00:00:00.000Z',
      method: 'POST',
      path: '/reserved_domains',
      operation: 'reserved_domains.create',
      status: 400,
      error: 'ERR_NGROK_413',
      message: expect.stringContaining('is reserved already'),
      duration: expect.any(Number),
    })
    expect(events[3]).toEqual({
      event: 'provisioning',
      at: '2026-01-01T00:00:30Z',
      domain: 'app.example.com',
      id: expect.stringMatching(/^rd_/),
      transition: 'issued',
      message: expect.stringContaining('is in use'),
    })
  })

  it.each([[], ['--log', 'json']])('shows no key, wherever it was sent, with %j', async (...flags) => {
    const { first, lines, stderr } = await logged(
      [...flags, '--key', 'a-key-of-somebody', '--control-key', 'control-of-all'],
      async (url) => {
        await aLife(url)
        await fetch(`${url}/control-of-all`, { headers })
        await fetch(`${url}/reserved_domains/a-key-of-somebody`, { headers: { authorization: 'a-key-of-somebody' } })
        await fetch(`${url}/reserved_domains`, { headers: { authorization: 'Bearer another-secret-key' } })
      },
    )
    expect(lines.length).toBeGreaterThan(5)
    expect([first, ...lines, stderr].join('\n')).not.toMatch(/a-key-of|control-of|another-secret/)
  })

  it('says where it listens and nothing else with --quiet', async () => {
    expect(await logged(['--quiet'], aLife)).toEqual({
      first: 'fauxgate (ngrok) listens on URL',
      lines: [],
      stderr: '',
    })
  })

  it('tells of an answer that a fault delays, breaks or makes', async () => {
    const { lines } = await logged([], async (url) => {
      const arm = (fault: object) =>
        fetch(`${url}/_fauxgate/faults`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ times: 1, ...fault }),
        })
      await arm({ drop: true })
      await fetch(`${url}/reserved_addrs`, { headers }).catch(() => undefined)
      await arm({ status: 503 })
      await fetch(`${url}/reserved_addrs`, { headers })
      await arm({ latency: '5s' })
      const slow = fetch(`${url}/reserved_addrs`, { headers })
      await fetch(`${url}/_fauxgate/clock`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"advance": "9s"}',
      })
      await slow
    })
    const own = lines.filter((line) => line.includes('/reserved_addrs'))
    expect(own[0]).toContain('--- reserved_addrs.list')
    expect(own[0]).toContain('a fault broke the connection')
    expect(own[1]).toContain('503 ERR_NGROK_90500 reserved_addrs.list')
    expect(own[2]).toContain('200 reserved_addrs.list')
  })

  it('has colours where the environment asks for them', async () => {
    const asked = (url: string) => fetch(`${url}/reserved_addrs`, { headers })
    const { lines } = await loggedIn({ FORCE_COLOR: '1' }, [], asked)
    expect(lines.join('')).toContain('\u001b[')
  })

  it('on the system clock tells of what is due at its time, though nobody looks', async () => {
    const { url, child, output } = await started('serve', '--port', '0', '--provisioning-delay', '1ms')
    const body = JSON.stringify({
      domain: 'app.example.com',
      certificate_management_policy: { authority: 'letsencrypt' },
    })
    await fetch(`${url}/reserved_domains`, { method: 'POST', headers: { ...headers, 'service-version': '2' }, body })
    while (!output.stdout.includes(' issued ')) await once(child.stdout as NodeJS.ReadableStream, 'data')
    expect(output.stdout).toMatch(/\n\d\d:\d\d:\d\d cert {3}app\.example\.com +issued cert_/)
  })
})

it('A log that nobody reads neither stops the server nor keeps it from stopping', async () => {
  const { url, child } = await started('serve', '--port', '0')
  child.stdout?.removeAllListeners('data').pause()
  const long = `${url}/${'x'.repeat(250)}`
  const ask = async () => (await fetch(long)).text()
  for (let asked = 0; asked < 1500; asked += 50) await Promise.all(Array.from({ length: 50 }, ask))
  child.kill('SIGTERM')
  // Not "close", which waits for who reads.
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
})

describe('GET /', () => {
  it('says what answers here, as a text or as a page, with where to look', async () => {
    const { lines } = await logged([], async (url) => {
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
})
