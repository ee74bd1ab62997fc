import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The path of workerd's binary, of the version of examples/sandbox, installed unless it is there; undefined where it is not to be had. */
export function installedWorkerd() {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'examples/sandbox/package.json'), 'utf8'))
  const folder = join(root, 'test/sandbox/.workerd')
  mkdirSync(folder, { recursive: true })
  const manifest = { private: true, dependencies: { workerd: devDependencies.workerd } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  const install = ['install', '--no-fund', '--no-audit', '--no-package-lock', '--prefer-offline', '--loglevel=error']
  const { status, stderr } = spawnSync('npm', install, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) {
    console.error(stderr)
    return undefined
  }
  const workerd = createRequire(join(folder, 'package.json'))('workerd').default
  return spawnSync(workerd, ['--version']).status === 0 ? workerd : undefined
}
