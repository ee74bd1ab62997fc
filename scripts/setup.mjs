// Installs and builds what a command needs, once: `node scripts/setup.mjs [--build] [--openssl]`.
// Not `npm ci`: some registries lack the optional packages of other platforms, and then the lock file cannot list them.
import { execSync, spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const run = (command) => execSync(command, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
const madeAt = (path) => (existsSync(`${root}/${path}`) ? statSync(`${root}/${path}`).mtimeMs : 0)

if (madeAt('node_modules/.package-lock.json') < madeAt('package-lock.json'))
  run('npm install --no-save --no-fund --no-audit --loglevel=error')
if (process.argv.includes('--openssl')) installOpenssl()
if (process.argv.includes('--build')) run('npm run --silent build')

/** Some tests ask the openssl command, and are left out where it is missing and cannot be installed. */
function installOpenssl() {
  const has = (command, ...args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0
  if (has('openssl', 'version') || process.getuid?.() !== 0) return
  try {
    if (has('apt-get', '--version')) run('apt-get update -qq && apt-get install -y -qq openssl')
    else if (has('apk', '--version')) run('apk add --quiet openssl')
  } catch {
    console.warn('openssl could not be installed; the tests that ask it are left out.')
  }
}
