// Keeps `fauxgate serve --data` busy with everything that clients do, kills it now and then, and looks at what it holds:
// `npm run soak -- --seconds 900 --kills 4 --seed 1`. Memory, timers, open files and the file of data must stay as they
// are, no answer may be a failure of the server, and after each kill every answered write must be there. Needs a build,
// Linux, and a Node with SQLite: its own, or the one of npm's package node.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Known } from './crash/client.mjs'
import { numbers } from './crash/numbers.mjs'
import { nodeOf } from './nodes.mjs'
import { calls, leaves, listens } from './soak/traffic.mjs'

const options = { seconds: { type: 'string' }, kills: { type: 'string' }, seed: { type: 'string' } }
const { values } = parseArgs({ options })
const seconds = Number(values.seconds ?? 900)
const kills = Number(values.kills ?? 4)
const seed = Number(values.seed ?? Date.now() % 1_000_000)

/** How many do each thing at one time. */
const [WRITERS, CALLERS, LISTENERS, LEAVERS] = [6, 6, 4, 4]

/** How many addresses there are at most, and four times as many as domains. */
const MOST = 400

const here = dirname(fileURLToPath(import.meta.url))
const cli = join(here, '../dist/cli.js')
if (!existsSync(cli)) throw new Error('There is no build. Run npm run build first.')
const node = process.getBuiltinModule?.('node:sqlite') ? process.execPath : nodeOf('22').path
const folder = mkdtempSync(join(tmpdir(), 'fauxgate-soak-'))
const file = join(folder, 'gateway.db')
const random = numbers(seed)
const known = new Known(MOST)
const problems = []
const statuses = new Map()
let answered = 0
let child

/** Starts the command on the file. Answers where it listens. */
async function served() {
  const own = ['--quiet', '--port', '0', '--data', file, '--provisioning-delay', '0s']
  const inside = ['--no-warnings', '--expose-gc', '--import', join(here, 'soak/inside.mjs')]
  child = spawn(node, [...inside, cli, 'serve', ...own], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const ended = once(child, 'exit').then(() => undefined)
  const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), ended])) ?? []
  const [url] = /http:\S+/.exec(line ?? '') ?? []
  if (!url) throw new Error('The command did not start.')
  return url
}

const sizeOf = (name) => statSync(name, { throwIfNoEntry: false })?.size ?? 0

/** What the server holds now. */
async function held() {
  child.send('held')
  const [{ rss, heap, descriptors, timers }] = await once(child, 'message')
  return {
    rss: rss / 1e6,
    heap: heap / 1e6,
    descriptors,
    timers,
    data: sizeOf(file) / 1e6,
    log: sizeOf(`${file}-wal`) / 1e6,
  }
}

function told(status, call, text) {
  answered++
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
  if (status >= 500) problems.push(`${call} answers ${status}: ${text.slice(0, 200)}`)
}

const startedAt = Date.now()
const elapsed = () => Math.round((Date.now() - startedAt) / 1000)

function show(what, { rss, heap, descriptors, timers, data, log }) {
  const sizes = `${rss.toFixed(0)} MB resident, ${heap.toFixed(1)} MB heap, ${data.toFixed(2)} MB data, ${log.toFixed(2)} MB log`
  console.log(`${String(elapsed()).padStart(5)} s  ${what}: ${sizes}, ${descriptors} descriptors, ${timers} timers`)
}

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1]

/** What grew in the last half of a life, by more than may be chance: in the first one the journal fills, and Node's heap. */
function growth(samples) {
  const part = (from, to) => samples.slice(samples.length * from, samples.length * to)
  for (const [name, unit, allowed] of [
    ['rss', 'MB', 25],
    ['heap', 'MB', 3],
    ['data', 'MB', 1],
    ['log', 'MB', 5],
    ['timers', '', 20],
  ]) {
    const [early, late] = [part(0.5, 0.75), part(0.75, 1)].map((list) => median(list.map((each) => each[name])))
    if (late > early * 1.1 + allowed)
      problems.push(`${name} went from ${early.toFixed(1)} to ${late.toFixed(1)} ${unit}`)
  }
}

/** One life of the server, so many ms long: with traffic until it is killed or, the last time, until all clients left. */
async function life(name, ms, isLast) {
  const url = await served()
  for (const each of await known.problemsAt(url)) problems.push(`${name}: ${each}`)
  await sleep(500)
  const idle = await held()
  show(`${name} begins`, idle)
  const failing = (work) => work.catch((error) => void problems.push(`${name}: ${error.message}`))
  const many = (count, work) => Array.from({ length: count }, () => failing(work()))
  const all = [
    ...many(WRITERS, () => known.write(url)),
    ...many(CALLERS, () => calls(url, random, told)),
    ...many(LISTENERS, () => listens(url, random)),
    ...many(LEAVERS, () => leaves(url, random)),
  ]
  const samples = []
  const every = Math.max(1000, Math.min(10_000, ms / 12))
  for (const until = Date.now() + ms; Date.now() < until; ) {
    await sleep(Math.min(every, until - Date.now()))
    samples.push(await held())
    show(name, samples.at(-1))
  }
  growth(samples)
  const exit = once(child, 'exit')
  child.kill(isLast ? 'SIGTERM' : 'SIGKILL')
  const [code] = await exit
  if (isLast && code !== 0) problems.push(`${name}: SIGTERM ends it with ${code}`)
  await Promise.all(all)
  const most = idle.descriptors + 2 * (WRITERS + CALLERS + LISTENERS + LEAVERS) + 20
  for (const { descriptors } of samples) {
    if (descriptors > most) problems.push(`${name}: ${descriptors} descriptors, of which ${most} would be many`)
  }
}

try {
  const length = (seconds * 1000) / (kills + 1)
  for (let kill = 0; kill <= kills; kill++)
    await life(`life ${kill + 1}`, length * (0.8 + 0.4 * random()), kill === kills)
  const url = await served()
  for (const each of await known.problemsAt(url)) problems.push(`after the end: ${each}`)
  await sleep(500)
  show('at rest', await held())
} finally {
  child?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
for (const problem of problems.slice(0, 50)) console.log(problem)
const by = [...statuses].sort().map(([status, count]) => `${count} of ${status}`)
console.log(
  `${elapsed()} s, ${kills} kills, seed ${seed}: ${known.answered} rounds of writes, ${answered} other answers (${by.join(', ')}), ${problems.length} problems`,
)
if (problems.length > 0 || answered === 0) process.exitCode = 1
