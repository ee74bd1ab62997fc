// Installs and builds what a command needs, unless it exists already: `node scripts/setup.mjs [--build]`.
import { execSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findModifiedTime as findTime, installLocked, root } from './shared.mjs'

const run = (command) => execSync(command, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
const findModifiedTime = (path) => findTime(join(root, path))
const filesIn = (folder) => readdirSync(join(root, folder), { recursive: true }).map((name) => `${folder}/${name}`)

/** The last file that `npm run build` writes. */
const BUILT = 'dist/THIRD-PARTY-LICENSES.md'

const isBuilt = () =>
  [...filesIn('src'), ...filesIn('scripts/build'), 'package-lock.json'].every(
    (path) => findModifiedTime(path) < findModifiedTime(BUILT),
  )

/** Returns true if the types are newer than all sources of the types. */
function areTypesWritten() {
  const sources = [...filesIn('src'), ...filesIn('scripts/generate')]
  const isOurs = (path) => path.startsWith('src/generated')
  const written = sources.filter(isOurs).map(findModifiedTime)
  const latest = Math.max(...sources.filter((path) => !isOurs(path)).map(findModifiedTime))
  return written.length > 0 && written.every((time) => time > latest)
}

installLocked(root)
if (process.argv.includes('--build') && !isBuilt()) run('npm run --silent build')
else if (!areTypesWritten()) run('npm run --silent generate types')
