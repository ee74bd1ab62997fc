// Workers in processes of workerd, each with its own state.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { importSource } from '../../../scripts/import-source.mjs'
import { inFolder, root } from '../../../scripts/shared.mjs'
import { installWorkerd } from '../../../scripts/workerd.mjs'

const { Workerd } = await importSource('test/sandbox/support/workerd.ts')

/** Starts a Worker of this folder with objects: the sandboxes of the built package, or bare objects. */
export function startWorker(name, env = {}) {
  const config = readFileSync(join(root, 'src/sandbox/workerd.capnp'), 'utf8')
  return inFolder(async (folder) => {
    const bundle = join(folder, 'worker.bundle.js')
    await build({
      entryPoints: [join(root, `tools/bench/sandbox/${name}.js`)],
      outfile: bundle,
      bundle: true,
      format: 'esm',
      target: 'es2022',
      external: ['cloudflare:workers'],
      logLevel: 'error',
    })
    const worker = new Workerd({
      bundle,
      config: name === 'bare' ? config.replace(/"Sandbox"/g, '"Bare"').replace(/.*"Account".*\n/g, '') : config,
      env: { MOST_REQUESTS: '999999999', MOST_SANDBOXES: '100000', ...env },
      program: installWorkerd('the sandboxes'),
    })
    return await worker.start()
  })
}

/** Returns the memory that is a process's own, in bytes. */
export function memoryOf({ pid }) {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  return Number(/^Private_Dirty: +(\d+)/m.exec(text)[1]) * 1024
}
