// Writes the modules and the CommonJS modules of dist. tsup.config.ts beside it bundles their declarations.
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { build } from 'rolldown'
import { minifySync } from 'rolldown/utils'
import { importSource } from '../import-source.mjs'
import { root } from '../shared.mjs'
import { BUNDLED } from './third-party-licenses.mjs'

const { entryPoints } = await importSource('scripts/entries.ts')

/** vitest and workerd have modules only; the other entry points can be required too. */
const { vitest: _vitest, sandbox: _sandbox, ...both } = entryPoints

/** No entry points: whoever imports the error or the clock alone gets a chunk with nothing else. */
const alone = { 'gateway-error': 'src/gateway/gateway-error.ts', 'manual-clock': 'src/core/engine/manual-clock.ts' }

/** Returns the sources that a source loads at once, with itself. */
function loadedWith(id, context, found = new Set()) {
  if (found.has(id)) return found
  found.add(id)
  for (const imported of context.getModuleInfo(id)?.importedIds ?? []) loadedWith(imported, context, found)
  return found
}

/** Returns the rule of a chunk: it has what all of these sources load, except what an earlier chunk has. */
function chunkOf(name, ...paths) {
  let loaded
  return {
    debugName: name,
    name(id, context) {
      loaded ??= paths.map((path) => loadedWith(join(root, path), context))
      return loaded.every((sources) => sources.has(id)) ? name : null
    },
  }
}

const { index, kit, ngrok, testing } = entryPoints
const command = 'src/server/commands/run.ts'
const client = 'src/server/client/commands.ts'
const policyCheck = 'src/server/policy/policy-check.ts'

/**
 * The chunks that are not left to the bundler, which makes one for each set of entry points: an import would read 40 files. Node
 * needs as long to find and open a file as to read 10 KB of code. Client commands load no gateway, so they share a chunk of
 * their own with it.
 */
const createGroups = () => [
  chunkOf('gateway-error', alone['gateway-error']),
  chunkOf('manual-clock', alone['manual-clock']),
  chunkOf('base', client, index),
  chunkOf('expressions', policyCheck, index),
  chunkOf('index', index),
  chunkOf('policy', policyCheck, ngrok),
  chunkOf('kit', kit),
  chunkOf('ngrok', ngrok),
  chunkOf('exchange', client, testing),
  chunkOf('testing', testing),
  chunkOf('command', command),
  chunkOf('client', client),
]

const hiddenGlobals = join(root, 'src/core/schema/hidden-globals.ts')
/** Replaces modules of Node that fake-timers asks for where it finds a `process`: no bundler for browsers has them. */
const util = join(root, 'src/testing/fake-timers-util.ts')

const target = 'es2022'

const bundle = (format, extension, input, define = {}) => ({
  cwd: root,
  input,
  platform: 'neutral',
  // scripts/build/inspector.mjs makes the documents.
  external: [/^node:/, './documents.js', 'vitest', /^msw/, 'expect', 'cloudflare:workers'],
  makeAbsoluteExternalsRelative: false,
  resolve: {
    // The browser build of a dependency is the one that imports nothing from "node:".
    mainFields: ['browser', 'module', 'main'],
    conditionNames: ['browser', 'import', 'default'],
    alias: { util, timers: util, 'timers/promises': util, perf_hooks: util },
  },
  transform: {
    target,
    inject: { TextEncoder: [hiddenGlobals, 'TextEncoder'], TextDecoder: [hiddenGlobals, 'TextDecoder'] },
    // At import, forge's util looks for a setImmediate of the browser's and would listen to messages to make one.
    define: { global: 'globalThis', window: 'undefined', MutationObserver: 'undefined', ...define },
  },
  plugins: [
    {
      name: 'descriptions',
      // Only the reference and the tests read the descriptions and the examples of warnings, which are 20 KB.
      transform: (text, id) =>
        id.includes('/policy/warnings/')
          ? text.replace(/^ {2}(about|reason|wrong|right):\s+(?:'[^'\n]*'|"[^"\n]*"|`[^`]*`),$/gm, "  $1: '',")
          : null,
    },
    {
      name: 'unused',
      // js-yaml makes the schemas of all versions of YAML at import, and cel-js an environment that fauxgate doesn't use.
      transform: (text, id) =>
        /node_modules.(js-yaml|@marcbachmann)/.test(id)
          ? text.replace(
              /(?<=^(?:var|const|let) \w+ = )(?=new (?:Schema|Environment)\(|define\w+Tag\(|\w+_SCHEMA\.withTags\()/gm,
              '/* @__PURE__ */ ',
            )
          : null,
    },
    {
      name: 'minify',
      async renderChunk(text) {
        // Simplifies what esbuild's own minifier leaves, which is 50 KB.
        const simplified = minifySync(`chunk.${extension}`, text, {
          module: format === 'esm',
          compress: { target },
          mangle: false,
        })
        // Node prints the whole line of an error that nobody catches.
        const { code } = await transform(simplified.code, { minify: true, format, target, lineLimit: 2000 })
        // V8 keeps a file with one further character in twice the memory, and esbuild leaves those of regular expressions.
        return code.replace(/[^\0-\x7f]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)
      },
    },
  ],
  output: {
    dir: 'dist',
    format,
    exports: 'named',
    esModule: true,
    minify: false,
    // Chunks of CommonJS modules otherwise keep the names that they share, which are 50 KB.
    minifyInternalExports: true,
    entryFileNames: `[name].${extension}`,
    chunkFileNames: `[name]-[hash].${extension}`,
    // Entry points share chunks, so that a class is the same class from each of them.
    codeSplitting: { groups: createGroups() },
  },
  logLevel: 'warn',
})

const file = 'require("node:url").pathToFileURL(__filename).href'
const bundles = await build([
  bundle('esm', 'js', { ...entryPoints, ...alone, cli: 'src/server/cli.ts' }),
  bundle('cjs', 'cjs', both, { 'import.meta.url': file }),
])

const modules = bundles.flatMap(({ output }) => output.flatMap((chunk) => Object.entries(chunk.modules ?? {})))
const packages = modules.flatMap(([id, { renderedLength }]) =>
  renderedLength > 0 ? (/.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? []) : [],
)
const unlisted = [...new Set(packages)].filter((name) => !BUNDLED.includes(name))
if (unlisted.length > 0)
  throw new Error(`dist contains ${unlisted.join(', ')}. Add it to BUNDLED in scripts/build/third-party-licenses.mjs.`)

chmodSync(join(root, 'dist/cli.js'), 0o755)

// An ES module can import the declarations of a CommonJS module, and not the other way round. Those of MSW's classes differ.
for (const name of Object.keys(entryPoints).filter((each) => each !== 'msw'))
  writeFileSync(join(root, `dist/${name}.d.ts`), `export * from './${name}.cjs'\n`)
