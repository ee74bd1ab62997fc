import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root, succeeds } from './shared.mjs'

/**
 * Returns the path of workerd's binary. WORKERD can name it. Otherwise, it installs the version of examples/sandbox.
 * If that fails, it prints what is skipped and returns undefined. With --all, the exit code is then 1.
 */
export function installWorkerd(what) {
  if (process.env.WORKERD) return process.env.WORKERD
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'examples/sandbox/package.json'), 'utf8'))
  const folder = join(root, 'test/sandbox/.workerd')
  mkdirSync(folder, { recursive: true })
  const manifest = { private: true, dependencies: { workerd: devDependencies.workerd } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  const install = ['install', '--no-fund', '--no-audit', '--no-package-lock', '--prefer-offline', '--loglevel=error']
  const { status, stderr } = spawnSync('npm', install, { cwd: folder, encoding: 'utf8' })
  const workerd = status === 0 && createRequire(join(folder, 'package.json'))('workerd').default
  if (workerd && succeeds(workerd, '--version')) return workerd
  console.error(`${stderr}LEFT OUT  ${what}: workerd cannot be had here`)
  if (process.argv.includes('--all')) process.exitCode = 1
  return undefined
}
