import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { bundle } from '../support/bundle.ts'
import { newFolder } from '../support/folder.ts'

const jest = fileURLToPath(new URL('../../node_modules/jest/bin/jest.js', import.meta.url))
const rootDir = fileURLToPath(new URL('../fixtures/jest', import.meta.url))

/** The line of the spec on which a text begins. */
function lineOf(text: string): number {
  const spec = readFileSync(join(rootDir, 'endings.spec.cjs'), 'utf8')
  return spec.slice(0, spec.indexOf(text)).split('\n').length
}

test('Jest takes out the gateway of a test that runs into its time-out, and shows its report and its line', async () => {
  const testing = join(newFolder(), 'testing.cjs')
  await bundle("export * from './src/testing/testing.ts'", testing, 'cjs')
  const moduleNameMapper = { '^fauxgate/testing$': testing }
  const config = { rootDir, testMatch: ['**/*.spec.cjs'], transform: {}, moduleNameMapper }
  const args = [jest, '--json', '--runInBand', '--no-watchman', '--no-cache', '--config', JSON.stringify(config)]
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, (_failed, stdout) => resolve(stdout))
  })
  const [{ assertionResults }] = JSON.parse(output).testResults
  const [hangs] = assertionResults
  const shown = hangs.failureMessages.join('\n')
  expect(shown).toContain('The runner ended this test before its function did.')
  expect(shown).toMatch(/The gateway at 2026-01-01T00:00:00Z:\n {2}requests:\n.* GET \/reserved_domains → 401/)
  const place = /endings\.spec\.cjs:(\d+)/.exec(hangs.failureMessages[0])?.[1]
  expect(Number(place)).toBe(lineOf("it(\n  'runs into its time-out'"))
  const reported = assertionResults.map((each: { title: string; status: string }) => `${each.title}: ${each.status}`)
  expect(reported).toEqual([
    'runs into its time-out: failed',
    'finds the fetch of before: passed',
    'installs a gateway for the same URL: passed',
  ])
})
