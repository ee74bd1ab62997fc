// Many sandboxes at once, each used by one of the official clients, while the process of all of them is killed again and
// again: `npm run crowd -- [--sandboxes 200] [--kills 3]`, after `npm run build`. Every client then asks its sandboxes for
// everything that was answered, and for nothing else. Needs Linux, and workerd, which it installs as the tests of
// sandboxes do; where that cannot be had, it is left out and said.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Served } from '../bench/sandbox/workerd.mjs'
import { officialClients } from './official-clients.mjs'
import { installedWorkerd } from './workerd.mjs'

const { values } = parseArgs({ options: { sandboxes: { type: 'string' }, kills: { type: 'string' } } })
const SANDBOXES = Number(values.sandboxes ?? 200)
const KILLS = Number(values.kills ?? 3)
/** How many writes of each sandbox are answered in the end. */
const WRITES = 6

const folder = mkdtempSync(join(tmpdir(), 'fauxgate-crowd-'))
const children = new Set()

/** Starts a client for some sandboxes. It tells each answered write by a line, and in the end what it has found. */
function started([name, [command, args]], sandboxes, answered) {
  const file = join(folder, `${name}.json`)
  writeFileSync(file, JSON.stringify({ writes: WRITES, sandboxes }))
  const env = { ...process.env, NO_PROXY: '*', PYTHONDONTWRITEBYTECODE: '1' }
  const child = spawn(command, [...args, file], { stdio: ['ignore', 'pipe', 'inherit'], env })
  children.add(child)
  let last = ''
  createInterface(child.stdout).on('line', (line) => {
    last = line
    if (line === 'answered') answered()
  })
  return once(child, 'close').then(([code]) => {
    children.delete(child)
    if (code !== 0) throw new Error(`The ${name} client failed.`)
    console.log(`${name}: ${last}`)
  })
}

async function driven(served) {
  const sandboxes = []
  for (let n = 0; n < SANDBOXES; n++) {
    const name = `crowd-${n}`
    const { url, api_key: key } = await served.created(name, { dialect: 'ngrok' })
    sandboxes.push({ name, url, key })
  }
  const clients = officialClients(
    fileURLToPath(new URL('crowd', import.meta.url)),
    mkdtempSync(join(folder, 'clients-')),
  )
  let count = 0
  let killed = 0
  let restarting = Promise.resolve()
  const answered = () => {
    count++
    if (killed === KILLS || count < ((killed + 1) * SANDBOXES * WRITES) / (KILLS + 1)) return
    killed++
    restarting = restarting.then(() => served.kill()).then(() => served.start())
  }
  const share = (which) => sandboxes.filter((_, n) => n % clients.length === which)
  await Promise.all(clients.map((client, which) => started(client, share(which), answered)))
  await restarting
  if (count !== SANDBOXES * WRITES || killed !== KILLS)
    throw new Error(`${count} writes were answered, ${killed} kills.`)
  console.log(`${SANDBOXES} sandboxes: ${count} writes were answered, and none was lost by kill -9, ${killed} times.`)
}

const workerd = process.env.WORKERD ?? installedWorkerd()
if (workerd) process.env.WORKERD = workerd
if (!workerd) {
  console.error('LEFT OUT  the crowd in the sandboxes: workerd cannot be had here')
} else {
  const served = await Served.of('worker')
  try {
    await driven(served)
  } finally {
    for (const child of children) child.kill('SIGKILL')
    await served.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
