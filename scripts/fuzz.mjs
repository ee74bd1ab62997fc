// Calls the built package at random, rightly and wrongly, and checks what must hold whatever is called.
// `npm run fuzz -- [--cases 20000] [--only request,direct] [--seed N [--path P --replay R]]`
// --only restricts the kinds of calls: request, direct, control, call, clock, certificate, restore.
// A failure is made smaller, and printed with what runs it again.
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { checkEnd } from './fuzz/checks.mjs'
import { inhabited } from './fuzz/gateways.mjs'
import { counts, run } from './fuzz/run.mjs'
import { options, stepsOf } from './fuzz/steps.mjs'

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    path: { type: 'string' },
    replay: { type: 'string' },
    only: { type: 'string' },
  },
})

/** A step that takes so long never ends. */
const HANG_MS = 60_000
/** A batch of cases under one seed; each case has some eight calls. */
const BATCH = 100
/** After so long a batch ends, and a failure is not made smaller any more. */
const LONGEST_MS = 60_000

/** Watches the thread that makes the calls, which may hang or run out of memory. */
function watch() {
  const worker = new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) })
  let last = { at: Date.now() }
  const fail = (problem) => {
    console.error(`\nFAILED, seed ${last.seed}: ${problem}\n${JSON.stringify(last.step)}`)
    process.exit(1)
  }
  setInterval(() => {
    if (Date.now() - last.at > HANG_MS) fail(`this step does not end within ${HANG_MS / 1000} s`)
  }, 1000)
  worker.on('message', (message) => {
    if (message.text) console.log(message.text)
    // A fetch that a fault delays on the system clock may still wait there.
    if ('exitCode' in message) process.exit(message.exitCode)
    last = { ...last, ...message, at: Date.now() }
  })
  worker.on('error', ({ stack }) => fail(stack))
  worker.on('exit', (code) => fail(`the thread of this step ended with code ${code}`))
}

/** Runs batches of cases until so many calls were made, or one fails. */
async function attack() {
  const command = stepsOf(values.only?.split(',')).map((step) => ({
    check: () => true,
    run(_model, real) {
      parentPort.postMessage({ step })
      return run(step, real)
    },
    toString: () => JSON.stringify(step),
  }))
  const commands = fc.commands([command], { maxCommands: 16, size: 'max', replayPath: values.replay })
  const property = fc.asyncProperty(options, commands, async (chosen, steps) => {
    const real = inhabited(chosen)
    await fc.asyncModelRun(() => ({ model: {}, real }), steps)
    checkEnd(real)
  })
  for (let seed = Number(values.seed), said = 0; counts().steps < values.cases; seed++) {
    parentPort.postMessage({ seed })
    const parameters = { seed, numRuns: BATCH, interruptAfterTimeLimit: LONGEST_MS }
    const result = await fc.check(property, { ...parameters, ...(values.path && { path: values.path }) })
    const { steps } = counts()
    if (result.failed) return fail(result, steps)
    if (values.path) break
    if (steps - said < 10_000) continue
    said = steps
    parentPort.postMessage({ text: `  ${steps} calls` })
  }
  parentPort.postMessage({ text: summary(counts()), exitCode: 0 })
}

async function fail(result, steps) {
  const [, replay] = /replayPath="(.*?)"/.exec(String(result.counterexample?.[1])) ?? []
  const again = `npm run fuzz -- --seed ${result.seed} --path "${result.counterexamplePath}" --replay "${replay}"`
  const only = values.only ? ` --only ${values.only}` : ''
  const report = `${await fc.asyncDefaultReportMessage(result)}\n\n${result.errorInstance?.stack}`
  parentPort.postMessage({
    text: `\nFAILED after ${steps} calls:\n${report}\n\nAgain:  ${again}${only}\n`,
    exitCode: 1,
  })
}

function summary({ steps, statuses }) {
  const all = Object.entries(statuses)
  const sum = (list) => list.reduce((total, [, count]) => total + count, 0)
  const percent = Math.round((100 * sum(all.filter(([status]) => status < 300))) / sum(all))
  const counts = all.map(([status, count]) => `${count} × ${status}`).join(', ')
  return `${steps} calls; of ${sum(all)} answers over HTTP ${percent} % succeeded:\n  ${counts}`
}

if (isMainThread) {
  console.log(`Seed ${values.seed}, ${values.cases} cases`)
  watch()
} else await attack()
