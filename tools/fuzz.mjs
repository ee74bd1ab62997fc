// Makes random valid and invalid calls of the built package, and checks conditions that must hold after every call:
// `npm run check -- fuzz [--cases 20000] [--seed N [--path P --replay R]]`. `--cases` is the number of calls. It shrinks a
// failure, and prints the failure with the command that runs it again. `--port [--seconds 60]` sends bytes through the ports for visitors.
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { checkEnd, statuses } from './fuzz/checks.mjs'
import { createCase } from './fuzz/gateways.mjs'
import { run } from './fuzz/run.mjs'
import { options, steps } from './fuzz/steps.mjs'

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    path: { type: 'string' },
    replay: { type: 'string' },
    port: { type: 'boolean' },
    seconds: { type: 'string', default: '60' },
  },
})

/** The time in ms after which a step counts as endless. A move over 70 days of retries takes a minute on a busy machine. */
const HANG_MS = 180_000
/** A batch of cases under one seed; each case has some eight calls. */
const BATCH = 100
/** The time in ms after which a batch ends, and after which a failure is not shrunk further. */
const MAX_BATCH_MS = 60_000

/** Watches the thread that makes the calls. The thread may hang or run out of memory. */
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

/** Runs batches of cases until the number of calls is reached, or a case fails. */
async function runCases() {
  let calls = 0
  const command = steps.map((step) => ({
    check: () => true,
    run(_model, real) {
      calls++
      parentPort.postMessage({ step })
      return run(step, real)
    },
    toString: () => JSON.stringify(step),
  }))
  const commands = fc.commands([command], { maxCommands: 16, size: 'max', replayPath: values.replay })
  const property = fc.asyncProperty(options, commands, async (gatewayOptions, drawnCommands) => {
    const real = createCase(gatewayOptions)
    await fc.asyncModelRun(() => ({ model: {}, real }), drawnCommands)
    checkEnd(real)
  })
  for (let seed = Number(values.seed), reportedCalls = 0; calls < values.cases; seed++) {
    parentPort.postMessage({ seed })
    const parameters = { seed, numRuns: BATCH, interruptAfterTimeLimit: MAX_BATCH_MS }
    const result = await fc.check(property, { ...parameters, ...(values.path && { path: values.path }) })
    if (result.failed) return parentPort.postMessage({ text: await formatFailure(result, calls), exitCode: 1 })
    if (values.path) break
    if (calls - reportedCalls < 10_000) continue
    reportedCalls = calls
    parentPort.postMessage({ text: `  ${calls} calls` })
  }
  const counts = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`)
  parentPort.postMessage({ text: `${calls} calls; the responses over HTTP: ${counts.join(', ')}`, exitCode: 0 })
}

/** Describes a failure, with the command that runs it again. */
async function formatFailure(result, calls) {
  const [, replay] = /replayPath="(.*?)"/.exec(String(result.counterexample?.[1])) ?? []
  const again = `npm run check -- fuzz --seed ${result.seed} --path "${result.counterexamplePath}" --replay "${replay}"`
  const report = await fc.asyncDefaultReportMessage(result)
  return `\nFAILED after ${calls} calls:\n${report}\n\n${result.errorInstance?.stack}\n\nAgain:  ${again}\n`
}

if (isMainThread && values.port) {
  const { fuzzPort } = await import('./fuzz/port.mjs')
  console.log(`Seed ${values.seed}, ${values.seconds} s`)
  process.exit(await fuzzPort({ seconds: Number(values.seconds), seed: Number(values.seed) }))
} else if (isMainThread) {
  console.log(`Seed ${values.seed}, ${values.cases} cases`)
  watch()
} else await runCases()
