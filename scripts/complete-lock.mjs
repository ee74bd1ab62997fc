// Completes package-lock.json for the platforms that it was not made on: `node scripts/complete-lock.mjs`, after each
// `npm install` that changes it. A registry need not have the optional packages of all platforms, and npm leaves out of
// the lock file what it cannot see; `npm ci` then refuses it everywhere. Names and versions stand in the packages that ask
// for them, platforms in the names; what such an entry lacks is the checksum.
import { readFileSync, writeFileSync } from 'node:fs'

const SYSTEMS = /-(aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)-(\w+)(?:-(\w+))?$/
const LIBRARIES = { gnu: 'glibc', gnueabihf: 'glibc', musl: 'musl', musleabihf: 'musl' }

const file = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(file, 'utf8'))

/** Where a package that another one asks for may stand: below it, or beside one that it is below. */
function placesOf(name, at) {
  const folders = at.split('/node_modules/').map((_, index, all) => all.slice(0, index + 1).join('/node_modules/'))
  return [...folders, ''].map((folder) => `${folder && `${folder}/`}node_modules/${name}`)
}

const entries = Object.entries(lock.packages)
const missing = entries.flatMap(([at, { optionalDependencies = {}, dev }]) =>
  Object.entries(optionalDependencies)
    .filter(([name]) => !placesOf(name, at).some((place) => lock.packages[place]))
    .map(([name, version]) => [`node_modules/${name}`, entryOf(name, version, dev)]),
)

function entryOf(name, version, dev) {
  const [, os, cpu, library] = SYSTEMS.exec(name) ?? []
  if (!os || !/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`Which platform is ${name}@${version} for?`)
  const libc = os === 'linux' && LIBRARIES[library]
  return { version, cpu: [cpu], ...(dev && { dev }), ...(libc && { libc: [libc] }), optional: true, os: [os] }
}

const [root, ...others] = [...entries, ...missing]
const sorted = others.sort(([a], [b]) => a.localeCompare(b, 'en'))
lock.packages = Object.fromEntries([root, ...sorted])
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
console.log(`${missing.length} packages for other platforms were added.`)
