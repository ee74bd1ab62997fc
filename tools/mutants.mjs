// Mutation testing: makes one small change to the sources of a folder at a time, and lists the changes that no test
// notices. `npm run mutants -- --room core/filter [--sample 40] [--seed N] [--thorough] [--workers 2]` Stryker's
// instrumenter makes all changes at once, switched off. One run of the folder's tests tries all drawn mutants
// (mutant-runner.mjs). A mutant that is left and that slow tests or the loading of modules reach has its own run. With
// --thorough, all other tests run too on a mutant that the folder's tests miss. Stryker's own runner for vitest needs
// over an hour for one folder, because each of its runs loads every test that imports the folder.
// The tests of the folder server/traffic are those in test/server/traffic/ and test/server/traffic{,-*}.test.ts.
import { spawn } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { root, vitest } from '../scripts/shared.mjs'
import './install.mjs'

const { Instrumenter } = await import('@stryker-mutator/instrumenter')

const { values } = parseArgs({
  options: {
    room: { type: 'string' },
    sample: { type: 'string', default: '40' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    thorough: { type: 'boolean', default: false },
    workers: { type: 'string', default: '2' },
  },
})
if (!values.room) throw new Error('Name a folder of src/ that has tests: npm run mutants -- --room core/filter')

const folder = mkdtempSync(join(tmpdir(), 'fauxgate-mutants-'))

/** A copy of the repository has everything else: tests read documents, evidence and examples too. */
const NOT_COPIED = ['.git', 'node_modules']
const NOT_RUN = ['docs', 'tooling', 'inspector', 'sandbox']
/** The variable with the mutant that is switched on. The header of an instrumented file reads it. */
const ACTIVE = '__STRYKER_ACTIVE_MUTANT__'
/** A run is in an endless loop if it takes this many times as long as without a mutant, and these ms more. */
const SLOWER = 5
const MORE_MS = 20_000
/** The run that tries all mutants is in an endless loop if its journal gets no line for this time. */
const STUCK_MS = 30_000

/** Adds all mutants of the folder to the copy, switched off. Returns the mutants. */
async function instrument() {
  const names = readdirSync(join(folder, 'src', values.room), { recursive: true }).filter((name) => /\.ts$/.test(name))
  const files = names.map((name) => {
    const path = join(folder, 'src', values.room, name)
    return { name: path, mutate: true, content: readFileSync(path, 'utf8') }
  })
  const ignore = () => undefined
  const logger = { debug: ignore, info: ignore, warn: console.warn, isDebugEnabled: () => false }
  const options = { plugins: null, excludedMutations: [], ignorers: [] }
  const result = await new Instrumenter(logger).instrument(files, options)
  for (const { name, content } of result.files) writeFileSync(name, content)
  return result.mutants.filter(({ status }) => status !== 'Ignored')
}

/** The tests of a folder: those in its folder, and those beside it whose names are or begin with its name. */
const testsOf = (folder) => [`test/${folder}/`, `test/${folder}-`, `test/${folder}.`]

/** Runs some tests. Returns whether all passed, and how long they took. `watch` is called often, with a function that stops. */
function runTests(paths, { env = {}, options = ['--bail=1'], timeout = 0, watch } = {}) {
  const shared = ['--maxWorkers=1', '--testTimeout=600000', '--project=!types']
  const all = { ...process.env, FAUXGATE_SEED: values.seed, ...env }
  const startedAt = performance.now()
  const args = [vitest, 'run', ...shared, ...options, ...paths]
  const run = spawn(process.execPath, args, {
    cwd: folder,
    env: all,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  run.stdout.on('data', (part) => {
    output += part
  })
  function stop() {
    clearInterval(timer)
    // Its workers too: one in an endless loop does not end with its parent.
    process.kill(-run.pid, 'SIGKILL')
  }
  const isLate = () => timeout > 0 && performance.now() - startedAt > timeout
  const timer = setInterval(() => (isLate() ? stop() : watch?.(stop)), 1000)
  return new Promise((resolve) => {
    run.once('close', (code) => {
      clearInterval(timer)
      resolve({ passed: code === 0, ms: performance.now() - startedAt, output })
    })
  })
}

/** Returns the time limit of a run of tests with a mutant. Throws if the run without a mutant did not pass. */
function requirePassed({ passed, ms, output }) {
  if (!passed) throw new Error(`Tests fail without any mutant:\n${output}`)
  return Math.round(SLOWER * ms) + MORE_MS
}

/**
 * Tries mutants in one run of the folder's tests. It continues in a new process after a try that never ends. Returns those that are left, each
 * with the tests that must run with it in their own process.
 */
async function tryTogether(mutants) {
  const journal = join(folder, 'mutants.journal')
  writeFileSync(journal, '')
  const env = {
    FAUXGATE_RUNNER: join(folder, 'tools/mutant-runner.mjs'),
    FAUXGATE_MUTANTS: mutants.map(({ id }) => id).join(),
    FAUXGATE_JOURNAL: journal,
  }
  const readSteps = () =>
    readFileSync(journal, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' '))
  let isStopped
  function watch(stop) {
    const [word, id] = readSteps().at(-1)
    const isLoop = word === 'started' && Date.now() - statSync(journal).mtimeMs > STUCK_MS
    if (!isLoop && word !== 'restart') return
    isStopped = true
    appendFileSync(journal, isLoop ? `noticed ${id}\n` : 'again\n')
    stop()
  }
  let result
  do {
    isStopped = false
    result = await runTests(testsOf(values.room), { env, watch, options: ['--dangerouslyIgnoreUnhandledErrors'] })
  } while (isStopped)
  const limit = requirePassed(result)
  const steps = readSteps()
  const find = (id, ...words) => steps.filter((step) => words.includes(step[0]) && step[1] === id)
  const left = mutants.filter(({ id }) => find(id, 'noticed').length === 0)
  return left.map((mutant) => {
    // One that no test reaches may be reached in a process that a test starts.
    const isOnOften = find(mutant.id, 'loaded').length > 0 || find(mutant.id, 'passed', 'unclear').length === 0
    const unclear = new Set(find(mutant.id, 'unclear').map((step) => step[2]))
    return { mutant, limit, paths: isOnOften ? testsOf(values.room) : [...unclear] }
  })
}

const formatPlace = ({ fileName, location: { start } }) => `${fileName.slice(folder.length + 1)}:${start.line + 1}`

try {
  // With their times, so that nothing is installed again.
  cpSync(root, folder, {
    recursive: true,
    preserveTimestamps: true,
    filter: (path) => !NOT_COPIED.includes(basename(path)),
  })
  for (const packages of ['node_modules', 'tools/node_modules'])
    symlinkSync(join(root, packages), join(folder, packages), 'junction')
  const mutants = await instrument()
  const shuffled = fc.shuffledSubarray(mutants, { minLength: Math.min(mutants.length, Number(values.sample)) })
  const drawn = fc.sample(shuffled, { numRuns: 1, seed: Number(values.seed) })[0].slice(0, Number(values.sample))
  console.log(`${drawn.length} of ${mutants.length} mutants drawn (seed ${values.seed})`)

  const others = readdirSync(join(folder, 'test'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && ![...NOT_RUN, 'fixtures', 'support', values.room].includes(entry.name))
    .map(({ name }) => `test/${name}/`)
  const limitOfOthers = values.thorough && requirePassed(await runTests(others))

  async function isNoticed({ mutant, paths, limit }) {
    const env = { [ACTIVE]: mutant.id }
    if (paths.length > 0 && !(await runTests(paths, { env, timeout: limit })).passed) return true
    return values.thorough && !(await runTests(others, { env, timeout: limitOfOthers })).passed
  }

  const waiting = await tryTogether(drawn)
  const missed = []
  async function runWorker() {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      if (await isNoticed(next)) continue
      const { mutant } = next
      missed.push(mutant)
      console.log(`\n${formatPlace(mutant)}  ${mutant.mutatorName}, unnoticed:\n  ${mutant.replacement}`)
    }
  }
  await Promise.all(Array.from({ length: Number(values.workers) }, runWorker))
  console.log(`\n${drawn.length - missed.length} of ${drawn.length} mutants were noticed.`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
