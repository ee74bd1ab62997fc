import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ran, start } from '../support/command.ts'

const AT_SERVE = 'See "fauxgate help serve".'

describe('A command line that is wrong is answered in one line, with what was typed, what is allowed and where to look', () => {
  it.each<[string[], string]>([
    [['serve', '--prot', '80'], `--prot is not an option of "serve". Did you mean --port? ${AT_SERVE}`],
    [['serve', '--baseUrl', 'x'], `--baseUrl is not an option of "serve". Did you mean --base-url? ${AT_SERVE}`],
    [['serve', '-port', '80'], `-port is not an option of "serve". Did you mean --port? ${AT_SERVE}`],
    [['serve', '-p', '80'], `-p is not an option of "serve". ${AT_SERVE}`],
    [
      ['serve', '--dns-retry', '1h'],
      `--dns-retry is not an option of "serve". Did you mean --dns-error-retry? ${AT_SERVE}`,
    ],
    [['serve', '--keyx', '--keyx'], `--keyx is not an option of "serve". Did you mean --key? ${AT_SERVE}`],
    [['serve', '--zzz=hush'], `--zzz is not an option of "serve". ${AT_SERVE}`],
    [['serve', '--no-port'], `--no-port is not an option of "serve". ${AT_SERVE}`],
    [['serve', '--no-zzz'], `--no-zzz is not an option of "serve". ${AT_SERVE}`],
    [['serve', '--port'], `--port needs a value. ${AT_SERVE}`],
    [['serve', '--port', '--quiet'], `--port needs a value. ${AT_SERVE}`],
    [['serve', '--quiet=yes'], `--quiet takes no value. Write --quiet or --no-quiet. ${AT_SERVE}`],
    [['serve', '8080'], `Behind serve there is 1 word that belongs to no option. ${AT_SERVE}`],
    [['serve', 'a—b'], `Behind serve there is 1 word that belongs to no option. ${AT_SERVE}`],
    [['serve', 'a', 'b'], `Behind serve there are 2 words that belong to no option. ${AT_SERVE}`],
    [
      ['serve', '—port', '80'],
      `Behind serve there are 2 words that belong to no option. One begins with a dash; options begin with two hyphens. ${AT_SERVE}`,
    ],
    [['serve', '--port', 'http'], `--port is "http". Allowed: an integer from 0 to 65535. ${AT_SERVE}`],
    [['serve', '--port', '65536'], `--port is 65536. Allowed: an integer from 0 to 65535. ${AT_SERVE}`],
    [['serve', '--port', '1e3'], `--port is "1e3". Allowed: an integer from 0 to 65535. ${AT_SERVE}`],
    [['serve', '--port=-1'], `--port is "-1". Allowed: an integer from 0 to 65535. ${AT_SERVE}`],
    [['serve', '--dns', 'real'], `--dns is "real". Allowed: "off" or "simulated". ${AT_SERVE}`],
    [['serve', '--dialect', 'french'], `--dialect is "french". Allowed: "standard" or "ngrok". ${AT_SERVE}`],
    [['serve', '--clock', 'sundial'], `--clock is "sundial". Allowed: "system" or "manual". ${AT_SERVE}`],
    [['serve', '--log', 'xml'], `--log is "xml". Allowed: "text" or "json". ${AT_SERVE}`],
    [['serve', '--references', 'some'], `--references is "some". Allowed: "any" or "declared". ${AT_SERVE}`],
    [['serve', '--base-url', 'gate'], `--base-url is "gate". Allowed: an http or https URL. ${AT_SERVE}`],
    [['serve', '--journal-size', 'x'], `--journal-size is "x". Allowed: an integer from 0 to 1000000. ${AT_SERVE}`],
    [
      ['serve', '--key', ' s3cret'],
      `--key is a string of 7 characters. Allowed: a non-empty key without white space around it. ${AT_SERVE}`,
    ],
    [
      ['serve', '--control-key', 'two words'],
      `--control-key is a string of 9 characters. Allowed: visible ASCII characters without spaces. ${AT_SERVE}`,
    ],
    [
      ['serve', '--allow-host', 'gate:4747'],
      `--allow-host is "gate:4747". Allowed: a host name without port. ${AT_SERVE}`,
    ],
    [
      ['serve', '--rate-limit-window', '5 parsecs'],
      `--rate-limit-window is "5 parsecs". Allowed: a whole number with ms, s, m, h or d, such as "30s", at least 1000 ms. ${AT_SERVE}`,
    ],
    [
      ['serve', '--renewal-lead', '90d'],
      `--renewal-lead is "90d". Allowed: less than --certificate-validity, "90d", its default. ${AT_SERVE}`,
    ],
    [
      ['serve', '--renewal-lead', '100d', '--certificate-validity', '2400h'],
      `--renewal-lead is "100d". Allowed: less than --certificate-validity, "2400h". ${AT_SERVE}`,
    ],
    [
      ['serve', '--internal-error-backoff-first', '2h'],
      `--internal-error-backoff-first is "2h". Allowed: at most --internal-error-backoff-most, "64m", its default. ${AT_SERVE}`,
    ],
    [
      ['serve', '--internal-error-backoff-most', '5s'],
      `--internal-error-backoff-first is "1m", its default. Allowed: at most --internal-error-backoff-most, "5s". ${AT_SERVE}`,
    ],
    [
      ['serve', '--certificate-validity', '10d'],
      `--renewal-lead is "30d", its default. Allowed: less than --certificate-validity, "10d". ${AT_SERVE}`,
    ],
    [
      ['serve', '--dns', 'simulatd'],
      `--dns is "simulatd". Allowed: "off" or "simulated". Did you mean simulated? ${AT_SERVE}`,
    ],
    [
      ['serve', '--dialect', 'Ngrok'],
      `--dialect is "Ngrok". Allowed: "standard" or "ngrok". Did you mean ngrok? ${AT_SERVE}`,
    ],
    [['serve', '--no-quiet=1'], `--no-quiet takes no value. Write --quiet or --no-quiet. ${AT_SERVE}`],
    [['serve', '--start', '2026-01-01T00:00:00Z'], `--start needs --clock manual. ${AT_SERVE}`],
    [['serve', '--initial', 'nowhere.json'], `nowhere.json cannot be read: there is no such file. ${AT_SERVE}`],
    [['serve', '--config', 'nowhere.json'], `nowhere.json cannot be read: there is no such file. ${AT_SERVE}`],
    [['serve', '--config', 'nowhere.mjs'], `nowhere.mjs cannot be read: there is no such file. ${AT_SERVE}`],
    [['sreve'], '"sreve" is not a command. Did you mean serve? See "fauxgate help".'],
    [
      ['run'],
      '"run" is not a command. Allowed: serve, init, clock, script, attempt, renew, expire, timeline, dns, faults, requests, overview, report, declare, root, reset, state. See "fauxgate help".',
    ],
    [['help', 'sreve'], '"sreve" is not a command. Did you mean serve? See "fauxgate help".'],
    [['--verison'], 'A command is missing before the options. Did you mean --version? See "fauxgate help".'],
    [['--port', '80'], 'A command is missing before the options. Did you mean "fauxgate serve"? See "fauxgate help".'],
    [['state'], 'Behind state comes one of export, import. See "fauxgate help".'],
    [['state', 'exprot'], 'Behind state comes one of export, import. Did you mean state export? See "fauxgate help".'],
    [['clock', 'advance'], 'Behind clock advance comes DURATION. See "fauxgate help clock advance".'],
    [
      ['clock', 'advance', '3', 'days'],
      'Behind clock advance there is 1 word that belongs to no option. See "fauxgate help clock advance".',
    ],
    [
      ['clock', 'advanec', '30d'],
      'Behind clock comes one of advance, to, next. Did you mean clock advance? See "fauxgate help".',
    ],
    [['dns', 'cname', 'app.example.com'], 'Behind dns cname comes NAME VALUE. See "fauxgate help dns cname".'],
    [
      ['faults', 'add', '--tiems', '1'],
      '--tiems is not an option of "faults add". Did you mean --times? See "fauxgate help faults add".',
    ],
    [['reset', '--url', 'gate'], '--url is "gate". Allowed: an http or https URL. See "fauxgate help reset".'],
    [
      ['init', '--runner', 'vitset'],
      '--runner is "vitset". Allowed: vitest, jest, node. Did you mean vitest? See "fauxgate help init".',
    ],
  ])('%j', async (args, message) => {
    expect(await ran({}, ...args)).toEqual({ code: 2, stdout: '', stderr: `fauxgate: ${message}\n` })
  })

  it.each<[string[], RegExp]>([
    [['--data', tmpdir()], /^--data: The store \S+ cannot be opened: it is no file\.$/],
    [['--data', '/nowhere/gateway.db'], /^--data: The store \S+ cannot be opened: its folder does not exist\.$/],
    [['--state', tmpdir()], /^--state: The state file \S+ cannot be read: EISDIR[^\n]*$/],
    [['--tls', '--tls-root', '/nowhere/root.pem'], /^--tls-root: ENOENT: no such file or directory[^\n]*$/],
  ])('also where the option names what cannot be used, such as %j', async (args, message) => {
    const { code, stdout, stderr } = await ran({}, 'serve', '--port', '0', ...args)
    expect([code, stdout]).toEqual([1, ''])
    const needsSqlite = args[0] === '--data' && !process.getBuiltinModule?.('node:sqlite')
    // Node may warn that its SQLite is new.
    const [, found = ''] = /^fauxgate: (.+)$/m.exec(stderr) ?? []
    expect(found).toMatch(needsSqlite ? /^--data: A SQLite file needs Node 22\.13/ : message)
  })

  it('and so is an environment', async () => {
    expect((await ran({ FAUXGATE_RENEWAL_LEAD: '100d' }, 'serve')).stderr).toBe(
      `fauxgate: FAUXGATE_RENEWAL_LEAD is "100d". Allowed: less than --certificate-validity, "90d", its default. ${AT_SERVE}\n`,
    )
    expect(await ran({ FAUXGATE_PORT: 'http' }, 'serve')).toEqual({
      code: 2,
      stdout: '',
      stderr: `fauxgate: FAUXGATE_PORT is "http". Allowed: an integer from 0 to 65535. ${AT_SERVE}\n`,
    })
    const { stderr } = await ran({ FAUXGATE_TLS: 'maybe' }, 'serve')
    expect(stderr).toBe(`fauxgate: FAUXGATE_TLS is "maybe". Allowed: true, false, 1 or 0. ${AT_SERVE}\n`)
  })

  it('while a variable that is near one of the command is warned of', async () => {
    const { code, stderr } = await ran({ FAUXGATE_PROT: '80', FAUXGATE_OF_MINE: 'x' }, 'serve', '--port', '0')
    expect([code, stderr]).toEqual([0, 'fauxgate: warning: FAUXGATE_PROT is not read. Did you mean FAUXGATE_PORT?\n'])
  })
})

describe('A config file or an initial state that is wrong is answered in one line', () => {
  it.each<[string, string, string]>([
    ['c.json', '{"prot": 80}', '"prot" in FILE is not an option. Did you mean port?'],
    ['c.json', '{"port": "80"}', '"port" in FILE is "80". Allowed: an integer from 0 to 65535.'],
    [
      'c.json',
      '{"keys": "s3cret-key"}',
      '"keys" in FILE is a string of 10 characters. Allowed: an array of non-empty keys without white space around them.',
    ],
    ['c.json', '{"port": 80', 'FILE is not JSON: at line 1, column 12 (position 11).'],
    ['c.json', '[]', 'FILE holds an array of 0. Allowed: an object with options.'],
    [
      'c.json',
      '{"renewalLead": "90d"}',
      '"renewalLead" in FILE is "90d". Allowed: less than certificateValidity, "90d", its default.',
    ],
    [
      'c.json',
      '{"renewalLead": 8000000000}',
      '"renewalLead" in FILE is 8000000000. Allowed: less than certificateValidity, "90d", its default.',
    ],
    [
      'c.json',
      '{"internalErrorBackoff": {"first": "2h", "most": "90m"}}',
      '"internalErrorBackoff.first" in FILE is "2h". Allowed: at most "internalErrorBackoff.most" in FILE, "90m".',
    ],
    ['c.mjs', 'export const port = 80', 'FILE exports nothing by default. Write: export default { … }'],
    ['c.mjs', 'throw new Error("no such luck")', 'FILE cannot be loaded: no such luck'],
    ['c.mjs', 'export default { clock: 5 }', '"clock" in FILE is 5. Allowed: "system" or "manual".'],
    [
      'c.json',
      '{"initial": {"reservedDomain": []}}',
      '"initial" in FILE, at reservedDomain cannot be created. Supported: arrays of bodies for',
    ],
    ['c.json', '{"initial": {"reservedDomains": [{"domain": "no"}]}}', '"initial" in FILE, at reservedDomains[0]: '],
  ])('%s with %s', async (name, text, message) => {
    const folder = mkdtempSync(join(tmpdir(), 'fauxgate-config-'))
    const file = join(folder, name)
    writeFileSync(file, text)
    const { code, stdout, stderr } = await ran({}, 'serve', '--port', '0', '--config', file)
    expect([code, stdout]).toEqual([2, ''])
    // A file that is near is shown as it is reached from here.
    expect(stderr.replaceAll(relative('.', file), file)).toContain(`fauxgate: ${message.replaceAll('FILE', file)}`)
    expect(stderr).toMatch(/^[^\n]+ See "fauxgate help serve"\.\n$/)
    rmSync(folder, { recursive: true })
  })
})

describe('A port that is taken', () => {
  const takenBy = async (server: {
    listen(port: number, host: string, then: () => void): unknown
    address(): unknown
    close(): unknown
  }) => {
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const { code, stderr } = await ran({}, 'serve', '--port', String(port))
    server.close()
    expect(code).toBe(1)
    return stderr.replaceAll(String(port), 'PORT')
  }

  it('by another web server is said to be so', async () => {
    const other = createServer((_request, response) => response.writeHead(404).end())
    expect(await takenBy(other)).toMatch(
      /^fauxgate: Port PORT on 127\.0\.0\.1 is taken by another web server\. Choose another one, such as --port \d+/,
    )
  })

  it('by something else is said to be so', async () => {
    const other = createTcpServer((socket) => socket.destroy())
    expect(await takenBy(other)).toMatch(
      /^fauxgate: Port PORT on 127\.0\.0\.1 is taken by another program\. Choose another one/,
    )
  })
})

describe('Help', () => {
  it.each([[], ['help'], ['--help'], ['-h']])('on all commands comes for %j', async (...args) => {
    const { code, stdout, stderr } = await ran({}, ...args)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^Usage: fauxgate <command> \[options\]\n/)
    expect(stdout).toContain('Exit codes: 0 done')
  })

  it.each([
    ['help', 'serve'],
    ['serve', '--help'],
    ['serve', '--port', '80', '-h'],
    ['help', 'clock', 'advance'],
    ['clock', 'advance', '--help'],
  ])('on one command comes for %j', async (...args) => {
    const name = args.includes('serve') ? 'serve' : 'clock advance'
    const { code, stdout, stderr } = await ran({}, ...args)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(new RegExp(`^Usage: fauxgate ${name}`))
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
  })

  it('is there for the version too', async () => {
    for (const flag of ['--version', '-v', 'version']) {
      expect(await ran({}, flag)).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: '' })
    }
  })

  it('is what the command itself answers', async () => {
    const { output, exited } = start('help', 'serve')
    expect(await exited).toBe(0)
    expect(output.stdout).toContain('--dialect standard|ngrok')
  })
})
