import { parentPort, workerData } from 'node:worker_threads'
import fc from 'fast-check'
import { runnerOf } from './run.mjs'
import { casesOf } from './steps.mjs'

/** A batch of sequences under one seed; each sequence has some eight calls. */
const BATCH = 100
/** After so long a batch ends, and a failure is not made smaller any more. */
const LONGEST_MS = 60_000

const load = (name) => import(new URL(`../../dist/${name}.js`, import.meta.url).href)
const runner = runnerOf({ main: await load('index'), testing: await load('testing') })

function run(found) {
  parentPort.postMessage({ begin: found })
  return runner.run(found)
}

/** Runs batches until so many calls were made, or one fails. */
async function runBatches({ cases: wanted, seed: first, path, only }) {
  const cases = casesOf(only)
  for (let seed = first; runner.counts().steps < wanted; seed++) {
    const parameters = { seed, numRuns: BATCH, interruptAfterTimeLimit: LONGEST_MS, ...(path && { path }) }
    const result = await fc.check(fc.asyncProperty(cases, run), parameters)
    if (result.failed) {
      const { counterexample, counterexamplePath, errorInstance, numShrinks } = result
      const error = errorInstance?.stack ?? String(errorInstance)
      const facts = { seed, path: counterexamplePath, shrinks: numShrinks, steps: runner.counts().steps }
      parentPort.postMessage({ failure: { found: counterexample[0], error, ...facts } })
    }
    if (result.failed || path) return
    parentPort.postMessage({ progress: runner.counts().steps })
  }
}

if (workerData.replay) await run(workerData.replay)
else await runBatches(workerData)
parentPort.postMessage({ done: { ...runner.counts(), slowest: runner.slowest } })
