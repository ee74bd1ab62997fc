import type { Asking } from './asker.ts'
import { listed, refusalOf } from './inventory.ts'
import type { Made, MadeEntries } from './made.ts'

/** A resource that a run could not delete, or whose deletion it could not confirm. */
export interface Remaining {
  /** The path of the resource, or of the list where it may be. */
  readonly path: string
  readonly reason: string
}

/**
 * Deletes the resources that a run has made, newest first, and confirms each deletion by a GET that answers 404. Finds
 * resources whose creation had no answer by the mark of the run. Returns the resources that may be left.
 */
export async function cleaned(
  asker: Asking,
  entries: MadeEntries,
  mark: string,
  base: string,
): Promise<readonly Remaining[]> {
  const remaining: Remaining[] = []
  for (const { n, path } of entries.left.unsure) {
    const list = await listed(asker, path, base)
    if ('problem' in list) {
      remaining.push({
        path,
        reason: `a creation had no answer, and the list of what there is neither: ${list.problem}`,
      })
      continue
    }
    const made = [...list.items].filter(([id, json]) => json.includes(mark) && !entries.hasMade(id))
    for (const [id] of made) entries.add({ entry: 'made', n, id })
    entries.add({ entry: 'looked', n })
  }
  let failures = 0
  for (const made of entries.left.made) {
    // If nobody answers any more, each further request would wait for its time-out.
    const problem =
      failures < MOST_FAILURES ? await removalProblem(asker, entries, made) : { failed: 'nobody answered before' }
    failures = problem?.failed === undefined ? 0 : failures + 1
    if (problem) remaining.push({ path: `${made.path}/${made.id}`, reason: problem.failed ?? problem.refused ?? '' })
  }
  return remaining
}

/** The number of requests without an answer after which the cleaning gives up. */
const MOST_FAILURES = 2

interface Problem {
  readonly failed?: string
  readonly refused?: string
}

/** Deletes a resource. Returns the reason why it may still exist; undefined if it is gone. */
export async function removalProblem(
  asker: Asking,
  entries: MadeEntries,
  { id, path }: Made,
): Promise<Problem | undefined> {
  const one = `${path}/${encodeURIComponent(id)}`
  const deleted = await asker.ask({ method: 'DELETE', path: one })
  if ('failed' in deleted) return deleted
  const after = await asker.ask({ method: 'GET', path: one })
  if ('failed' in after) return after
  if (after.status === 404) {
    entries.add({ entry: 'gone', id })
    return undefined
  }
  const isDone = deleted.status < 300
  return { refused: isDone ? `deleted, and a GET still answers ${after.status}` : `DELETE ${refusalOf(deleted)}` }
}
