import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { runToEnd } from '../support/command.ts'
import { newFile } from '../support/folder.ts'
import { listen, serveGateway } from '../support/serve.ts'

describe('An invalid command line gets a one-line error with the received words, the allowed ones and the help to read', () => {
  it.each<[string, string]>([
    ['--prot 80', '--prot is not an option of "serve". Did you mean --port?'],
    ['--baseUrl x', '--baseUrl is not an option of "serve". Did you mean --base-url?'],
    ['-port 80', '-port is not an option of "serve". Did you mean --port?'],
    ['-p 80', '-p is not an option of "serve". Did you mean --port?'],
    ['--silent', '--silent is not an option of "serve".'],
    ['--watch', '--watch needs a file to watch: a config file, or --initial FILE.'],
    ['--dns-retry 1h', '--dns-retry is not an option of "serve". Did you mean --dns-error-retry?'],
    ['--zzz=hush', '--zzz is not an option of "serve".'],
    ['--no-port', '--no-port is not an option of "serve".'],
    ['--port', '--port needs a value.'],
    ['--port --quiet', '--port needs a value.'],
    ['--state ', '--state is empty. Set a value, or omit it.'],
    ['--quiet=yes', '--quiet takes no value. Write --quiet or --no-quiet.'],
    ['--no-quiet=1', '--no-quiet takes no value. Write --quiet or --no-quiet.'],
    ['8080', 'Unexpected word "8080" after "serve".'],
    ['—port 80', '2 unexpected words after "serve". One of them starts with a dash; options start with two hyphens.'],
    ['--control-key a secret', 'Unexpected word after "serve".'],
    ['--port http', '--port is "http". Allowed: an integer from 0 to 65535.'],
    ['--port 65536', '--port is 65536. Allowed: an integer from 0 to 65535.'],
    ['--port=-1', '--port is "-1". Allowed: an integer from 0 to 65535.'],
    ['--dns simulatd', '--dns is "simulatd". Allowed: "off" or "simulated". Did you mean simulated?'],
    ['--clock sundial', '--clock is "sundial". Allowed: "system" or "manual".'],
    ['--base-url gate', '--base-url is "gate". Allowed: an http or https URL without a query or fragment.'],
    ['--allow-host gate:4747', '--allow-host is "gate:4747". Allowed: a host name without a port.'],
    [
      '--rate-limit-window 5parsecs',
      '--rate-limit-window is "5parsecs". Allowed: a whole number followed by a unit (ms, s, m, h, or d), such as "30s", at least 1000 ms.',
    ],
    [
      '--renewal-lead 90d',
      '--renewal-lead is "90d". Allowed: less than --certificate-validity, "45d", its shortest default.',
    ],
    [
      '--renewal-lead 100d --certificate-validity 2400h',
      '--renewal-lead is "100d". Allowed: less than --certificate-validity, "2400h".',
    ],
    [
      '--internal-error-backoff-most 5s',
      '--internal-error-backoff-first is "1m", its default. Allowed: at most --internal-error-backoff-most, "5s".',
    ],
    ['--no-tls --tls-root root.pem', '--no-tls contradicts --tls-root. Use only one of the two.'],
    [
      '--rate-limit-requests 1 --no-rate-limit',
      '--no-rate-limit contradicts --rate-limit-requests. Use only one of the two.',
    ],
    ['--start 2026-01-01T00:00:00Z', '--start needs --clock manual.'],
    ['--initial nowhere.json', 'nowhere.json cannot be read: there is no such file.'],
    ['--config nowhere.json', 'nowhere.json cannot be read: there is no such file.'],
    ['--initial .', '. cannot be read: it is a folder.'],
    ['--config src', 'src cannot be read: it is a folder.'],
    ['--config nowhere.mjs', 'nowhere.mjs cannot be read: there is no such file.'],
  ])('serve %s', async (line, message) => {
    const stderr = `fauxgate: ${message} See "fauxgate help serve".\n`
    expect(await runToEnd({}, 'serve', ...line.split(' '))).toEqual({ code: 2, stdout: '', stderr })
  })

  it.each<[string, string]>([
    ['sreve', '"sreve" is not a command. Did you mean "fauxgate serve"?'],
    ['severe', '"severe" is not a command. Did you mean "fauxgate serve"?'],
    ['help sreve', '"sreve" is not a command. Did you mean "fauxgate serve"?'],
    ['start', '"start" is not a command. Did you mean "fauxgate serve"?'],
    ['status', '"status" is not a command. Did you mean "fauxgate overview"?'],
    ['snapshot take', '"snapshot" is not a command. Did you mean "fauxgate snapshots take"?'],
    ['snapshot', '"snapshot" is not a command. Did you mean "fauxgate snapshots"?'],
    [
      'snapshots save',
      '"snapshots save" is not a command. Allowed after snapshots: take, restore, remove, difference. Did you mean snapshots take?',
    ],
    ['advance 30s', '"advance" is not a command. Did you mean "fauxgate clock advance"?'],
    ['stop', '"stop" is not a command. To stop a server, press Ctrl+C in its terminal, or send it SIGTERM.'],
    [
      'clock now',
      '"clock now" is not a command. Allowed after clock: advance, to, next. Did you mean "fauxgate clock"?',
    ],
    ['verify --dry-run', '--dry-run is not an option of "verify". Did you mean --plan?'],
    ['record http://127.0.0.1:1/x', 'record takes the URL after --to: "fauxgate record --to URL".'],
    ['record here', 'Unexpected word "here" after "record".'],
    ['--verison', 'Put a command before the options. Did you mean --version?'],
    ['--port 80', 'Put a command before the options. Did you mean "fauxgate serve"?'],
    ['state', 'state needs one of: export, import.'],
    [
      'state exprot',
      '"state exprot" is not a command. Allowed after state: export, import. Did you mean state export?',
    ],
    ['--url http://127.0.0.1:9 clock', 'Put a command before the options. Did you mean "fauxgate clock"?'],
    ['clock 30s', '"clock 30s" is not a command. Allowed after clock: advance, to, next.'],
    [
      'faults delete x',
      '"faults delete" is not a command. Allowed after faults: add, remove, clear. Did you mean faults remove?',
    ],
    ['clock advance', 'clock advance needs DURATION. Example: "fauxgate clock advance 30s".'],
    [
      'clock advance 3 days',
      'Unexpected word "days" after "clock advance DURATION". Example: "fauxgate clock advance 30s".',
    ],
    [
      'dns cname app.example.com',
      'dns cname needs NAME VALUE. Example: "fauxgate dns cname app.example.com 2k3jd9.cname.ngrok.example".',
    ],
    ['dns fail a.example.com NOPE', 'The type is "NOPE". Allowed: SERVFAIL, TIMEOUT.'],
    ['migrate', 'migrate needs FILE. Example: "fauxgate migrate gateway.db".'],
    ['replay a.har b.har', 'Unexpected word "b.har" after "replay FILE".'],
    ['completion tcsh', 'The shell is "tcsh". Allowed: bash, zsh, fish.'],
    [
      'requests --limit 1',
      '--limit is not an option of "requests". Allowed: --follow, --json, --url, --control-key, --ca.',
    ],
    ['faults add --tiems 1', '--tiems is not an option of "faults add". Did you mean --times?'],
    ['state export a b c', '2 unexpected words "b", "c" after "state export [FILE]".'],
    ['faults add --body {"a', '--body begins with "{" but is not valid JSON: at line 1, column 4 (position 3).'],
    ['serve --port 1 --port=2', '--port was set twice. It takes one value.'],
    [
      'init --runner vitset',
      '--runner is "vitset". Allowed: vitest, jest, playwright, bun, deno, node. Did you mean vitest?',
    ],
  ])('%s', async (line, message) => {
    const { code, stdout, stderr } = await runToEnd({}, ...line.split(' '))
    const [problem, help = ''] = stderr.split(' See ')
    expect([code, stdout, problem]).toEqual([2, '', `fauxgate: ${message}`])
    expect(help).toMatch(/^"fauxgate help[a-z ]*"\.\n$/)
  })

  it('an unknown command, with all known commands', async () => {
    const { code, stderr } = await runToEnd({}, 'frobnicate')
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^fauxgate: "frobnicate" is not a command\. Allowed: serve, http, migrate, verify, record, replay, policy, survives, sandbox, completion, init, clock, /,
      ),
    ])
  })

  it.each<[string[], RegExp]>([
    [['--data', tmpdir()], /^--data: The store \S+ cannot be opened: it is not a file\.$/],
    [['--data', '/nowhere/gateway.db'], /^--data: The store \S+ cannot be opened: its folder does not exist\.$/],
    [['--state', tmpdir()], /^--state: \S+ cannot be read: it is a folder\.$/],
    [
      ['--state', '/nowhere/s.json'],
      /^--state: \S+s\.json cannot be written: its folder does not exist\. Choose a file /,
    ],
    [
      ['--tls', '--tls-root', '/nowhere/root.pem'],
      /^--tls-root: \S+root\.pem cannot be written: its folder does not exist\. Choose a file that you can write to, /,
    ],
  ])('also where the option names what cannot be used, such as %j', async (args, message) => {
    const { code, stdout, stderr } = await runToEnd({}, 'serve', '--port', '0', ...args)
    expect([code, stdout]).toEqual([1, ''])
    const needsSqlite = args[0] === '--data' && !process.getBuiltinModule?.('node:sqlite')
    // Node may warn that its SQLite is an experiment.
    const [, problem = ''] = /^fauxgate: (.+)$/m.exec(stderr) ?? []
    expect(problem).toMatch(needsSqlite ? /^--data: A SQLite file requires Node 22\.13/ : message)
  })

  it.each<[NodeJS.ProcessEnv, string]>([
    [
      { FAUXGATE_RENEWAL_LEAD: '100d' },
      'FAUXGATE_RENEWAL_LEAD is "100d". Allowed: less than --certificate-validity, "45d", its shortest default.',
    ],
    [{ FAUXGATE_CONFIG: '' }, 'FAUXGATE_CONFIG is empty. Set a value, or unset it.'],
    [{ FAUXGATE_WATCH: '1' }, 'FAUXGATE_WATCH needs a file to watch: a config file, or --initial FILE.'],
  ])('and so does an invalid environment %j', async (environment, message) => {
    const { code, stderr } = await runToEnd(environment, 'serve')
    expect([code, stderr]).toEqual([2, `fauxgate: ${message} See "fauxgate help serve".\n`])
  })

  it('and a mistyped variable gets a warning', async () => {
    const environment = { FAUXGATE_PROT: '80', FAUXGATE_OF_MINE: 'x', FAUXGATE_MINE: 'x' }
    const { code, stderr } = await runToEnd(environment, 'serve', '--port', '0')
    expect([code, stderr]).toEqual([0, 'fauxgate: warning: FAUXGATE_PROT is not used. Did you mean FAUXGATE_PORT?\n'])
  })
})

describe('An invalid config file or initial state gets a one-line error', () => {
  it.each<[string, string, string]>([
    ['c.json', '{"prot": 80}', '"prot" in FILE is not an option. Did you mean port?'],
    ['c.json', '{"toString": 80}', '"toString" in FILE is not an option. See'],
    ['c.json', '{"\\u001b[31m": 80}', String.raw`"\u001b[31m" in FILE is not an option. See`],
    ['c.json', '{"rateLimit": {"reqests": 5}}', '"rateLimit.reqests" in FILE is not an option. Did you mean requests?'],
    [
      'c.json',
      '{"quirks": {"x": 5}}',
      '"quirks.x" in FILE is not an option. Supported: keepBackendsOnPatch, lateStatus, policyMayFallThrough, takenStatus.',
    ],
    ['c.json', '{"takenDomains": ["a b"]}', '"takenDomains.0" in FILE is "a b". Allowed: a domain name.'],
    ['c.json', '{"port": "80"}', '"port" in FILE is "80". Allowed: an integer from 0 to 65535.'],
    [
      'c.json',
      '{"keys": "s3cret-key"}',
      '"keys" in FILE is a string of 10 characters. Allowed: an array of non-empty keys without surrounding whitespace.',
    ],
    ['c.json', '{"keys": [""]}', '"keys.0" in FILE is a string of 0 characters. Allowed: a non-empty key'],
    ['c.json', '{"rateLimit": {"requests": "9"}}', '"rateLimit.requests" in FILE is "9". Allowed: an integer from 1'],
    ['c.json', '{"rateLimit": {"request": 9}}', '"rateLimit.request" in FILE is not an option. Did you mean requests?'],
    ['c.json', '{"quirks": {"late": true}}', '"quirks.late" in FILE is not an option. Did you mean lateStatus?'],
    ['c.json', '{"control": {"hosts": []}}', '"control.hosts" in FILE is not an option. Supported: key, allowHosts.'],
    ['c.json', '{"control": {"key": "a b"}}', '"control.key" in FILE is a string of 3 characters. Allowed: visible'],
    [
      'c.json',
      '{"account": {"plan": "payg"}}',
      '"account.plan" in FILE is "payg". Allowed: "free" or "hobbyist" or "paygo".',
    ],
    ['c.json', '{"initial": {"reservedAddrs": [null]}}', '"initial" in FILE, at reservedAddrs[0]: the body is null.'],
    ['c.json', '{"port": 80', 'FILE is not JSON: at line 1, column 12 (position 11).'],
    ['c.json', '[]', 'FILE contains an array of 0 items. Allowed: an object with options.'],
    [
      'c.json',
      '{"certificates": {"renewalLead": "90d"}}',
      '"certificates.renewalLead" in FILE is "90d". Allowed: less than "certificates.validity" in FILE, "45d", its shortest default.',
    ],
    [
      'c.json',
      '{"certificates": {"renewalLead": 8000000000}}',
      '"certificates.renewalLead" in FILE is 8000000000. Allowed: less than "certificates.validity" in FILE, "45d", its shortest default.',
    ],
    [
      'c.json',
      '{"internalErrorBackoff": {"first": "2h", "most": "90m"}}',
      '"internalErrorBackoff.first" in FILE is "2h". Allowed: at most "internalErrorBackoff.most" in FILE, "90m".',
    ],
    ['c.mjs', 'export const port = 80', 'FILE has no default export. Write: export default { … }'],
    ['c.mjs', 'throw new Error("no such\\nluck")', 'FILE cannot be loaded: no such. See'],
    ['c.mjs', 'throw "a text"', 'FILE cannot be loaded: a text. See'],
    ['c.mjs', 'throw null', 'FILE cannot be loaded: null was thrown. See'],
    ['c.mjs', 'throw undefined', 'FILE cannot be loaded: undefined was thrown. See'],
    ['c.mjs', 'throw Object.create(null)', 'FILE cannot be loaded: an object was thrown. See'],
    ['c.mjs', 'throw { message: {} }', 'FILE cannot be loaded: an object was thrown. See'],
    ['c.mjs', 'throw { get message() { throw 1 } }', 'FILE cannot be loaded: an object was thrown. See'],
    ['c.mjs', 'throw new Error()', 'FILE cannot be loaded: Error was thrown. See'],
    ['c.mjs', 'export default { get keys() { throw null } }', 'FILE cannot be read: null was thrown. See'],
    ['c.mjs', 'export default { then: (_, no) => no(null) }', 'FILE cannot be loaded: null was thrown. See'],
    ['c.mjs', 'export default Promise.reject(null)', 'FILE cannot be loaded: null was thrown. See'],
    ['c.mjs', 'export default { clock: 5 }', '"clock" in FILE is 5. Allowed: "system" or "manual".'],
    [
      'c.json',
      '{"initial": {"reservedDomain": []}}',
      '"initial" in FILE: "reservedDomain" is not a family in which resources can be created. Did you mean reservedDomains?',
    ],
    [
      'c.json',
      '{"families": {"mine": 1}}',
      '"families" in FILE, at mine is 1. Allowed: a family created with fauxgate/kit.',
    ],
    ['c.json', '{"initial": {"reservedDomains": [{"domain": "no"}]}}', '"initial" in FILE, at reservedDomains[0]: '],
  ])('%s with %s', async (name, text, message) => {
    const file = newFile(name, text)
    const { code, stdout, stderr } = await runToEnd({}, 'serve', '--port', '0', '--config', file)
    expect([code, stdout]).toEqual([2, ''])
    // An error names a nearby file by its relative path.
    expect(stderr.replaceAll(relative('.', file), file)).toContain(`fauxgate: ${message.replaceAll('FILE', file)}`)
    expect(stderr).toMatch(/^[^\n]+ See "fauxgate help serve"\.\n$/)
  })
})

describe('A port that is taken', () => {
  it.each([
    ['another program', 'by another program', createTcpServer((socket) => socket.destroy())],
    ['another web server', 'by another web server', createServer((_, response) => response.writeHead(404).end())],
    ['a page for every path', 'by another web server', createServer((_, response) => response.end('<html>'))],
    ['a password', 'by another web server', createServer((_, response) => response.writeHead(401).end())],
  ])('by %s: the error says so, and names a free port', async (_what, by, server) => {
    const { port } = new URL(await listen(server))
    const { code, stderr } = await runToEnd({}, 'serve', '--port', port)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^fauxgate: Port \d+ on 127\.0\.0\.1 is in use.*\. Choose another one, such as --port \d+/)
    expect(stderr).toContain(by)
  })

  it.each([{}, { control: { key: 'open-sesame' } }])('by a fauxgate with %j: the error says so', async (options) => {
    const { port, url } = await serveGateway(createGateway(options))
    const { code, stderr } = await runToEnd({}, 'serve', '--port', String(port))
    expect(code).toBe(1)
    expect(stderr).toContain(
      `is in use: a fauxgate server is already running there; its inspector is ${url}/_fauxgate/.`,
    )
  })
})

describe('Help', () => {
  it.each([[], ['help'], ['--help'], ['-h'], ['help', 'help']])(
    'on all commands is printed for %j',
    async (...args) => {
      const { code, stdout, stderr } = await runToEnd({}, ...args)
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toMatch(/^Usage: fauxgate <command> \[options\]\n/)
      expect(stdout).toContain('Exit codes: 0 success')
    },
  )

  it.each([
    ['help', 'serve'],
    ['serve', '--help'],
    ['serve', '--port', '80', '-h'],
    ['help', 'clock', 'advance'],
    ['clock', 'advance', '--help'],
  ])('on one command comes for %j', async (...args) => {
    const name = args.includes('serve') ? 'serve' : 'clock advance'
    const { code, stdout, stderr } = await runToEnd({}, ...args)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(new RegExp(`^Usage: fauxgate ${name}`))
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
  })

  it.each(['clock', 'script', 'sandbox', 'state'])(
    'on a command and those that begin with its name comes for "%s help"',
    async (name) => {
      const { code, stdout } = await runToEnd({}, name, 'help')
      expect([code, stdout]).toEqual([
        0,
        expect.stringMatching(new RegExp(`^Usage: fauxgate ${name} [^]+\n  ${name} \\w+`)),
      ])
    },
  )

  it('also shows the version', async () => {
    for (const flag of ['--version', '-v', 'version']) {
      expect(await runToEnd({}, flag)).toEqual({
        code: 0,
        stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
        stderr: '',
      })
    }
  })
})
