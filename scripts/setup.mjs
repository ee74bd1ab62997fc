// Installs and builds what a command needs, unless it exists already: `node scripts/setup.mjs [--build]`. It does not use
// `npm ci`, which would delete installed packages, or a linked node_modules.
import { execSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './shared.mjs'

const run = (command) => execSync(command, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
const madeAt = (path) => (existsSync(join(root, path)) ? statSync(join(root, path)).mtimeMs : 0)
const filesIn = (folder) => readdirSync(join(root, folder), { recursive: true }).map((name) => `${folder}/${name}`)

/** The last file that `npm run build` writes. */
const BUILT = 'dist/THIRD-PARTY-LICENSES.md'

const isBuilt = () =>
  [...filesIn('src'), 'tsup.config.ts', 'package-lock.json', 'scripts/inspector.mjs'].every(
    (path) => madeAt(path) < madeAt(BUILT),
  )

/** Tells whether the types are newer than all files that they are made of. */
function areTypesWritten() {
  const sources = [...filesIn('src'), ...filesIn('scripts/generate')]
  const isOurs = (path) => path.startsWith('src/generated')
  const written = sources.filter(isOurs).map(madeAt)
  const latest = Math.max(...sources.filter((path) => !isOurs(path)).map(madeAt))
  return written.length > 0 && written.every((time) => time > latest)
}

if (madeAt('node_modules/.package-lock.json') < madeAt('package-lock.json'))
  run('npm install --no-save --no-fund --no-audit --loglevel=error')
if (!areTypesWritten()) run('npm run --silent generate types')
if (process.argv.includes('--build') && !isBuilt()) run('npm run --silent build')
