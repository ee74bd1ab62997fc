// Compiles against the packed package, strictly, with every TypeScript that its types are for: its entry points, the
// tests of types, the blocks of README.md and the guides, and the examples: `node tools/checks/typescript.mjs
// [version…]`. Needs `npm run build`.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { importSource } from '../../scripts/import-source.mjs'
import { install, root, withPackage, withVersions } from '../../scripts/shared.mjs'

const VERSIONS = ['5.4.5', '5.5.4', '5.6.3', '5.7.3', '5.8.3', '5.9.3', '6.0.3', '7.0.2']
/** The packages that the blocks import beside this one. */
const OTHERS = ['@ngrok/ngrok-api', '@types/node', 'axios', 'jest', 'msw', 'vitest']

/** The entry points that compile without any other package, as Node resolves the package, with checked declarations. */
const ENTRIES = [
  'fauxgate',
  'fauxgate/clock',
  'fauxgate/ngrok',
  'fauxgate/node',
  'fauxgate/openapi',
  'fauxgate/testing',
]
const WITH_VALIBOT = [...ENTRIES, 'fauxgate/kit']
const formatExports = (entries) => entries.map((name, place) => `export * as entry${place} from '${name}'\n`).join('')

/** The timers of a clock have the types of the platform's timers, without those of Node. */
const TIMERS = `import { manualClock } from 'fauxgate'
import { timersOn } from 'fauxgate/clock'
type Timers = { setTimeout: typeof setTimeout; clearInterval: typeof clearInterval; Date: DateConstructor }
export const timers: Timers = timersOn(manualClock(0))
`
const TYPE_TESTS = ['own-family', 'public-api', 'ngrok'].map((name) => `test/types/${name}.test-d.ts`)

const versions = process.argv.length > 2 ? process.argv.slice(2) : VERSIONS
const { entryPointsByImport } = await importSource('scripts/entries.ts')
const { COMPILER_OPTIONS, typescriptBlocks, writeBlocks } = await importSource('test/docs/compiled.ts')

/** The libraries of an ordinary project: the declarations must refer to all others themselves. */
const LIBRARIES = { lib: ['ES2022', 'DOM', 'DOM.Iterable'], types: [] }
const AS_NODE = { module: 'NodeNext', moduleResolution: 'NodeNext', skipLibCheck: false, ...LIBRARIES }
const AS_TESTS = { noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true }

/** Copies files of the repository and their imports into a folder, with the package instead of its sources. */
function writeAgainstPackage(folder, paths) {
  const names = new Map(Object.entries(entryPointsByImport).map(([name, path]) => [join(root, path), name]))
  const write = (path, name) => {
    const text = readFileSync(path, 'utf8').replace(/'(\.[^']*\.ts)'/g, (_quoted, imported) => {
      const source = join(dirname(path), imported)
      if (names.has(source)) return `'${names.get(source)}'`
      // Files of several folders can have the same name.
      const copy = relative(root, source).replaceAll(sep, '-')
      write(source, copy)
      return `'./${copy.replace(/\.ts$/, '.js')}'`
    })
    writeFileSync(join(folder, name), text)
  }
  mkdirSync(folder)
  for (const path of paths) write(join(root, path), basename(path))
}

/** Compiles a part of the folder with a version of the compiler. Returns the errors, or an empty text. */
function compile(folder, version, include, moreOptions = {}) {
  const config = join(folder, 'tsconfig.json')
  writeFileSync(config, JSON.stringify({ compilerOptions: { ...COMPILER_OPTIONS, ...moreOptions }, include }))
  const tsc = join(folder, `node_modules/typescript-${version}/bin/tsc`)
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', config], { cwd: folder, encoding: 'utf8' })
  return status === 0 ? '' : `${stdout}${stderr}`
}

await withPackage(async (folder, tarball) => {
  const compilers = versions.map((version) => `typescript-${version}@npm:typescript@${version}`)
  install(folder, tarball, ...withVersions(...OTHERS), ...compilers)
  writeAgainstPackage(join(folder, 'blocks'), ['test/docs/surroundings.ts'])
  writeBlocks(join(folder, 'blocks'))
  writeAgainstPackage(join(folder, 'types'), TYPE_TESTS)
  // Examples with packages of their own are compiled with these, by tools/checks/examples.mjs.
  const filter = (path) => !existsSync(join(path, 'package.json'))
  cpSync(join(root, 'examples'), join(folder, 'examples'), { recursive: true, filter })
  writeFileSync(join(folder, 'entries.mts'), formatExports(ENTRIES) + TIMERS)
  const problemsOfEntries = new Map(versions.map((each) => [each, compile(folder, each, ['entries.mts'], AS_NODE)]))
  install(folder, ...withVersions('valibot'))
  writeFileSync(join(folder, 'entries.mts'), formatExports(WITH_VALIBOT))
  for (const version of versions) {
    const problems =
      problemsOfEntries.get(version) +
      compile(folder, version, ['entries.mts'], AS_NODE) +
      compile(folder, version, ['types'], AS_TESTS) +
      compile(folder, version, ['types'], { ...AS_TESTS, exactOptionalPropertyTypes: false }) +
      compile(folder, version, ['blocks', 'examples/**/*.ts'])
    if (problems === '') {
      console.log(
        `ok  ${typescriptBlocks.length} blocks of the documents, and the examples, compile with TypeScript ${version}`,
      )
      continue
    }
    console.error(`FAILED  TypeScript ${version}\n${problems}`)
    process.exitCode = 1
  }
})
