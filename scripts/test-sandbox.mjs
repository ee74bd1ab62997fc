// Runs the tests of the shared sandboxes on plain workerd: `npm run test:sandbox [-- --all]`. It installs workerd, 119 MB,
// for them alone, of the version of examples/sandbox. Where it cannot be had, the tests are left out and said; with --all
// that is a failure.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installedWorkerd } from './workerd.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const isAll = process.argv.includes('--all')

const workerd = installedWorkerd()
if (workerd) {
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
  const args = [vitest, 'run', '--config', join(root, 'test/sandbox/vitest.config.ts')]
  const { status } = spawnSync(process.execPath, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, WORKERD: workerd },
  })
  process.exitCode = status ?? 1
} else {
  console.error('LEFT OUT  the tests of the shared sandboxes: workerd cannot be had here')
  if (isAll) process.exitCode = 1
}
