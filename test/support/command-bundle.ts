import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of the command, bundled from the sources as they are now. */
    command: string
  }
}

/** Bundles the command for the tests that start it, so that they never meet an older build. */
export default async function setup({ provide }: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), 'fauxgate-command-'))
  const outfile = join(folder, 'cli.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL('../../src/server/cli.ts', import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Like the build: the browser's file of a dependency is the one that imports nothing from "node:".
    mainFields: ['browser', 'module', 'main'],
    conditions: ['browser', 'import', 'default'],
    // What is CommonJS in it asks for Node's modules by require.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    outfile,
    logLevel: 'error',
  })
  provide('command', outfile)
  return () => rmSync(folder, { recursive: true, force: true })
}
