import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { bundle } from '../support/bundle.ts'
import { newFolder } from '../support/folder.ts'

const jest = fileURLToPath(new URL('../../node_modules/jest/bin/jest.js', import.meta.url))
const rootDir = fileURLToPath(new URL('../fixtures/jest', import.meta.url))

test('Jest takes out the gateway of a test that runs into its time-out', async () => {
  const testing = join(newFolder(), 'testing.cjs')
  await bundle("export * from './src/testing/testing.ts'", testing, 'cjs')
  const moduleNameMapper = { '^fauxgate/testing$': testing }
  const config = { rootDir, testMatch: ['**/*.spec.cjs'], transform: {}, moduleNameMapper }
  const args = [jest, '--json', '--runInBand', '--no-watchman', '--no-cache', '--config', JSON.stringify(config)]
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, (_failed, stdout) => resolve(stdout))
  })
  const [{ assertionResults }] = JSON.parse(output).testResults
  const reported = assertionResults.map((each: { title: string; status: string }) => `${each.title}: ${each.status}`)
  expect(reported).toEqual([
    'runs into its time-out: failed',
    'finds the fetch of before: passed',
    'installs a gateway for the same URL: passed',
  ])
})
