import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { transformSync } from 'esbuild'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import * as ngrokEntry from '../../src/gateway/ngrok.ts'
import * as main from '../../src/index.ts'
import { RUNNERS, type TestRunner } from '../../src/server/commands/init-test.ts'
import { serve } from '../../src/server/node.ts'
import { readConfigFile } from '../../src/server/options/config-file.ts'
import { gatewayOptionsOf } from '../../src/server/options/gateway-options.ts'
import { parseOptions } from '../../src/server/options/parsed-options.ts'
import type { TestOptions } from '../../src/testing/testing.ts'
import * as testing from '../../src/testing/testing.ts'
import { bundle } from '../support/bundle.ts'
import { runToEnd } from '../support/command.ts'
import { enterNewFolder } from '../support/folder.ts'

beforeEach(() => void enterNewFolder())

const project = (value: object) => writeFileSync('package.json', JSON.stringify(value))
const testFile = () => readdirSync('.').find((name) => /\.test\.\w+$/.test(name)) ?? ''

type Work = (fixtures: object, ...rest: unknown[]) => unknown

/** A test that a file defines, and the fixture of its gateway. */
interface TestDefinition {
  readonly name: string
  readonly work: Work
  readonly gateway?: (fixtures: object, use: (gateway: main.Gateway) => unknown, info: object) => Promise<void>
}

/** Returns the tests that a file defines, as a function that runs them. */
async function loadTest(file: string, runner: TestRunner, changed: main.GatewayOptions<main.ManualClock> = {}) {
  const { definitions, create } = readDefinitions(file, runner, changed)
  const run = async ({ work, gateway: fixture }: TestDefinition) => {
    const clock = main.manualClock('2026-01-01T00:00:00Z')
    const fixtures = { gateway: create({ clock, ...changed }) }
    if (!fixture) return work(fixtures)
    const info = { title: 'a test', status: 'passed', expectedStatus: 'passed' }
    const request = { get: (url: string, init: RequestInit) => fetch(url, init) }
    return fixture({ browserName: '' }, (gateway) => work({ gateway, request }), info)
  }
  return async () => {
    for (const each of definitions) await run(each)
  }
}

/** Returns the tests that a file defines. The file gets its imports and the globals of its runner, and nothing else. */
function readDefinitions(file: string, runner: TestRunner, changed: main.GatewayOptions<main.ManualClock> = {}) {
  const definitions: TestDefinition[] = []
  let create = (options: main.GatewayOptions): main.Gateway => main.createGateway(options)
  const define = (name: string, work: Work) => void definitions.push({ name, work })
  const testUsing = (createOfTest: typeof create) => {
    create = createOfTest
    return define
  }
  const extend = ({ gateway }: Pick<Required<TestDefinition>, 'gateway'>) => {
    return (name: string, work: Work) => void definitions.push({ name, work, gateway })
  }
  const testWithGateway = (base: typeof define, options: TestOptions) =>
    testing.testWithGateway(base, { ...options, gatewayOptions: { ...options.gatewayOptions, ...changed } })
  const own: Readonly<Record<TestRunner, Readonly<Record<string, unknown>>>> = {
    vitest: { vitest: { expect }, 'fauxgate/vitest': { testUsing } },
    jest: { '@jest/globals': { expect, test: define }, 'fauxgate/jest': expect.extend(testing.matchers) },
    playwright: { '@playwright/test': { expect, test: { extend } }, 'fauxgate/node': { serve } },
    bun: { 'bun:test': { expect, test: define } },
    deno: { 'node:assert/strict': assert },
    node: { 'node:test': { test: define }, 'node:assert/strict': assert },
  }
  const modules: Readonly<Record<string, unknown>> = {
    fauxgate: main,
    'fauxgate/ngrok': {
      ...ngrokEntry,
      createNgrok: (options: object) => ngrokEntry.createNgrok({ ...options, ...changed }),
    },
    'fauxgate/testing': { ...testing, testWithGateway },
    'node:fs': fs,
    fs,
    ...own[runner],
    './fauxgate.initial.json': JSON.parse(readFileSync('fauxgate.initial.json', 'utf8')),
  }
  const requireModule = (name: string) => {
    const source = name.replace(/\.js$/, '.ts')
    if (source.endsWith('.ts') && existsSync(source)) return load(source)
    if (!(name in modules)) throw new Error(`The test imports ${name}.`)
    return modules[name]
  }
  const globals = runner === 'jest' ? { test: define, expect } : { test: undefined, expect: undefined }
  const names = ['require', 'module', 'exports', 'globalThis', 'expect', 'Deno']
  const deno = runner === 'deno' ? { test: define } : undefined
  const load = (path: string) => {
    const { code } = transformSync(readFileSync(path, 'utf8'), { format: 'cjs', loader: 'ts' })
    const module = { exports: {} }
    new Function(...names, code)(requireModule, module, module.exports, globals, globals.expect, deno)
    return module.exports
  }
  load(file)
  expect(definitions[0]?.name).toBe('a domain gets its certificate after five seconds')
  return { definitions, create }
}

/** The command of each runner that runs a test file. */
const COMMANDS: Readonly<Record<TestRunner, string>> = {
  vitest: 'npx vitest run FILE',
  jest: 'npx jest FILE',
  playwright: 'npx playwright test FILE',
  bun: 'bun test FILE',
  deno: 'deno test --allow-read --allow-env FILE',
  node: 'node --test FILE',
}

describe('The test that fauxgate init writes', () => {
  const projects = [
    ['module', 'plain', 'js'],
    ['commonjs', 'plain', 'mjs'],
    ['module', 'typed', 'js'],
    ['commonjs', 'typed', 'mjs'],
  ] as const

  describe.each(RUNNERS)('by %s', (runner) => {
    it.each(projects)('runs in a project that is %s and %s', async (type, typed, ending) => {
      project({ type })
      if (typed === 'typed') writeFileSync('tsconfig.json', '{}')
      const { code, stdout, stderr } = await runToEnd({}, 'init', '--runner', runner)
      expect([code, stderr]).toEqual([0, ''])
      const nodeEnding = Reflect.get(process.features, 'typescript') ? ending.replace('js', 'ts') : ending
      const typedEnding = runner === 'node' ? nodeEnding : 'ts'
      const file = `fauxgate.test.${runner === 'jest' ? 'js' : typed === 'typed' ? typedEnding : ending}`
      expect([testFile(), stdout]).toEqual([file, expect.stringContaining(`wrote  ${file}, a first test\n`)])
      const text = readFileSync(file, 'utf8')
      expect(/^import /m.test(text)).toBe(runner !== 'jest' || type === 'module')
      expect(text).toMatch(/^(import|const) .*\n(.+\n)*\n[^\n]/)
      expect(text).toMatch(/[^\n]\n\}\)\n$/)
      const flag = runner === 'jest' && type === 'module' ? 'NODE_OPTIONS=--experimental-vm-modules ' : ''
      const command = flag + COMMANDS[runner].replace('FILE', file)
      expect(stdout).toContain(`\n\nRun the test:      ${command}\nStart the server:  npx fauxgate serve\n`)
      await (await loadTest(file, runner))()
    })
  })

  it.each([
    ['strip', 'module', 'fauxgate.test.ts', undefined],
    ['strip', 'commonjs', 'fauxgate.test.mts', undefined],
    [false, 'module', 'fauxgate.test.js', `Node ${process.version} cannot run TypeScript. Node 22.18 and newer can.`],
  ])('by node is TypeScript if Node takes it: %j in a %s', async (typescript, type, file, reason) => {
    const { features } = process
    const before = Object.getOwnPropertyDescriptor(features, 'typescript')
    onTestFinished(() => {
      if (before) Object.defineProperty(features, 'typescript', before)
      else Reflect.deleteProperty(features, 'typescript')
    })
    Object.defineProperty(features, 'typescript', { configurable: true, enumerable: true, value: typescript })
    project({ type })
    writeFileSync('tsconfig.json', '{}')
    const { stdout } = await runToEnd({}, 'init', '--runner', 'node')
    expect([testFile(), stdout]).toEqual([file, expect.stringContaining(`node --test ${file}\n`)])
    expect(/ is JavaScript: (.*)/.exec(stdout)?.[1]).toBe(reason)
    await (await loadTest(file, 'node'))()
  })

  it('in TypeScript names the types that tsc needs, because it imports node:fs', async () => {
    const needed =
      '\ntsc needs Node\'s types for the test: npm install --save-dev @types/node, with "types": ["node"] in tsconfig.json.\n'
    expect((await runToEnd({}, 'init', '--runner', 'vitest')).stdout).not.toContain(needed)
    writeFileSync('tsconfig.json', '{}')
    expect((await runToEnd({}, 'init', '--runner', 'vitest')).stdout).toContain(needed)
    expect((await runToEnd({}, 'init', '--runner', 'deno')).stdout).not.toContain(needed)
  })

  it('by Jest is JavaScript without ts-jest, and says so', async () => {
    writeFileSync('tsconfig.json', '{}')
    const { stdout } = await runToEnd({}, 'init', '--runner', 'jest')
    expect(stdout).toContain('\nfauxgate.test.js is JavaScript: package.json does not mention ts-jest.\n')
  })

  it.each(RUNNERS)(
    'fails by %s where the certificate does not come, or is there from the beginning',
    async (runner) => {
      await runToEnd({}, 'init', '--runner', runner)
      for (const provisioningDelay of [0, '6s'] as const) {
        const run = await loadTest(testFile(), runner, { provisioningDelay })
        await expect(run()).rejects.toThrow()
      }
    },
  )
})

describe('fauxgate init for ts-jest', () => {
  /** The parts of the configuration that are the same for CommonJS and for modules. */
  const EACH = {
    moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
    setupFilesAfterEnv: ['fauxgate/jest'],
  }
  const MISSING = "moduleNameMapper: { '^(\\\\.{1,2}/.*)\\\\.js$': '$1' }, setupFilesAfterEnv: ['fauxgate/jest']"

  const init = async (facts: object) => {
    project({ devDependencies: { jest: '^30.0.0', 'ts-jest': '^29.0.0' }, ...facts })
    return (await runToEnd({}, 'init')).stdout
  }
  const readConfig = (text: string) =>
    new Function('module', `${text.replace('export default', 'module.exports =')}; return module.exports`)({})

  it('writes a test in TypeScript, and the configuration that compiles it to CommonJS', async () => {
    expect(await init({})).toContain('\nRun the test:      npx jest fauxgate.test.ts\n')
    expect(readFileSync('fauxgate.test.ts', 'utf8')).toContain("from '@jest/globals'")
    expect(readConfig(readFileSync('jest.config.js', 'utf8'))).toEqual({
      transform: { '^.+\\.ts$': 'ts-jest' },
      ...EACH,
    })
    const { definitions } = readDefinitions('fauxgate.test.ts', 'jest')
    expect(definitions.map(({ name }) => name)[1]).toBe('and keeps it, as the matchers confirm')
    await (await loadTest('fauxgate.test.ts', 'jest'))()
  })

  it.each([
    ['with a tsconfig.json', true, { useESM: true }],
    ['without one', false, { useESM: true, tsconfig: { module: 'esnext', moduleResolution: 'bundler' } }],
  ])('writes the configuration for ECMAScript modules, %s', async (_how, isTyped, options) => {
    if (isTyped) writeFileSync('tsconfig.json', '{}')
    const command = 'NODE_OPTIONS=--experimental-vm-modules npx jest fauxgate.test.ts'
    expect(await init({ type: 'module' })).toContain(`\nRun the test:      ${command}\n`)
    expect(readConfig(readFileSync('jest.config.js', 'utf8'))).toEqual({
      extensionsToTreatAsEsm: ['.ts'],
      transform: { '^.+\\.ts$': ['ts-jest', options] },
      ...EACH,
    })
    expect(readFileSync('fauxgate.test.ts', 'utf8')).toContain("import { test } from './fauxgate.fixture.js'")
  })

  it.each([
    ['{ "preset": "ts-jest" }', {}, MISSING],
    ['{ "preset": "ts-jest/presets/default-esm" }', { type: 'module' }, MISSING],
    ['{ "preset": "ts-jest", "moduleNameMapper": {}, "setupFilesAfterEnv": ["fauxgate/jest"] }', {}, undefined],
    ['{ "preset": "ts-jest" }', { type: 'module' }, "extensionsToTreatAsEsm: ['.ts'], transform: {"],
    ['{ "testEnvironment": "node" }', {}, `transform: { '^.+\\\\.ts$': 'ts-jest' }, ${MISSING}`],
  ])('keeps the configuration %s of a project with %j, and says what it lacks', async (config, facts, missing) => {
    writeFileSync('jest.config.json', config)
    const stdout = await init(facts)
    expect(existsSync('jest.config.js')).toBe(false)
    if (missing === undefined) expect(stdout).not.toContain('missing')
    else expect(stdout).toContain(`missing from Jest's configuration: ${missing}`)
  })

  it('reads the configuration in package.json too', async () => {
    expect(await init({ jest: { preset: 'ts-jest', ...EACH } })).not.toContain('missing')
    expect(existsSync('jest.config.js')).toBe(false)
  })

  it('leaves projects without ts-jest unchanged, whose test is JavaScript', async () => {
    project({ devDependencies: { jest: '^30.0.0' } })
    expect((await runToEnd({}, 'init')).stdout).not.toContain('jest.config')
  })
})

it('the first test for Playwright fails if it leaves something unused, and prints the report if it fails', async () => {
  await runToEnd({}, 'init', '--runner', 'playwright')
  let lastGateway: main.Gateway | undefined
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  onTestFinished(() => log.mockRestore())
  const fixture = readDefinitions(testFile(), 'playwright').definitions[0]?.gateway
  const use = (gateway: main.Gateway) => {
    lastGateway = gateway
    gateway.faults.add({ operation: 'reserved_domains.delete', times: 1 })
  }
  const info = { title: 'a test', status: 'passed', expectedStatus: 'passed' }
  await expect(fixture?.({ browserName: '' }, use, info)).rejects.toThrow('1 fault is still waiting for requests.')
  await fixture?.({ browserName: '' }, use, { ...info, status: 'failed' })
  expect(log).toHaveBeenCalledWith(lastGateway?.report())
})

it('fauxgate init overwrites nothing, and says so', async () => {
  const names = ['fauxgate.config.json', 'fauxgate.test.mjs']
  for (const name of names) writeFileSync(name, `my ${name}`)
  const { code, stdout } = await runToEnd({}, 'init', '--yes')
  expect(code).toBe(0)
  for (const name of names) {
    expect(stdout).toContain(`kept   ${name}, which already exists\n`)
    expect(readFileSync(name, 'utf8')).toBe(`my ${name}`)
  }
  expect((await runToEnd({}, 'init')).stdout).toContain('kept   fauxgate.initial.json')
})

it('fauxgate init writes a config file and an initial state that serve takes', async () => {
  await runToEnd({}, 'init')
  const file = await readConfigFile('fauxgate.config.json')
  const gateway = main.createGateway(await gatewayOptionsOf(parseOptions({ flags: new Map(), words: [] }, {}, file)))
  expect(gateway.dialect).toBe(main.ngrok)
  expect(gateway.reservedDomains.list().reserved_domains).toHaveLength(1)
})

it('fauxgate init writes a test that node --test passes', async () => {
  await runToEnd({}, 'init', '--runner', 'node')
  mkdirSync('node_modules/fauxgate', { recursive: true })
  const all = "export * from './src/gateway/ngrok.ts'; export * from './src/testing/testing.ts'"
  await bundle(all, `${process.cwd()}/node_modules/fauxgate/index.mjs`)
  const exports = { './ngrok': './index.mjs', './testing': './index.mjs' }
  writeFileSync('node_modules/fauxgate/package.json', JSON.stringify({ name: 'fauxgate', exports }))
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env
  const test = ['--test', '--test-reporter=tap', 'fauxgate.test.mjs']
  expect(execFileSync(process.execPath, test, { encoding: 'utf8', env })).toMatch(/# pass 1\n# fail 0/)
})

describe('fauxgate init looks at package.json', () => {
  it.each<[string, string]>([
    ['{"devDependencies": {"jest": "30", "vitest": "4"}}', 'npx vitest'],
    ['{"devDependencies": {"@playwright/test": "1"}}', 'npx playwright test'],
    ['{"devDependencies": {"bun": "1"}}', 'bun test'],
    ['{"devDependencies": {"deno": "2", "vitest": "4"}}', 'npx vitest'],
    ['{"dependencies": {"jest": "30"}}', 'npx jest'],
    ['{"scripts": {"test": "node --test"}}', 'node --test'],
    ['{"dependencies": null, "devDependencies": ["vitest"], "scripts": {"test": 5}}', 'node --test'],
    ['{"scripts": "vitest"}', 'node --test'],
    ['{"scripts": {"test": "jest-like --ci"}}', 'node --test'],
    ['{"scripts": {"test": "tsc  &&  jest"}}', 'npx jest'],
  ])('%s', async (text, command) => {
    writeFileSync('package.json', text)
    expect((await runToEnd({}, 'init')).stdout).toContain(`Run the test:      ${command}`)
  })

  it.each([
    ['{', 'package.json is not JSON: at line 1, column 2 (position 1).'],
    ['null', 'package.json contains null. Allowed: an object.'],
  ])('and says if it cannot use %j', async (text, problem) => {
    writeFileSync('package.json', text)
    expect(await runToEnd({}, 'init')).toEqual({ code: 1, stdout: '', stderr: `fauxgate: ${problem}\n` })
    expect(existsSync('fauxgate.config.json')).toBe(false)
  })
})

describe('fauxgate init asks what runs the tests', () => {
  const before = { stdin: process.stdin, isTTY: process.stdout.isTTY }
  afterEach(() => {
    Object.defineProperty(process, 'stdin', { configurable: true, value: before.stdin })
    process.stdout.isTTY = before.isTTY
  })

  /** Runs `fauxgate init` while somebody types a text. By default, input and output are terminals. */
  async function runAndType(input: string, args: string[] = [], { stdin = true, stdout = true } = {}) {
    const typing = Object.assign(new PassThrough(), { isTTY: stdin })
    typing.end(input)
    Object.defineProperty(process, 'stdin', { configurable: true, value: typing })
    process.stdout.isTTY = stdout
    return runToEnd({}, 'init', ...args)
  }

  it.each([
    ['jest\n', 'npx jest'],
    ['  node \n', 'node --test'],
    ['\n', 'npx vitest'],
  ])('and takes the response %j', async (input, command) => {
    project({ devDependencies: { vitest: '4' } })
    const { code, stdout } = await runAndType(input)
    expect(code).toBe(0)
    expect(stdout).toContain('Which test runner do you use: vitest, jest, playwright, bun, deno, node? [vitest] ')
    expect(stdout).toContain(`Run the test:      ${command}`)
  })

  it('and rejects an invalid answer', async () => {
    const { code, stderr } = await runAndType('karma\n')
    expect([code, stderr]).toEqual([
      2,
      'fauxgate: The response is "karma". Allowed: vitest, jest, playwright, bun, deno, node. See "fauxgate help init".\n',
    ])
    expect(readdirSync('.')).toEqual([])
  })

  it.each([
    ['has the option --yes', ['--yes'], {}],
    ['has the option --runner', ['--runner', 'node'], {}],
    ['has nobody who could type', [], { stdin: false }],
    ['has nobody who could read', [], { stdout: false }],
  ])('unless it %s', async (_why, args, terminals) => {
    const { code, stdout } = await runAndType('jest\n', args, terminals)
    expect(code).toBe(0)
    expect(stdout).not.toContain('What runs')
    expect(stdout).toContain('Run the test:      node --test')
  })
})
