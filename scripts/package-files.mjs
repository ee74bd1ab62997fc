// Puts what tsup left in dist into few files, since each one costs half a millisecond at import, writes them once more
// as CommonJS, and lets both share one copy of the types.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'
import { rollup } from 'rollup'
import { minify } from 'terser'
import { writeDeclarations } from './declarations.mjs'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const read = (name) => readFileSync(join(dist, name), 'utf8')
const { exports: ways } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const isChunk = (file) => file.startsWith('chunk-')
const files = readdirSync(dist).filter((name) => name.endsWith('.js'))
/** What tsup builds so that it stands in chunks of its own. */
const alone = ['gateway-error.js', 'manual-clock.js']
/** The same for what certificates for tests need. */
const certificates = 'test-certificates.js'
const entries = files.filter((file) => !isChunk(file) && file !== certificates && !alone.includes(file))
/** The entries that can be required too. */
const required = Object.values(ways).flatMap((way) => (way.require ? [basename(way.require.default, '.cjs')] : []))

/** A chunk that several entries share and that is smaller than this, in bytes, gets no file of its own. */
const SMALL = 10_000

/** A file of dist and all that it imports, without end. */
function reachableFrom(file, found = new Set()) {
  found.add(file)
  for (const [, each] of read(file).matchAll(/"\.\/([\w-]+\.js)"/g)) if (!found.has(each)) reachableFrom(each, found)
  return found
}

const fromIndex = reachableFrom('index.js')
const fromCertificates = reachableFrom(certificates)
const fromAlone = new Set(alone.flatMap((file) => [...reachableFrom(file)]))

const isSmall = (file) => fromAlone.has(file) || statSync(join(dist, file)).size < SMALL

/**
 * The file that a chunk of tsup's goes into: what comes with the error or the clock alone and what is small, all the way
 * down; what certificates for tests share; and the rest. None of them imports a later one.
 */
function groupOf(path) {
  const file = basename(path)
  if (!isChunk(file) || !fromIndex.has(file)) return undefined
  if ([...reachableFrom(file)].every(isSmall)) return 'common'
  return fromCertificates.has(file) ? 'certificates' : 'gateway'
}

const bundle = async (names, output) => {
  const build = await rollup({
    input: Object.fromEntries(names.map((name) => [name, join(dist, `${name}.js`)])),
    // The pages are made after this.
    external: (id) => !/^[./]/.test(id) || id.endsWith('/documents.js'),
    onwarn({ message }) {
      throw new Error(message)
    },
    treeshake: { moduleSideEffects: (id) => !isChunk(basename(id)) },
  })
  // Without hoisting, no file imports another one for nothing, which bundlers warn of.
  return (await build.generate({ ...output, manualChunks: groupOf, hoistTransitiveImports: false })).output
}

const extensions = (extension) => ({
  entryFileNames: `[name]${extension}`,
  chunkFileNames: ({ name }) => `${isChunk(name) ? 'shared' : '[name]'}-[hash]${extension}`,
})
const modules = await bundle(
  entries.map((file) => basename(file, '.js')),
  { format: 'es', ...extensions('.js') },
)
// require() in place of import(), since the file that import() would load is another copy.
const common = await bundle(required, { format: 'cjs', ...extensions('.cjs'), dynamicImportInCjs: false })
/**
 * The code of a file, smaller: without comments and indentation, and with short names inside, since whoever reads has the
 * sources. Classes keep their names, which users meet. What bundlers take parts of keeps all names, and the comments that
 * say which calls can be left out.
 */
async function smaller(code, fileName) {
  const isWhole =
    fileName.endsWith('.cjs') || /^(gateway-|certificates-|openapi[-.]|cli\.|sandbox\.|testing\.)/.test(fileName)
  const isShaken = fileName.startsWith('common-') && !isWhole
  const plain = await transform(code, { target: 'es2022', minifySyntax: !isShaken })
  const { code: small } = await minify(isShaken ? code : plain.code, {
    module: fileName.endsWith('.js'),
    toplevel: true,
    compress: isWhole && { inline: 0, keep_classnames: true },
    mangle: isWhole && { keep_classnames: true },
    format: { comments: isShaken ? /[@#]__(PURE|NO_SIDE_EFFECTS)__/ : false, max_line_len: 500 },
  })
  return small
}

for (const file of files) rmSync(join(dist, file))
for (const { fileName, code } of [...modules, ...common]) {
  writeFileSync(join(dist, fileName), await smaller(code, fileName))
}

writeDeclarations(dist, { ways, required })
