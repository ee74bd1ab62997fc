// Runs the tests of the shared sandboxes on plain workerd: `npm run test:sandbox [-- --all]`. It installs workerd, 119 MB,
// for them alone, of the version of examples/sandbox. Where it cannot be had, the tests are left out and said; with --all
// that is a failure. Some tests read the files of workerd with `node:sqlite`: where this Node has none, Node 24 runs them all.
import { spawnSync } from 'node:child_process'
import { createRequire, isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeOf } from './nodes.mjs'
import { installedWorkerd } from './workerd.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const isAll = process.argv.includes('--all')

const workerd = installedWorkerd()
if (workerd) {
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
  const args = [vitest, 'run', '--config', join(root, 'test/sandbox/vitest.config.ts')]
  const node = isBuiltin('node:sqlite') ? process.execPath : nodeOf('24').path
  const { status } = spawnSync(node, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, WORKERD: workerd },
  })
  process.exitCode = status ?? 1
} else {
  console.error('LEFT OUT  the tests of the shared sandboxes: workerd cannot be had here')
  if (isAll) process.exitCode = 1
}
