import { mayNotice, plansOf } from './plans.mjs'
import { inWorkers } from './workers.mjs'

/**
 * Tries those that the first tests have not noticed with all that may notice them: first many at once, which tells the
 * tests that notice none of them, then each by itself with the others. Two that make up for each other stay unnoticed.
 * Answers the results of those that were noticed.
 */
export async function inGroups(job, survivors, { workers, say, isAll }) {
  const plans = plansOf(job)
  const rest = new Map(survivors.map((mutant) => [mutant.id, mayNotice(plans, mutant, isAll)]))
  // Those that every test may notice come into the first group, so that all tests run once.
  const ordered = survivors.toSorted((one, other) => rest.get(other.id).size - rest.get(one.id).size)
  const pieces = apartFrom(ordered).flatMap((group) => piecesOf(group, rest))
  say(`${survivors.length} were not noticed at once; now many together, with all that may notice them`)
  const results = await inWorkers({ ...job, mode: 'together', pieces }, { workers, say })
  const failed = new Map()
  for (const { done, failed: keys = pieces[done]?.keys } of results) {
    if (done === undefined || keys.length === 0) continue
    const { test } = pieces[done]
    failed.set(test, new Set([...(failed.get(test) ?? []), ...keys]))
  }
  const mutants = survivors.map((mutant) => ({ ...mutant, suspected: suspectedOf(rest.get(mutant.id), failed) }))
  const suspects = mutants.filter(({ suspected }) => suspected.length > 0)
  say(`${failed.size} files of tests have noticed something; now who it was, of ${suspects.length}`)
  const outcomes = await inWorkers({ ...job, mode: 'apart', mutants: suspects }, { workers, say })
  return outcomes.filter(({ status }) => status !== undefined && status !== 'survived')
}

/** The mutants in groups, in each of which no two change the same lines. */
function apartFrom(mutants) {
  const groups = []
  const areApart = (one, other) =>
    one.file !== other.file || one.lines[1] < other.lines[0] || other.lines[1] < one.lines[0]
  for (const mutant of mutants) {
    const group = groups.find((each) => each.every((other) => areApart(mutant, other)))
    if (group) group.push(mutant)
    else groups.push([mutant])
  }
  return groups
}

/** The files of tests to run under a group, each with the keys that were left out for any of it. */
function piecesOf(group, rest) {
  const keysOf = new Map()
  for (const { id } of group)
    for (const [test, keys] of rest.get(id)) keysOf.set(test, new Set([...(keysOf.get(test) ?? []), ...keys]))
  return [...keysOf].map(([test, keys]) => ({ ids: group.map(({ id }) => id), test, keys: [...keys] }))
}

const suspectedOf = (rest, failed) =>
  [...rest]
    .map(([test, keys]) => [test, keys.filter((key) => failed.get(test)?.has(key))])
    .filter(([, keys]) => keys.length > 0)
