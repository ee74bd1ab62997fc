// The rooms of src/ and what each may import: `node scripts/rooms.mjs [folder]`, a part of `npm run lint`. Fails on an
// import of another room that the table does not allow, on files that import one another in a circle, and on Node's own
// modules where code must run everywhere. Imports of types count like any other,
// except that a page may name the types of what it asks for.
import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, posix, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const parts = [
  'schema',
  'filter',
  'operation',
  'engine',
  'x509',
  'provisioning',
  'resources',
  'journal',
  'control',
  'views',
  'http',
  'direct',
  'openapi',
  'store',
]

/** What each room may import, from the lowest. A file that stands right in src/ is a room of its own. */
const ROOMS = {
  schema: [],
  generated: [],
  filter: ['schema'],
  operation: ['schema', 'filter'],
  engine: ['schema', 'operation'],
  x509: ['schema', 'operation'],
  provisioning: ['schema', 'operation', 'x509'],
  resources: ['filter', 'schema', 'operation', 'engine', 'x509', 'provisioning'],
  journal: ['schema', 'operation', 'engine'],
  control: ['schema', 'operation', 'engine', 'x509', 'provisioning', 'resources', 'journal', 'views'],
  views: ['schema', 'operation', 'engine', 'x509', 'provisioning', 'resources', 'journal', 'control'],
  controls: ['operation', 'control', 'views'],
  direct: ['schema', 'operation', 'engine', 'resources'],
  http: ['schema', 'operation', 'engine', 'x509', 'journal', 'control'],
  openapi: ['schema', 'operation', 'resources', 'control', 'controls'],
  store: ['schema', 'operation'],
  kit: ['schema', 'operation'],
  table: ['schema', 'operation', 'resources', 'control', 'controls', 'http', 'kit'],
  gateway: [...parts, 'controls', 'table'],
  index: [...parts, 'controls', 'gateway'],
  testing: [...parts, 'gateway'],
  inspector: [],
  server: [...parts, 'controls', 'table', 'gateway', 'testing', 'inspector'],
  sandbox: [...parts, 'gateway'],
}

/** The rooms that may import types of every other one, which are gone when they run. */
const TYPES = ['inspector', 'generated']

/** The rooms that may import Node's own modules; what stands in the others runs in browsers and workers too. */
const NODE = ['server']

/** What is wrong with the imports in a folder laid out like src/: one line each. */
function problemsOf(folder) {
  const imports = importsOf(folder)
  const problems = imports.flatMap((each) => (each.to === undefined ? packageProblem(each) : roomProblem(each)))
  return [...problems, ...circlesOf(imports.filter(({ to }) => to !== undefined && roomOf(to) !== 'generated'))]
}

/** Every import in a folder: the file, the name as it stands there, and the file it leads to where it is one of ours. */
function importsOf(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort()
  return paths.flatMap((path) => {
    const from = relative(folder, path).split(sep).join('/')
    const text = readFileSync(path, 'utf8')
    const { importedFiles } = ts.preProcessFile(text)
    return importedFiles.map(({ fileName: name }) => ({
      from,
      name,
      isType: new RegExp(`^(import|export) type [^'"]* from '${name}'`, 'm').test(text),
      to: name.startsWith('.') ? posix.join(posix.dirname(from), name) : undefined,
    }))
  })
}

const roomOf = (file) => /^[^/.]*/.exec(file)[0]

function roomProblem({ from, to, isType }) {
  const [room, other] = [roomOf(from), roomOf(to)]
  // The version stands outside src.
  if (to === '../package.json' || to.startsWith('../node_modules/') || (isType && TYPES.includes(room))) return []
  const allowed = ROOMS[room]
  if (allowed === undefined) return [`${from}: the room ${room} does not stand in scripts/rooms.mjs.`]
  // Its types come from schemas of every room.
  if (other === 'generated' && isType) return []
  if (room === other || allowed.includes(other)) return []
  return [`${from} imports ${to}: the room ${room} may import ${allowed.join(', ') || 'nothing else of ours'}.`]
}

function packageProblem({ from, name }) {
  if (!isBuiltin(name) || NODE.includes(roomOf(from))) return []
  return [`${from} imports ${name}: of Node's own modules only these rooms may import: ${NODE.join(', ')}.`]
}

/** The circles of files that import one another, each named by the way around it. */
function circlesOf(imports) {
  const circles = []
  const done = new Set()
  const walk = (file, path) => {
    if (path.includes(file)) circles.push(`A circle: ${[...path.slice(path.indexOf(file)), file].join(' imports ')}.`)
    if (path.includes(file) || done.has(file)) return
    for (const { from, to } of imports) if (from === file) walk(to, [...path, file])
    done.add(file)
  }
  for (const { from } of imports) walk(from, [])
  return circles
}

const folder = process.argv[2] ?? join(dirname(dirname(fileURLToPath(import.meta.url))), 'src')
const problems = problemsOf(folder)
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
