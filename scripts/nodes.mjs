// Finds the Node versions for checks of the package. Each comes from npm's package `node`, and is outside the
// repository.
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const NODES = ['20', '22', '24', '26']

const versionOf = (path) => {
  try {
    return execFileSync(path, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return ''
  }
}

/** Returns the path and the version of the newest Node of a major version. Installs it if it is missing. */
export function findNode(major) {
  const folder = join(tmpdir(), 'fauxgate-nodes', major)
  const path = join(folder, 'node_modules/node/bin/node')
  if (!versionOf(path).startsWith(`v${major}.`)) {
    mkdirSync(folder, { recursive: true })
    const quiet = ['--silent', '--no-fund', '--no-audit']
    execFileSync('npm', ['install', ...quiet, '--prefix', folder, `node@${major}`], { stdio: 'inherit' })
  }
  const version = versionOf(path)
  if (!version.startsWith(`v${major}.`)) throw new Error(`The npm package node@${major} brought no working Node.`)
  return { path, version }
}
