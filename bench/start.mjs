// Measures the import of the built main entry, over an empty start of Node, and the start of the command with much
// state.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inFolder } from '../scripts/shared.mjs'
import { cpuOf, median, print } from './measure.mjs'

const RUNS = 21

export function benchStart() {
  const entry = new URL('../dist/index.js', import.meta.url)
  const measureDifference = (code) => {
    const deltas = []
    for (let run = 0; run < RUNS; run++) {
      const empty = measureStart('')
      deltas.push(measureStart(code) - empty)
    }
    return median(deltas)
  }
  print('import of the main entry (ESM), ms', measureDifference(`import '${entry}'`).toFixed(1), 'under 25')
  const commonJs = fileURLToPath(new URL('../dist/index.cjs', import.meta.url))
  print(
    'require of the main entry (CommonJS), ms',
    measureDifference(
      `import { createRequire } from 'node:module'; createRequire('${entry}')(${JSON.stringify(commonJs)})`,
    ).toFixed(1),
    'under 25',
  )
}

function measureStart(code) {
  const startedAt = performance.now()
  execFileSync(process.execPath, ['--input-type=module', '-e', code])
  return performance.now() - startedAt
}

/** Measures the start of `serve --data` in processor time, so that other work of the machine does not count. */
export async function benchRestart() {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite') ?? {}
  const name = 'serve --data until it listens, 100,000 resources, processor time, s'
  if (!DatabaseSync) return print(name, 'no node:sqlite', 'under 1')
  await inFolder(async (folder) => {
    const file = join(folder, 'gateway.db')
    await fillStore(file)
    const times = []
    for (let run = 0; run < 5; run++) times.push(await measureRestart(file))
    print(name, (median(times) / 1000).toFixed(2), 'under 1')
  })
}

/** Fills a file with resources: half of them addresses, a quarter domains, and a quarter their certificates. */
async function fillStore(file) {
  const { createGateway } = await import('../dist/index.js')
  const { sqliteStore } = await import('../dist/node.js')
  const store = sqliteStore(file)
  const gateway = createGateway({ store, authorityKeys: 'fresh', provisioningDelay: 0 })
  for (let n = 0; n < 25_000; n++) {
    for (const region of ['us', 'eu']) gateway.reservedAddrs.create({ region, description: `address ${n}` })
    const certificate_management_policy = { authority: 'letsencrypt', private_key_type: 'ecdsa' }
    gateway.reservedDomains.create({ domain: `d${n}.example.com`, certificate_management_policy })
    if (n % 1000 === 0) await store.flushed()
  }
  store.close()
}

async function measureRestart(file) {
  const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
  const args = ['--no-warnings', cli, 'serve', '--port', '0', '--data', file]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  await once(child.stdout, 'data')
  const ms = cpuOf(child)
  child.kill('SIGTERM')
  await ended
  return ms
}
