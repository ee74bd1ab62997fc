import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')

/** What a run of some tests prints where no command is found at all. */
function runWithoutCommands(file: string, ...reporters: readonly string[]) {
  const args = [vitest, 'run', file, '--typecheck=false', '--no-color', ...reporters]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    env: { PATH: '' },
    encoding: 'utf8',
  })
  return { status, last: (stdout + stderr).trim().split('\n').at(-2) }
}

test.each([[], ['--reporter=json']])(
  'A run without openssl says last how many tests that has cost (%j)',
  (...reporters) => {
    const { status, last } = runWithoutCommands('test/x509/authority-openssl.test.ts', ...reporters)
    expect(status).toBe(0)
    expect(last).toMatch(/^[1-9]\d* tests were left out because OpenSSL 3 or newer is missing: the command openssl\.$/)
  },
)
