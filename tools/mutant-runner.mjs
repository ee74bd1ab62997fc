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
const settled = new Set(journal.filter((line) => /^(noticed|skip) /.test(line)).map((line) => line.split(' ')[1]))
const steps = new Set(journal)
const waiting = new Set(FAUXGATE_MUTANTS.split(',').filter((id) => !settled.has(id)))
const write = (line) => appendFileSync(FAUXGATE_JOURNAL, `${line}\n`)

/** The state that the instrumented sources read and count in. The files of a process share it, and the set of mutants. */
globalThis.__stryker__ ??= { waiting }
const shared = globalThis.__stryker__
/** The real timers: tests may install others. */
const { setTimeout, clearTimeout } = globalThis

/** Runs a test function. Returns whether it passed; undefined if it does not end within a time. */
async function passes(run, ms) {
  let timer
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  const ended = run().then(
    () => true,
    () => false,
  )
  const result = await Promise.race([ended, late])
  clearTimeout(timer)
  return result
}

/** Ends the process, which the tool then starts again: a try may have left something behind. */
async function restart(line) {
  write(`${line}\nrestart`)
  await new Promise(() => undefined)
}

export default class MutantRunner extends TestRunner {
  async runTask(test) {
    const name = `${test.file.name} ${test.fullName}`
    if (steps.has(`done - ${name}`)) return
    const run = async () => {
      try {
        await getFn(test)()
      } finally {
        // Each try closes what it opened, before the next.
        for (const hook of test.onFinished?.splice(0).reverse() ?? []) await hook(test.context)
      }
    }
    const startedAt = performance.now()
    shared.currentTestId = test.id
    try {
      // Once more: on a busy machine, a test may take too long.
      await run().catch(run)
    } catch (error) {
      const id = shared.lastTried
      // In a new process, the failure is the test's own.
      if (id === undefined) throw error
      // The last try has left something behind. A process with this mutant alone tells whether this test notices it.
      await restart(`unclear ${id} ${name}\nskip ${id}`)
    }
    const isLong = performance.now() - startedAt > LONG_MS
    const counts = shared.mutantCoverage?.perTest[test.id] ?? {}
    const reached = Object.keys(counts).filter((id) => shared.waiting.has(id))
    const before = { ...counts }
    const isRepeatable = reached.length > 0 && !isLong && (await passes(run, LONG_MS))
    // It still runs, and so in the way of the next tests.
    const isStillRunning = isRepeatable === undefined
    for (const id of reached) {
      if (isRepeatable && counts[id] === before[id]) write(`loaded ${id}`)
      if (!isRepeatable) write(`unclear ${id} ${name}`)
      else if (!steps.has(`passed ${id} ${name}`) && !steps.has(`unclear ${id} ${name}`))
        await this.#try(id, counts[id], run, name)
    }
    if (isStillRunning) await restart(`done - ${name}`)
    write(`done - ${name}`)
  }

  async #try(id, count, run, name) {
    write(`started ${id}`)
    shared.lastTried = id
    const hitLimit = count * MORE_OFTEN.times + MORE_OFTEN.plus
    Object.assign(shared, { activeMutant: id, hitCount: 0, hitLimit })
    const isUnnoticed = await passes(run, TRY_MS)
    Object.assign(shared, { activeMutant: undefined, hitCount: undefined })
    if (isUnnoticed) return write(`passed ${id} ${name}`)
    if (isUnnoticed === undefined) return restart(`noticed ${id}`)
    // A failure that lasts may come from what an earlier try left behind: the hooks of a file do not run between tries.
    if (!(await passes(run, LONG_MS))) return restart(`unclear ${id} ${name}`)
    write(`noticed ${id}`)
    shared.waiting.delete(id)
  }

  importFile(...file) {
    shared.currentTestId = undefined
    return super.importFile(...file)
  }

  onAfterRunFiles() {
    for (const id of Object.keys(shared.mutantCoverage?.static ?? {})) write(`loaded ${id}`)
    return super.onAfterRunFiles?.()
  }
}
