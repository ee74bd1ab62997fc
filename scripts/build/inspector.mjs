// Builds the pages of src/inspector into documents, with the script of the inspector and of the tabs that it loads later. Writes
// dist/documents.js with all of them: a module with texts in base64, gzipped, because both servers and Workers can load a module.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import zopfli from '@gfx/zopfli'
import { build } from 'esbuild'
import { rolldown } from 'rolldown'
import { minify } from 'terser'

const path = (name) => fileURLToPath(new URL(`../../src/inspector/${name}`, import.meta.url))

const compress = { passes: 3, inline: 0, pure_getters: true, unsafe_arrows: true, unsafe: true }

const minifyScript = async (text) => (await minify(text, { module: true, ecma: 2022, compress })).code

/** Puts all that an entry imports at once into its own script: the scripts that it loads later take it from there. */
function ownChunk(name, entry) {
  const found = new Set()
  const add = (id, context) => {
    if (found.has(id)) return
    found.add(id)
    for (const imported of context.getModuleInfo(id)?.importedIds ?? []) add(imported, context)
  }
  return {
    debugName: name,
    name(id, context) {
      if (found.size === 0) add(entry, context)
      return found.has(id) ? name : null
    },
  }
}

/** Returns the scripts of an entry by name: its own, and those that it loads later. */
async function bundleScripts(name, entry) {
  const bundle = await rolldown({
    input: { [name]: path(entry) },
    platform: 'browser',
    preserveEntrySignatures: false,
    transform: {
      target: 'es2022',
      jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' },
      inject: { h: ['preact', 'h'], Fragment: ['preact', 'Fragment'] },
      // This is shorter than the compiler's code.
      assumptions: { setPublicClassFields: true },
      typescript: { removeClassFieldsWithoutInitializer: true },
    },
  })
  const { output } = await bundle.generate({
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    codeSplitting: { groups: [ownChunk(name, path(entry))] },
  })
  return Object.fromEntries(await Promise.all(output.map(async (each) => [each.name, await minifyScript(each.code)])))
}

async function bundleStyle(entry) {
  const { outputFiles } = await build({ entryPoints: [path(entry)], bundle: true, minify: true, write: false })
  return outputFiles[0].text.trim()
}

async function pack(name, text) {
  const packed = Buffer.from(await promisify(zopfli.gzip)(Buffer.from(text), { numiterations: 30 }))
  return { name, bytes: Buffer.byteLength(text), packed }
}

/** The hash of a script, by which the page's policy allows it. */
const hash = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`

/** Creates the document of a page, gzipped. */
async function createDocument(name, title, styleEntry, script, imports) {
  const style = await bundleStyle(styleEntry)
  if (/<\/script/i.test(script) || /<\/style/i.test(style)) throw new Error(`The ${name} would end its own script.`)
  const whole = readFileSync(path('index.html'), 'utf8')
    .replace(/\n\s*/g, '')
    .replace('TITLE', title)
    .replace('STYLE', () => style)
    .replace('IMPORTS', imports ? `<script type="importmap">${JSON.stringify({ integrity: imports })}</script>` : '')
    .replace('SCRIPT', () => script)
  return pack(name, whole)
}

/** Creates all pages and scripts, with their names in the module. */
export async function documents() {
  const scripts = Object.entries(await bundleScripts('page', 'main.tsx'))
  const { account } = await bundleScripts('account', 'account.tsx')
  const hashes = Object.fromEntries(scripts.map(([name, text]) => [`./${name}.js`, hash(text)]))
  return Promise.all([
    createDocument('inspector', 'fauxgate inspector', 'style.css', 'import"./page.js"', hashes),
    ...scripts.map(([name, text]) => pack(name, text)),
    createDocument('account', 'fauxgate sandboxes', 'account.css', account),
  ])
}

/** Returns the text of the module with the pages. */
export function documentsModule(pages) {
  return pages.map(({ name, packed }) => `export const ${name} = "${packed.toString('base64')}"\n`).join('')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const pages = await documents()
  writeFileSync(fileURLToPath(new URL('../../dist/documents.js', import.meta.url)), documentsModule(pages))
  for (const { name, bytes, packed } of pages)
    console.log(`${name} has ${bytes} bytes, ${packed.length} when it is sent.`)
}
