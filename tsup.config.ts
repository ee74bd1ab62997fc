import { defineConfig, type Options } from 'tsup'

const shared: Options = {
  target: 'es2022',
  // The browser build of a dependency is the one that imports nothing from "node:".
  platform: 'neutral',
  noExternal: [/^valibot/, /^node-forge/, /^@noble\//, /^@marcbachmann\//],
  external: [/^node:/, '@sinonjs/fake-timers'],
  esbuildOptions(options) {
    options.mainFields = ['browser', 'module', 'main']
    options.conditions = ['browser', 'import', 'default']
  },
}

export default defineConfig([
  {
    ...shared,
    entry: { index: 'src/index.ts', node: 'src/server/node.ts', clock: 'src/testing/clock.ts' },
    format: ['esm', 'cjs'],
    dts: { resolve: true },
    clean: true,
  },
  { ...shared, entry: { cli: 'src/server/cli.ts' }, format: ['esm'], target: 'node20' },
])
