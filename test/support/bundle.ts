import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const REQUIRE = 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Bundles TypeScript, whose imports start at the repository, into one file that a Node process of its own can run. */
export async function bundle(contents: string, outfile: string, format: 'esm' | 'cjs' = 'esm'): Promise<void> {
  await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    // The package says that importing it does nothing; importing the command does.
    ignoreAnnotations: true,
    platform: 'node',
    format,
    target: 'node20',
    // Like the build: the browser's file of a dependency is the one that imports nothing from "node:".
    mainFields: ['browser', 'module', 'main'],
    conditions: ['browser', 'import', 'default'],
    // What is CommonJS in it asks for Node's modules by require, which only modules lack.
    ...(format === 'esm' && { banner: { js: REQUIRE } }),
    outfile,
    logLevel: 'error',
  })
}
