// Compiles what README.md and the guides show, and the examples, strictly, against the packed package, with every TypeScript that its types
// are for: `node scripts/check-typescript.mjs [version…]`. Needs `npm run build`.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const VERSIONS = ['5.4.5', '5.5.4', '5.6.3', '5.7.3', '5.8.3', '5.9.3', '6.0.3', '7.0.2']
/** What the blocks import besides the package. */
const OTHERS = ['@ngrok/ngrok-api', '@types/node', 'jest', 'msw', 'vitest']

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const versions = process.argv.length > 2 ? process.argv.slice(2) : VERSIONS
const folder = mkdtempSync(join(tmpdir(), 'fauxgate-typescript-'))
const blocksFolder = join(folder, 'blocks')
const run = (command, ...args) => execFileSync(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })

/** A module of the tests, run as it stands there. */
async function loaded(path) {
  const outfile = join(dirname(path), `.${basename(path)}-${process.pid}.mjs`)
  try {
    await build({ entryPoints: [path], bundle: true, platform: 'node', format: 'esm', outfile, logLevel: 'error' })
    return await import(pathToFileURL(outfile))
  } finally {
    rmSync(outfile, { force: true })
  }
}

/** Puts what a fragment stands among beside the blocks, with the package in the place of its sources. Answers its text. */
async function writeSurroundings() {
  const { entries } = await loaded(join(root, 'test/support/entries.ts'))
  const names = new Map(Object.entries(entries).map(([name, path]) => [path, name]))
  const write = (path) => {
    const text = readFileSync(path, 'utf8').replace(/'(\.[^']*)'/g, (_quoted, imported) => {
      const source = join(dirname(path), imported)
      if (names.has(source)) return `'${names.get(source)}'`
      write(source)
      return `'./${basename(source, '.ts')}.js'`
    })
    writeFileSync(join(blocksFolder, basename(path)), text)
    return text
  }
  return write(join(root, 'test/docs/surroundings.ts'))
}

async function writeBlocks() {
  const { blocksIn } = await loaded(join(root, 'test/docs/blocks.ts'))
  // A block that is in an example is compiled with it, and one of the sources by test/docs/recipes.test.ts.
  const blocks = blocksIn('ts').filter(
    ({ document, file }) => document !== 'docs/adding-a-family.md' && !file?.startsWith('examples/'),
  )
  mkdirSync(blocksFolder)
  const surroundings = await writeSurroundings()
  const [, answered = ''] =
    /\n {2}return \{\n([\s\S]*?)\n {2}\}\n/.exec(surroundings.slice(surroundings.indexOf('surroundings('))) ?? []
  const spread = `type Around = ReturnType<typeof surroundings>`
  const named = [...answered.matchAll(/^ {4}(?:async )?(\w+)[:,(]/gm)].map(([, name]) => name)
  const ofPackage = ['fauxgate', 'fauxgate/clock', 'fauxgate/msw'].map(
    (name) =>
      import(
        pathToFileURL(join(folder, 'node_modules/fauxgate/dist', `${name === 'fauxgate' ? 'index' : name.slice(9)}.js`))
      ),
  )
  for (const each of await Promise.all(ofPackage)) named.push(...Object.keys(each))
  const globals = [...new Set(named)].map((name) => `  const ${name}: NonNullable<Around['${name}']>`)
  const header = `import 'fauxgate/vitest'\nimport type { surroundings } from './surroundings.js'\n${spread}\n`
  writeFileSync(join(blocksFolder, 'around.d.ts'), `${header}declare global {\n${globals.join('\n')}\n}\n`)
  for (const { document, line, code, isFragment } of blocks) {
    const name = `${document.replace(/\W/g, '-')}-${line}.ts`
    const to = join(blocksFolder, isFragment ? 'fragments' : 'whole')
    mkdirSync(to, { recursive: true })
    writeFileSync(join(to, name), `${code}\nexport {}\n`)
  }
  return blocks.length
}

function writeConfigs() {
  const compilerOptions = {
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
  const config = (name, ...include) =>
    writeFileSync(join(folder, `tsconfig.${name}.json`), JSON.stringify({ compilerOptions, include }))
  config('whole', 'blocks/whole', 'examples/**/*.ts')
  config('fragments', 'blocks/fragments', 'blocks/around.d.ts')
}

try {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const others = OTHERS.map((name) => `${name}@${devDependencies[name]}`)
  const compilers = versions.map((version) => `typescript-${version}@npm:typescript@${version}`)
  run('npm', 'install', '--silent', '--no-fund', '--no-audit', `./${tarball}`, ...others, ...compilers)
  const count = await writeBlocks()
  cpSync(join(root, 'examples'), join(folder, 'examples'), { recursive: true })
  writeConfigs()
  for (const version of versions) {
    const tsc = join(folder, `node_modules/typescript-${version}/bin/tsc`)
    const problems = ['whole', 'fragments'].flatMap((config) => {
      const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', `tsconfig.${config}.json`], {
        cwd: folder,
        encoding: 'utf8',
      })
      return status === 0 ? [] : [stdout]
    })
    if (problems.length === 0)
      console.log(`ok  ${count} blocks of the documents, and the examples, compile with TypeScript ${version}`)
    else {
      console.error(`FAILED  TypeScript ${version}\n${problems.join('\n')}`)
      process.exitCode = 1
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
