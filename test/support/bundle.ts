import { parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const REQUIRE = 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Bundles TypeScript, whose imports start at the repository, into a file that a Node process of its own can run. Files beside
 * it have what ES modules import later, so that a process loads only what it uses.
 */
export async function bundle(contents: string, outfile: string, format: 'esm' | 'cjs' = 'esm'): Promise<void> {
  const { dir: outdir, name: entryNames, ext } = parse(outfile)
  await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    // By its package.json, importing the package has no effect. Importing the command has one.
    ignoreAnnotations: true,
    platform: 'node',
    format,
    target: 'node20',
    // As in the build: the browser's file of a dependency imports nothing from "node:".
    mainFields: ['browser', 'module', 'main'],
    conditions: ['browser', 'import', 'default'],
    // Its CommonJS parts require Node's modules, and ES modules have no `require`.
    ...(format === 'esm' && { banner: { js: REQUIRE }, splitting: true }),
    outdir,
    entryNames,
    outExtension: { '.js': ext },
    logLevel: 'error',
  })
}
