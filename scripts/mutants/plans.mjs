import { isOfEverything } from './meeting.mjs'
import { linesOf } from './workers.mjs'

/** A test that takes longer without a mutant is slow: it runs only with --thorough, for what no quick one has noticed. */
const SLOW_MS = 400

/** The same of a test that starts the command: most of that is the start. */
const SLOW_START_MS = 3000

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

/** What to run for a mutant first: what is quick, beginning with what has noticed its neighbours. */
export function quickUnits(plans, mutant, learned = new Map()) {
  return [...likelyOf(plans, mutant)]
    .map(([test, keys]) => {
      const quick = keys.filter((key) => isQuick(plans, test, key))
      const cost = quick.reduce((sum, key) => sum + plans.durations.get(test).get(key), 10)
      return { test, keys: quick, rank: (1 + (learned.get(test) ?? 0)) / cost }
    })
    .filter(({ keys }) => keys.length > 0)
    .sort((a, b) => b.rank - a.rank)
}

/**
 * What `quickUnits` has left out for a mutant, by file: slow tests; where it is met when the sources are loaded, all
 * tests; otherwise those that start the command, of which it is not known what of it they reach.
 */
export function leftOut(plans, mutant) {
  const likely = likelyOf(plans, mutant)
  const isLoaded = plans.loaded.has(mutant.id)
  const isLeftOut = (test, key) =>
    likely.get(test)?.includes(key) ? !isQuick(plans, test, key) : isLoaded || plans.starting.has(`${test} ${key}`)
  const files = [...plans.durations].map(([test, known]) => [
    test,
    [...known.keys()].filter((key) => isLeftOut(test, key)),
  ])
  return new Map(files.filter(([, keys]) => keys.length > 0))
}
