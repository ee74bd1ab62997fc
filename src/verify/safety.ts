import type { ApiRequest } from './exchange.ts'
import { idsIn } from './ids.ts'
import { UNKNOWN_ID } from './steps.ts'

/**
 * Makes sure that a write request touches only the run's resources: each ID in the request belongs to one of these resources, or to none. A
 * new resource can be found by the run's mark. @throws Error if the request touches any other resource. In that case, the scenario is
 * wrong.
 */
export function requireOwn(
  { method, path, body = '' }: ApiRequest,
  mark: string,
  isOwn: (id: string) => boolean,
): void {
  if (method === 'GET') return
  const foreign = idsIn(`${path}\n${body}`).filter((id) => !isOwn(id) && !id.endsWith(`_${UNKNOWN_ID}`))
  if (foreign.length > 0)
    throw new Error(`${method} ${path} names ${foreign.join(', ')}, which this run did not create.`)
  // Deleting one of the run's resources also deletes what was created below it.
  const isCreation = method === 'POST' && idsIn(path).length === 0
  if (isCreation && !body.includes(mark))
    throw new Error(`${method} ${path} creates something without the mark ${mark}.`)
  if (!isCreation && idsIn(path).length !== 1) throw new Error(`${method} ${path} does not name exactly one resource.`)
}
