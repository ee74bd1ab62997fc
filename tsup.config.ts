import { defineConfig, type Options } from 'tsup'

const shared: Options = {
  target: 'es2022',
  // The browser build of a dependency is the one that imports nothing from "node:".
  platform: 'neutral',
  noExternal: [/^nanoid/, /^valibot/, /^node-forge/, /^@noble\//, /^@marcbachmann\//, /^punycode\.js/],
  external: [/^node:/, '@sinonjs/fake-timers', 'vitest', 'msw'],
  esbuildOptions(options) {
    options.mainFields = ['browser', 'module', 'main']
    options.conditions = ['browser', 'import', 'default']
  },
}

const entry = {
  index: 'src/index.ts',
  node: 'src/server/node.ts',
  clock: 'src/testing/clock.ts',
  testing: 'src/testing/testing.ts',
  msw: 'src/testing/msw.ts',
}

export default defineConfig([
  // vitest itself can only be imported.
  {
    ...shared,
    entry: { ...entry, vitest: 'src/testing/vitest.ts' },
    format: ['esm'],
    dts: { resolve: true },
    clean: true,
  },
  { ...shared, entry, format: ['cjs'], dts: { resolve: true } },
  { ...shared, entry: { cli: 'src/server/cli.ts' }, format: ['esm'], target: 'node20' },
])
