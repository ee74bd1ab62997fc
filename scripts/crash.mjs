// Kills a served gateway with a store in a SQLite file at random points under concurrent writes, and looks at what the
// next one has: `npm run crash -- --rounds 200 --seed 1 --writers 8`. Every answered write must be there, nothing half, and every
// file must open. Needs a build, and a Node with SQLite: its own, or the one of npm's package node.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Known } from './crash/client.mjs'
import { nodeOf } from './nodes.mjs'

const options = { rounds: { type: 'string' }, seed: { type: 'string' }, writers: { type: 'string' } }
const { values } = parseArgs({ options })
const rounds = Number(values.rounds ?? 200)
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const writers = Number(values.writers ?? 8)

const here = dirname(fileURLToPath(import.meta.url))
if (!existsSync(join(here, '../dist/node.js'))) throw new Error('There is no build. Run npm run build first.')
const node = process.getBuiltinModule?.('node:sqlite') ? process.execPath : nodeOf('22').path
const folder = mkdtempSync(join(tmpdir(), 'fauxgate-crash-'))
const file = join(folder, 'gateway.db')

/** A process that is ready to serve a gateway. */
const ready = () => spawn(node, ['--no-warnings', join(here, 'crash/served.mjs'), file])

/** Has a process serve a gateway on the file. Answers its URL. */
async function served(child) {
  child.stdin.write('begin\n')
  let said = ''
  child.stderr.on('data', (chunk) => (said += chunk))
  const line = once(createInterface(child.stdout), 'line').then(([url]) => url)
  const ended = once(child, 'exit').then(() => {
    throw new Error(`The gateway did not start: ${said}`)
  })
  ended.catch(() => undefined)
  return Promise.race([line, ended])
}

/** Numbers from 0 to 1 that follow from the seed (mulberry32). */
function numbers(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Waits until so many writes were answered, but not for ever. */
async function answers(count) {
  for (const until = Date.now() + 2000; known.answered < count && Date.now() < until; ) await sleep(1)
}

const random = numbers(seed)
const known = new Known()
const startedAt = Date.now()
let failed = 0
let next = ready()
try {
  for (let round = 1; round <= rounds + 1; round++) {
    const child = next
    const exit = once(child, 'exit')
    const url = await served(child)
    const problems = await known.problemsAt(url)
    for (const problem of problems) console.log(`round ${round}: ${problem}`)
    failed += problems.length
    // The last one is only looked at.
    const writing = round > rounds ? [] : Array.from({ length: writers }, () => known.write(url))
    if (round <= rounds) {
      next = ready()
      await answers(known.answered + Math.floor(random() * 60))
      await sleep(random() * 5)
    }
    child.kill('SIGKILL')
    await Promise.all([exit, ...writing])
  }
} finally {
  next.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
const seconds = Math.round((Date.now() - startedAt) / 1000)
const kept = known.addresses.size + known.domains.size
console.log(
  `${rounds} kills, seed ${seed}, ${writers} writers: ${known.answered} answered writes, ${kept} records kept, ${failed} problems, ${seconds} s`,
)
if (failed > 0 || known.answered === 0) process.exitCode = 1
