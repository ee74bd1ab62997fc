// Kills served gateways with a store in a SQLite file at random points under concurrent writes, and looks at what the
// next one has: `npm run crash -- --rounds 200 --seed 1 --writers 8`. Every answered write must be there, nothing half, and every
// file must open. Two lanes go beside each other, each with files of its own. Needs a build, and a Node with SQLite: its own,
// or the one of npm's package node.
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
import { numbers } from './crash/numbers.mjs'
import { nodeOf } from './nodes.mjs'

const options = { rounds: { type: 'string' }, seed: { type: 'string' }, writers: { type: 'string' } }
const { values } = parseArgs({ options })
const rounds = Number(values.rounds ?? 200)
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const writers = Number(values.writers ?? 8)

/** How many kills a file goes through: with more, most of the time would go into looking at what is there. */
const KILLS_OF_A_FILE = 20

const here = dirname(fileURLToPath(import.meta.url))
if (!existsSync(join(here, '../dist/node.js'))) throw new Error('There is no build. Run npm run build first.')
const node = process.getBuiltinModule?.('node:sqlite') ? process.execPath : nodeOf('22').path
const folder = mkdtempSync(join(tmpdir(), 'fauxgate-crash-'))
const children = new Set()

/** A process that is ready to serve a gateway. */
function ready() {
  const child = spawn(node, ['--no-warnings', join(here, 'crash/served.mjs')])
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

/** Has a process serve a gateway on a file. Answers its URL. */
async function served(child, file) {
  child.stdin.write(`${file}\n`)
  let said = ''
  child.stderr.on('data', (chunk) => (said += chunk))
  const line = once(createInterface(child.stdout), 'line').then(([url]) => url)
  const ended = once(child, 'exit').then(() => {
    throw new Error(`The gateway did not start: ${said}`)
  })
  ended.catch(() => undefined)
  return Promise.race([line, ended])
}

/** Waits until so many writes were answered, but not for ever. */
async function answers(known, count) {
  for (const until = Date.now() + 2000; known.answered < count && Date.now() < until; ) await sleep(1)
}

let [failed, answered, kept] = [0, 0, 0]

/** So many kills, one after the other. */
async function lane(name, kills) {
  const random = numbers(seed * 2 + name)
  let next = ready()
  for (let done = 0; done < kills; done += KILLS_OF_A_FILE) {
    const known = new Known()
    const file = join(folder, `${name}-${done}.db`)
    const ofThis = Math.min(KILLS_OF_A_FILE, kills - done)
    // After the last kill there is one more look.
    for (let kill = 0; kill <= ofThis; kill++) {
      const child = next
      const exit = once(child, 'exit')
      const url = await served(child, file)
      const problems = await known.problemsAt(url)
      for (const problem of problems) console.log(`lane ${name}, kill ${done + kill}: ${problem}`)
      failed += problems.length
      const writing = kill === ofThis ? [] : Array.from({ length: writers }, () => known.write(url))
      next = ready()
      if (kill < ofThis) {
        await answers(known, known.answered + Math.floor(random() * 60))
        await sleep(random() * 5)
      }
      child.kill('SIGKILL')
      await Promise.all([exit, ...writing])
    }
    answered += known.answered
    kept += known.addresses.size + known.domains.size
    for (const end of ['', '-wal']) rmSync(file + end, { force: true })
  }
}

const startedAt = Date.now()
try {
  await Promise.all([lane(0, Math.ceil(rounds / 2)), lane(1, Math.floor(rounds / 2))])
} finally {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
const seconds = Math.round((Date.now() - startedAt) / 1000)
console.log(
  `${rounds} kills, seed ${seed}, ${writers} writers: ${answered} answered writes, ${kept} records kept, ${failed} problems, ${seconds} s`,
)
if (failed > 0 || answered === 0) process.exitCode = 1
