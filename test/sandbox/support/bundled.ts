import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { TestProject } from 'vitest/node'

const root = fileURLToPath(new URL('../../..', import.meta.url))

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder with the Worker, bundled into one file. */
    worker: string
  }
}

/** Bundles the Worker from its sources once for all test files. */
export default async function bundled(project: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), 'fauxgate-worker-'))
  await build({
    entryPoints: [join(root, 'src/sandbox/index.ts')],
    outfile: join(folder, 'worker.bundle.js'),
    bundle: true,
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    mainFields: ['browser', 'module', 'main'],
    conditions: ['browser', 'import', 'default'],
    external: ['cloudflare:workers'],
    logLevel: 'error',
  })
  project.provide('worker', folder)
  return () => rmSync(folder, { recursive: true, force: true })
}
