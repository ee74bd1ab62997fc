// The runner of vitest in which tools/mutants.mjs tries mutants: each test runs as it is, and then once for each mutant that
// it reaches and that no test has noticed. A journal, one line for each step, has what is known if the process is killed.
import { appendFileSync, readFileSync } from 'node:fs'
import { TestRunner } from 'vitest'
import { getFn } from 'vitest/suite'

/** A test that takes longer, in ms, is left to the processes with one mutant. */
const LONG_MS = 3000
/** A try that takes longer, in ms, has noticed the mutant: something is never done. */
const TRY_MS = 10_000
/** A function is in an endless loop if it reaches the mutant this many times as often as without it, and this often more. */
const MORE_OFTEN = { times: 50, plus: 1000 }

const { FAUXGATE_MUTANTS, FAUXGATE_JOURNAL } = process.env
const journal = readFileSync(FAUXGATE_JOURNAL, 'utf8').trim().split('\n')
const noticed = new Set(journal.filter((line) => line.startsWith('noticed ')).map((line) => line.split(' ')[1]))
const passed = new Set(journal.filter((line) => line.startsWith('passed ')))
const waiting = new Set(FAUXGATE_MUTANTS.split(',').filter((id) => !noticed.has(id)))
const write = (line) => appendFileSync(FAUXGATE_JOURNAL, `${line}\n`)

/** The state that the instrumented sources read and count in. The files of a process share it, and the set of mutants. */
globalThis.__stryker__ ??= { waiting }
const shared = globalThis.__stryker__
/** The real timers: tests may install others. */
const { setTimeout, clearTimeout } = globalThis

/** Runs a test function. Returns whether it passed within a time. */
async function passes(run, ms) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('The test takes too long.')), ms)
  })
  try {
    await Promise.race([run(), late])
    return true
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}

export default class MutantRunner extends TestRunner {
  async runTask(test) {
    const run = async () => {
      try {
        await getFn(test)()
      } finally {
        // Each try closes what it opened, before the next.
        for (const hook of test.onFinished?.splice(0).reverse() ?? []) await hook(test.context)
      }
    }
    write(`run - ${test.file.name} ${test.name}`)
    const startedAt = performance.now()
    shared.currentTestId = test.id
    await run()
    const isLong = performance.now() - startedAt > LONG_MS
    const counts = shared.mutantCoverage?.perTest[test.id] ?? {}
    const reached = Object.keys(counts).filter((id) => shared.waiting.has(id))
    if (reached.length === 0) return
    let isUnclear = isLong || !(await passes(run, LONG_MS))
    for (const id of reached) {
      const line = `passed ${id} ${test.file.name} ${test.name}`
      if (isUnclear) write(`unclear ${id} ${test.file.name}`)
      if (isUnclear || passed.has(line)) continue
      write(`started ${id}`)
      const hitLimit = counts[id] * MORE_OFTEN.times + MORE_OFTEN.plus
      Object.assign(shared, { activeMutant: id, hitCount: 0, hitLimit })
      const isUnnoticed = await passes(run, TRY_MS)
      Object.assign(shared, { activeMutant: undefined, hitCount: undefined })
      // A failure that lasts may come from what an earlier try left behind: the hooks of a test do not run between tries.
      isUnclear = !isUnnoticed && !(await passes(run, LONG_MS))
      write(isUnclear ? `unclear ${id} ${test.file.name}` : isUnnoticed ? line : `noticed ${id}`)
      if (!isUnnoticed && !isUnclear) shared.waiting.delete(id)
    }
  }

  onAfterRunFiles() {
    for (const id of Object.keys(shared.mutantCoverage?.static ?? {})) write(`loaded ${id}`)
    return super.onAfterRunFiles?.()
  }
}
