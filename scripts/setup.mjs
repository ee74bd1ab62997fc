// Installs and builds what a command needs, once: `node scripts/setup.mjs [--build]`.
// Not `npm ci`, which would take away what is installed already and a linked node_modules with it.
import { execSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const run = (command) => execSync(command, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
const madeAt = (path) => (existsSync(`${root}/${path}`) ? statSync(`${root}/${path}`).mtimeMs : 0)

if (madeAt('node_modules/.package-lock.json') < madeAt('package-lock.json'))
  run('npm install --no-save --no-fund --no-audit --loglevel=error')
run('npm run --silent generate types')
if (process.argv.includes('--build')) run('npm run --silent build')
