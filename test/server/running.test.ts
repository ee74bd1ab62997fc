import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ownPort } from '../../scripts/own-port.mjs'
import { allCommands } from '../../src/server/commands/all.ts'
import { readArguments } from '../../src/server/commands/command.ts'
import { runToEnd, startCommand, startServer, startServerProcess } from '../support/command.ts'
import { newFile, newFolder } from '../support/folder.ts'
import { serveResponse } from '../support/serve.ts'
import { waitUntil } from '../support/wire.ts'

const headers = { authorization: 'Bearer k', 'service-version': '2' }

// Another server may listen at the default port of this machine. The tests connect to a port without a server.
type Connecting = (options: { readonly port?: number | string }, ...more: readonly unknown[]) => Socket
// Node's types do not have this method. Each request of a command has an agent of its own.
const agents = Agent.prototype as unknown as { createConnection: Connecting }
const { createConnection } = agents
beforeAll(() => {
  agents.createConnection = function (options, ...more) {
    return Number(options.port) === 4747 ? connect(9, '127.0.0.1') : createConnection.call(this, options, ...more)
  }
})
afterAll(() => {
  agents.createConnection = createConnection
})

describe('A command without a URL', () => {
  it('acts on the running server, and prints its URL and start time', async () => {
    const { url } = await startServer({}, '--clock', 'manual')
    const { code, stdout, stderr } = await runToEnd({}, 'clock', 'advance', '30s')
    expect([code, stdout]).toEqual([0, expect.stringMatching(/Z\n$/)])
    expect(stderr).toMatch(new RegExp(`^fauxgate: at ${url}, started \\d\\d:\\d\\d\\n$`))
    expect((await runToEnd({ FAUXGATE_URL: url }, 'reset')).stderr).toMatch(
      /^fauxgate: done at \S+, started \d\d:\d\d\n$/,
    )
  })

  it('fails if two servers run, and lists both', async () => {
    const one = await startServer({})
    const two = await startServer({})
    const { code, stderr } = await runToEnd({}, 'reset')
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /^fauxgate: 2 servers are running: \S+ \(started \S+\), \S+ \(started \S+\)\. Choose one with --url or FAUXGATE_URL\. See/,
    )
    expect(stderr).toContain(one.url)
    expect(stderr).toContain(two.url)
    await two.stop()
    await one.stop()
  })

  it('forgets a server that was killed, also with another one at its port, and entries that it cannot read', async () => {
    const other = await serveResponse((response) => response.end('<html>'))
    const runtime = newFolder()
    const folder = join(runtime, `fauxgate-${process.getuid?.() ?? 'servers'}`)
    mkdirSync(folder)
    writeFileSync(join(folder, '1-9.json'), '{"url": "http://127.0.0.1:9", "started": "12:03"}')
    writeFileSync(join(folder, '1-10.json'), '{"url": "http://127.0.0.1:10", "started": "12:04"}')
    writeFileSync(join(folder, '1-11.json'), '{')
    symlinkSync('/nowhere', join(folder, '0-9.json'))
    writeFileSync(join(folder, '1-12.json'), JSON.stringify({ url: other.url, started: '12:05' }))
    const { code, stderr } = await runToEnd({ XDG_RUNTIME_DIR: runtime }, 'clock')
    expect([code, readdirSync(folder)]).toEqual([1, ['0-9.json', '1-11.json']])
    expect(stderr).toContain('No server responds at http://127.0.0.1:4747.')
  })
})

describe('`fauxgate serve`', () => {
  it('replaces the entry of a server that was killed at the same address', async () => {
    const XDG_RUNTIME_DIR = newFolder()
    const folder = join(XDG_RUNTIME_DIR, `fauxgate-${process.getuid?.() ?? 'servers'}`)
    mkdirSync(folder)
    const port = await ownPort()
    const url = `http://127.0.0.1:${port}`
    writeFileSync(join(folder, '1-1.json'), JSON.stringify({ url, started: '12:03' }))
    const { stop } = await startCommand({ XDG_RUNTIME_DIR }, ['serve', '--port', String(port)])
    const { code, stderr } = await runToEnd({ XDG_RUNTIME_DIR }, 'clock')
    expect(readdirSync(folder)).toHaveLength(1)
    expect([code, stderr]).toEqual([0, expect.stringContaining(`fauxgate: at ${url}, started `)])
    expect(stderr).not.toContain('12:03')
    await stop()
  })

  it('delays responses of the API with --latency, and not those of controls', async () => {
    const { url } = await startServer({}, '--latency', '150ms')
    const measureTime = async (path: string) => {
      const start = performance.now()
      await (await fetch(url + path, { headers })).text()
      return performance.now() - start
    }
    const late = await measureTime('/reserved_addrs')
    expect(late).toBeGreaterThan(140)
    expect(await measureTime('/_fauxgate/clock')).toBeLessThan(late)
  })

  it('restarts with --watch at the same port when its files change, and keeps running if they are invalid', async () => {
    const initial = newFile('initial.json', '{"reservedDomains": [{"domain": "a.example.com"}]}')
    const { output, url, stop } = await startServer({}, '--watch', '--initial', initial)
    const listDomains = async () => {
      const { reserved_domains } = await (await fetch(`${url}/reserved_domains`, { headers })).json()
      return reserved_domains.map(({ domain }: { readonly domain: string }) => domain)
    }
    writeFileSync(initial, '{"reservedDomains": [{"domain": "no"}]}')
    await waitUntil(() => output.stderr.includes('initial.json has changed'))
    expect(output.stderr).toContain('but the server still uses the old version: --initial, at reservedDomains[0]')
    expect(await listDomains()).toEqual(['a.example.com'])
    writeFileSync(initial, '{"reservedDomains": [{"domain": "b.example.com"}]}')
    await waitUntil(() => output.stdout.split(`listens on ${url}`).length === 3)
    expect(await listDomains()).toEqual(['b.example.com'])
    expect(output.stdout).toContain('initial.json has changed. Restarting the server.')
    expect(await stop()).toBe(0)
  })
})

describe('`fauxgate serve --watch`', () => {
  it('continues if a changed config file has options that contradict each other', async () => {
    const file = newFile('c.json', '{}')
    const { output } = await startServer({}, '--watch', '--config', file)
    writeFileSync(file, '{"data": "a.db", "state": "state.json"}')
    await waitUntil(() => output.stderr.includes('c.json has changed'))
    expect(output.stderr).toMatch(
      /but the server still uses the old version: "data" in \S+ and "state" in \S+ were both set\./,
    )
  })

  it('notices a change while it checks an earlier one', async () => {
    const file = newFile('c.mjs', 'export default {}')
    const checking = join(newFolder(), 'checking')
    const { output } = await startServerProcess('serve', '--port', '0', '--watch', '--config', file)
    writeFileSync(
      file,
      `import { writeFileSync } from 'node:fs'
      writeFileSync(${JSON.stringify(checking)}, '')
      await new Promise(() => undefined)`,
    )
    await waitUntil(() => existsSync(checking))
    writeFileSync(file, 'export default { dialect: "ngrok" }')
    await waitUntil(() => output.stdout.includes('fauxgate (ngrok) listens on'))
  })
})

describe('The examples of the help', () => {
  it('are command lines that the command reads', async () => {
    const commands = allCommands.filter(({ example }) => example !== undefined)
    expect(commands.length).toBeGreaterThan(12)
    for (const { name, words, flags, example = '' } of commands) {
      expect(example.startsWith(name)).toBe(true)
      const read = readArguments((example.match(/"[^"]*"|\S+/g) ?? []).slice(name.split(' ').length), flags, name)
      if (!/[[…]/.test(words)) expect(read.words).toHaveLength(words === '' ? 0 : words.split(' ').length)
    }
  })

  it('are there for clock, faults and script, with their commands', async () => {
    for (const [name, parts] of [
      ['clock', ['clock advance DURATION', 'clock to TIME', 'clock next', 'Example: fauxgate clock advance 30s']],
      ['faults', ['faults add', 'faults remove ID', 'faults clear', 'Example: fauxgate faults add --operation']],
      ['script', ['script show', 'success, INTERNAL_ERROR, DNS_ERROR', 'Example: fauxgate script DNS_ERROR success']],
      ['state', ['state export', 'state import', 'Example: fauxgate state export']],
    ] as const) {
      const { code, stdout } = await runToEnd({}, 'help', name)
      expect(code).toBe(0)
      for (const part of parts) expect(stdout).toContain(part)
    }
  })
})

describe('`fauxgate completion`', () => {
  it.each(['bash', 'zsh', 'fish'])('prints a script for %s that has every command and flag', async (shell) => {
    const { code, stdout } = await runToEnd({}, 'completion', shell)
    expect(code).toBe(0)
    for (const { name, flags } of allCommands) {
      for (const word of name.split(' ')) expect(stdout).toContain(word)
      for (const { flag } of flags) expect(stdout).toContain(flag)
    }
  })

  it.skipIf(process.platform === 'win32').each([
    ['a command', 'fauxgate clock adv', 'advance'],
    ['an option', 'fauxgate faults add --oper', '--operation'],
    ['a value', 'fauxgate serve --dialect n', 'ngrok'],
    ['a choice', 'fauxgate completion z', 'zsh'],
  ])('completes %s in bash', async (_what, line, word) => {
    const { stdout } = await runToEnd({}, 'completion', 'bash')
    const completion = `COMP_WORDS=(${line}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _fauxgate; echo "\${COMPREPLY[*]}"`
    expect(execFileSync('bash', ['-c', `${stdout}\n${completion}`], { encoding: 'utf8' })).toBe(`${word}\n`)
  })
})
