import { spawn } from 'node:child_process'
import { createWriteStream, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)
const vitest = join(dirname(require.resolve('vitest/package.json')), 'vitest.mjs')

/** A worker that shows no sign of life for so long is in an endless loop. Properties without a mutant may take long. */
const HANG_MS = { cover: 900_000, alone: 60_000, together: 300_000, apart: 300_000 }

/** The lines of JSON that the workers have written. */
export function linesOf(folder, mode) {
  const names = readdirSync(folder).filter((name) => name.startsWith(`${mode}-`) && name.endsWith('.ndjson'))
  return names.flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line)),
  )
}

/**
 * Runs a job in several processes, each of which takes the next piece of work that nobody has taken. One that hangs or
 * dies is replaced; what it worked on counts as timed out or crashed. Answers all results.
 */
export async function inWorkers(given, { workers, say }) {
  const job = { step: given.mode, ...given }
  const { results, step } = job
  mkdirSync(join(results, `claims-${step}`), { recursive: true })
  const jobFile = join(results, `${step}.json`)
  writeFileSync(jobFile, JSON.stringify(job))
  const total = { cover: job.tests, together: job.pieces }[job.mode]?.length ?? job.mutants.length
  const ticker = setInterval(() => {
    const done = linesOf(results, step).filter(({ done }) => done !== undefined).length
    say(`${done} of ${total}`)
  }, 30_000)
  try {
    await Promise.all(Array.from({ length: workers }, (_, index) => untilDone(job, results, jobFile, index)))
  } finally {
    clearInterval(ticker)
  }
  return linesOf(results, step)
}

async function untilDone(job, results, jobFile, index) {
  for (let round = 0; round < 1000; round++) {
    const name = `${job.step}-${index}-${round}`
    const hung = await oneWorker(job, jobFile, join(results, name))
    const lines = linesOf(results, name)
    if (lines.at(-1)?.finished) return
    const begun = lines.filter(({ begin }) => begin !== undefined).at(-1)?.begin
    const last = lines.at(-1)
    if (last?.again !== undefined || last?.restart) continue
    if (begun === undefined || lines.some(({ done }) => done === begun))
      throw new Error(`A worker ended before its first piece of work. Its log:\n${logOf(results, name)}`)
    if (job.mode === 'cover') console.log(`      left out, a worker ended in it without any mutant: ${begun}`)
    const line =
      job.mode === 'cover'
        ? { done: begun, file: begun, tests: [], outside: [] }
        : { done: begun, status: hung ? 'timeout' : 'crashed', by: null }
    writeFileSync(join(results, `${name}-lost.ndjson`), `${JSON.stringify(line)}\n`)
  }
  throw new Error('A worker had to be replaced 1,000 times.')
}

const logOf = (results, name) => readFileSync(join(results, `log-${name}.txt`), 'utf8').slice(-4000)

/** Runs one process to its end. Answers whether it hung. */
function oneWorker({ folder, mode }, jobFile, path) {
  const pulse = `${path.replace(/([^/]+)$/, 'pulse-$1')}`
  writeFileSync(pulse, '')
  const args = [vitest, 'run', '--root', folder, '--config', join(folder, 'mutants.config.ts'), '--no-color']
  const env = { ...process.env, FAUXGATE_MUTANTS_JOB: jobFile, FAUXGATE_MUTANTS_OUT: path, NODE_ENV: 'test' }
  const child = spawn(process.execPath, args, { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const log = createWriteStream(path.replace(/([^/]+)$/, 'log-$1.txt'))
  child.stdout.pipe(log, { end: false })
  child.stderr.pipe(log, { end: false })
  const kill = () => {
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {}
  }
  process.once('exit', kill)
  let hung = false
  const watch = setInterval(() => {
    if (Date.now() - statSync(pulse).mtimeMs < HANG_MS[mode]) return
    hung = true
    kill()
  }, 2000)
  return new Promise((resolve) => {
    child.once('exit', () => {
      clearInterval(watch)
      kill()
      process.off('exit', kill)
      log.end(() => resolve(hung))
    })
  })
}
