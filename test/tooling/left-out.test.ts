import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { hasSqlite } from '../support/sqlite.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')

/** Runs tests with an empty PATH, and without SQLite. */
function runWithoutTools(files: readonly string[], ...reporters: readonly string[]) {
  const args = [vitest, 'run', '--project=!types', '--maxWorkers=1', ...files, '--no-color', ...reporters]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    env: { PATH: '', ...(hasSqlite && { NODE_OPTIONS: '--no-experimental-sqlite' }) },
    encoding: 'utf8',
  })
  return { status, lastLine: (stdout + stderr).trim().split('\n').at(-2) }
}

const OPENSSL = String.raw`[1-9]\d* tests were left out because OpenSSL 3 or newer is missing: the command openssl\.`
const SQLITE = String.raw`[1-9]\d* tests were left out because this Node has no SQLite: 22\.13 and newer have node:sqlite\.`

test('A run without openssl and SQLite prints last, after every reporter, how many tests it left out', () => {
  const files = ['test/service/x509/authority-openssl.test.ts', 'test/core/store/suite.test.ts']
  const { status, lastLine } = runWithoutTools(files, '--reporter=default', '--reporter=json')
  expect(status).toBe(0)
  expect(lastLine).toMatch(new RegExp(`^${OPENSSL} ${SQLITE}$`))
})
