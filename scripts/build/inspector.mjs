// Builds each page of src/inspector into one document, and tabs that the inspector loads later into scripts. Writes
// dist/documents.js with all of them: a module with texts in base64, gzipped, because both servers and Workers can load a module.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve as resolvePath } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import zopfli from '@gfx/zopfli'
import { build } from 'esbuild'
import { minify } from 'terser'

const path = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url))

const options = {
  bundle: true,
  target: 'es2022',
  format: 'esm',
  charset: 'utf8',
  legalComments: 'none',
  // This is shorter than the compiler's code.
  tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },
  jsx: 'transform',
  jsxFactory: 'h',
  jsxFragment: 'Fragment',
  metafile: true,
  write: false,
}

async function bundleEntry(entry, more = {}) {
  const { outputFiles, metafile } = await build({
    ...options,
    entryPoints: [path(`src/inspector/${entry}`)],
    // Terser makes the script smaller.
    minify: entry.endsWith('.css'),
    // Only entries with JSX need the injected code.
    ...(entry.endsWith('.tsx') && { inject: [path('src/inspector/jsx.ts')] }),
    ...more,
  })
  return { text: outputFiles[0].text.trim(), inputs: Object.keys(metafile.inputs) }
}

const compress = { passes: 3, inline: 0, pure_getters: true, unsafe_arrows: true, unsafe: true }

const minifyScript = async (text, more) => (await minify(text, { module: true, ecma: 2022, compress, ...more })).code

async function pack(name, text) {
  const packed = Buffer.from(await promisify(zopfli.gzip)(Buffer.from(text), { numiterations: 30 }))
  return { name, bytes: Buffer.byteLength(text), packed }
}

/** The tabs of the inspector that are scripts of their own, with the names of their components. */
const LATER = { traffic: 'Traffic', resources: 'Resources', state: 'State' }

/** Creates a tab as a module that exports a function: it takes what the page has, and returns the component. */
async function createTab(name, inPage) {
  const { text } = await bundleEntry(`tabs/${name}.tsx`, {
    plugins: [takesFromPage(inPage)],
  })
  const body = text.replace(/export \{[^}]*\};?$/, `return ${LATER[name]};`)
  return minifyScript(`export default (shared) => {\n${await adoptStyle(name)}${body}\n}`, {
    mangle: { reserved: ['shared'] },
  })
}

/** Returns the code that adds the style of a tab, if it has one: the page's policy allows the text of no other style. */
async function adoptStyle(name) {
  if (!existsSync(path(`src/inspector/tabs/${name}.css`))) return ''
  const style = JSON.stringify((await bundleEntry(`tabs/${name}.css`)).text)
  return `const style = new CSSStyleSheet();style.replaceSync(${style});document.adoptedStyleSheets.push(style);\n`
}

/** Replaces modules that the page has by what a tab takes from it. */
const takesFromPage = (inPage) => ({
  name: 'takes from page',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /.*/ }, async ({ path: name, pluginData, ...more }) => {
      if (pluginData === 'resolved') return undefined
      const { path: found } = await resolve(name, { ...more, pluginData: 'resolved' })
      return inPage.has(found) ? { path: found, namespace: 'page' } : { path: found }
    })
    onLoad({ filter: /.*/, namespace: 'page' }, async ({ path: file }) => {
      const names = await listExports(file)
      return { contents: names.map((each) => `export const ${each} = shared.${each}`).join('\n') }
    })
  },
})

/** Returns the names that a module exports. */
async function listExports(file) {
  const { metafile } = await build({ ...options, bundle: false, entryPoints: [file] })
  return Object.values(metafile.outputs)[0].exports
}

/** Passes to the tabs what they take: the page has it already. */
const givesToTabs = (tabs, inPage) => ({
  name: 'gives to tabs',
  setup({ onLoad }) {
    onLoad({ filter: /\/for-tabs\.ts$/ }, async () => {
      const taken = new Set(tabs.flatMap((each) => [...each.matchAll(/\bshared\.(\w+)/g)].map(([, name]) => name)))
      const owners = await Promise.all([...inPage].map(async (file) => [file, await listExports(file)]))
      const imports = [...taken].map((name) => {
        const files = owners.flatMap(([file, names]) => (names.includes(name) ? [file] : []))
        if (files.length !== 1) throw new Error(`${name} is exported by ${files.length} modules of the page.`)
        return `import { ${name} } from ${JSON.stringify(files[0])}`
      })
      return { contents: `${imports.join('\n')}\nexport const shared = { ${[...taken].join(', ')} }`, resolveDir: '/' }
    })
  },
})

/** The hash of a script, by which the page's policy allows it. */
const hash = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`

/** Creates the inspector: its page as one document, and the scripts of the tabs that it loads later. */
async function createInspector() {
  const { inputs } = await bundleEntry('main.tsx')
  const isCode = (each) => /\.(tsx?|m?js)$/.test(each) && !/\/(main|for-tabs|jsx)\.tsx?$/.test(each)
  const inPage = new Set(inputs.filter(isCode).map((each) => resolvePath(each)))
  const names = Object.keys(LATER)
  const tabs = await Promise.all(names.map((each) => createTab(each, inPage)))
  return Promise.all([
    createDocument('inspector', 'fauxgate inspector', 'main.tsx', 'style.css', {
      plugins: [givesToTabs(tabs, inPage)],
      imports: Object.fromEntries(tabs.map((each, at) => [`./${names[at]}.js`, hash(each)])),
    }),
    ...tabs.map((each, at) => pack(names[at], each)),
  ])
}

/** Creates a page as one document, gzipped. */
async function createDocument(name, title, scriptEntry, styleEntry, { plugins = [], imports } = {}) {
  const [bundle, style] = await Promise.all([bundleEntry(scriptEntry, { plugins }), bundleEntry(styleEntry)])
  const script = await minifyScript(bundle.text)
  if (/<\/script/i.test(script) || /<\/style/i.test(style.text))
    throw new Error(`The ${name} would end its own script.`)
  const whole = readFileSync(path('src/inspector/index.html'), 'utf8')
    .replace(/\n\s*/g, '')
    .replace('TITLE', title)
    .replace('STYLE', () => style.text)
    .replace('IMPORTS', imports ? `<script type="importmap">${JSON.stringify({ integrity: imports })}</script>` : '')
    .replace('SCRIPT', () => script)
  return pack(name, whole)
}

/** Creates all pages and scripts, with their names in the module. */
export async function documents() {
  const account = createDocument('account', 'fauxgate sandboxes', 'account.tsx', 'account.css')
  return [...(await createInspector()), await account]
}

/** Returns the text of the module with the pages. */
export function documentsModule(pages) {
  return pages.map(({ name, packed }) => `export const ${name} = "${packed.toString('base64')}"\n`).join('')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const pages = await documents()
  writeFileSync(path('dist/documents.js'), documentsModule(pages))
  for (const { name, bytes, packed } of pages)
    console.log(`${name} has ${bytes} bytes, ${packed.length} when it is sent.`)
}
