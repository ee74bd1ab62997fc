// Runs the tests of the shared sandboxes on plain workerd: `npm run test:sandbox [-- --all]`. It installs workerd, 119 MB,
// for them alone, of the version of examples/sandbox. Where it cannot be had, the tests are left out and said; with --all
// that is a failure. Some tests read the files of workerd with `node:sqlite`: where this Node has none, Node 24 runs them all.
import { spawnSync } from 'node:child_process'
import { isBuiltin } from 'node:module'
import { nodeOf } from './nodes.mjs'
import { root, vitest } from './shared.mjs'
import { installedWorkerd } from './workerd.mjs'

const workerd = installedWorkerd('the tests of the shared sandboxes')
if (workerd) {
  const node = isBuiltin('node:sqlite') ? process.execPath : nodeOf('24').path
  const args = [vitest, 'run', '--config', 'test/sandbox/vitest.config.ts']
  const env = { ...process.env, WORKERD: workerd }
  process.exitCode = spawnSync(node, args, { cwd: root, stdio: 'inherit', env }).status ?? 1
}
