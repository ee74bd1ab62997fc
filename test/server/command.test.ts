import { readdirSync, readFileSync, statSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { runToEnd, startProcess, startServer, startServerProcess } from '../support/command.ts'
import { newFile, newFolder } from '../support/folder.ts'
import { copyAsJson } from '../support/full-gateway.ts'
import { titleWithRequirement } from '../support/requirements.ts'

const headers = { authorization: 'Bearer k', 'service-version': '2', 'content-type': 'application/json' }

describe('the command `fauxgate serve`', () => {
  it('serves the given dialect and prints its URL', async () => {
    const { url, output } = await startServer({}, '--dialect', 'ngrok')
    expect(output.stdout).toMatch(/^fauxgate \(ngrok\) listens on http:\/\/127\.0\.0\.1:\d+\nDialect: ngrok\. /)
    const answer = await fetch(`${url}/reserved_addrs`, { headers: { ...headers, 'ngrok-version': '2' } })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({ reserved_addrs: [], uri: `${url}/reserved_addrs`, next_page_uri: null })
  })

  it('stops with exit code 0 on SIGTERM, with a connection still open', async () => {
    const { child, url, exited } = await startServerProcess('serve', '--port', '0')
    await fetch(url)
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
  })

  it('exits with code 2 and the error if an option is invalid', async () => {
    const { output, exited } = startProcess({}, 'serve', '--port', 'http')
    expect(await exited).toBe(2)
    expect(output.stderr).toMatch(/^fauxgate: --port is "http"/)
  })

  it('accepts only the given keys', async () => {
    const { url } = await startServer({}, '--key', 'a', '--key', 'b')
    const status = async (key: string) =>
      (await fetch(`${url}/reserved_addrs`, { headers: { ...headers, authorization: `Bearer ${key}` } })).status
    expect([await status('a'), await status('b'), await status('c')]).toEqual([200, 200, 401])
  })

  it('keeps its state in a file of its owner from one run to the next', async () => {
    const folder = newFolder()
    const file = join(folder, 'state.json')
    const empty = { code: 0, stderr: '' }
    expect(await runToEnd({}, 'serve', '--port', '0', '--state', file)).toMatchObject(empty)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ version: 1, seed: null, sequence: 0 })
    const first = await startServer({}, '--state', file)
    const response = await fetch(`${first.url}/reserved_addrs`, { method: 'POST', headers })
    const { id, addr } = (await response.json()) as { id: string; addr: string }
    expect(await first.stop('SIGINT')).toBe(0)
    expect(readdirSync(folder)).toEqual(['state.json'])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const second = await startServer({}, '--state', file)
    expect(await (await fetch(`${second.url}/reserved_addrs/${id}`, { headers })).json()).toMatchObject({ addr })
  })

  const row = { created_at: 5, addr: 'a.example.com:10000', endpoint_configuration_id: null }
  const address = { ...copyAsJson(createGateway().snapshot()), records: { reserved_addrs: [{}, 5] } }
  it.each([
    ['is not JSON', '{"secret": "hush', 'is not JSON: at line 1, column 17 (position 16).'],
    ['is empty', '', 'is not JSON: at line 1, column 1 (position 0).'],
    ['is no snapshot', '[]', 'contains no snapshot: the snapshot is an array of 0 items. Allowed: an object.'],
    [
      'is damaged in many places',
      JSON.stringify(address),
      'contains no snapshot: records.reserved_addrs.0.id is missing. It is required. There are 5 more problems.',
    ],
    [
      'is damaged all over',
      JSON.stringify({
        ...address,
        records: { reserved_addrs: Array(30_000).fill({ ...row, region: 'mars', id: 'ra_1' }) },
      }),
      'contains no snapshot: records.reserved_addrs.0.id is "ra_1". Allowed: "ra_" followed by 27 letters and digits. There are more than ',
    ],
  ])('says what is wrong with a state file that %s, and where', async (_what, text, message) => {
    const file = newFile('state.json', text)
    const { code, stderr } = await runToEnd({}, 'serve', '--port', '0', '--state', file)
    expect(code).toBe(1)
    expect(stderr).toContain(`fauxgate: --state: ${file} ${message}`)
    expect(stderr).not.toContain('hush')
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  it('can run on a manual clock with simulated DNS and its own provisioning delay', async () => {
    const clock = ['--clock', 'manual', '--start', '2026-01-01T00:00:00Z']
    const { url } = await startServer({}, ...clock, '--dns', 'simulated', '--provisioning-delay', '0s')
    expect(await (await fetch(`${url}/_fauxgate/clock`)).json()).toMatchObject({
      now: '2026-01-01T00:00:00Z',
      manual: true,
    })
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

  it.each([
    ['--control-key', 's3cret', 'and', 'more'],
    ['--control-key', 'two s3cret words'],
    ['--key', ' s3cret'],
    ['--key', 'a', 's3cret'],
    ['--kye=s3cret'],
    ['--kye', 's3cret'],
    ['--rate-limit=s3cret'],
    ['--control-key', 's3cret', '--port', 'x'],
    ['--events-to-datadog', 'http://user:s3cret@127.0.0.1/'],
    ['--control-key', 's3cret', '--host', '192.0.2.1'],
  ])('repeats no key when it rejects %j %j', async (...args) => {
    const { code, stdout, stderr } = await runToEnd({ FAUXGATE_CONTROL_KEY: 's3cret' }, 'serve', ...args)
    expect(code).toBeGreaterThan(0)
    expect(stderr).toMatch(/^fauxgate: /)
    expect(stderr + stdout).not.toContain('s3cret')
  })

  it('accepts port 65535', async () => {
    const { code, stderr } = await runToEnd({}, 'serve', '--port', '65535', '--host', '192.0.2.1')
    expect([code, stderr]).toEqual([1, 'fauxgate: --host: The host 192.0.2.1 is not an address of this machine.\n'])
  })

  it('ends at SIGHUP, which a closed terminal sends, if it has no state file to write', async () => {
    const { child, exited } = await startServerProcess('serve', '--port', '0')
    child.kill('SIGHUP')
    await exited
    expect(child.signalCode).toBe('SIGHUP')
  })

  it('removes its signal listeners when it ends', async () => {
    const listeners = () => ['SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => process.listenerCount(name))
    const before = listeners()
    expect(await runToEnd({}, 'serve', '--port', '0')).toMatchObject({ code: 0 })
    expect(await runToEnd({}, 'requests', '--url', 'http://127.0.0.1:9')).toMatchObject({ code: 1 })
    expect(listeners()).toEqual(before)
  })
})

describe('the command prints its real address, and what other machines can reach', () => {
  /** Starts a server, stops it, and returns its output. */
  async function startAndStop(...args: string[]) {
    const { code, stdout, stderr } = await runToEnd({}, 'serve', '--port', '0', ...args)
    expect(code).toBe(0)
    const { port } = new URL(/http:\S+/.exec(stdout)?.[0] ?? '')
    const [place = '', ...more] = stdout.replaceAll(port, 'PORT').split(/(?<=\n)/)
    return { stdout: place, more: more.join(''), stderr }
  }
  const OPEN = 'fauxgate: warning: other machines can reach this address. The API is open to them'
  const ALL_IPV4 = 'all IPv4 addresses of this machine, port PORT; here http://127.0.0.1:PORT'
  const CLOSED = `${OPEN} with any key; the controls are closed to them.\n`

  it.each([
    ['', 'http://127.0.0.1:PORT', ''],
    ['--host 127.0.0.2', 'http://127.0.0.2:PORT', ''],
    ['--control-key s3cret --allow-host fauxgate', 'http://127.0.0.1:PORT', ''],
    ['--host 0.0.0.0', ALL_IPV4, CLOSED],
    ['--host 0.0.0.0 --key s3cret', ALL_IPV4, CLOSED.replace('any key', 'one of its keys')],
    ['--host 0.0.0.0 --allow-host fauxgate', ALL_IPV4, CLOSED],
    [
      '--host 0.0.0.0 --control-key s3cret',
      ALL_IPV4,
      CLOSED.replace('closed to them', 'open to anyone with the control key'),
    ],
  ])('with "%s": %s', async (flags, place, stderr) => {
    const args = flags.split(' ').filter((arg) => arg !== '')
    expect(await startAndStop(...args)).toMatchObject({ stdout: `fauxgate (standard) listens on ${place}\n`, stderr })
  })

  it.each([
    [[], 'any API key', 'any-key', 'Service-Version', 'standard. For another dialect, use --dialect ngrok.'],
    [
      ['--key', 's3cret', '--dialect', 'ngrok'],
      ...['one of its API keys', 'YOUR_KEY', 'Ngrok-Version', 'ngrok. For another dialect, use --dialect standard.'],
    ],
  ])('and with %j its dialect, and how to point a client at it', async (args, which, key, header, dialect) => {
    const { more, stderr } = await startAndStop(...args)
    expect([more, stderr]).toEqual([
      `Dialect: ${dialect}
Inspector, for a browser: http://127.0.0.1:PORT/_fauxgate/
Clients need the base URL http://127.0.0.1:PORT and ${which}. Try:
  curl http://127.0.0.1:PORT/reserved_domains -H "Authorization: Bearer ${key}" -H "${header}: 2"
`,
      '',
    ])
  })

  it('with the address if the host is a name', async () => {
    const { stdout, stderr } = await startAndStop('--host', 'localhost')
    expect(stdout).toMatch(/listens on http:\/\/localhost:PORT \((127\.0\.0\.1|::1)\)\n$/)
    expect(stderr).toBe('')
  })

  const hasIPv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ family }) => family === 'IPv6'))
  it.runIf(hasIPv6)(titleWithRequirement('on all addresses, IPv6 and IPv4', hasIPv6, 'no IPv6'), async () => {
    const { code, stdout } = await runToEnd({}, 'serve', '--port', '0', '--host', '::')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /listens on all addresses of this machine, IPv6 and IPv4, port (\d+); here http:\/\/\[::1\]:\1\n/,
    )
  })

  it('and its own authority at each start, whatever the seed', async () => {
    const rootOf = async () =>
      (await fetch(`${(await startServer({}, '--seed', 'same')).url}/_fauxgate/authority.pem`)).text()
    const published = createGateway({ seed: 'same' }).authority.certificatePem
    expect(new Set([await rootOf(), await rootOf(), published]).size).toBe(3)
  })
})

test('A Node without the needed syntax is told which one is needed, and the command ends', async () => {
  const older = newFile('older.cjs', "Object.defineProperty(process.versions, 'node', { value: '20.18.3' })")
  const { output, exited } = startProcess({ NODE_OPTIONS: `--require=${older}` }, 'help')
  expect([await exited, output.stdout]).toEqual([1, ''])
  expect(output.stderr).toBe(
    'fauxgate needs Node 20.19 or newer. This is Node 20.18.3. Install a newer version from nodejs.org.\n',
  )
})
