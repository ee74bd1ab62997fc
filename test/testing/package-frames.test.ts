import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundle } from '../support/bundle.ts'

type Package = typeof import('../../src/index.ts') &
  typeof import('../../src/testing/testing.ts') &
  typeof import('../../src/testing/clock.ts')

let installed: Package
let onCleanUp = () => {}
afterAll(() => onCleanUp())
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fauxgate-test-'))
  onCleanUp = () => rmSync(folder, { recursive: true, force: true })
  const file = join(folder, 'node_modules/fauxgate/dist/index.mjs')
  mkdirSync(dirname(file), { recursive: true })
  const all = ['index.ts', 'testing/testing.ts', 'testing/clock.ts'].map((path) => `export * from './src/${path}'`)
  await bundle(all.join('\n'), file, 'esm')
  installed = await import(pathToFileURL(file).href)
})

/** Returns the error of work. */
async function catchError(work: () => unknown): Promise<Error> {
  try {
    await work()
  } catch (error) {
    return error as Error
  }
  throw new Error('It threw nothing.')
}

const wrong = (value: unknown) => value as never

describe('An error about a mistake of the caller has no frames of the installed package', () => {
  test.each<[string, (all: Package) => unknown]>([
    ['an unknown option', ({ createGateway }) => createGateway(wrong({ sed: 'x' }))],
    ['a time', ({ manualClock }) => manualClock('x')],
    ['a move into the past', ({ manualClock }) => manualClock(1_000).advanceTo(0)],
    ['a subscriber', ({ createGateway }) => createGateway().subscribe(wrong(5))],
    ['a URL', ({ createGateway }) => createGateway().fetch('::')],
    ['a clock of timers', ({ timersOn }) => timersOn(wrong({}))],
    ['a runner', ({ testWithGateway }) => testWithGateway(wrong(5))],
    ['a gateway', ({ assertStrict }) => assertStrict(wrong(5))],
    ['a domain', ({ createGateway }) => createGateway().reservedDomains.create({ domain: 'a b' })],
  ])('%s', async (_what, work) => {
    const { stack } = await catchError(() => work(installed))
    expect(stack).toContain('package-frames.test.ts')
    expect(stack).not.toMatch(/fauxgate[/\\]dist/)
  })

  test('and neither has a request that an installed gateway rejects', async () => {
    const installation = installed.createGateway().install({ others: 'refuse' })
    const { stack } = await catchError(() => fetch('https://elsewhere.test/'))
    installation.uninstall()
    expect(stack).not.toMatch(/fauxgate[/\\]dist/)
  })
})

describe('The error of a test', () => {
  /** Runs a test with the installed package, and returns its error. */
  async function failTest(error: Error) {
    const runs: (() => Promise<unknown>)[] = []
    installed.testWithGateway((_name: string, run: () => Promise<unknown>) => runs.push(run))('fails', () => {
      throw error
    })
    return catchError(() => runs[0]?.())
  }

  test('has no frames of the wrapper', async () => {
    const { stack = '' } = await failTest(new Error('no'))
    const wrapper = '\n    at async run (file:///app/node_modules/fauxgate/dist/testing.js:1:2)'
    const own = Object.assign(new Error('no'), {
      stack: `Error: no\n    at work (file:///app/app.test.js:3:4)${wrapper}`,
    })
    expect((await failTest(own)).stack).toMatch(/^Error: no\n.*\n {4}at work \(file:\/\/\/app\/app\.test\.js:3:4\)$/s)
    expect(stack).toContain('package-frames.test.ts')
    expect(stack).not.toMatch(/fauxgate[/\\]dist/)
  })

  test('keeps the frames of the package if the error began there: they are needed for a report of a defect', async () => {
    const stack =
      'TypeError: x\n    at a (file:///app/node_modules/fauxgate/dist/chunk.js:1:2)\n    at work (file:///app/app.test.js:3:4)'
    const own = Object.assign(new TypeError('x'), { stack })
    expect((await failTest(own)).stack).toContain('fauxgate/dist/chunk.js:1:2')
  })
})
