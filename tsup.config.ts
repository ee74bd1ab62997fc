import { defineConfig } from 'tsup'

const bundled = [/^valibot/, /^nanoid/, /^node-forge/, /^@noble\//, /^@marcbachmann\//]

export default defineConfig([
  {
    entry: { index: 'src/index.ts', node: 'src/server/node.ts' },
    format: ['esm', 'cjs'],
    dts: { resolve: true },
    clean: true,
    target: 'es2022',
    // The browser build of a dependency is the one that imports nothing from "node:".
    platform: 'neutral',
    noExternal: bundled,
    external: [/^node:/],
    esbuildOptions(options) {
      options.mainFields = ['browser', 'module', 'main']
      options.conditions = ['browser', 'import', 'default']
    },
  },
  {
    entry: { cli: 'src/server/cli.ts' },
    format: ['esm'],
    target: 'node20',
    platform: 'neutral',
    noExternal: bundled,
    external: [/^node:/],
    esbuildOptions(options) {
      options.mainFields = ['browser', 'module', 'main']
      options.conditions = ['browser', 'import', 'default']
    },
  },
])
