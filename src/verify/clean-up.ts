import type { Sender } from './client.ts'
import { readList, refusalText } from './lists.ts'
import type { CreatedResource, RunLog } from './run-log.ts'

/** A resource that a run could not delete, or whose deletion it could not confirm. */
export interface RemainingResource {
  /** The path of the resource, or of the list where it may be. */
  readonly path: string
  readonly reason: string
}

/** Requests stop after this many in a row receive no response. */
const MAX_FAILURES = 2

/**
 * Deletes the resources that a run has created, newest first, and confirms each deletion with a GET that returns 404. Uses the run's mark
 * to find resources whose creation received no response. Returns the resources that may be left.
 */
export async function deleteLeftovers(
  client: Sender,
  log: RunLog,
  mark: string,
): Promise<readonly RemainingResource[]> {
  const remaining: RemainingResource[] = []
  for (const { number, path } of log.leftovers.unsure) {
    const list = await readList(client, path)
    if ('problem' in list) {
      const reason = `a create request got no response, and neither did the list of existing resources: ${list.problem}`
      remaining.push({ path, reason })
      continue
    }
    const created = [...list.items].filter(([id, json]) => json.includes(mark) && !log.hasCreated(id))
    for (const [id] of created) log.add({ entry: 'created', number, id })
    log.add({ entry: 'searched', number })
  }
  let failures = 0
  for (const resource of log.leftovers.created) {
    // If the server is dead, each further request would wait for its time-out.
    const isDead = failures >= MAX_FAILURES
    const problem = isDead
      ? { failed: 'the server did not respond to earlier requests' }
      : await deleteResource(client, log, resource)
    failures = problem?.failed === undefined ? 0 : failures + 1
    if (problem)
      remaining.push({ path: `${resource.path}/${resource.id}`, reason: problem.failed ?? problem.refused ?? '' })
  }
  return remaining
}

/** The reason that a resource may still exist: there was either no response or an unexpected one. */
interface DeletionProblem {
  readonly failed?: string
  readonly refused?: string
}

/** Deletes a resource. Returns why it may still exist, or undefined if it does not. */
export async function deleteResource(
  client: Sender,
  log: RunLog,
  { id, path: list }: CreatedResource,
): Promise<DeletionProblem | undefined> {
  const path = `${list}/${encodeURIComponent(id)}`
  const deleted = await client.send({ method: 'DELETE', path })
  if ('failed' in deleted) return deleted
  const after = await client.send({ method: 'GET', path })
  if ('failed' in after) return after
  if (after.status === 404) {
    log.add({ entry: 'deleted', id })
    return undefined
  }
  const isDone = deleted.status < 300
  return { refused: isDone ? `deleted, but a GET still returns ${after.status}` : `DELETE ${refusalText(deleted)}` }
}
