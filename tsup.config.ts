import { writeFileSync } from 'node:fs'
import { defineConfig, type Options } from 'tsup'
import { entryPoints } from './scripts/entries.ts'

/** vitest and workerd have modules only; the other entry points can be required too. */
const { vitest: _vitest, sandbox: _sandbox, ...both } = entryPoints

/**
 * Declarations that name types of valibot or MSW are apart, because a chunk that others shared with them would ask every user
 * for those packages. MSW's classes differ for a module and for CommonJS, so its entry point has declarations for both.
 */
const { kit, msw, ...withoutPeers } = entryPoints

/** Returns the declarations that tsc has written for some entry points: tsup would infer all types itself, in ten times the time. */
const declarationsOf = (entries: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(entries).map(([name, path]) => [name, path.replace(/^src(.*)\.ts$/, '.types$1.d.ts')]),
  )

/** Writes the declarations of the modules, which are those of the CommonJS modules. */
const writeModuleTypes = async () => {
  for (const name of Object.keys({ ...withoutPeers, kit }))
    writeFileSync(`dist/${name}.d.ts`, `export * from './${name}.cjs'\n`)
}

const common = {
  // `npm start` shows a guided run, not a list of chunks.
  silent: true,
  target: 'es2022',
  // The browser build of a dependency is the one that imports nothing from "node:".
  platform: 'neutral',
  removeNodeProtocol: false,
  // What entry points share is in chunks, so that a class is the same class from each of them.
  splitting: true,
  noExternal: [
    /^nanoid|valibot|^node-forge|^@noble\/|^@marcbachmann\/|^punycode\.js|^@sinonjs\/|^type-detect|^yaml|^re2js|^ipaddr\.js|^jose$/,
  ],
  // scripts/inspector.mjs makes the pages.
  external: [/^node:/, /^\.\/documents\.js$/, 'vitest', 'msw', 'expect', 'cloudflare:workers'],
  esbuildOptions(options, { format }) {
    options.mainFields = ['browser', 'module', 'main']
    options.conditions = ['browser', 'import', 'default']
    options.inject = [...(options.inject ?? []), './src/core/schema/hidden-globals.ts']
    // Modules of Node that fake-timers asks for where it finds a `process`: no bundler for browsers has them.
    const util = './src/testing/fake-timers-util.ts'
    options.alias = { util, timers: util, 'timers/promises': util, perf_hooks: util }
    // At import, forge's util looks for a setImmediate of the browser's and would listen to messages to make one.
    options.define = { ...options.define, global: 'globalThis', window: 'undefined', MutationObserver: 'undefined' }
    options.minifyWhitespace = true
    options.minifyIdentifiers = true
    // What tsup makes CommonJS of must be plain: sucrase does not read all of the shorter syntax. It would replace `??` and
    // `?.` itself, and make one word of `return(…)??…`. It would also break fields of classes before a comma.
    options.minifySyntax = format === 'esm'
    if (format === 'cjs')
      options.supported = { 'nullish-coalescing': false, 'optional-chain': false, 'class-field': false }
    options.lineLimit = 2000
  },
} satisfies Options

/** Declarations alone. TypeScript's libraries before `esnext` lack the type of `Symbol.dispose`, so each file asks for it. */
const dts = { only: true, resolve: true, banner: '/// <reference lib="esnext.disposable" />' }

export default defineConfig([
  {
    ...common,
    format: 'esm',
    entry: {
      ...entryPoints,
      cli: 'src/server/cli.ts',
      // No entry points: whoever imports the error or the clock alone gets a chunk with nothing else.
      'gateway-error': 'src/gateway/gateway-error.ts',
      'manual-clock': 'src/core/engine/manual-clock.ts',
    },
  },
  {
    ...common,
    format: 'cjs',
    entry: both,
    // The shims give CommonJS an import.meta.url.
    shims: true,
    // It makes the syntax short after sucrase.
    minify: 'terser',
    terserOptions: { ecma: 2020, compress: { passes: 2 }, format: { max_line_len: 2000 } },
    onSuccess: writeModuleTypes,
  },
  // An ES module can import the declarations of a CommonJS module, and not the other way round.
  { ...common, format: 'cjs', entry: declarationsOf(withoutPeers), dts },
  { ...common, format: 'cjs', entry: declarationsOf({ kit }), dts },
  { ...common, format: ['esm', 'cjs'], entry: declarationsOf({ msw }), dts },
])
