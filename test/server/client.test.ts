import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { controlCalls } from '../../src/control/controls.ts'
import { createGateway, type Gateway, manualClock, ngrok } from '../../src/index.ts'
import { type Served, serve } from '../../src/server/node.ts'
import { runToEnd, startCommand } from '../support/command.ts'
import { newFile, newFolder } from '../support/folder.ts'
import { waitUntil } from '../support/wire.ts'

const START = '2026-01-01T00:00:00Z'

let gateway: Gateway<ReturnType<typeof manualClock>>
let server: Served
beforeEach(async () => {
  gateway = createGateway({ clock: manualClock(START), dialect: ngrok, dns: 'simulated', seed: 'client' })
  server = await serve(gateway)
})
afterEach(() => server.close())

/** Returns the output of a command that succeeds. */
async function readOutput(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runToEnd({ FAUXGATE_URL: server.url }, ...args)
  expect([code, stderr.replace('done at', 'at')]).toEqual([0, `fauxgate: at ${server.url}\n`])
  return stdout
}

const reserve = () =>
  gateway.reservedDomains.create({
    domain: 'app.example.com',
    certificate_management_policy: { authority: 'letsencrypt' },
  })

describe('The controls of a running server as commands', () => {
  it('advance its clock', async () => {
    expect(await readOutput('clock')).toBe('2026-01-01T00:00:00Z\n')
    expect(await readOutput('clock', 'advance', '30d')).toBe('2026-01-31T00:00:00Z\n')
    expect(await readOutput('clock', 'to', '2026-03-01T00:00:00Z')).toBe('2026-03-01T00:00:00Z\n')
    reserve()
    expect(await readOutput('clock', 'next')).toBe('2026-03-01T00:00:30Z\n')
    expect(await readOutput('reset')).toBe('')
    expect(gateway.clock.now).toBe(Date.parse(START))
  })

  it('show the milliseconds of its clock, and name them where a time is too early', async () => {
    const now = '2026-01-01T00:00:00.123Z'
    expect(await readOutput('clock', 'to', now)).toBe(`${now}\n`)
    const { stderr } = await runToEnd({ FAUXGATE_URL: server.url }, 'clock', 'to', START)
    expect(stderr).toContain(`Allowed: an RFC 3339 time, at the earliest "${now}".`)
  })

  it('script outcomes, change DNS, and show the result', async () => {
    const { id, cname_target } = reserve()
    expect(
      await readOutput('script', 'INTERNAL_ERROR', 'DNS_ERROR', '--domain', id, '--always', 'INTERNAL_ERROR'),
    ).toBe('')
    expect(await readOutput('script', 'success', '--first')).toBe('')
    expect(await readOutput('script', 'show')).toBe(
      'INTERNAL_ERROR for app.example.com (outcome_4)\nDNS_ERROR for app.example.com (outcome_5)\n' +
        'always INTERNAL_ERROR for app.example.com (always_app.example.com)\nsuccess for any domain (outcome_6)\n',
    )
    expect(await readOutput('script', 'remove', 'outcome_6')).toBe('')
    expect(await readOutput('script', 'remove', 'always_app.example.com')).toBe('')
    expect((await readOutput('script', 'show')).split('\n')).toHaveLength(3)
    await readOutput('clock', 'advance', '30s')
    await readOutput('script', 'clear')
    expect(gateway.provisioning.pendingOutcomes()).toEqual([])
    expect(await readOutput('timeline', 'app.example.com')).toMatch(
      new RegExp(
        `^app\\.example\\.com \\(${id}\\) is failing; the next attempt is due at 2026-01-01T00:01:30Z\\nneeds app\\.example\\.com CNAME ${cname_target}: `,
      ),
    )
    await readOutput('dns', 'cname', 'App.Example.com.', cname_target as string)
    expect(await readOutput('dns')).toBe(`app.example.com CNAME ${cname_target}\n`)
    expect(JSON.parse(await readOutput('attempt', 'app.example.com'))).toMatchObject({
      id,
      certificate: { id: expect.any(String) },
    })
    expect(JSON.parse(await readOutput('renew', 'App.Example.com.'))).toMatchObject({ id })
    expect(await readOutput('timeline')).toContain('renewal started')
    await readOutput('dns', 'caa', 'example.org', 'pki.goog', '--issuewild', 'letsencrypt.org')
    expect(await readOutput('dns')).toContain('example.org CAA pki.goog issuewild letsencrypt.org\n')
    await readOutput('dns', 'remove', 'example.org')
    await readOutput('script', 'ERR_NGROK_26014')
    expect(await readOutput('script', 'show')).toContain('DNS_ERROR caa_check_blocked (26014) for any domain')
    await readOutput('script', 'clear')
    await readOutput('dns', 'a', 'other.example.com', '192.0.2.1')
    await readOutput('dns', 'remove', 'app.example.com')
    expect(gateway.dns.records()).toEqual([{ name: 'other.example.com', type: 'A', value: '192.0.2.1' }])
    await readOutput('dns', 'clear')
    expect(gateway.dns.records()).toEqual([])
  })

  it('say that a DNS record has no effect, if the server does not simulate DNS', async () => {
    await server.close()
    server = await serve(createGateway({ clock: manualClock(START), dialect: ngrok }))
    const args = ['dns', 'cname', 'app.example.com', 'a.example.com']
    const { code, stderr } = await runToEnd({ FAUXGATE_URL: server.url }, ...args)
    expect([code, stderr]).toEqual([0, expect.stringContaining('Start it with --dns simulated.\n')])
  })

  it('say what to type before there is a state to return to', async () => {
    const undo = await runToEnd({ FAUXGATE_URL: server.url }, 'undo')
    expect([undo.code, undo.stderr]).toEqual([1, expect.stringContaining('`fauxgate undo remember`')])
  })

  it('add faults, with every field of a fault', async () => {
    const flags = ['--operation', 'reserved_domains.create', '--times', '2', '--status', '503', '--retry-after', '2s']
    const first = JSON.parse(await readOutput('faults', 'add', ...flags, '--message', 'busy'))
    expect(gateway.faults.all()).toMatchObject([
      { operation: 'reserved_domains.create', times: 2, status: 503, retryAfter: '2s', message: 'busy' },
    ])
    await readOutput('faults', 'add', '--method', 'GET', '--drop')
    await readOutput('faults', 'add', '--method', 'GET', '--body', '{"not": "ours"}', '--status', '500')
    await readOutput('faults', 'add', '--method', 'GET', '--body', '<html>')
    expect(gateway.faults.all().slice(1)).toMatchObject([
      { drop: true },
      { body: { not: 'ours' }, status: 500 },
      { body: '<html>' },
    ])
    expect(JSON.parse(await readOutput('faults'))).toHaveLength(4)
    await readOutput('faults', 'remove', first.id)
    expect(gateway.faults.all()).toHaveLength(3)
    await readOutput('faults', 'clear')
    expect(gateway.faults.all()).toEqual([])
  })

  it('show the journal, as lines or as JSON', async () => {
    const headers = { authorization: 'Bearer k', 'ngrok-version': '2' }
    await fetch(`${server.url}/reserved_addrs`, { headers })
    await fetch(`${server.url}/reserved_addrs/ra_1`, { headers })
    expect((await readOutput('requests')).replace(/ra_1 +/, 'ra_1 ')).toMatch(
      /^2026-01-01T00:00:00Z GET {4}\/reserved_addrs +200 reserved_addrs\.list\n2026-01-01T00:00:00Z GET {4}\/reserved_addrs\/ra_1 404 ERR_NGROK_\d+ reserved_addrs\.get .+\n$/,
    )
    const { stdout: coloured } = await runToEnd({ FAUXGATE_URL: server.url, FORCE_COLOR: '1' }, 'requests')
    expect(coloured).toContain('\u001b[')
    const [line = ''] = (await readOutput('requests', '--json')).split('\n')
    expect(JSON.parse(line)).toMatchObject({ method: 'GET', path: '/reserved_addrs', status: 200 })
    expect(await readOutput('report')).toContain('The gateway at 2026-01-01T00:00:00Z:')
    expect(JSON.parse((await runToEnd({ FAUXGATE_URL: server.url }, 'overview')).stdout)).toMatchObject({ requests: 2 })
    await readOutput('requests', 'clear')
    expect(await readOutput('requests')).toBe('')
  })

  it('suggest a command in the report', async () => {
    const body = JSON.stringify({
      domain: 'app.example.com',
      certificate_management_policy: { authority: 'letsencrypt', private_key_type: 'ecdsa' },
    })
    const headers = { authorization: 'Bearer k', 'ngrok-version': '2', 'content-type': 'application/json' }
    await fetch(`${server.url}/reserved_domains`, { method: 'POST', headers, body })
    expect(await readOutput('report')).toContain('the attempt for app.example.com. `fauxgate clock next` goes there.')
  })

  it('count the resources that there are, and say how many collections have none', async () => {
    reserve()
    const { stdout, stderr } = await runToEnd({ FAUXGATE_URL: server.url }, 'overview')
    expect(JSON.parse(stdout).counts).toEqual({ reserved_domains: 1 })
    expect(stderr).toMatch(/^fauxgate: at .+\nfauxgate: \d+ collections contain no resources\n$/)
  })

  it.each([
    ['--status 503', 'this fault applies to every request until you remove it; use --operation, '],
    ['--drop --times 1', 'this fault applies to the next request of any kind; '],
    ['--drop --times 2', 'this fault applies to the next 2 requests of any kind; use --operation, '],
  ])('say that faults add %s has no condition', async (flags, note) => {
    const { stderr } = await runToEnd({ FAUXGATE_URL: server.url }, 'faults', 'add', ...flags.split(' '))
    expect(stderr).toContain(note)
  })

  it('do not say it of a fault of the API of the agent, which is its condition', async () => {
    const args = ['faults', 'add', '--agent', '/api/tunnels', '--times', '1']
    expect((await runToEnd({ FAUXGATE_URL: server.url }, ...args)).stderr).not.toContain('applies to')
  })

  it('follow the journal until they are stopped', async () => {
    const headers = { authorization: 'Bearer k', 'ngrok-version': '2' }
    await fetch(`${server.url}/reserved_addrs`, { headers })
    const { output, stop } = await startCommand(
      { FAUXGATE_URL: server.url },
      ['requests', '--follow'],
      'reserved_addrs',
    )
    await fetch(`${server.url}/reserved_domains`, { headers })
    await waitUntil(() => output.stdout.includes('reserved_domains'))
    expect(await stop('SIGINT')).toBe(0)
    expect(output.stdout.match(/reserved_\w+\.list/g)).toEqual(['reserved_addrs.list', 'reserved_domains.list'])
  })

  it('export the state to a file and import it', async () => {
    const file = join(newFolder(), 'snapshot.json')
    const { id } = reserve()
    expect(await readOutput('state', 'export', file)).toBe('')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await readOutput('state', 'export')).toBe(readFileSync(file, 'utf8'))
    gateway.reset()
    const text = readFileSync(file, 'utf8')
    await readOutput('state', 'import', file)
    expect(gateway.reservedDomains.get(id).domain).toBe('app.example.com')
    await readOutput('reset')
    // Reading a snapshot does not change it.
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  it('also accept the URL of the inspector, which people copy', async () => {
    const { stdout, stderr } = await runToEnd({}, 'clock', '--url', `${server.url}/_fauxgate/`)
    expect(stderr).toBe(`fauxgate: at ${server.url}\n`)
    expect(stdout).toContain(START)
  })

  it('declare resources that the API cannot create, and show the root', async () => {
    await readOutput('declare', '--edge', 'edghts_1', '--routes', 'edghtsrt_1', '--routes', 'edghtsrt_2')
    expect(await readOutput('root')).toBe(gateway.authority.certificatePem)
  })

  it('list troubles, each with the command that fixes it, and fix one', async () => {
    const { id: fault } = JSON.parse(await readOutput('faults', 'add', '--path', '/reserved_addrs', '--times', '1'))
    await readOutput('script', 'INTERNAL_ERROR')
    const fixes = [...(await readOutput('troubles')).matchAll(/\n {2}To fix it: fauxgate troubles fix (.+)$/gm)]
    expect(fixes.map(([, typed]) => typed)).toEqual([fault, '"outcomes for any domain"'])
    for (const id of [fault, 'outcomes for any domain']) expect(await readOutput('troubles', 'fix', id)).toBe('')
    expect(await readOutput('troubles')).toBe('')
  })

  it('cover every call of the control API', async () => {
    const { stdout } = await runToEnd({}, 'help')
    const { clientCalls } = await import('../../src/server/client/commands.ts')
    const ownCalls = new Set([...clientCalls, 'GET /requests', 'POST /traffic', 'GET /state', 'PUT /state'])
    // The calls below have no command: only own families declare resources that end, `timeline` shows all domains,
    // the agent has its own API, `policy check` needs no server, programs read the documents, openssl reads certificates, and lists show which records use another one. Fixtures create further gateways, and `survives` explores.
    const otherCalls = controlCalls.map(({ method, path }) => `${method} ${path}`).filter((call) => !ownCalls.has(call))
    expect(otherCalls).toEqual([
      'DELETE /declare',
      'GET /provisioning/timeline',
      'POST /agent/tunnels',
      'PUT /agent',
      'POST /agent/restart',
      'POST /policy/check',
      'GET /records',
      'GET /unused',
      'POST /gateways',
      'DELETE /gateways',
      'POST /explorations',
      'POST /explorations/next',
      'POST /explorations/ended',
      'POST /certificates',
      'GET /openapi.json',
      'GET /openapi.control.json',
    ])
    expect(stdout).toContain('clock advance DURATION')
  })
})

describe('A command that fails gives the reason, and what to do', () => {
  it.each<[args: string, message: RegExp]>([
    ['clock --url URL/else', /its status was 404\. Is this the server's URL, without a path\?$/],
    ['clock advance -5s', /^DURATION is "-5s"\. Allowed: a whole number followed by a unit \(ms, s, m, h, or d\), /],
    ['faults add --latency 200', /^--latency is "200"\. .* The unit is missing, as in 200s\. See /],
    [
      'clock to 2025-01-01T00:00:00Z',
      /^TIME is "2025-01-01T00:00:00Z"\. Allowed: an RFC 3339 time, at the earliest "2026-01-01T00:00:00Z"\./,
    ],
    ['upstream ftp://x', /^URL is "ftp:\/\/x"\. Allowed: an http or https URL such as "https:\/\/app\.internal", or /],
    ['declare --routes edghtsrt_1', /^declare needs one of --edge, --endpoint-configuration, --backend\. See /],
    [
      'script NOPE',
      /^OUTCOME is "NOPE"\. Allowed: success, INTERNAL_ERROR, DNS_ERROR, or a numbered error such as "ERR_NGROK_26014"\. See /,
    ],
    [
      'faults add --operation reserved_domain.create',
      /^--operation is "reserved_domain\.create"\. Did you mean reserved_domains\.create\? See /,
    ],
    ['faults add --operation nope', /^--operation is "nope"\. Allowed: (\w+\.\w+, ){3}and \d+ others\. See /],
    [
      'faults add --operation reserved_domains.zzzzzzzzzz',
      /^--operation is "\S+"\. Allowed: (reserved_domains\.\w+, ){6}and \d+ others\. See /,
    ],
    ['request nowhere', /^URL is "nowhere"\. Allowed: a URL such as|^url is "nowhere"\. Allowed: a URL such as/],
    ['request https://a.example.com --header x', /^--header needs a name and a value, for example /],
    ['faults remove nope', /^There is no fault with the ID "nope"\. \(ERR_NGROK_90404, at http:\S+\)$/],
    ['troubles fix nope', /^There is no fixable problem with the ID "nope"\. \(ERR_NGROK_90404, at /],
    ['dns remove nope', /^There is no matching record with the name "nope"\. \(ERR_NGROK_90404, at /],
    ['timeline nope', /^No domain named "nope" has a provisioning job or history\.$/],
    ['attempt nowhere', /^There is no reserved domain with the name or ID "nowhere"\. \(ERR_/],
    ['state import package.json', /^package\.json cannot be imported: .*version is "0\.1\.0".* \(ERR_/],
    ['state export /no/such/s.json', /^\S+s\.json cannot be written: its folder does not exist\. Choose /],
    ['state import /', /^\S+ cannot be read: it is a folder\.$/],
    ['state import nowhere.json', /^nowhere\.json cannot be read: there is no such file\.$/],
  ])('%s', async (args, message) => {
    const { code, stdout, stderr } = await runToEnd(
      { FAUXGATE_URL: server.url },
      ...args.replace('URL', server.url).split(' '),
    )
    const isMistyped = stderr.includes(' See "fauxgate help ')
    expect([code, stdout]).toEqual([isMistyped ? 2 : 1, ''])
    expect(stderr).toMatch(/^fauxgate: [^\n]+\n$/)
    expect(stderr.slice('fauxgate: '.length, -1)).toMatch(message)
  })

  it('for a text that is too long for a URL', async () => {
    const { code, stderr } = await runToEnd({ FAUXGATE_URL: server.url }, 'report', '--about', 'ä'.repeat(4000))
    expect(code).toBe(2)
    expect(stderr).toContain('--about is 24000 characters long when encoded in a URL. Allowed: at most 15384.')
  })

  it('for a missing or wrong control key, which it does not repeat', async () => {
    const keyed = await serve(createGateway({ control: { key: 'open-sesame' } }))
    const runClockCommand = (...args: string[]) => runToEnd({ FAUXGATE_URL: keyed.url }, 'clock', ...args)
    expect((await runClockCommand()).stderr).toMatch(
      /requires a key here.* Pass the key with --control-key or FAUXGATE_CONTROL_KEY\. \(\w+_90401, at \S+\)\n$/,
    )
    const wrong = await runClockCommand('--control-key', 'open-barley')
    expect(wrong.stderr).toMatch(/\(\w+_90402, at /)
    expect(wrong.stderr).not.toContain('open-barley')
    expect((await runClockCommand('--control-key', 'open-sesame')).code).toBe(0)
    expect((await runToEnd({ FAUXGATE_URL: keyed.url, FAUXGATE_CONTROL_KEY: 'open-sesame' }, 'clock')).code).toBe(0)
    await keyed.close()
  })

  it('for an untrusted certificate, until it has the root', async () => {
    const own = createGateway()
    const tls = own.authority.serverCertificate({ ips: ['127.0.0.1'], notAfter: '9999-01-01T00:00:00Z' })
    const secure = await serve(own, { tls })
    const file = newFile('root.pem', own.authority.certificatePem)
    const { stderr } = await runToEnd({ FAUXGATE_URL: secure.url }, 'clock')
    expect(stderr).toMatch(
      /^fauxgate: The certificate of https:\S+ is not trusted \(\w+\)\. Pass its root certificate with --ca FILE or FAUXGATE_CA\.\n$/,
    )
    expect((await runToEnd({ FAUXGATE_URL: secure.url }, 'clock', '--ca', file)).code).toBe(0)
    const { stderr: mixed } = await runToEnd({ FAUXGATE_URL: secure.url.replace('https', 'http') }, 'clock')
    expect(mixed).toMatch(/closed the connection .* Is it HTTPS\?/)
    await secure.close()
  })
})
