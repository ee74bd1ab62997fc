// Tests `survives` at length: programs with bugs and without, clients with fifteen retry libraries, and replays.
// `node tools/survives.mjs [--nodes 20,24] [--replays 1000] [--copies]` runs it on Node 20, 22, 24 and 26, each once idle and
// once with all cores busy; with --copies only the replays of interleavings. The traces must be equal everywhere. Needs a
// build; installs the libraries outside the repository.
import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, homedir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { findNode, NODES } from '../scripts/nodes.mjs'
import { root } from '../scripts/shared.mjs'

const { nodes, replays, copies } = parseArgs({
  options: {
    nodes: { type: 'string', default: NODES.join() },
    replays: { type: 'string', default: '1000' },
    copies: { type: 'boolean', default: false },
  },
}).values

/** The packages of the clients, in fixed versions. */
const LIBRARIES = {
  'async-retry': '1.3.3',
  axios: '1.13.2',
  'axios-retry': '4.5.0',
  bottleneck: '2.19.5',
  cockatiel: '3.2.1',
  'exponential-backoff': '3.1.3',
  'fetch-retry': '6.0.0',
  got: '14.6.6',
  ky: '1.14.3',
  ofetch: '1.5.1',
  'p-retry': '7.1.1',
  retry: '0.13.1',
  rxjs: '7.8.2',
  superagent: '10.4.2',
  wretch: '2.11.1',
}

/** Prepares a folder with the libraries, the built package and the programs. */
async function prepareFolder() {
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'fauxgate-survives')
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies: LIBRARIES }),
  )
  const link = join(folder, 'node_modules/fauxgate')
  rmSync(link, { force: true })
  const install = ['install', '--no-fund', '--no-audit', '--prefer-offline', '--loglevel=error']
  if (spawnSync('npm', install, { cwd: folder, stdio: 'inherit' }).status !== 0) throw new Error('npm cannot install.')
  if (!existsSync(link)) symlinkSync(root, link, 'junction')
  // The programs read certificates below the folder of their process.
  const fixtures = join(folder, 'test')
  rmSync(fixtures, { force: true })
  symlinkSync(join(root, 'test'), fixtures, 'junction')
  for (const name of ['clients.mjs', 'prove.mjs']) copyFileSync(join(root, 'tools/survives', name), join(folder, name))
  await build({
    entryPoints: ['six', 'ported', 'planted', 'racy'].map((name) =>
      join(root, `test/testing/survives/programs/${name}.ts`),
    ),
    outdir: join(folder, 'programs'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  })
  return folder
}

/** Keeps all cores busy. Returns a function that ends the load. */
function keepBusy() {
  const args = ['-e', 'for (;;) {}']
  const children = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, args, { stdio: 'ignore' }),
  )
  return () => {
    for (const child of children) child.kill('SIGKILL')
  }
}

/** Runs the proof on one Node. Returns the digest of all traces. */
function runProof(folder, { path, version }, mode) {
  const { status, stdout } = spawnSync(path, ['prove.mjs', replays, mode, ...(copies ? ['copies'] : [])], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, CI: '1' },
  })
  process.stdout.write(stdout.replace(/^(?=.)/gm, `${version} ${mode}: `))
  if (status !== 0) process.exitCode = 1
  return /^traces (\w+)$/m.exec(stdout)?.[1]
}

const folder = await prepareFolder()
const digests = new Set()
for (const node of nodes.split(',').map(findNode)) {
  digests.add(runProof(folder, node, 'idle'))
  const endBusy = keepBusy()
  try {
    digests.add(runProof(folder, node, 'busy'))
  } finally {
    endBusy()
  }
}
if (digests.size !== 1 || digests.has(undefined)) {
  console.error(`The traces differ: ${[...digests].join(', ')}.`)
  process.exitCode = 1
}
