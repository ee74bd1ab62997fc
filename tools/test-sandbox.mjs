// Runs the tests of the shared sandboxes on plain workerd: `npm run test:sandbox [-- --all --shard=1/2 FILE…]`. It installs
// workerd, 119 MB, for these tests alone, in the version of examples/sandbox. If it cannot be installed, a message says
// that the tests were skipped; with --all, that is a failure. Some tests read the files of workerd with `node:sqlite`. If
// this Node has none, Node 24 runs all tests.
import { spawnSync } from 'node:child_process'
import { isBuiltin } from 'node:module'
import { findNode } from '../scripts/nodes.mjs'
import { root, vitest } from '../scripts/shared.mjs'
import { installWorkerd } from '../scripts/workerd.mjs'

const workerd = installWorkerd('the tests of the shared sandboxes')
if (workerd) {
  const node = isBuiltin('node:sqlite') ? process.execPath : findNode('24').path
  const options = process.argv.slice(2).filter((each) => each !== '--all')
  const args = [vitest, 'run', '--config', 'test/sandbox/vitest.config.ts', ...options]
  const env = { ...process.env, WORKERD: workerd }
  process.exitCode = spawnSync(node, args, { cwd: root, stdio: 'inherit', env }).status ?? 1
}
