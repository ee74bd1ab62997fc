import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { bundle } from '../support/bundle.ts'
import { newFolder } from '../support/folder.ts'

const jest = fileURLToPath(new URL('../../tools/node_modules/jest/bin/jest.js', import.meta.url))
const rootDir = fileURLToPath(new URL('../fixtures/jest', import.meta.url))

/** Returns the line of a spec on which a text begins. */
function findLine(spec: string, text: string): number {
  const source = readFileSync(join(rootDir, spec), 'utf8')
  return source.slice(0, source.indexOf(text)).split('\n').length
}

interface Result {
  readonly title: string
  readonly status: string
  readonly failureMessages: readonly string[]
}

/** Runs the tests of a spec with Jest. Returns their results. */
async function runJest(spec: string): Promise<readonly Result[]> {
  const testing = join(newFolder(), 'testing.cjs')
  await bundle("export * from './src/testing/testing.ts'", testing, 'cjs')
  const moduleNameMapper = { '^fauxgate/testing$': testing }
  const transform = { '\\.ts$': '<rootDir>/strip-types.cjs' }
  const config = { rootDir, testMatch: [`**/${spec}`], transform, moduleNameMapper }
  const args = [jest, '--json', '--runInBand', '--no-watchman', '--no-cache', '--config', JSON.stringify(config)]
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, (_error, stdout) => resolve(stdout))
  })
  return JSON.parse(output).testResults[0].assertionResults
}

test('Jest uninstalls the gateway of a test that times out, and shows its report and its line', async () => {
  const assertionResults = await runJest('endings.spec.cjs')
  const [result] = assertionResults
  const message = result?.failureMessages.join('\n')
  expect(message).toContain('The test runner ended this test before the test function finished.')
  expect(message).toMatch(/The gateway at 2026-01-01T00:00:00Z:\n {2}requests:\n.* GET \/reserved_domains → 401/)
  const line = /endings\.spec\.cjs:(\d+)/.exec(result?.failureMessages[0] ?? '')?.[1]
  expect(Number(line)).toBe(findLine('endings.spec.cjs', "it(\n  'runs into its time-out'"))
  const statuses = assertionResults.map((each) => `${each.title}: ${each.status}`)
  expect(statuses).toEqual([
    'runs into its time-out: failed',
    'finds the fetch of before: passed',
    'installs a gateway for the same URL: passed',
  ])
})

test('Jest names the line of the source for a test that times out, even if a transform changed the lines', async () => {
  const lines: Record<string, number> = {
    'hangs at the top': findLine('lines.spec.ts', "it('hangs at the top'"),
    'hangs in a group': findLine('lines.spec.ts', "it('hangs in a group'"),
    'hangs in a loop: reserve': findLine('lines.spec.ts', 'it(`hangs in a loop'),
    'hangs in a loop: wait': findLine('lines.spec.ts', 'it(`hangs in a loop'),
    'hangs in each': findLine('lines.spec.ts', "it('hangs in each'"),
    'hangs by a function': findLine('lines.spec.ts', 'it(name, forever'),
    'hangs at the end': findLine('lines.spec.ts', "it('hangs at the end'"),
  }
  const results = await runJest('lines.spec.ts')
  expect(new Set(results.map(({ title }) => title))).toEqual(new Set(Object.keys(lines)))
  for (const { title, failureMessages } of results) {
    expect(failureMessages).toHaveLength(2)
    for (const message of failureMessages)
      expect(`${title}: ${/lines\.spec\.ts:(\d+)/.exec(message)?.[1]}`).toBe(`${title}: ${lines[title]}`)
  }
})

test('Jest keeps real timers for members of the timers modules that code took by name, and the guides say what to do', async () => {
  const results = await runJest('timers.spec.cjs')
  expect(results.map(({ title, status }) => `${title}: ${status}`)).toEqual([
    'has real timers under names that were taken before: passed',
    'waits on the clock through the module: passed',
  ])
  const read = (page: string) => readFileSync(fileURLToPath(new URL(`../../docs/${page}.md`, import.meta.url)), 'utf8')
  const guide = read('runners').replaceAll(/\s+/g, ' ')
  expect(guide).toContain(
    "In Jest, Bun, and Deno, code that imports members of Node's `timers` modules by name, as in ",
  )
  expect(guide).toContain("Import the module instead: `import timers from 'node:timers/promises'`.")
  expect(read('survives')).toContain("imports members of Node's `timers` modules by name")
})
