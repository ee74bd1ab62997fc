// Mutation testing: makes one small change to the sources of a room at a time, and lists the changes that no test
// notices. `npm run mutants -- --room core/filter [--sample 40] [--seed N] [--thorough] [--workers 2]` Stryker's
// instrumenter makes all changes at once, switched off. A run of the room's tests then switches one drawn mutant on.
// With --thorough, all other tests run too on a mutant that the room's tests miss. Stryker's own runner for vitest
// needs over an hour for one room, because each of its runs loads every test that imports the room.
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { Instrumenter } from '@stryker-mutator/instrumenter'
import fc from 'fast-check'
import { root, vitest } from '../scripts/shared.mjs'

const { values } = parseArgs({
  options: {
    room: { type: 'string' },
    sample: { type: 'string', default: '40' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    thorough: { type: 'boolean', default: false },
    workers: { type: 'string', default: '2' },
  },
})
if (!values.room) throw new Error('Name a room, a folder of src/ that has tests: npm run mutants -- --room core/filter')

const folder = mkdtempSync(join(tmpdir(), 'fauxgate-mutants-'))

/** A copy of the repository has everything else: tests read documents, evidence and examples too. */
const NOT_COPIED = ['.git', 'node_modules']
const NOT_RUN = ['docs', 'tooling', 'inspector', 'sandbox']
/** The variable with the mutant that is switched on. The header of an instrumented file reads it. */
const ACTIVE = '__STRYKER_ACTIVE_MUTANT__'
/** A run is in an endless loop if it takes this many times as long as without a mutant, and these ms more. */
const SLOWER = 5
const MORE_MS = 20_000

/** Adds all mutants of the room to the copy, switched off. Returns the mutants. */
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

/** Runs the tests of some folders, with a mutant switched on. Returns whether all passed, and how long they took. */
function runTests(folders, mutant, timeout = 0) {
  const paths = folders.map((name) => `test/${name}/`)
  const args = [vitest, 'run', '--bail=1', '--maxWorkers=1', '--project=shared', '--project=own', ...paths]
  const env = { ...process.env, FAUXGATE_SEED: values.seed, ...(mutant && { [ACTIVE]: mutant.id }) }
  const startedAt = performance.now()
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder, env, timeout, killSignal: 'SIGKILL' }, (error, stdout) =>
      resolve({ passed: !error, ms: performance.now() - startedAt, output: stdout }),
    )
  })
}

/** Runs tests without a mutant, which must pass. Returns the time limit of a run with one. */
async function measureLimit(folders) {
  const { passed, ms, output } = await runTests(folders)
  if (!passed) throw new Error(`These tests fail without any mutant: ${folders.join(', ')}\n${output}`)
  return Math.round(SLOWER * ms) + MORE_MS
}

const formatPlace = ({ fileName, location: { start } }) => `${fileName.slice(folder.length + 1)}:${start.line + 1}`

try {
  cpSync(root, folder, { recursive: true, filter: (path) => !NOT_COPIED.includes(basename(path)) })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  const mutants = await instrument()
  const shuffled = fc.shuffledSubarray(mutants, { minLength: Math.min(mutants.length, Number(values.sample)) })
  const drawn = fc.sample(shuffled, { numRuns: 1, seed: Number(values.seed) })[0].slice(0, Number(values.sample))
  console.log(`${drawn.length} of ${mutants.length} mutants drawn (seed ${values.seed})`)

  const others = readdirSync(join(folder, 'test'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && ![...NOT_RUN, 'fixtures', 'support', values.room].includes(entry.name))
    .map(({ name }) => name)
  const steps = [[values.room], ...(values.thorough ? [others] : [])]
  const limits = await Promise.all(steps.map(measureLimit))

  async function isNoticed(mutant) {
    for (const [index, folders] of steps.entries())
      if (!(await runTests(folders, mutant, limits[index])).passed) return true
    return false
  }

  const waiting = [...drawn]
  const missed = []
  async function runWorker() {
    for (let mutant = waiting.pop(); mutant; mutant = waiting.pop()) {
      if (await isNoticed(mutant)) continue
      missed.push(mutant)
      console.log(`\n${formatPlace(mutant)}  ${mutant.mutatorName}, unnoticed:\n  ${mutant.replacement}`)
    }
  }
  await Promise.all(Array.from({ length: Number(values.workers) }, runWorker))
  console.log(`\n${drawn.length - missed.length} of ${drawn.length} mutants were noticed.`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
