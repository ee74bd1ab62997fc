// Writes the modules and the CommonJS modules of dist. tsup.config.ts bundles their declarations.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { build } from 'rolldown'
import { importSource } from './import-source.mjs'
import { root } from './shared.mjs'

const { entryPoints } = await importSource('scripts/entries.ts')

/** vitest and workerd have modules only; the other entry points can be required too. */
const { vitest: _vitest, sandbox: _sandbox, ...both } = entryPoints

/** No entry points: whoever imports the error or the clock alone gets a chunk with nothing else. */
const alone = { 'gateway-error': 'src/gateway/gateway-error.ts', 'manual-clock': 'src/core/engine/manual-clock.ts' }

const { index, kit, ngrok, testing } = entryPoints

/**
 * Each of these is one chunk with everything that it imports, except what an earlier one has. Node needs as long to find and
 * open a file as to read 10 KB of code. Entry points share chunks, so that a class is the same class from each of them.
 */
const groups = Object.entries({ ...alone, index, kit, ngrok, testing }).map(([name, test]) => ({ name, test }))

const hiddenGlobals = join(root, 'src/core/schema/hidden-globals.ts')
/** Replaces modules of Node that fake-timers asks for where it finds a `process`: no bundler for browsers has them. */
const util = join(root, 'src/testing/fake-timers-util.ts')

const bundle = (format, extension, input, define = {}) => ({
  cwd: root,
  input,
  platform: 'neutral',
  // scripts/inspector.mjs makes the documents.
  external: [/^node:/, './documents.js', 'vitest', /^msw/, 'expect', 'cloudflare:workers'],
  makeAbsoluteExternalsRelative: false,
  resolve: {
    // The browser build of a dependency is the one that imports nothing from "node:".
    mainFields: ['browser', 'module', 'main'],
    conditionNames: ['browser', 'import', 'default'],
    alias: { util, timers: util, 'timers/promises': util, perf_hooks: util },
  },
  transform: {
    target: 'es2022',
    inject: { TextEncoder: [hiddenGlobals, 'TextEncoder'], TextDecoder: [hiddenGlobals, 'TextDecoder'] },
    // At import, forge's util looks for a setImmediate of the browser's and would listen to messages to make one.
    define: { global: 'globalThis', window: 'undefined', MutationObserver: 'undefined', ...define },
  },
  plugins: [
    {
      name: 'minify',
      async renderChunk(text) {
        // Node prints the whole line of an error that nobody catches.
        const { code } = await transform(text, { minify: true, format, target: 'es2022', lineLimit: 2000 })
        return code
      },
    },
  ],
  output: {
    dir: 'dist',
    format,
    exports: 'named',
    esModule: true,
    minify: false,
    entryFileNames: `[name].${extension}`,
    chunkFileNames: `[name]-[hash].${extension}`,
    codeSplitting: { groups },
  },
  logLevel: 'warn',
})

const file = 'require("node:url").pathToFileURL(__filename).href'
await build([
  bundle('esm', 'js', { ...entryPoints, ...alone, cli: 'src/server/cli.ts' }),
  bundle('cjs', 'cjs', both, { 'import.meta.url': file }),
])

// An ES module can import the declarations of a CommonJS module, and not the other way round. Those of MSW's classes differ.
for (const name of Object.keys(entryPoints).filter((each) => each !== 'msw'))
  writeFileSync(join(root, `dist/${name}.d.ts`), `export * from './${name}.cjs'\n`)
