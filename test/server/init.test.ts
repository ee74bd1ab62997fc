import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { createGateway, ngrok } from '../../src/index.ts'
import { RUNNERS, writtenFor } from '../../src/server/commands/init-files.ts'
import { readConfigFile } from '../../src/server/options/config-file.ts'
import { gatewayOptionsOf } from '../../src/server/options/gateway-options.ts'
import { parseOptions } from '../../src/server/options/parsed-options.ts'
import { bundle } from '../support/bundle.ts'

const command = inject('command')
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fauxgate-init-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** What `fauxgate init` prints in the folder. */
async function init(...args: string[]): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [command, 'init', ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  const [code] = await once(child, 'close')
  return { code, output }
}

const project = (value: object) => writeFileSync(join(folder, 'package.json'), JSON.stringify(value))

describe('fauxgate init', () => {
  it.each<[object | undefined, string, string]>([
    [undefined, 'fauxgate.test.mjs', 'node --test fauxgate.test.mjs'],
    [{ scripts: { test: 'node --test' }, type: 'module' }, 'fauxgate.test.js', 'node --test fauxgate.test.js'],
    [{ devDependencies: { vitest: '4' } }, 'fauxgate.test.mjs', 'npx vitest run fauxgate.test.mjs'],
    [{ devDependencies: { jest: '30' } }, 'fauxgate.test.js', 'npx jest fauxgate.test.js'],
    [{ scripts: { test: 'jest --ci' } }, 'fauxgate.test.js', 'npx jest fauxgate.test.js'],
  ])('finds the test runner of %j', async (json, test, run) => {
    if (json) project(json)
    expect(await init()).toEqual({
      code: 0,
      output: [
        'wrote  fauxgate.config.json, the options of "fauxgate serve"',
        'wrote  fauxgate.initial.json, what exists from the beginning',
        `wrote  ${test}, a first test`,
        '',
        `Run the test:      ${run}`,
        'Start the server:  npx fauxgate serve',
        '',
      ].join('\n'),
    })
    expect(readdirSync(folder).filter((name) => name !== 'package.json')).toEqual([
      'fauxgate.config.json',
      'fauxgate.initial.json',
      test,
    ])
  })

  it('overwrites nothing, and says so', async () => {
    writeFileSync(join(folder, 'fauxgate.config.json'), 'mine')
    writeFileSync(join(folder, 'fauxgate.test.mjs'), 'mine too')
    const { code, output } = await init('--yes')
    expect(code).toBe(0)
    expect(output).toContain('kept   fauxgate.config.json, which exists already\n')
    expect(output).toContain('kept   fauxgate.test.mjs, which exists already\n')
    expect(readFileSync(join(folder, 'fauxgate.config.json'), 'utf8')).toBe('mine')
    expect(readFileSync(join(folder, 'fauxgate.test.mjs'), 'utf8')).toBe('mine too')
    expect((await init()).output).toContain('kept   fauxgate.initial.json')
  })

  it('writes a config file and an initial state that serve takes', async () => {
    await init()
    const file = await readConfigFile(join(folder, 'fauxgate.config.json'))
    const given = parseOptions({ flags: new Map(), words: [] }, {}, file)
    const gateway = createGateway(await gatewayOptionsOf(given))
    expect(gateway.dialect).toBe(ngrok)
    expect(gateway.reservedDomains.list().reserved_domains).toHaveLength(1)
  })

  it('writes a test that node --test passes', async () => {
    await init('--runner', 'node')
    const own = join(folder, 'node_modules/fauxgate')
    mkdirSync(own, { recursive: true })
    await bundle("export * from './src/index.ts'", join(own, 'index.mjs'))
    writeFileSync(join(own, 'package.json'), '{"name": "fauxgate", "exports": "./index.mjs"}')
    const { NODE_TEST_CONTEXT: _context, ...env } = process.env
    const output = execFileSync(process.execPath, ['--test', '--test-reporter=tap', 'fauxgate.test.mjs'], {
      cwd: folder,
      encoding: 'utf8',
      env,
    })
    expect(output).toMatch(/# pass 1\n# fail 0/)
  })

  it('writes a test that vitest passes', async () => {
    // What it imports is found from where the repository's packages are.
    const [, , test] = writtenFor('vitest', { isModule: true, isTyped: true })
    expect(test?.name).toBe('fauxgate.test.ts')
    await init('--runner', 'vitest')
    symlinkSync(new URL('../../node_modules', import.meta.url).pathname, join(folder, 'node_modules'))
    const alias = { 'fauxgate/vitest': '/src/testing/vitest.ts', fauxgate: '/src/index.ts' }
    const root = new URL('../..', import.meta.url).pathname
    const entries = Object.entries(alias).map(
      ([name, path]) =>
        `{ find: /^${name.replace('/', '\\/')}$/, replacement: ${JSON.stringify(root + path.slice(1))} }`,
    )
    writeFileSync(join(folder, 'vitest.config.mjs'), `export default { resolve: { alias: [${entries.join(', ')}] } }`)
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const output = execFileSync(process.execPath, [vitest, 'run', '--reporter=json'], { cwd: folder, encoding: 'utf8' })
    expect(JSON.parse(output)).toMatchObject({ numPassedTests: 1, numFailedTests: 0 })
  })

  it('has files for every runner, whatever the project is', () => {
    for (const runner of RUNNERS) {
      for (const isModule of [true, false]) {
        const files = writtenFor(runner, { isModule, isTyped: !isModule })
        expect(files.map(({ name }) => name).slice(0, 2)).toEqual(['fauxgate.config.json', 'fauxgate.initial.json'])
        const usesRequire = files[2]?.text.includes('require(')
        expect(usesRequire).toBe(runner === 'jest' && !isModule)
      }
    }
  })
})
