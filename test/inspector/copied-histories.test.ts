import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { RUNNERS, type Runner } from '../../src/control/copied-test/source.ts'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { createGateway, type Gateway, type ManualClock, manualClock } from '../../src/index.ts'
import { serve } from '../../src/server/node.ts'
import { CLOCK_START } from '../support/clock.ts'
import { memoryStore } from '../support/memory-store.ts'
import { type Client, HISTORIES, type History } from './support/histories.ts'
import { PATIENCE_MS } from './support/patience.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const versionHeaderOf = ({ dialect }: History) => ({ [dialect === 'ngrok' ? 'Ngrok-Version' : 'Service-Version']: '2' })

/** Makes what happened at a served gateway, and returns the tests that are copied from it, one for each runner. */
async function copyTests(history: History): Promise<Record<Runner, string>> {
  const store = memoryStore()
  const start = () => {
    const clock = history.clock === 'system' ? {} : { clock: manualClock(CLOCK_START) }
    const options = { ...history.options, ...clock, store }
    return (history.dialect === 'ngrok' ? createNgrok(options) : createGateway(options)) as Gateway<ManualClock>
  }
  const serveAnew = async (gateway: Gateway<ManualClock>) => ({ gateway, server: await serve(gateway, { agent: 0 }) })
  if (history.clock === 'system') vi.useFakeTimers({ toFake: ['Date'], now: new Date(CLOCK_START) })
  let now = await serveAnew(start())
  const call = async (method: string, url: string, body?: object | string, more: object = {}) => {
    const headers = {
      authorization: 'Bearer key',
      ...versionHeaderOf(history),
      'content-type': 'application/json',
      ...more,
    }
    const text = typeof body === 'object' ? JSON.stringify(body) : body
    const response = await fetch(url, { method, headers, ...(text !== undefined && { body: text }) })
    const received = await response.text()
    return {
      status: response.status,
      body: received.startsWith('{') || received.startsWith('[') ? JSON.parse(received) : {},
    }
  }
  const client: Client = {
    send: async (method, path, body, headers) => (await call(method, now.server.url + path, body, headers)).body,
    async control(method, path, sent) {
      const { status, body } = await call(method, `${now.server.url}/_fauxgate${path}`, sent)
      expect(status, `${method} ${path}: ${JSON.stringify(body)}`).toBeLessThan(300)
      return body
    },
    write: async (method, path, body) =>
      (await call(method, now.server.url + path, body, { 'fauxgate-inspector': '1' })).body,
    gateway: () => now.gateway,
    agent: async (method, path, body) => (await call(method, now.server.agentUrl + path, body)).body,
    async restart() {
      await now.server.close()
      now.gateway.dispose()
      now = await serveAnew(start())
    },
    setTime: (time) => void vi.setSystemTime(time),
  }
  try {
    await history.run(client)
    const texts = {} as Record<Runner, string>
    for (const runner of RUNNERS) {
      const response = await fetch(`${now.server.url}/_fauxgate/test?runner=${runner}`)
      texts[runner] = await response.text()
    }
    return texts
  } finally {
    await now.server.close()
    now.gateway.dispose()
    vi.useRealTimers()
  }
}

/** Returns a test without the statement that a history names, or with another first status. */
function spoil(text: string, { without }: History): string {
  if (!without) return text.replace(/(?<=response1\.status\D+)\d+/, '299')
  const lines = text.split('\n')
  const at = lines.findIndex((line) => without.test(line))
  expect(at, `${without} in\n${text}`).toBeGreaterThan(-1)
  const start = lines.findLastIndex((line, index) => index <= at && /^ {2}\w/.test(line))
  const end = /[[({]$/.test(lines[start] ?? '')
    ? lines.findIndex((line, index) => index > at && /^ {2}\}/.test(line))
    : start
  return lines.toSpliced(start, end - start + 1).join('\n')
}

/** The runners, each with the ending of its files, and with how one process runs all of them. */
const RUNS: Readonly<Record<Runner, { ending: string; run(place: string, names: readonly string[]): Results }>> = {
  vitest: {
    ending: 'test.ts',
    run: (place) =>
      readJson(
        runNode(
          'node_modules/vitest/vitest.mjs',
          'run',
          '--root',
          place,
          '--no-isolate',
          '--no-file-parallelism',
          '--testTimeout',
          PATIENCE_MS,
          '--reporter',
          'json',
        ),
      ),
  },
  Jest: {
    ending: 'cjs',
    run(place, names) {
      // Jest would load the package for each file again.
      const all = names.map((name) => `describe('${name}', () => void require('./${name}'))\n`)
      writeFileSync(join(place, 'all.test.cjs'), all.join(''))
      return readJson(
        runNode(
          'tools/node_modules/jest/bin/jest.js',
          '--rootDir',
          place,
          '--testMatch',
          '**/*.test.cjs',
          '--testTimeout',
          PATIENCE_MS,
          '--json',
        ),
      )
    },
  },
  'node:test': {
    ending: 'mjs',
    run(place, names) {
      writeFileSync(join(place, 'all.mjs'), names.map((name) => `import './${name}'\n`).join(''))
      const { stdout, output } = runNode('--test-reporter', 'tap', join(place, 'all.mjs'))
      const results = [...stdout.matchAll(/^(not )?ok (\d+)/gm)]
      return {
        output,
        failed: results.flatMap(([, isFailed, number]) => (isFailed ? (names[Number(number) - 1] ?? '') : [])),
        count: results.length,
      }
    },
  },
}

interface Results {
  readonly count: number
  /** The names of the files whose test failed. */
  readonly failed: readonly string[]
  readonly output: string
}

function runNode(...args: string[]) {
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 28 })
  return { stdout, output: stdout + stderr }
}

interface JsonReport {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly { readonly status: string; readonly ancestorTitles: readonly string[] }[]
  }[]
}

/** Reads the report of vitest or Jest. */
function readJson({ stdout, output }: { stdout: string; output: string }): Results {
  const { testResults }: JsonReport = JSON.parse(stdout.slice(stdout.indexOf('{"num')))
  const all = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ status, ancestorTitles: [title] }) => ({ status, name: title ?? basename(name) })),
  )
  return { output, count: all.length, failed: all.filter(({ status }) => status !== 'passed').map(({ name }) => name) }
}

const copies: Record<Runner, string>[] = []

beforeAll(async () => {
  for (const history of HISTORIES) copies.push(await copyTests(history))
})

test.each(HISTORIES.map(({ name, has = [], lacks = [] }, number) => ({ name, has, lacks, number })))(
  'The copied test says what it lacks: $name',
  ({ has, lacks, number }) => {
    const { vitest = '' } = copies[number] ?? {}
    for (const text of has) expect(vitest).toMatch(text)
    for (const text of lacks) expect(vitest).not.toMatch(text)
  },
)

test.each(RUNNERS)('With %s, all copied tests pass, and each fails without a step or with another status', (runner) => {
  const { ending, run } = RUNS[runner]
  // Inside the package, the name `fauxgate` means the built package.
  const place = mkdtempSync(join(ROOT, 'test', 'copied-'))
  onTestFinished(() => (process.env.KEEP ? undefined : rmSync(place, { recursive: true, force: true })))
  // The configuration of the package would find its own tests.
  writeFileSync(join(place, 'vitest.config.mjs'), 'export default {}\n')
  const names = copies.flatMap((texts, number) => {
    const each = {
      [`${number}.${ending}`]: texts[runner],
      [`${number}-spoiled.${ending}`]: spoil(texts[runner], HISTORIES[number] as History),
    }
    for (const [name, text] of Object.entries(each)) writeFileSync(join(place, name), text)
    return Object.keys(each)
  })
  const { count, failed, output } = run(place, names)
  expect(count, output.slice(0, 10_000)).toBe(names.length)
  expect([...failed].sort(), output.slice(0, 10_000)).toEqual(names.filter((name) => name.includes('spoiled')).sort())
})

test('The copied tests for vitest are TypeScript that a strict compiler accepts, also without the types of a browser', () => {
  const place = mkdtempSync(join(ROOT, 'test', 'copied-'))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  copies.forEach(({ vitest }, number) => void writeFileSync(join(place, `${number}.test.ts`), vitest))
  const compilerOptions = {
    strict: true,
    noEmit: true,
    noUnusedLocals: true,
    noUncheckedIndexedAccess: true,
    target: 'es2022',
    lib: ['es2022'],
    module: 'nodenext',
    types: ['node'],
    skipLibCheck: true,
  }
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  const { output } = runNode('node_modules/typescript-7/bin/tsc', '-p', place)
  expect(output).toBe('')
})
