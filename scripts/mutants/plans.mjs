import { isOfEverything } from './meeting.mjs'
import { linesOf } from './workers.mjs'

/** A test that takes longer without a mutant is slow: it runs only with --thorough. */
const SLOW_MS = 400

/** The same of a test that starts the command: most of that is the start. */
const SLOW_START_MS = 3000

/** How long a file of tests takes beside its tests. */
const FILE_MS = 200

/** For how long a mutant is tried by itself, as long as the tests took without any, before it is tried with others. */
const FIRST_MS = 5000

/**
 * For every mutant, the files to run, each with the keys of its tests (null: all), and how often it is reached. For one
 * that is reached when the sources are loaded, the tests that reach anything in its file, or that name the file.
 */
export function plansOf(job) {
  const loaded = new Set()
  const plans = new Map(Object.keys(job.files).map((id) => [id, { files: new Map(), hits: 0 }]))
  const durations = new Map()
  const starting = new Set()
  for (const line of linesOf(job.results, 'cover')) {
    for (const id of line.loaded ?? []) loaded.add(id)
    if (line.done === undefined) continue
    const tests = line.tests.filter(({ state }) => state !== 'fail')
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
  return { plans, loaded, durations, starting, related: relatedOf(job, plans) }
}

/** For every source, the tests that name it or reach anything in it: files, each with the keys of its tests (null: all). */
function relatedOf(job, plans) {
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
  return related
}

const isQuick = ({ durations, starting }, test, key) =>
  isOfEverything(test) || durations.get(test).get(key) < (starting.has(`${test} ${key}`) ? SLOW_START_MS : SLOW_MS)

/** The tests that are likely to notice a mutant: files, each with the keys of its tests. */
function likelyOf({ plans, loaded, durations, related }, { id, file }) {
  const likely = loaded.has(id) ? related.get(file) : plans.get(id).files
  const files = likely.size === 0 && loaded.has(id) ? [...durations.keys()].map((test) => [test, null]) : [...likely]
  return new Map(
    files.map(([test, keys]) => [test, [...durations.get(test).keys()].filter((key) => keys?.has(key) ?? true)]),
  )
}

/** The order in which tests are tried: first what is quick, what has noticed its neighbours, and what is of its room. */
function byPromise({ durations }, { file }, learned, units) {
  const room = file.split('/')[1]
  return units
    .filter(({ keys }) => keys.length > 0)
    .map(({ test, keys }) => {
      const cost = keys.reduce((sum, key) => sum + durations.get(test).get(key), FILE_MS)
      const chance = (1 + (learned.get(test) ?? 0)) * (test.startsWith(`test/${room}/`) ? 3 : 1)
      return { test, keys, cost, rank: chance / cost }
    })
    .sort((a, b) => b.rank - a.rank)
}

/** Of some files of tests, those that are done within a time. */
function within(ms, units) {
  let left = ms
  return units.filter(({ cost }) => {
    left -= cost
    return left + cost > 0
  })
}

/** What to try a mutant with by itself: the quick tests that are likely to notice it, as far as they are soon done. */
export function firstUnits(plans, mutant, learned = new Map()) {
  const quick = [...likelyOf(plans, mutant)].map(([test, keys]) => {
    return { test, keys: keys.filter((key) => isQuick(plans, test, key)) }
  })
  return within(FIRST_MS, byPromise(plans, mutant, learned, quick))
}

/** What to try a mutant with by itself of the tests that have noticed something when many were active. */
export function suspectUnits(plans, mutant) {
  const suspected = mutant.suspected.map(([test, keys]) => ({ test, keys }))
  const units = byPromise(plans, mutant, new Map(), suspected)
  return mutant.isLimited ? within(3 * FIRST_MS, units) : units
}

/**
 * What may notice a mutant, by file: the quick tests that are likely to; or, where all is asked for, every test that
 * reaches it, and, where it is met when the sources are loaded, all tests; otherwise also those that start the command,
 * of which it is not known what of it they reach.
 */
export function mayNotice(plans, mutant, isAll) {
  const likely = likelyOf(plans, mutant)
  const isLoaded = plans.loaded.has(mutant.id)
  const isWanted = (test, key) =>
    isAll
      ? isLoaded || likely.get(test)?.includes(key) || plans.starting.has(`${test} ${key}`)
      : likely.get(test)?.includes(key) && isQuick(plans, test, key)
  const files = [...plans.durations].map(([test, known]) => {
    return [test, [...known.keys()].filter((key) => isWanted(test, key))]
  })
  return new Map(files.filter(([, keys]) => keys.length > 0))
}
