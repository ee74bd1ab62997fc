// Installs and builds what a command needs, unless it exists already: `node scripts/setup.mjs [--build]`. It does not
// use `npm ci`, which would delete installed packages, or a linked node_modules.
import { execSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './shared.mjs'

const run = (command) => execSync(command, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
const findModifiedTime = (path) => (existsSync(join(root, path)) ? statSync(join(root, path)).mtimeMs : 0)
const filesIn = (folder) => readdirSync(join(root, folder), { recursive: true }).map((name) => `${folder}/${name}`)

/** The last file that `npm run build` writes. */
const BUILT = 'dist/THIRD-PARTY-LICENSES.md'

const isBuilt = () =>
  [...filesIn('src'), 'tsup.config.ts', 'package-lock.json', 'scripts/bundle.mjs', 'scripts/inspector.mjs'].every(
    (path) => findModifiedTime(path) < findModifiedTime(BUILT),
  )

/** Returns true if the types are newer than all sources of the types. */
function areTypesWritten() {
  const sources = [...filesIn('src'), ...filesIn('scripts/generate')]
  const isOurs = (path) => path.startsWith('src/core/generated')
  const written = sources.filter(isOurs).map(findModifiedTime)
  const latest = Math.max(...sources.filter((path) => !isOurs(path)).map(findModifiedTime))
  return written.length > 0 && written.every((time) => time > latest)
}

if (findModifiedTime('node_modules/.package-lock.json') < findModifiedTime('package-lock.json'))
  run('npm install --no-save --no-fund --no-audit --loglevel=error')
if (!areTypesWritten()) run('npm run --silent generate types')
if (process.argv.includes('--build') && !isBuilt()) run('npm run --silent build')
