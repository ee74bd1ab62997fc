import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, inject, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { serve } from '../../src/server/node.ts'

const command = inject('command')

const running: ChildProcess[] = []
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
})

/** Starts the command. */
function start(...args: string[]) {
  const child = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  running.push(child)
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.stderr += text
  })
  return { child, output, exited: once(child, 'close').then(([code]) => code as number) }
}

/** Starts the command and waits until it says where it listens. */
async function started(...args: string[]) {
  const { child, output, exited } = start(...args)
  while (!output.stdout.includes('\n')) await once(child.stdout as NodeJS.ReadableStream, 'data')
  const url = /http:\S+/.exec(output.stdout)?.[0] ?? ''
  return { child, output, exited, url }
}

describe('the command `fauxgate serve`', () => {
  it('serves the dialect that it is told to and prints where', async () => {
    const { url, output } = await started('serve', '--port', '0', '--dialect', 'ngrok')
    expect(output.stdout).toMatch(/^fauxgate \(ngrok\) listens on http:\/\/127\.0\.0\.1:\d+\n$/)
    const answer = await fetch(`${url}/reserved_addrs`, {
      headers: { authorization: 'Bearer x', 'ngrok-version': '2' },
    })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({ reserved_addrs: [], uri: `${url}/reserved_addrs`, next_page_uri: null })
  })

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`stops with exit code 0 on ${signal}, with a connection still open`, async () => {
      const { child, url, exited } = await started('serve', '--port', '0')
      await fetch(url)
      child.kill(signal)
      expect(await exited).toBe(0)
    })
  }

  it('accepts only the keys that it is given', async () => {
    const { url } = await started('serve', '--port', '0', '--key', 'a', '--key', 'b')
    const status = async (key: string) => {
      const headers = { authorization: `Bearer ${key}`, 'service-version': '2' }
      return (await fetch(`${url}/reserved_addrs`, { headers })).status
    }
    expect([await status('a'), await status('b'), await status('c')]).toEqual([200, 200, 401])
  })

  it('keeps its state in a file from one run to the next', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fauxgate-state-'))
    const file = join(folder, 'state.json')
    const headers = { authorization: 'Bearer k', 'service-version': '2' }
    const first = await started('serve', '--port', '0', '--state', file)
    const made = await fetch(`${first.url}/reserved_addrs`, { method: 'POST', headers })
    const { id, addr } = (await made.json()) as { id: string; addr: string }
    first.child.kill('SIGTERM')
    expect(await first.exited).toBe(0)
    expect(readdirSync(folder)).toEqual(['state.json'])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const second = await started('serve', '--port', '0', '--state', file)
    expect(await (await fetch(`${second.url}/reserved_addrs/${id}`, { headers })).json()).toMatchObject({ addr })
    rmSync(folder, { recursive: true })
  })

  it('says that a state file is damaged and exits with 1, without touching it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fauxgate-state-'))
    const file = join(folder, 'state.json')
    writeFileSync(file, '{"version":7}')
    const { output, exited } = start('serve', '--port', '0', '--state', file)
    expect(await exited).toBe(1)
    expect(output.stderr).toContain('holds no snapshot: version is 7. Allowed: 1')
    expect(readFileSync(file, 'utf8')).toBe('{"version":7}')
    rmSync(folder, { recursive: true })
  })

  it('can run on a manual clock with simulated DNS and its own provisioning delay', async () => {
    const { url } = await started(
      ...['serve', '--port', '0', '--clock', 'manual', '--start', '2026-01-01T00:00:00Z'],
      ...['--dns', 'simulated', '--provisioning-delay', '0s'],
    )
    expect(await (await fetch(`${url}/_fauxgate/clock`)).json()).toEqual({ now: '2026-01-01T00:00:00Z', manual: true })
    const headers = { authorization: 'Bearer k', 'service-version': '2', 'content-type': 'application/json' }
    const body = JSON.stringify({
      domain: 'a.example.com',
      certificate_management_policy: { authority: 'letsencrypt' },
    })
    const answer = await fetch(`${url}/reserved_domains`, { method: 'POST', headers, body })
    expect(await answer.json()).toMatchObject({
      created_at: '2026-01-01T00:00:00Z',
      certificate_management_status: { provisioning_job: { error_code: 'DNS_ERROR' } },
    })
  })

  it('says that a port is taken and exits with 1', async () => {
    const server = await serve(createGateway())
    const { output, exited } = start('serve', '--port', String(server.port))
    expect(await exited).toBe(1)
    expect(output.stderr).toBe(
      `fauxgate: Port ${server.port} on 127.0.0.1 is taken. Choose another one, or 0 for any free port.\n`,
    )
    await server.close()
  })

  const wrong: [string[], RegExp][] = [
    [['serve', '--port', 'http'], /--port is "http". Allowed: an integer from 0 to 65535/],
    [['serve', '--port', '65536'], /--port is "65536"/],
    [['serve', '--dialect', 'french'], /--dialect is "french". Allowed: standard, ngrok/],
    [['serve', '--references', 'some'], /references is "some". Allowed: "any" or "declared"/],
    [['serve', '--base-url', 'gate'], /baseUrl is "gate". Allowed: an http or https URL/],
    [['serve', '--clock', 'sundial'], /--clock is "sundial". Allowed: system, manual/],
    [['serve', '--start', '2026-01-01T00:00:00Z'], /--start needs --clock manual/],
    [['serve', '--clock', 'manual', '--start', 'noon'], /--start is "noon". Allowed: an RFC 3339 time/],
    [['serve', '--provisioning-delay', '5 parsecs'], /provisioningDelay is "5 parsecs". Allowed: a number of ms/],
    [['serve', '--colour'], /--colour/],
    [['run'], /The command is "run". Allowed: serve/],
    [[], /The command is "". Allowed: serve/],
  ]
  for (const [args, message] of wrong) {
    it(`explains what is wrong with \`fauxgate ${args.join(' ')}\` and exits with 2`, async () => {
      const { output, exited } = start(...args)
      expect(await exited).toBe(2)
      expect(output.stderr).toMatch(message)
      expect(output.stderr).toContain('Usage: fauxgate serve')
    })
  }

  it('shows its options with --help', async () => {
    const { output, exited } = start('--help')
    expect(await exited).toBe(0)
    expect(output.stdout).toContain('--dialect NAME')
  })
})
