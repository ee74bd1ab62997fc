import { defineConfig } from 'tsup'
import { sentencesApart } from './scripts/sentences-apart.ts'
import { trimmed } from './scripts/trimmed.ts'

const entry = {
  index: 'src/index.ts',
  node: 'src/server/node.ts',
  clock: 'src/testing/clock.ts',
  testing: 'src/testing/testing.ts',
  msw: 'src/testing/msw.ts',
  vitest: 'src/testing/vitest.ts',
  jest: 'src/testing/jest.ts',
  openapi: 'src/openapi/openapi.ts',
  kit: 'src/kit/index.ts',
  sandbox: 'src/sandbox/index.ts',
}

// What the entries share stands in chunks of its own. scripts/package-files.mjs makes the CommonJS files from these.
export default defineConfig({
  entry: {
    ...entry,
    cli: 'src/server/cli.ts',
    // No ways in: whoever imports the error or the clock alone gets the chunk that holds it alone.
    'gateway-error': 'src/gateway/gateway-error.ts',
    'manual-clock': 'src/engine/manual-clock.ts',
    // Nor this: what certificates for tests need stands apart from what a gateway needs.
    'test-certificates': 'src/testing/certificates.ts',
  },
  format: 'esm',
  target: 'es2022',
  // The browser build of a dependency is the one that imports nothing from "node:".
  platform: 'neutral',
  removeNodeProtocol: false,
  noExternal: [/^nanoid|valibot|^node-forge|^@noble\/|^@marcbachmann\/|^punycode\.js|^@sinonjs\/|^type-detect/],
  // The pages are made after this.
  external: [/^node:/, /^\.\/documents\.js$/, 'vitest', 'msw', 'expect', 'cloudflare:workers'],
  esbuildOptions(options) {
    options.mainFields = ['browser', 'module', 'main']
    options.conditions = ['browser', 'import', 'default']
    // Modules of Node that fake-timers asks for where it finds a `process`: no bundler for browsers has them.
    const util = './src/testing/fake-timers-util.ts'
    options.alias = { util, timers: util, 'timers/promises': util, perf_hooks: util }
  },
  esbuildPlugins: [trimmed, sentencesApart],
  // Nothing happens at import, so an import for that alone is noise, which bundlers warn of.
  plugins: [
    {
      name: 'no imports of nothing',
      renderChunk: (code) => ({ code: code.replace(/^import "\.\/[^"]+";\n/gm, '') }),
    },
  ],
  // No way in: by it, the types of dialects stand apart from those of valibot, which only the kit needs.
  dts: { entry: { ...entry, dialect: 'src/resources/dialects.ts' }, resolve: true },
  clean: true,
})
