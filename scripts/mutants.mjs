// Mutation testing: makes small changes to the sources, one at a time, and asks whether a test notices.
// `npm run mutants -- [--room engine] [--file src/x.ts] [--sample N --seed S] [--thorough] [--workers 2] [--out FOLDER]`
// --sample draws so many of each room. Each mutant meets the tests that are likely to notice it, and soon done; those that
// are left meet the others, many mutants at once. The tests that take longest are left out, and a change to what is made
// when a file is loaded meets only the tests that use that file; --thorough leaves nothing out, and takes minutes more.
// --from takes what a run with --keep has found out about the tests, of the same sources.
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { inGroups } from './mutants/groups.mjs'
import { copyOf, instrumented } from './mutants/instrument.mjs'
import { testsMeeting } from './mutants/meeting.mjs'
import { NOTICED, report } from './mutants/report.mjs'
import { inWorkers, linesOf } from './mutants/workers.mjs'

const { values } = parseArgs({
  options: {
    room: { type: 'string', multiple: true },
    file: { type: 'string', multiple: true },
    sample: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    workers: { type: 'string', default: '2' },
    out: { type: 'string' },
    thorough: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    from: { type: 'string' },
  },
})

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = mkdtempSync(join(tmpdir(), 'fauxgate-mutants-'))
const out = resolve(values.out ?? `${folder}-report`)
mkdirSync(out, { recursive: true })

/** The rooms that are not changed, and why: what would notice it does not run in this process. */
const WITHOUT = {
  sandbox: 'each of its tests asks workerd, for which a change would have to be bundled and the sandboxes started anew',
  inspector: 'its tests need a browser',
}

/** The room of a source file: its folder in src/, or its own name where it stands above the folders. */
const roomOf = (file) => /^src\/([^/.]*)/.exec(file)[1]
const isWanted = (file) =>
  !(roomOf(file) in WITHOUT) &&
  (!values.room || values.room.includes(roomOf(file))) &&
  (!values.file || values.file.includes(file))

/** So many of the mutants of each room, drawn by the seed; all of them where no number is given. */
function sampled(mutants) {
  if (!values.sample) return mutants
  const rooms = Map.groupBy(drawn(mutants), ({ fileName }) => roomOf(fileName))
  return [...rooms.values()].flatMap((ofRoom) => ofRoom.slice(0, Number(values.sample)))
}

/** All mutants in the order that the seed gives. */
function drawn(mutants) {
  let state = [...`seed ${values.seed}`].reduce((hash, each) => Math.imul(hash ^ each.charCodeAt(0), 16777619), 1) >>> 0
  const draw = () => {
    state = (state + 0x6d2b79f5) >>> 0
    const mixed = Math.imul(state ^ (state >>> 15), state | 1)
    const more = mixed ^ (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61))
    return ((more ^ (more >>> 14)) >>> 0) / 2 ** 32
  }
  return mutants
    .map((mutant) => [draw(), mutant])
    .sort(([a], [b]) => a - b)
    .map(([, mutant]) => mutant)
}

/** What another run of the same sources, a kept one, has found out about the tests. */
function coverageOf(from, sources) {
  const textOf = (...path) => readFileSync(join(...path), 'utf8')
  const others = sources.filter((file) => textOf(from, file) !== textOf(folder, file))
  if (others.length > 0) throw new Error(`${from} has other sources: ${others.join(', ')}`)
  const results = join(folder, 'results')
  mkdirSync(results)
  for (const name of readdirSync(join(from, 'results')).filter((name) => /^cover-.*ndjson$/.test(name)))
    copyFileSync(join(from, 'results', name), join(results, name))
  return linesOf(results, 'cover')
}

process.once('exit', () => {
  if (values.keep) console.log(`kept: ${folder}`)
  else rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 })
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

if (!process.getBuiltinModule?.('node:sqlite'))
  console.warn('This Node has no SQLite: no test notices what is changed in stores. Node 22.13 and newer have it.')

const startedAt = Date.now()
const say = (text) => console.log(`${Math.round((Date.now() - startedAt) / 1000)} s  ${text}`)

try {
  const files = copyOf(root, folder)
  const mutants = await instrumented(
    folder,
    files.filter((file) => /^src\/.*(?<!\.d)\.ts$/.test(file) && isWanted(file)),
  )
  const chosen = sampled(mutants)
  const sources = [...new Set(mutants.map(({ fileName }) => fileName))]
  if (chosen.length === 0) throw new Error('Nothing to change: no source file is of that room or name.')
  say(`${chosen.length} of ${mutants.length} mutants chosen (seed ${values.seed}); running the tests once without any`)
  const meeting = testsMeeting(root, files, sources)
  const job = {
    folder,
    results: join(folder, 'results'),
    size: Math.max(...mutants.map(({ id }) => Number(id))) + 1,
    files: Object.fromEntries(mutants.map(({ id, fileName }) => [id, fileName])),
    sources,
    tests: [...meeting.keys()],
    named: Object.fromEntries(meeting),
    mutants: chosen.map(({ id, fileName, location: { start, end } }) => {
      return { id, file: fileName, lines: [start.line, end.line] }
    }),
  }
  const workers = Number(values.workers)
  const coverage = values.from
    ? coverageOf(values.from, sources)
    : await inWorkers({ ...job, mode: 'cover' }, { workers, say })
  const failed = coverage.flatMap(({ tests }) => tests ?? []).filter(({ state }) => state === 'fail')
  for (const { key } of failed) console.log(`      left out, it fails without any mutant: ${key}`)
  say(`${coverage.reduce((sum, { tests }) => sum + (tests?.length ?? 0), 0)} tests seen; now with each mutant`)
  const results = await inWorkers({ ...job, mode: 'alone' }, { workers, say })
  const noticed = new Set(results.filter(({ status }) => NOTICED.includes(status)).map(({ done }) => done))
  const survivors = job.mutants.filter(({ id }) => !noticed.has(id))
  results.push(...(await inGroups(job, survivors, { workers, say, isAll: values.thorough })))
  await report({ root, out, mutants: chosen, results, roomOf, seed: values.seed, without: WITHOUT })
  say(`report: ${out}`)
} catch (error) {
  console.error(error)
  process.exitCode = 1
}
