import { rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { root } from './shared.mjs'

/** Imports a module of the repository from its sources. Bundles the module each time, so that no import is cached. */
export async function importSource(path) {
  // In node_modules, so that packages are found from there.
  const outfile = join(root, `node_modules/.cache/fauxgate/${basename(path)}-${process.pid}-${Date.now()}.mjs`)
  try {
    await build({
      entryPoints: [join(root, path)],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      logLevel: 'error',
    })
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(outfile, { force: true })
  }
}
