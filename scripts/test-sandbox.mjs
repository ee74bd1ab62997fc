// Runs the tests of the shared sandboxes on plain workerd: `npm run test:sandbox [-- --all]`. It installs workerd, 119 MB,
// for them alone, of the version of examples/sandbox. Where it cannot be had, the tests are left out and said; with --all
// that is a failure.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const isAll = process.argv.includes('--all')
const { devDependencies } = JSON.parse(readFileSync(join(root, 'examples/sandbox/package.json'), 'utf8'))

/** The path of workerd's binary, or undefined where it is not to be had here. */
function installed() {
  const folder = join(root, 'test/sandbox/.workerd')
  mkdirSync(folder, { recursive: true })
  const manifest = { private: true, dependencies: { workerd: devDependencies.workerd } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  const install = ['install', '--no-fund', '--no-audit', '--no-package-lock', '--prefer-offline', '--loglevel=error']
  const { status, stderr } = spawnSync('npm', install, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) console.error(stderr)
  return status === 0 ? createRequire(join(folder, 'package.json'))('workerd').default : undefined
}

const workerd = installed()
if (workerd && spawnSync(workerd, ['--version']).status === 0) {
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
