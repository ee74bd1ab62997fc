import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { transform } from 'esbuild'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import * as main from '../../src/index.ts'
import { RUNNERS, type Runner } from '../../src/server/commands/init-files.ts'
import { readConfigFile } from '../../src/server/options/config-file.ts'
import { gatewayOptionsOf } from '../../src/server/options/gateway-options.ts'
import { parseOptions } from '../../src/server/options/parsed-options.ts'
import { bundle } from '../support/bundle.ts'
import { ran } from '../support/command.ts'
import { enterNewFolder } from '../support/folder.ts'

beforeEach(() => void enterNewFolder())

const project = (value: object) => writeFileSync('package.json', JSON.stringify(value))
const testFile = () => readdirSync('.').find((name) => /\.test\.\w+$/.test(name)) ?? ''

/** The test that a file defines: with what it imports and with what its runner has as globals, and with nothing else. */
async function definedIn(file: string, runner: Runner, changed: main.GatewayOptions = {}) {
  const defined: { name: string; work: (fixtures?: object) => unknown }[] = []
  let gatewayOptions: main.GatewayOptions = {}
  const define = (name: string, work: () => unknown) => void defined.push({ name, work })
  const override = (name: string, options: main.GatewayOptions) => {
    expect(name).toBe('gatewayOptions')
    gatewayOptions = options
  }
  const modules: Readonly<Record<string, unknown>> = {
    fauxgate: { ...main, createGateway: (given: object) => main.createGateway({ ...given, ...changed }) },
    'node:fs': fs,
    ...(runner === 'vitest' && {
      vitest: { expect },
      'fauxgate/vitest': { test: Object.assign(define, { override }) },
    }),
    ...(runner === 'node' && { 'node:test': { test: define }, 'node:assert/strict': assert }),
    './fauxgate.initial.json': JSON.parse(readFileSync('fauxgate.initial.json', 'utf8')),
  }
  const required = (name: string) => {
    if (!(name in modules)) throw new Error(`The test imports ${name}.`)
    return modules[name]
  }
  const { code } = await transform(readFileSync(file, 'utf8'), { format: 'cjs', loader: 'ts' })
  const globals = runner === 'jest' ? { test: define, expect } : { test: undefined, expect: undefined }
  const run = new Function('require', 'module', 'exports', 'test', 'expect', code)
  run(required, { exports: {} }, {}, globals.test, globals.expect)
  expect(defined.map(({ name }) => name)).toEqual(['a domain gets its certificate after half a minute'])
  return async () => {
    const clock = main.manualClock('2026-01-01T00:00:00Z')
    await defined[0]?.work({ gateway: main.createGateway({ ...gatewayOptions, clock, ...changed }) })
  }
}

describe('The test that fauxgate init writes', () => {
  const projects = [
    ['module', 'plain'],
    ['commonjs', 'plain'],
    ['module', 'typed'],
    ['commonjs', 'typed'],
  ] as const

  for (const runner of RUNNERS) {
    it.each(projects)(`runs by ${runner} in a project that is %s and %s`, async (type, typed) => {
      project({ type })
      if (typed === 'typed') writeFileSync('tsconfig.json', '{}')
      const { code, stdout, stderr } = await ran({}, 'init', '--runner', runner)
      expect([code, stderr]).toEqual([0, ''])
      const file = testFile()
      expect(stdout).toContain(`wrote  ${file}, a first test\n`)
      const isModule = type === 'module'
      const expected = {
        vitest: typed === 'typed' ? 'ts' : isModule ? 'js' : 'mjs',
        jest: 'js',
        node: isModule ? 'js' : 'mjs',
      }
      expect(file).toBe(`fauxgate.test.${expected[runner]}`)
      const text = readFileSync(file, 'utf8')
      expect(/^import /m.test(text)).toBe(runner !== 'jest' || isModule)
      expect(text).toMatch(/^(import|const) .*\n(.+\n)*\n[^\n]/)
      expect(text).toMatch(/[^\n]\n\}\)\n$/)
      const lines = {
        vitest: `npx vitest run ${file}`,
        jest: `${isModule ? 'NODE_OPTIONS=--experimental-vm-modules ' : ''}npx jest ${file}`,
        node: `node --test ${file}`,
      }
      expect(stdout).toMatch(`\n\nRun the test:      ${lines[runner]}\nStart the server:  npx fauxgate serve\n`)
      const run = await definedIn(file, runner)
      await run()
    })
  }

  it.each(RUNNERS)(
    'fails by %s where the certificate does not come, or is there from the beginning',
    async (runner) => {
      await ran({}, 'init', '--runner', runner)
      for (const provisioningDelay of [0, '31s'] as const) {
        const run = await definedIn(testFile(), runner, { provisioningDelay })
        await expect(run()).rejects.toThrow()
      }
    },
  )
})

it('fauxgate init says what it wrote and what to do next', async () => {
  project({ type: 'module' })
  expect(await ran({}, 'init')).toEqual({
    code: 0,
    stdout: [
      'wrote  fauxgate.config.json, the options of "fauxgate serve"',
      'wrote  fauxgate.initial.json, what exists from the beginning',
      'wrote  fauxgate.test.js, a first test',
      '',
      'Run the test:      node --test fauxgate.test.js',
      'Start the server:  npx fauxgate serve',
      '',
    ].join('\n'),
    stderr: '',
  })
})

it('fauxgate init overwrites nothing, and says so', async () => {
  const names = ['fauxgate.config.json', 'fauxgate.test.mjs']
  for (const name of names) writeFileSync(name, `my ${name}`)
  const { code, stdout } = await ran({}, 'init', '--yes')
  expect(code).toBe(0)
  for (const name of names) {
    expect(stdout).toContain(`kept   ${name}, which exists already\n`)
    expect(readFileSync(name, 'utf8')).toBe(`my ${name}`)
  }
  expect((await ran({}, 'init')).stdout).toContain('kept   fauxgate.initial.json')
})

it('fauxgate init writes a config file and an initial state that serve takes', async () => {
  await ran({}, 'init')
  const file = await readConfigFile('fauxgate.config.json')
  const gateway = main.createGateway(await gatewayOptionsOf(parseOptions({ flags: new Map(), words: [] }, {}, file)))
  expect(gateway.dialect).toBe(main.ngrok)
  expect(gateway.reservedDomains.list().reserved_domains).toHaveLength(1)
})

it('fauxgate init writes a test that node --test passes', async () => {
  await ran({}, 'init', '--runner', 'node')
  mkdirSync('node_modules/fauxgate', { recursive: true })
  await bundle("export * from './src/index.ts'", `${process.cwd()}/node_modules/fauxgate/index.mjs`)
  writeFileSync('node_modules/fauxgate/package.json', '{"name": "fauxgate", "exports": "./index.mjs"}')
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env
  const test = ['--test', '--test-reporter=tap', 'fauxgate.test.mjs']
  expect(execFileSync(process.execPath, test, { encoding: 'utf8', env })).toMatch(/# pass 1\n# fail 0/)
})

it('fauxgate init writes a config that is for people to read', async () => {
  await ran({}, 'init')
  expect(readFileSync('fauxgate.config.json', 'utf8')).toBe(
    [
      '{',
      '  "dialect": "ngrok",',
      '  "port": 4747,',
      '  "initial": "fauxgate.initial.json",',
      '  "provisioningDelay": "5s"',
      '}',
      '',
    ].join('\n'),
  )
  expect(readFileSync('fauxgate.initial.json', 'utf8')).toMatch(/^\{\n {2}"reservedDomains": \[\n.*\}\n$/s)
})

describe('fauxgate init looks at package.json', () => {
  it.each<[string, string]>([
    ['{"devDependencies": {"jest": "30", "vitest": "4"}}', 'npx vitest'],
    ['{"dependencies": {"jest": "30"}}', 'npx jest'],
    ['{"scripts": {"test": "node --test"}}', 'node --test'],
    ['{"dependencies": null, "devDependencies": ["vitest"], "scripts": {"test": 5}}', 'node --test'],
    ['{"scripts": "vitest"}', 'node --test'],
    ['{"scripts": {"test": "jest-like --ci"}}', 'node --test'],
    ['{"scripts": {"test": "tsc  &&  jest"}}', 'npx jest'],
  ])('%s', async (text, command) => {
    writeFileSync('package.json', text)
    expect((await ran({}, 'init')).stdout).toContain(`Run the test:      ${command}`)
  })

  it('and says where it is not JSON', async () => {
    writeFileSync('package.json', '{')
    expect(await ran({}, 'init')).toEqual({ code: 1, stdout: '', stderr: 'fauxgate: package.json is not JSON.\n' })
    expect(existsSync('fauxgate.config.json')).toBe(false)
  })
})

describe('fauxgate init asks what runs the tests', () => {
  const before = { stdin: process.stdin, isTTY: process.stdout.isTTY }
  afterEach(() => {
    Object.defineProperty(process, 'stdin', { configurable: true, value: before.stdin })
    process.stdout.isTTY = before.isTTY
  })

  /** Runs it while somebody types this, with a terminal on both sides or on one. */
  async function asked(typed: string, args: string[] = [], { stdin = true, stdout = true } = {}) {
    const typing = Object.assign(new PassThrough(), { isTTY: stdin })
    typing.end(typed)
    Object.defineProperty(process, 'stdin', { configurable: true, value: typing })
    process.stdout.isTTY = stdout
    return ran({}, 'init', ...args)
  }

  it.each([
    ['jest\n', 'npx jest'],
    ['  node \n', 'node --test'],
    ['\n', 'npx vitest'],
  ])('and takes the answer %j', async (typed, command) => {
    project({ devDependencies: { vitest: '4' } })
    const { code, stdout } = await asked(typed)
    expect(code).toBe(0)
    expect(stdout).toContain('What runs your tests: vitest, jest, node? [vitest] ')
    expect(stdout).toContain(`Run the test:      ${command}`)
  })

  it('and refuses an answer that is none', async () => {
    const { code, stderr } = await asked('karma\n')
    expect([code, stderr]).toEqual([
      2,
      'fauxgate: The answer is "karma". Allowed: vitest, jest, node. See "fauxgate help init".\n',
    ])
    expect(readdirSync('.')).toEqual([])
  })

  it.each([
    ['is told not to', ['--yes'], {}],
    ['was told it', ['--runner', 'node'], {}],
    ['has nobody who could type', [], { stdin: false }],
    ['has nobody who could read', [], { stdout: false }],
  ])('unless it %s', async (_why, args, terminals) => {
    const { code, stdout } = await asked('jest\n', args, terminals)
    expect(code).toBe(0)
    expect(stdout).not.toContain('What runs')
    expect(stdout).toContain('Run the test:      node --test')
  })
})
