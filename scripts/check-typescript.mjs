// Compiles what README.md and the guides show, and the examples, strictly, against the packed package, with every TypeScript that its types
// are for: `node scripts/check-typescript.mjs [version…]`. Needs `npm run build`.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import ts from 'typescript'
import { asHere, install, root, typescripts, withPackage } from './packed.mjs'

const VERSIONS = ['5.4.5', '5.5.4', '5.6.3', '5.7.3', '5.8.3', '5.9.3', '6.0.3', '7.0.2']
/** The packages that the blocks import beside this one. */
const OTHERS = ['@ngrok/ngrok-api', '@types/node', 'jest', 'msw', 'vitest']

/** Compiled with the declarations of the package themselves checked. They need no other package. */
const DECLARATIONS = `import { createGateway, ngrok } from 'fauxgate'
import { createNgrok, ngrokFamilies, type TunnelSession } from 'fauxgate/ngrok'
import 'fauxgate/clock'
import 'fauxgate/node'
import 'fauxgate/openapi'
import 'fauxgate/testing'
export const session: TunnelSession = createNgrok().declare.tunnelSession({ endpoints: [{}] })
export const { vaults } = createGateway({ dialect: ngrok, families: { vaults: ngrokFamilies.vaults } })
// @ts-expect-error: the address of an agent is a text
createNgrok().declare.tunnelSession({ ip: 5 })
`

/** A test of vitest. */
const FIXTURE = `import { createNgrok } from 'fauxgate/ngrok'
import { testUsing } from 'fauxgate/vitest'
testUsing(createNgrok)('an office has a policy', ({ gateway }) => {
  const text: string = gateway.ipPolicies.create({ description: 'the office' }).id
  // @ts-expect-error: an id is a text
  const number: number = gateway.ipPolicies.create({ description: 'the office' }).id
  return [text, number]
})
`

const versions = process.argv.length > 2 ? process.argv.slice(2) : VERSIONS
const COMPILER_OPTIONS = {
  strict: true,
  target: 'ES2022',
  module: 'ESNext',
  moduleResolution: 'Bundler',
  lib: ['ES2023', 'DOM', 'DOM.Iterable', 'ESNext.Disposable'],
  types: ['node'],
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
}

/** Imports a TypeScript module of the repository. */
async function loaded(path) {
  const outfile = join(dirname(path), `.${basename(path)}-${process.pid}.mjs`)
  try {
    await build({
      entryPoints: [path],
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      outfile,
      logLevel: 'error',
    })
    return await import(pathToFileURL(outfile))
  } finally {
    rmSync(outfile, { force: true })
  }
}

/** Writes the surroundings of fragments beside the blocks, with the package in the place of its sources. Returns their path. */
async function writeSurroundings(folder) {
  const { entryPointsByImport } = await loaded(join(root, 'scripts/entries.ts'))
  const names = new Map(Object.entries(entryPointsByImport).map(([name, path]) => [join(root, path), name]))
  const write = (path) => {
    const text = readFileSync(path, 'utf8').replace(/'(\.[^']*\.ts)'/g, (_quoted, imported) => {
      const source = join(dirname(path), imported)
      if (names.has(source)) return `'${names.get(source)}'`
      write(source)
      return `'./${basename(source, '.ts')}.js'`
    })
    writeFileSync(join(folder, basename(path)), text)
    return join(folder, basename(path))
  }
  return write(join(root, 'test/docs/surroundings.ts'))
}

async function writeBlocks(folder) {
  const { blocksIn } = await loaded(join(root, 'test/docs/blocks.ts'))
  const { aroundOf } = await loaded(join(root, 'test/docs/around.ts'))
  // A block that is in an example is compiled with it, and one of the sources by test/docs/recipes.test.ts.
  const blocks = blocksIn('ts').filter(
    ({ document, file }) => document !== 'docs/adding-a-family.md' && !file?.startsWith('examples/'),
  )
  for (const name of ['fragments', 'whole']) mkdirSync(join(folder, name), { recursive: true })
  const surroundings = await writeSurroundings(folder)
  const { options } = ts.convertCompilerOptionsFromJson(COMPILER_OPTIONS, folder)
  writeFileSync(join(folder, 'around.d.ts'), aroundOf(ts.createProgram([surroundings], options), surroundings))
  for (const { document, line, code, isFragment } of blocks) {
    const name = `${document.replace(/\W/g, '-')}-${line}.ts`
    writeFileSync(join(folder, isFragment ? 'fragments' : 'whole', name), `${code}\nexport {}\n`)
  }
  return blocks.length
}

/** Returns what a version of the compiler says of a part of the folder. */
function problemsOf(folder, version, include, more = {}) {
  const config = join(folder, 'tsconfig.json')
  writeFileSync(config, JSON.stringify({ compilerOptions: { ...COMPILER_OPTIONS, ...more }, include }))
  const tsc = join(folder, `node_modules/typescript-${version}/bin/tsc`)
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', config], { cwd: folder, encoding: 'utf8' })
  return status === 0 ? '' : `${stdout}${stderr}`
}

await withPackage(async (folder, tarball) => {
  install(folder, tarball, ...asHere(...OTHERS), ...typescripts(versions))
  const count = await writeBlocks(join(folder, 'blocks'))
  cpSync(join(root, 'examples'), join(folder, 'examples'), { recursive: true })
  writeFileSync(join(folder, 'declarations.ts'), DECLARATIONS)
  writeFileSync(join(folder, 'fixture.ts'), FIXTURE)
  const ofDeclarations = new Map(
    versions.map((each) => [each, problemsOf(folder, each, ['declarations.ts'], { skipLibCheck: false, types: [] })]),
  )
  // Families of one's own need it.
  install(folder, ...asHere('valibot'))
  for (const version of versions) {
    const problems =
      ofDeclarations.get(version) +
      problemsOf(folder, version, ['fixture.ts', 'blocks/whole', 'examples/**/*.ts']) +
      problemsOf(folder, version, ['blocks/fragments', 'blocks/around.d.ts'])
    if (problems === '') {
      console.log(`ok  ${count} blocks of the documents, and the examples, compile with TypeScript ${version}`)
      continue
    }
    console.error(`FAILED  TypeScript ${version}\n${problems}`)
    process.exitCode = 1
  }
})
