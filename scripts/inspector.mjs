// Builds each page of src/inspector into one self-contained document, and writes dist/documents.js with all documents:
// a module with texts in base64, gzipped, because both servers and Workers can load a module.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import zopfli from '@gfx/zopfli'
import { build } from 'esbuild'
import { minify } from 'terser'

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url))

const bundleEntry = async (entry) => {
  const { outputFiles } = await build({
    entryPoints: [path(`src/inspector/${entry}`)],
    bundle: true,
    // Terser makes the script smaller.
    minify: entry.endsWith('.css'),
    target: 'es2022',
    format: 'esm',
    charset: 'utf8',
    legalComments: 'none',
    // This is shorter than the compiler's code.
    tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },
    jsx: 'transform',
    jsxFactory: 'h',
    jsxFragment: 'Fragment',
    write: false,
    // Only entries with JSX need the injected code.
    ...(entry.endsWith('.tsx') && { inject: [path('src/inspector/jsx.ts')] }),
  })
  return outputFiles[0].text.trim()
}

const compress = { passes: 3, inline: 0, pure_getters: true, unsafe_arrows: true, unsafe: true }

/** Creates a page as one document, gzipped. */
async function createDocument(name, title, scriptEntry, styleEntry) {
  const [bundle, style] = await Promise.all([bundleEntry(scriptEntry), bundleEntry(styleEntry)])
  const { code: script } = await minify(bundle, { module: true, ecma: 2022, compress })
  if (/<\/script/i.test(script) || /<\/style/i.test(style)) throw new Error(`The ${name} would end its own script.`)
  const whole = readFileSync(path('src/inspector/index.html'), 'utf8')
    .replace(/\n\s*/g, '')
    .replace('TITLE', title)
    .replace('STYLE', () => style)
    .replace('SCRIPT', () => script)
  const packed = Buffer.from(await promisify(zopfli.gzip)(Buffer.from(whole), { numiterations: 30 }))
  return { name, bytes: Buffer.byteLength(whole), packed }
}

/** Creates all pages, with their names in the module. */
export async function documents() {
  return await Promise.all([
    createDocument('inspector', 'fauxgate inspector', 'main.tsx', 'style.css'),
    createDocument('account', 'fauxgate sandboxes', 'account.tsx', 'account.css'),
  ])
}

/** Returns the text of the module with the pages. */
export function documentsModule(pages) {
  return pages.map(({ name, packed }) => `export const ${name} = "${packed.toString('base64')}"\n`).join('')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const pages = await documents()
  writeFileSync(path('dist/documents.js'), documentsModule(pages))
  for (const { name, bytes, packed } of pages)
    console.log(`The page ${name} has ${bytes} bytes, ${packed.length} when it is sent.`)
}
