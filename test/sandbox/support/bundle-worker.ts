import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import type { TestProject } from 'vitest/node'
// The module has no types.
// @ts-expect-error
import { documents, documentsModule } from '../../../scripts/build/inspector.mjs'
import { bundle } from '../../support/bundle.ts'
import { WORKERD } from './workerd.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder with the bundles: the Worker, those with short moves and with held commits, and the command. */
    worker: string
  }
}

/** Bundles the pages from their sources. */
const pagesPlugin: Plugin = {
  name: 'pages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/documents\.js$/ }, ({ path }) => ({ path, namespace: 'pages' }))
    onLoad({ filter: /.*/, namespace: 'pages' }, async () => ({ contents: documentsModule(await documents()) }))
  },
}

/**
 * Bundles the Worker and the command from their sources once for all test files.
 * @throws Error if workerd cannot run. Otherwise each test would wait for it until its time is over.
 */
export default async function bundleWorker(project: TestProject) {
  if (spawnSync(WORKERD, ['--version']).status !== 0)
    throw new Error(
      `${WORKERD} cannot run. Use "npm run test:sandbox", which installs workerd and then runs these tests.`,
    )
  const folder = mkdtempSync(join(tmpdir(), 'fauxgate-worker-'))
  await build({
    entryPoints: {
      'worker.bundle': join(root, 'src/sandbox/index.ts'),
      'short-moves.bundle': join(root, 'test/sandbox/support/short-moves.ts'),
      'held-commits.bundle': join(root, 'test/sandbox/support/held-commits.ts'),
    },
    outdir: folder,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    mainFields: ['browser', 'module', 'main'],
    conditions: ['browser', 'import', 'default'],
    external: ['cloudflare:workers'],
    plugins: [pagesPlugin],
    logLevel: 'error',
  })
  await bundle("import './src/server/cli.ts'", join(folder, 'cli.mjs'))
  copyFileSync(join(root, 'src/sandbox/workerd.capnp'), join(folder, 'workerd.capnp'))
  project.provide('worker', folder)
  return () => rmSync(folder, { recursive: true, force: true })
}
