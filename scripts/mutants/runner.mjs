// The vitest runner of scripts/mutants.mjs: instead of its one test it runs the tests of the repository, again and again
// in one process, under one mutant after the other.
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { getFn, startTests } from '@vitest/runner'
import { getFullName } from '@vitest/runner/utils'
import { TestRunner } from 'vitest'
import { ACTIVE, REACHED } from './instrument.mjs'
import { isOfEverything } from './meeting.mjs'
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

/** A test that takes longer without a mutant runs after all others, and only with --thorough. */
const SLOW_MS = 400

/** The same of a test that starts the command: most of that is the start. */
const SLOW_START_MS = 3000

/** What other processes have to run alone, or show alone, as what is collected; the rest they share with every test. */
const ONLY_STARTED = ['src/testing/vitest.ts', 'src/testing/timers.ts', 'src/engine/clock-followers.ts']
const isOnlyStarted = (file) => file.startsWith('src/server/') || ONLY_STARTED.includes(file)

export default class MutantRunner extends TestRunner {
  async onBeforeRunFiles() {
    const job = JSON.parse(readFileSync(process.env.FAUXGATE_MUTANTS_JOB, 'utf8'))
    const out = process.env.FAUXGATE_MUTANTS_OUT
    const pulse = out.replace(/([^/]+)$/, 'pulse-$1')
    const heart = setInterval(() => utimesSync(pulse, new Present(), new Present()), 1000)
    const write = (line) => appendFileSync(`${out}-.ndjson`, `${JSON.stringify(line)}\n`)
    await (job.mode === 'cover' ? cover : killAll)(this, job, write)
    clearInterval(heart)
  }
}

/** Takes a piece of work, unless somebody has taken it. */
function claim({ results, mode }, index) {
  try {
    mkdirSync(join(results, `claims-${mode}`, String(index)))
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
    this.invalidate('/test/')
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
  let reached = new Map()
  let loaded = new Set()
  let hasStarted = false
  const file = `${job.results}/reached-${process.pid}`
  process.env[REACHED] = file
  globalThis.__mutants__ = {
    cover(ids) {
      for (const id of ids) reached.set(id, (reached.get(id) ?? 0) + 1)
    },
  }
  const take = () => {
    const elsewhere = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
    rmSync(file, { force: true })
    hasStarted = elsewhere.length > 0
    for (const id of elsewhere)
      if (isOnlyStarted(job.files[id]) && !loaded.has(id)) reached.set(id, reached.get(id) ?? 1)
    const taken = [...reached]
    reached = new Map()
    return taken
  }
  for (const file of job.sources.filter((name) => name !== COMMAND))
    await outer.moduleRunner.import(join(job.folder, file)).catch(() => undefined)
  loaded = new Set([...reached.keys()])
  reached = new Map()
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

/**
 * For every mutant, the files to run, each with the keys of its tests (null: all), and how often it is reached. For one
 * that is reached when the sources are loaded, the tests that reach anything in its file, or that name the file.
 */
function plansOf(job) {
  const loaded = new Set()
  const plans = new Map(Object.keys(job.files).map((id) => [id, { files: new Map(), hits: 0 }]))
  const durations = new Map()
  const starting = new Set()
  const files = []
  for (const line of linesOf(job.results, 'cover')) {
    for (const id of line.loaded ?? []) loaded.add(id)
    if (line.done === undefined) continue
    const tests = line.tests.filter(({ state }) => state !== 'fail')
    files.push(line.file)
    durations.set(line.file, new Map(tests.map(({ key, duration }) => [key, duration])))
    for (const { key, reached, hasStarted } of tests) {
      if (hasStarted) starting.add(`${line.file} ${key}`)
      for (const [id, hits] of reached) {
        const plan = plans.get(id)
        if (!plan.files.has(line.file)) plan.files.set(line.file, new Set())
        plan.files.get(line.file).add(key)
        plan.hits = Math.max(plan.hits, hits)
      }
    }
    for (const [id, hits] of line.outside) {
      const plan = plans.get(id)
      plan.files.set(line.file, null)
      plan.hits = Math.max(plan.hits, hits)
    }
  }
  const related = new Map()
  for (const [test, sources] of Object.entries(job.named))
    for (const source of sources) related.set(source, (related.get(source) ?? new Map()).set(test, null))
  for (const [id, plan] of plans) {
    const own = related.get(job.files[id]) ?? new Map()
    related.set(job.files[id], own)
    for (const [file, keys] of plan.files) {
      if (keys === null) own.set(file, null)
      else if (own.get(file) !== null) own.set(file, new Set([...(own.get(file) ?? []), ...keys]))
    }
  }
  return { plans, loaded, durations, starting, files, related }
}

async function killAll(outer, job, write) {
  const { plans, loaded, durations, starting, files, related } = plansOf(job)
  const runner = new FileRunner(outer, job.folder)
  runner.limitOf = (key) => 5000 + 10 * (durations.get(runner.file).get(key) ?? 1000)
  const learned = new Map()
  const state = { active: undefined, hits: 0, limit: Number.POSITIVE_INFINITY }
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
  const again = new Set(linesOf(job.results, 'kill').flatMap((line) => (line.again === undefined ? [] : [line.again])))

  const activate = (id, reload) => {
    state.active = id
    state.hits = 0
    if (id === undefined) delete process.env[ACTIVE]
    else process.env[ACTIVE] = id
    if (reload) runner.invalidate('/src/')
  }
  const runFile = (file, only) => {
    runner.file = file
    return runner.run(file, { only: (key) => durations.get(file).has(key) && only(key) })
  }

  /** What to run for a mutant, light tests first: what has found its neighbours, then what is fast; slow tests one by one. */
  const unitsOf = ({ id, file }) => {
    const likely = loaded.has(id) ? related.get(file) : plans.get(id).files
    const everything = loaded.has(id) && (job.thorough || likely.size === 0)
    const kills = learned.get(file) ?? new Map()
    return (everything ? files : [...likely.keys()])
      .flatMap((test) => {
        const known = durations.get(test)
        const wanted = everything ? null : likely.get(test)
        const keys = wanted ? [...wanted].filter((key) => known.has(key)) : [...known.keys()]
        const isLight = (key) =>
          isOfEverything(test) || known.get(key) < (starting.has(`${test} ${key}`) ? SLOW_START_MS : SLOW_MS)
        const light = keys.filter(isLight)
        const slow = job.thorough ? keys.filter((key) => !isLight(key)) : []
        const cost = light.reduce((sum, key) => sum + known.get(key), 10)
        const chance = 1 + (kills.get(test) ?? 0) + (likely.has(test) ? 0.5 : 0)
        return [
          ...(light.length > 0 ? [{ test, keys: new Set(light), rank: chance / cost }] : []),
          ...slow.map((key) => ({ test, keys: new Set([key]), rank: -known.get(key) })),
        ]
      })
      .sort((a, b) => b.rank - a.rank)
  }

  for (const mutant of job.mutants) {
    const { id, file } = mutant
    if (!claim(job, id)) continue
    write({ begin: id })
    const plan = plans.get(id)
    const isLoaded = loaded.has(id)
    const units = unitsOf(mutant)
    if (units.length === 0) {
      write({ done: id, status: 'no coverage', by: null })
      continue
    }
    const startedAt = now()
    state.limit = 10_000 + 100 * plan.hits
    let by = null
    let failure = null
    // What is made once and kept is made again only where the sources are loaded anew.
    for (const reload of isLoaded ? [true] : [false, true]) {
      activate(id, reload)
      for (const { test, keys } of units) {
        failure = (await runFile(test, (key) => keys.has(key))).failure
        if (failure === null) continue
        by = test
        break
      }
      activate(undefined, reload)
      if (by !== null) break
    }
    if (by !== null) {
      const key = failure
      const check = await runFile(by, (other) => key === by || other === key)
      if (check.failure !== null && !again.has(id)) {
        // The mutant has left something behind in this process, so that nothing it says can be trusted.
        rmdirSync(join(job.results, 'claims-kill', id))
        write({ again: id })
        kill(process.pid, 'SIGKILL')
      }
      const kills = learned.get(file) ?? new Map()
      kills.set(by, (kills.get(by) ?? 0) + 1)
      learned.set(file, kills)
    }
    const status = by === null ? 'survived' : 'killed'
    write({ done: id, status, by, test: failure, isLoaded, ms: Math.round(now() - startedAt) })
    if (process.memoryUsage().heapUsed > MAX_HEAP) {
      write({ restart: true })
      kill(process.pid, 'SIGKILL')
    }
  }
  write({ finished: true })
}
