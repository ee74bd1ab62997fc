import { mayNotice, plansOf } from './plans.mjs'
import { inWorkers } from './workers.mjs'

/**
 * Tries those that the first tests have not noticed with all that may notice them, in rounds: many at once, which tells
 * the tests that notice none of them, then each by itself with the others, as far as they are soon done. Once a round has
 * found nobody, each that is left meets all that is left. Two that make up for each other stay unnoticed. Answers the
 * results of those that were noticed.
 */
export async function inGroups(job, survivors, { workers, say, isAll }) {
  const plans = plansOf(job)
  let rest = new Map(survivors.map((mutant) => [mutant.id, mayNotice(plans, mutant, isAll)]))
  let left = survivors
  const noticed = []
  for (let round = 1, isLast = false; left.length > 0 && !isLast; round++) {
    say(`round ${round}: ${left.length} that nobody has noticed, many together`)
    const failed = await failedUnder(job, left, rest, round, { workers, say })
    rest = new Map(left.map(({ id }) => [id, suspectedOf(rest.get(id), failed)]))
    left = left.filter(({ id }) => rest.get(id).size > 0)
    const byThemselves = async (isLimited) => {
      say(`${failed.size} files of tests have noticed something; now who it was, of ${left.length}`)
      const mutants = left.map((mutant) => ({ ...mutant, suspected: [...rest.get(mutant.id)], isLimited }))
      const step = `apart${round}${isLimited ? '' : 'last'}`
      const lines = await inWorkers({ ...job, mode: 'apart', step, mutants }, { workers, say })
      const found = lines.filter(({ status }) => status !== undefined && status !== 'survived')
      noticed.push(...found)
      const ids = new Set(found.map(({ done }) => done))
      left = left.filter(({ id }) => !ids.has(id))
      return found.length
    }
    isLast = (await byThemselves(true)) === 0
    if (isLast && left.length > 0) await byThemselves(false)
  }
  return noticed
}

/** The tests that notice something when many mutants are active: files, each with the keys of its tests. */
async function failedUnder(job, mutants, rest, round, how) {
  // Those that every test may notice come into the first group, so that all tests run once.
  const ordered = mutants.toSorted((one, other) => rest.get(other.id).size - rest.get(one.id).size)
  const pieces = apartFrom(ordered).flatMap((group) => piecesOf(group, rest))
  const results = await inWorkers({ ...job, mode: 'together', step: `together${round}`, pieces }, how)
  const failed = new Map()
  for (const { done, failed: keys = pieces[done]?.keys } of results) {
    if (done === undefined || keys.length === 0) continue
    const { test } = pieces[done]
    failed.set(test, new Set([...(failed.get(test) ?? []), ...keys]))
  }
  return failed
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
  new Map(
    [...rest]
      .map(([test, keys]) => [test, keys.filter((key) => failed.get(test)?.has(key))])
      .filter(([, keys]) => keys.length > 0),
  )
