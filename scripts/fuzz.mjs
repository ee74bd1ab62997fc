// Asks the built package everything, right and wrong, at random, and checks what must hold whatever is asked.
// `npm run fuzz -- [--cases 20000] [--seed N [--path P]] [--only request,direct] [--replay FILE]`
// --only restricts the kinds of calls: request, direct, control, call, clock, certificate, restore.
// A failure is made smaller, and printed with what runs it again.
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    path: { type: 'string' },
    only: { type: 'string' },
    replay: { type: 'string' },
  },
})

/** A sequence that takes so long never ends. */
const HANG_MS = 60_000

function printCase(found, seed) {
  const file = join(tmpdir(), `fauxgate-fuzz-${seed}.json`)
  const text = JSON.stringify(found, null, 2)
  writeFileSync(file, text)
  console.error(`${text}\n\nAgain:  npm run fuzz -- --replay ${file}`)
}

function summary({ steps, statuses, slowest }) {
  const answered = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  const succeeded = Object.entries(statuses).reduce((sum, [status, count]) => sum + (status < 300 ? count : 0), 0)
  console.log(
    `${steps} calls; of ${answered} answers over HTTP ${Math.round((100 * succeeded) / answered)} % succeeded:`,
  )
  console.log(
    `  ${Object.entries(statuses)
      .map(([status, count]) => `${count} × ${status}`)
      .join(', ')}`,
  )
  console.log('The slowest calls but moves of the clock, with what is checked after each:')
  for (const { ms, step } of slowest) console.log(`  ${ms.toFixed(1)} ms  ${JSON.stringify(step).slice(0, 300)}`)
}

console.log(values.replay ? `Again: ${values.replay}` : `Seed ${values.seed}, ${values.cases} cases`)
const workerData = {
  cases: Number(values.cases),
  seed: Number(values.seed),
  path: values.path,
  only: values.only?.split(','),
  replay: values.replay && JSON.parse(readFileSync(values.replay, 'utf8')),
}
const worker = new Worker(new URL('fuzz/worker.mjs', import.meta.url), { workerData })
let begun = { found: null, at: Date.now() }
const watch = setInterval(() => {
  if (Date.now() - begun.at < HANG_MS) return
  console.error(`\nFAILED: this case does not end within ${HANG_MS / 1000} s (seed ${values.seed}).\n`)
  printCase(begun.found, values.seed)
  process.exit(1)
}, 1000)
let said = 0
let ended = false
worker.on('message', ({ begin, progress, failure, done }) => {
  if (begin) begun = { found: begin, at: Date.now() }
  if (progress >= said + 10_000) {
    said = progress
    console.log(`  ${progress} calls`)
  }
  if (failure) {
    const { found, error, seed, path, shrinks, steps } = failure
    console.error(`\nFAILED after ${steps} calls; made smaller ${shrinks} times:\n`)
    printCase(found, seed)
    console.error(
      `or:     npm run fuzz -- --seed ${seed} --path "${path}"${values.only ? ` --only ${values.only}` : ''}\n\n${error}\n`,
    )
    process.exitCode = 1
  }
  if (!done) return
  summary(done)
  ended = true
  // A fetch that a fault delays on the system clock may still wait there.
  worker.terminate()
})
worker.on('error', (error) => {
  console.error(error)
  process.exitCode = 1
})
worker.on('exit', (code) => {
  clearInterval(watch)
  if (ended) return
  console.error(`\nFAILED: the process of this case ended with code ${code} (seed ${values.seed}).\n`)
  if (begun.found) printCase(begun.found, values.seed)
  process.exitCode = 1
})
