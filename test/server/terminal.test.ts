import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { sqliteStore } from '../../src/server/node.ts'
import { nodeSqlite } from '../../src/server/sqlite/sqlite-file.ts'
import { runToEnd } from '../support/command.ts'
import { enterNewFolder } from '../support/folder.ts'
import { listen } from '../support/serve.ts'
import { testSqlite } from '../support/sqlite.ts'

beforeEach(() => void enterNewFolder())

const SIGNS = '\u001b[2J\u0007\r\u009b31m\u202e'
// biome-ignore lint/suspicious/noControlCharactersInRegex: the tests look for these characters
const RAW = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

describe('The command prints no character that controls a terminal (rules: secrets#messages)', () => {
  testSqlite('of a key or a collection in a data file', async () => {
    const store = sqliteStore('gateway.db')
    createGateway({ store }).reservedAddrs.create()
    store.close()
    const database = nodeSqlite()('gateway.db')
    database
      .prepare("UPDATE fauxgate_records SET collection = ?, key = ? WHERE collection = 'reserved_addrs'")
      .all(SIGNS, `"${SIGNS}"`)
    database.close()
    for (const args of [
      ['serve', '--port', '0', '--data', 'gateway.db'],
      ['migrate', 'gateway.db'],
    ]) {
      const { code, stderr } = await runToEnd({}, ...args)
      expect(code).toBe(1)
      expect(stderr).toContain('\\u001b[2J')
      expect(stderr).not.toMatch(RAW)
    }
  })

  test('of a recording', async () => {
    const text = { log: { version: '1.2', creator: { name: SIGNS, version: SIGNS }, entries: [] } }
    writeFileSync('a.har', JSON.stringify(text))
    const { stdout, stderr } = await runToEnd({}, 'replay', 'a.har')
    expect(stdout + stderr).not.toBe('')
    expect(stdout + stderr).not.toMatch(RAW)
  })

  test('of a server that it calls, beside the colours of its own', async () => {
    const entry = { at: '2026-01-01T00:00:00Z', method: SIGNS, path: SIGNS, operation: SIGNS, status: 200 }
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify([entry]))
    })
    const url = await listen(server)
    const { stdout } = await runToEnd({ FORCE_COLOR: '1' }, 'requests', '--url', url)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the styles of a line
    const styles = /\u001b\[\d+m/g
    expect(stdout.match(styles)).toEqual(['\u001b[2m', '\u001b[22m', '\u001b[32m', '\u001b[39m'])
    expect(stdout.replace(styles, '')).not.toMatch(RAW)
    expect(stdout).toContain('\\u202e')
  })
})

test('The library prints no such character of an error that it did not expect, or of a warning', async () => {
  const printed: unknown[] = []
  const print = (...words: unknown[]) => void printed.push(...words)
  vi.spyOn(console, 'error').mockImplementation(print)
  vi.spyOn(console, 'warn').mockImplementation(print)
  onTestFinished(() => void vi.restoreAllMocks())
  const gateway = createGateway()
  const end = gateway.subscribe(() => {
    throw new Error(`a subscriber with ${SIGNS}`)
  })
  gateway.reservedAddrs.create()
  end()
  const { uninstall } = gateway.install()
  await fetch(`http://127.0.0.1:1/${SIGNS}`).catch(() => undefined)
  uninstall()
  expect(printed).toEqual([
    'A subscriber of the gateway threw:',
    expect.stringContaining('\\u001b[2J'),
    expect.any(String),
  ])
  expect(printed.join('')).not.toMatch(RAW)
})

// `cli.ts` does so before it can load anything, in versions of Node that are too old.
test('Only one file of the library writes to the console, besides what must run in an old Node or is a test for users', () => {
  const writers = [
    'core',
    'service',
    'traffic',
    'control',
    'gateway',
    'testing',
    'verify',
    'sandbox',
    'server',
  ].flatMap((name) => {
    const folder = fileURLToPath(new URL(`../../src/${name}/`, import.meta.url))
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .filter((file) =>
        /console\.(?:log|warn|error)\b/.test(
          readFileSync(join(folder, file), 'utf8').replaceAll(/^ *(?:\/?\*|\/\/).*$/gm, ''),
        ),
      )
      .map((file) => `${name}/${file}`)
  })
  expect(writers).toEqual(['core/schema/print.ts', 'server/cli.ts', 'server/commands/init-test.ts'])
})

test('Only two files of the command write to its streams, so that no text passes by the escapes', () => {
  const folder = fileURLToPath(new URL('../../src/server/', import.meta.url))
  const writers = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .filter((name) => /(?:stdout|stderr)\.write\(|#stream\.write\(/.test(readFileSync(join(folder, name), 'utf8')))
  expect(writers.sort()).toEqual(['log/output.ts', 'terminal.ts'])
})
