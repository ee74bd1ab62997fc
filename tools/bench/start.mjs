// Measures the processor time of imports and of short commands over an empty program, and that of starts until they are
// ready. Processor time counts all threads, and other work of the machine counts less than in wall time.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inFolder } from '../../scripts/shared.mjs'
import { cpuOf, median, print } from './measure.mjs'

const RUNS = 25
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url))
const cli = path('../../dist/cli.js')

export async function benchStart() {
  await inFolder(async (folder) => {
    const write = (name, text) => {
      writeFileSync(join(folder, name), text)
      return [join(folder, name)]
    }
    const empty = write('empty.mjs', '')
    const importsOf = (name, ...targets) =>
      write(`${name}.mjs`, targets.map((target) => `import ${JSON.stringify(target)}`).join('\n'))
    const ours = (name) => importsOf(name, new URL(`../../dist/${name}.js`, import.meta.url))
    printDifference('import of index, over an empty file, ms', ours('index'), empty, 'under 28')
    printDifference('import of testing, over an empty file, ms', ours('testing'), empty)
    const msw = importsOf('msw', import.meta.resolve('msw'), import.meta.resolve('msw/node'))
    const [ngrokTime, mswTime] = measureOver(empty, ours('ngrok'), msw)
    print('import of ngrok, over an empty file, ms', ngrokTime.toFixed(1), 'under 38')
    print('import of ngrok over that of msw and msw/node', (ngrokTime / mswTime).toFixed(2), 'under 0.35')
    const required = write('index.cjs', `require(${JSON.stringify(path('../../dist/index.cjs'))})`)
    printDifference('require of index, over an empty file, ms', required, empty)
  })
  const nothing = ['-e', '0']
  await withServer((url) =>
    printDifference('fauxgate clock, over node -e 0, ms', [cli, 'clock', '--url', url], nothing, 'under 35'),
  )
  printDifference('fauxgate --help, over node -e 0, ms', [cli, '--help'], nothing)
  for (const words of [['serve'], ['http', '3000']]) {
    const times = []
    for (let run = 0; run < 9; run++) times.push(await measureReady([cli, ...words, '--port', '0']))
    print(`fauxgate ${words.join(' ')} until it listens, ms`, Math.min(...times))
  }
}

function printDifference(name, program, empty, target) {
  print(name, measureOver(empty, program)[0].toFixed(1), target)
}

/** Runs programs in turns. Returns how much longer the shortest time of each is than that of an empty one, in ms. */
function measureOver(empty, ...programs) {
  const all = [empty, ...programs].map((program) => ({ program, times: [] }))
  for (let run = 0; run < RUNS; run++) for (const { program, times } of all) times.push(measure(program))
  const [least, ...others] = all.map(({ times }) => Math.min(...times))
  return others.map((time) => time - least)
}

/** Returns the processor time of a program, in ms. */
function measure(program) {
  const args = ['--require', path('cpu-at-exit.cjs'), ...program]
  const { status, output, stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] })
  if (status !== 0) throw new Error(String(stderr))
  return Number(output[3])
}

/** Calls `use` with the URL of a server that the command started. */
async function withServer(use) {
  const child = spawn(process.execPath, [cli, 'serve', '--port', '0', '--quiet'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const [text] = await once(child.stdout, 'data')
  try {
    use(/http:\S+/.exec(text)[0])
  } finally {
    child.kill('SIGTERM')
    await ended
  }
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
  const { createGateway } = await import('../../dist/index.js')
  const { sqliteStore } = await import('../../dist/node.js')
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

const measureRestart = (file) => measureReady(['--no-warnings', cli, 'serve', '--port', '0', '--data', file])

/** Returns the processor time of a program until it first prints, in ms. */
async function measureReady(args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  await once(child.stdout, 'data')
  const ms = cpuOf(child)
  child.kill('SIGTERM')
  await ended
  return ms
}
