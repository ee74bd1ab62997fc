// The vitest runner of scripts/mutants.mjs: instead of its one test it runs the tests of the repository, again and again
// in one process, under one mutant after the other.
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { getFn, startTests } from '@vitest/runner'
import { getFullName } from '@vitest/runner/utils'
import { TestRunner } from 'vitest'
import { ACTIVE, REACHED } from './instrument.mjs'
import { firstUnits, plansOf, suspectUnits } from './plans.mjs'
import { linesOf } from './workers.mjs'

// Tests put others in their place.
const { Date: Present, setInterval, setTimeout, clearTimeout } = globalThis
const now = performance.now.bind(performance)
const kill = process.kill.bind(process)
const GLOBALS = [
  'fetch',
  'Date',
  'setTimeout',
  'setInterval',
  'clearTimeout',
  'clearInterval',
  'setImmediate',
  'console',
]
const originals = GLOBALS.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)])

/** What runs when it is loaded. */
const COMMAND = 'src/server/cli.ts'

/** How much memory a worker may use before it is replaced. */
const MAX_HEAP = 1.5 * 2 ** 30

/** What other processes have to run alone, or show alone, as what is collected; the rest they share with every test. */
const ONLY_STARTED = ['src/testing/vitest.ts', 'src/testing/clock.ts']
const isOnlyStarted = (file) => file.startsWith('src/server/') || ONLY_STARTED.includes(file)

export default class MutantRunner extends TestRunner {
  async onBeforeRunFiles() {
    const job = JSON.parse(readFileSync(process.env.FAUXGATE_MUTANTS_JOB, 'utf8'))
    const out = process.env.FAUXGATE_MUTANTS_OUT
    const pulse = out.replace(/([^/]+)$/, 'pulse-$1')
    const heart = setInterval(() => utimesSync(pulse, new Present(), new Present()), 1000)
    const write = (line) => appendFileSync(`${out}-.ndjson`, `${JSON.stringify(line)}\n`)
    await MODES[job.mode](this, job, write)
    clearInterval(heart)
  }
}

/** Takes a piece of work, unless somebody has taken it. */
function claim({ results, step }, index) {
  try {
    mkdirSync(join(results, `claims-${step}`, String(index)))
    return true
  } catch {
    return false
  }
}

/** Runs the tests of one file, as often as one likes. */
class FileRunner extends TestRunner {
  constructor(outer, folder) {
    super(outer.config)
    this.folder = folder
    this.moduleRunner = outer.moduleRunner
    this.__setTraces(outer._otel)
    this.keysOf = new Map()
  }

  /** The tests of a file that run: a predicate over their keys. */
  async run(file, { only = () => true, bail = true } = {}) {
    Object.assign(this, { only, bail, cancelRun: false, failure: null, tests: [] })
    // Scripts that tests import have the sources as they were loaded for them.
    for (const part of ['/test/', '/scripts/']) this.invalidate(part)
    const [task] = await startTests([join(this.folder, file)], this)
    this.failure ??= task.result?.state === 'fail' && this.tests.every(({ state }) => state !== 'fail') ? file : null
    for (const [name, descriptor] of originals) Object.defineProperty(globalThis, name, descriptor)
    return { failure: this.failure, tests: this.tests }
  }

  invalidate(part) {
    const { evaluatedModules } = this.workerState
    for (const module of evaluatedModules.idToModuleMap.values())
      if (module.id.startsWith(this.folder + part)) evaluatedModules.invalidateModule(module)
  }

  onCollected([file]) {
    const seen = new Map()
    const prepare = (suite) => {
      for (const task of suite.tasks) {
        if (task.type === 'suite') prepare(task)
        else {
          const name = getFullName(task)
          const nth = (seen.get(name) ?? 0) + 1
          seen.set(name, nth)
          this.keysOf.set(task, nth === 1 ? name : `${name} (${nth})`)
          if (!this.only(this.keysOf.get(task))) task.mode = 'skip'
        }
      }
      if (suite.tasks.length > 0 && suite.tasks.every(({ mode }) => mode === 'skip' || mode === 'todo'))
        suite.mode = 'skip'
    }
    prepare(file)
  }

  onBeforeTryTask(test) {
    super.onBeforeTryTask(test)
    this.beforeTest?.(this.keysOf.get(test))
  }

  /** A test that takes far longer than without a mutant has failed. */
  async runTask(test) {
    let timer
    const limit = this.limitOf?.(this.keysOf.get(test)) ?? 60_000
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`This test takes longer than ${limit} ms.`)), limit)
    })
    try {
      await Promise.race([getFn(test)(), late])
    } finally {
      clearTimeout(timer)
    }
  }

  onAfterRunTask(test) {
    super.onAfterRunTask(test)
    const { state, duration } = test.result
    const key = this.keysOf.get(test)
    this.tests.push({ key, state, duration })
    this.afterTest?.(test)
    if (test.result.state !== 'fail') return
    this.failure ??= key
    if (this.bail) this.cancelRun = true
  }
}

/** Notes which mutants are reached by which test, by a file outside its tests, and when the sources are loaded. */
async function cover(outer, job, write) {
  const runner = new FileRunner(outer, job.folder)
  const counts = new Float64Array(job.size)
  let loaded = new Set()
  let hasStarted = false
  const file = `${job.results}/reached-${process.pid}`
  process.env[REACHED] = file
  globalThis.__mutants__ = { active: new Uint8Array(job.size), counts, hit: () => true }
  const take = () => {
    const reached = new Map()
    for (const id of Object.keys(job.files)) if (counts[id] > 0) reached.set(id, counts[id])
    counts.fill(0)
    const elsewhere = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
    rmSync(file, { force: true })
    hasStarted = elsewhere.length > 0
    for (const id of elsewhere)
      if (isOnlyStarted(job.files[id]) && !loaded.has(id)) reached.set(id, reached.get(id) ?? 1)
    return [...reached]
  }
  for (const file of job.sources.filter((name) => name !== COMMAND))
    await outer.moduleRunner.import(join(job.folder, file)).catch(() => undefined)
  loaded = new Set(take().map(([id]) => id))
  write({ loaded: [...loaded] })
  let byTest
  let outside
  runner.beforeTest = () => outside.push(...take())
  runner.afterTest = (test) => {
    const key = runner.keysOf.get(test)
    byTest.set(key, { reached: take(), hasStarted })
  }
  for (const [index, file] of job.tests.entries()) {
    if (!claim(job, index)) continue
    write({ begin: file })
    byTest = new Map()
    outside = []
    const { tests } = await runner.run(file, { bail: false })
    outside.push(...take())
    const seen = tests.map((test) => ({ ...test, ...(byTest.get(test.key) ?? { reached: [] }) }))
    write({ done: file, file, tests: seen, outside: [...new Map(outside)] })
  }
  write({ finished: true })
}

/** Switches mutants on and off, and runs tests under them, in this process and in those that the tests start. */
function underMutants(outer, job, { durations }) {
  const runner = new FileRunner(outer, job.folder)
  runner.limitOf = (key) => 5000 + 10 * (durations.get(runner.file).get(key) ?? 1000)
  const active = new Uint8Array(job.size)
  const state = { active, counts: new Float64Array(job.size), hits: 0, limit: Number.POSITIVE_INFINITY }
  state.hit = () => {
    if (++state.hits > state.limit) throw new Error('This mutant never ends.')
    return true
  }
  globalThis.__mutants__ = state
  runner.beforeTest = () => {
    state.hits = 0
  }
  runner.afterTest = (test) => {
    if (state.hits > state.limit) test.result.state = 'fail'
  }
  return {
    activate(ids, reload, hits = 0) {
      active.fill(0)
      for (const id of ids) active[id] = 1
      state.hits = 0
      state.limit = 10_000 + 100 * hits
      if (ids.length === 0) delete process.env[ACTIVE]
      else process.env[ACTIVE] = ids.join()
      if (reload) runner.invalidate('/src/')
    },
    run(file, only, bail = true) {
      runner.file = file
      return runner.run(file, { only: (key) => durations.get(file).has(key) && only(key), bail })
    },
  }
}

/** Whether this process has grown so much that another must go on. */
function endIfLarge(write) {
  if (process.memoryUsage().heapUsed < MAX_HEAP) return
  write({ restart: true })
  kill(process.pid, 'SIGKILL')
}

/** Runs tests under many mutants at once: one that passes then notices none of them. */
async function together(outer, job, write) {
  const plans = plansOf(job)
  const { activate, run } = underMutants(outer, job, plans)
  let active
  for (const [index, { ids, test, keys }] of job.pieces.entries()) {
    if (!claim(job, index)) continue
    write({ begin: index })
    const wantedMutants = ids.join()
    const hits = ids.reduce((sum, id) => sum + plans.plans.get(id).hits, 0)
    if (wantedMutants !== active) activate(ids, true, hits)
    active = wantedMutants
    const wanted = new Set(keys)
    const { tests, failure } = await run(test, (key) => wanted.has(key), false)
    const failed = tests.filter(({ state }) => state === 'fail').map(({ key }) => key)
    write({ done: index, failed: failure === test ? keys : failed })
    endIfLarge(write)
  }
  write({ finished: true })
}

/** Tries one mutant after the other: with the first tests, or with those that the job suspects. */
async function oneByOne(outer, job, write) {
  const plans = plansOf(job)
  const { activate, run } = underMutants(outer, job, plans)
  const learned = new Map()
  const again = new Set(linesOf(job.results, job.step).flatMap((line) => line.again ?? []))

  for (const mutant of job.mutants) {
    const { id, file } = mutant
    if (!claim(job, id)) continue
    write({ begin: id })
    const isLoaded = plans.loaded.has(id)
    const units = mutant.suspected ? suspectUnits(plans, mutant) : firstUnits(plans, mutant, learned.get(file))
    if (units.length === 0) {
      write({ done: id, status: 'no coverage', by: null, isLoaded })
      continue
    }
    const startedAt = now()
    let by = null
    let failure = null
    // What is made once and kept is made again only where the sources are loaded anew.
    const reload = isLoaded || mutant.suspected !== undefined
    activate([id], reload, plans.plans.get(id).hits)
    for (const { test, keys } of units) {
      const wanted = new Set(keys)
      failure = (await run(test, (key) => wanted.has(key))).failure
      if (failure === null) continue
      by = test
      break
    }
    activate([], reload)
    if (by !== null) {
      const key = failure
      const check = await run(by, (other) => key === by || other === key)
      if (check.failure !== null && !again.has(id)) {
        // The mutant has left something behind in this process, so that nothing it says can be trusted.
        rmdirSync(join(job.results, `claims-${job.step}`, id))
        write({ again: id })
        kill(process.pid, 'SIGKILL')
      }
      const kills = learned.get(file) ?? new Map()
      kills.set(by, (kills.get(by) ?? 0) + 1)
      learned.set(file, kills)
    }
    const status = by === null ? 'survived' : 'killed'
    write({ done: id, status, by, test: failure, isLoaded, ms: Math.round(now() - startedAt) })
    endIfLarge(write)
  }
  write({ finished: true })
}

const MODES = { cover, alone: oneByOne, together, apart: oneByOne }
