// Kills servers repeatedly while clients use them: `npm run check -- endurance --seconds 60 --kills 50 --seed 1
// --sandboxes 30`. First `fauxgate serve --data`: no answered write is lost, the official clients continue after each
// restart, and without kills memory, open files and the file of data do not grow. Then the sandboxes in workerd, each
// with an official client. Needs a build, Linux, and a Node with SQLite: its own, or the one of npm's package node.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findNode } from '../scripts/nodes.mjs'
import { ownPort } from '../scripts/own-port.mjs'
import { installWorkerd } from '../scripts/workerd.mjs'
import { startWorker } from './bench/sandbox/workerd.mjs'
import { startClient } from './clients/drivers.mjs'
import { callEverything, Ledger, leaveEarly } from './endurance/traffic.mjs'

const numbers = { seconds: '60', kills: '50', seed: String(Date.now() % 1_000_000), sandboxes: '30' }
const options = Object.fromEntries(
  Object.entries(numbers).map(([name, value]) => [name, { type: 'string', default: value }]),
)
const { values } = parseArgs({ options })
const [seconds, kills, seed, sandboxes] = Object.keys(numbers).map((name) => Number(values[name]))

let drawCount = 0
/** Returns a number from 0 to 1 that follows from the seed. */
const random = () => createHash('sha256').update(`${seed} ${drawCount++}`).digest().readUInt32BE() / 2 ** 32

/** The numbers of clients that write, call and leave at a time. */
const [WRITERS, CALLERS, LEAVERS] = [6, 4, 4]

/** The official clients. `npm run check -- clients --one`, which may run meanwhile, uses other versions and so other folders. */
const CLIENTS = { typescript: '0.11.0', python: '0.14.0', go: '7.6.0' }

/** The number of writes that each official client makes: more than a server handles between two kills. */
const CLIENT_WRITES = { served: 150, sandbox: 6 }

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url))
const node = process.getBuiltinModule?.('node:sqlite') ? process.execPath : findNode('22').path
const folder = mkdtempSync(join(tmpdir(), 'fauxgate-endurance-'))
const file = join(folder, 'gateway.db')
const ledger = new Ledger()
const problems = []
const children = new Set()

/** The clients whose languages are installed. */
const clients = Object.entries(CLIENTS).flatMap(([language, version]) => {
  const client = startClient(language, version)
  if (typeof client !== 'string') return { language, ...client }
  console.warn(`!!! The ${language} client was left out: ${client} !!!`)
  return []
})

/** Repeats a call of a client until it has a response. */
async function callUntilAnswered({ send }, call) {
  for (;;) {
    const reply = await send({ family: 'reserved_addrs', ...call })
    if (!reply.failure) return reply
    await sleep(50)
  }
}

/** Writes in a place with a client, and checks that a list has the writes. The other place must reject this key. */
async function writeAndCheck(client, { name, url, key }, other, writes, onAnswered) {
  const createdIds = []
  while (createdIds.length < writes) {
    const reply = await callUntilAnswered(client, { url, key, call: 'create', body: { description: name } })
    assert(reply.answer, JSON.stringify(reply))
    createdIds.push(reply.answer.id)
    onAnswered?.()
    await sleep(20)
  }
  const { answer: listed } = await callUntilAnswered(client, { url, key, call: 'list', limit: '100' })
  const ids = new Set(listed.map(({ id }) => id))
  assert.equal(ids.size, listed.length)
  for (const id of createdIds) assert(ids.has(id), id)
  if (!other) return
  assert(listed.every(({ description }) => description === name))
  // Go leaves out the path of its base URL, so the key alone says where a request goes.
  const forgedKey = client.language === 'go' ? key.replace(name, other.name) : key
  const { error } = await callUntilAnswered(client, { url: other.url, key: forgedKey, call: 'list', limit: '100' })
  assert.equal(error?.code, 'ERR_GATEWAY_90606')
}

/** Writes in some places at once with a client. */
async function runClient(client, places, writes, onAnswered) {
  const next = (n) => (places.length > 1 ? places[(n + 1) % places.length] : undefined)
  await Promise.all(places.map((place, n) => writeAndCheck(client, place, next(n), writes, onAnswered)))
  console.log(`ok  the ${client.language} client has every answered write, in ${places.length} places`)
}

/** A program that sends the bytes of its heap after a collection. Resident memory depends on when V8 collects last. */
const measureHeap =
  'process.on("message",()=>{gc();process.send(process.memoryUsage().heapUsed)});process.channel.unref()'

async function serve(port) {
  const flags = ['--dialect', 'ngrok', '--empty-json-on-delete', '--quiet', '--provisioning-delay', '0s']
  const nodeFlags = ['--no-warnings', '--expose-gc', '--import', `data:text/javascript,${measureHeap}`]
  const args = [...nodeFlags, path('../dist/cli.js'), 'serve', ...flags, '--port', String(port), '--data', file]
  const child = spawn(node, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  children.add(child)
  const ended = once(child, 'close').then(([code, signal]) => {
    children.delete(child)
    return code ?? signal
  })
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), ended.then(() => [''])])
  const [url] = /http:\S+/.exec(line) ?? []
  if (!url) throw new Error('The command did not start.')
  for (const problem of await ledger.findProblems(url)) problems.push(`after a restart: ${problem}`)
  return { child, ended, url }
}

/** Keeps a server busy for some time, then ends it. `sample` is called every second. */
async function runServer(port, ms, signal, sample) {
  const server = await serve(port)
  const { url, child, ended } = server
  const runMany = (count, work) =>
    Array.from({ length: count }, () => work().catch((error) => problems.push(error.message)))
  const traffic = [
    ...runMany(WRITERS, () => ledger.write(url)),
    ...runMany(CALLERS, () => callEverything(url, random, (problem) => problems.push(problem))),
    ...runMany(LEAVERS, () => leaveEarly(url, random)),
  ]
  for (const until = Date.now() + ms; Date.now() < until; ) {
    await sleep(Math.min(1000, until - Date.now()))
    await sample?.(child)
  }
  child.kill(signal)
  const end = await ended
  await Promise.all(traffic)
  if (signal === 'SIGTERM' && end !== 0) problems.push(`SIGTERM ends the server with ${end}`)
}

/** Runs a server without kills. Adds a problem for each measure that grows after the journal is full. */
async function runWithoutKills(port) {
  const sizeOf = (name) => statSync(name, { throwIfNoEntry: false })?.size ?? 0
  const samples = []
  const sample = async (child) => {
    child.send('measure')
    const [heap] = await once(child, 'message')
    const descriptors = readdirSync(`/proc/${child.pid}/fd`).length
    samples.push({
      'MB heap': heap / 1e6,
      descriptors,
      'MB data': sizeOf(file) / 1e6,
      'MB log': sizeOf(`${file}-wal`) / 1e6,
    })
  }
  await runServer(port, (seconds / 2) * 1000, 'SIGTERM', sample)
  const allowedGrowth = { 'MB heap': 10, descriptors: 30, 'MB data': 1, 'MB log': 5 }
  for (const [name, more] of Object.entries(allowedGrowth)) {
    const median = (from, to) => {
      const part = samples.slice(samples.length * from, samples.length * to).map((each) => each[name])
      return part.toSorted((a, b) => a - b)[part.length >> 1] ?? 0
    }
    const [early, late] = [median(0.5, 0.75), median(0.75, 1)]
    console.log(`    ${name}: ${early.toFixed(1)}, then ${late.toFixed(1)}`)
    if (late > early * 1.1 + more) problems.push(`${name} went from ${early} to ${late}`)
  }
}

async function checkServer() {
  const port = await ownPort()
  const first = await serve(port)
  const official = clients.map((client) =>
    runClient(client, [{ name: client.language, url: first.url, key: 'any key' }], CLIENT_WRITES.served),
  )
  first.child.kill('SIGKILL')
  await first.ended
  for (let kill = 1; kill < kills; kill++) {
    await runServer(port, random() * ((seconds * 1000) / kills), 'SIGKILL')
  }
  const last = await serve(port)
  await Promise.all(official)
  last.child.kill('SIGKILL')
  await last.ended
  await runWithoutKills(port)
  const finalServer = await serve(port)
  finalServer.child.kill('SIGTERM')
  await finalServer.ended
  console.log(`ok  ${kills} kills, ${ledger.answered} answered writes, ${problems.length} problems`)
}

async function checkSandboxes() {
  if (!installWorkerd('the sandboxes')) return
  const served = await startWorker('worker')
  try {
    const places = []
    for (let n = 0; n < sandboxes; n++) {
      const { url, api_key: key } = await served.createWithKeys(`crowd-${n}`, { dialect: 'ngrok' })
      places.push({ name: `crowd-${n}`, url, key })
    }
    const total = sandboxes * CLIENT_WRITES.sandbox
    let [answered, killed, restarting] = [0, 0, Promise.resolve()]
    const onAnswered = () => {
      if (++answered < ((killed + 1) * total) / 3 || killed === 2) return
      killed++
      restarting = restarting.then(() => served.kill()).then(() => served.start())
    }
    const share = (which) => places.filter((_, n) => n % clients.length === which)
    await Promise.all(clients.map((client, n) => runClient(client, share(n), CLIENT_WRITES.sandbox, onAnswered)))
    await restarting
    if (answered !== total || killed !== 2)
      problems.push(`${answered} writes of ${total} were answered, ${killed} kills`)
  } finally {
    await served.stop()
  }
}

try {
  await checkServer()
  if (sandboxes > 0) await checkSandboxes()
} finally {
  for (const child of children) child.kill('SIGKILL')
  for (const client of clients) client.end()
  rmSync(folder, { recursive: true, force: true })
}
for (const problem of problems.slice(0, 50)) console.log(problem)
console.log(`seed ${seed}: ${problems.length} problems`)
if (problems.length > 0 || ledger.answered === 0) process.exitCode = 1
