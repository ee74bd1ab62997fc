import { timestamp } from '../core/schema/time.ts'
import { dialects } from '../service/resources/dialects.ts'
import { deleteLeftovers, type RemainingResource } from './clean-up.ts'
import { type Sender, ServiceClient } from './client.ts'
import { type ItemsById, readList } from './lists.ts'
import { type InventoryChange, operationResults, type VerifyReport } from './report.ts'
import { type CallerOptions, VerifyRun } from './run.ts'
import { markOf, RunLog, type RunLogStorage } from './run-log.ts'
import { type PlanOptions, planOf } from './scenarios.ts'

export interface VerifyOptions extends PlanOptions, CallerOptions {
  readonly key: string
  /** The maximum number of requests per minute. */
  readonly perMinute: number
  /** The time to wait for a response, in ms. */
  readonly timeout: number
  /** The log in which each creation is recorded before it is sent. */
  readonly log: RunLogStorage
  /** Called before each request, and before longer waits. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** The progress of a run. */
export interface Progress {
  readonly done: number
  readonly total: number
  /** The current work, as human-readable text. */
  readonly now: string
}

/**
 * Sends the scenarios to a server and to a fresh gateway, and compares the responses. Changes and deletes only resources that the run has
 * created, and deletes all of them at the end. Never rejects, regardless of what the server does.
 */
export async function verify(options: VerifyOptions): Promise<VerifyReport> {
  const { url, run, dialect, host } = options
  const startedAt = timestamp(host.now())
  const plan = planOf(options)
  const log = new RunLog(options.log)
  if (!options.isReadOnly) log.add({ entry: 'run', run, url, dialect })
  const onStep = (now: string) => options.onProgress?.({ done: client.requestCount, total: plan.requests, now })
  const client = new ServiceClient({
    ...options,
    versionHeader: dialects[dialect].versionHeader,
    onWait: (seconds) => onStep(`waiting ${seconds} s, as the service requested`),
  })
  const work = new VerifyRun({ ...options, client, log, onStep })
  await work.readLists(plan.scenarios.flatMap(({ path }) => path || []))
  for (const scenario of plan.scenarios) await work.runScenario(scenario)
  // The signal ends the scenarios but not the clean-up.
  client.ignoreSignal()
  const { created, unsure } = log.leftovers
  if (created.length + unsure.length > 0) onStep('deleting what was created')
  const mark = markOf(run)
  const remaining = [...(await deleteLeftovers(client, log, mark))]
  const inventory: InventoryChange[] = []
  for (const [path, before] of log.hasCreations ? work.listsBefore : []) {
    if (remaining.length > 0) break
    onStep(`reading ${path} again`)
    const result = await compareList(client, log, { path, mark, before })
    if ('problem' in result) {
      work.stopped ??= `the inventory cannot be compared: ${result.problem}`
      break
    }
    remaining.push(...result.remaining)
    inventory.push(...result.changes)
  }
  return {
    url,
    dialect,
    run,
    startedAt,
    requests: client.requestCount,
    outcomes: work.outcomes,
    operations: operationResults(plan.operations, work.outcomes, plan.notAsked),
    fieldsNotAsked: plan.fieldsNotAsked,
    inventory,
    remaining,
    ...(work.stopped !== undefined && { stopped: work.stopped }),
  }
}

/** A list before the run, and the mark of the resources that the run adds to it. */
interface ListBefore {
  readonly path: string
  readonly mark: string
  readonly before: ItemsById
}

/** Compares a list with its state before the run. Deletes resources that have the run's mark but whose IDs the run did not know. */
async function compareList(
  client: Sender,
  log: RunLog,
  { path, mark, before }: ListBefore,
): Promise<{ changes: readonly InventoryChange[]; remaining: readonly RemainingResource[] } | { problem: string }> {
  const after = await readList(client, path)
  if ('problem' in after) return after
  const ownIds = (items: ItemsById) =>
    [...items].flatMap(([id, json]) => (!before.has(id) && json.includes(mark) ? [id] : []))
  const unknown = ownIds(after.items)
  const changes = changesOf(path, before, after.items).filter(({ id }) => !unknown.includes(id))
  if (unknown.length === 0) return { changes, remaining: [] }
  for (const id of unknown) log.add({ entry: 'created', number: log.addCreation('found in the list', path), id })
  const remaining = await deleteLeftovers(client, log, mark)
  if (remaining.length > 0) return { changes, remaining }
  // A GET may return 404 for an id that is still in the list.
  const last = await readList(client, path)
  if ('problem' in last) return last
  const listed = ownIds(last.items).map((id) => ({ path: `${path}/${id}`, reason: 'still in the list' }))
  return { changes, remaining: listed }
}

/** Fields that change without a request and are not compared. */
const VOLATILE_FIELDS = ['certificate', 'certificate_management_status']

function changesOf(path: string, before: ItemsById, after: ItemsById): readonly InventoryChange[] {
  const withoutVolatile = (json: string) =>
    JSON.stringify(JSON.parse(json), (name, value) => (VOLATILE_FIELDS.includes(name) ? undefined : value))
  const changes: InventoryChange[] = []
  for (const [id, json] of before) {
    const now = after.get(id)
    if (now === undefined) changes.push({ path, id, change: 'missing' })
    else if (withoutVolatile(now) !== withoutVolatile(json)) changes.push({ path, id, change: 'changed' })
  }
  for (const id of after.keys()) if (!before.has(id)) changes.push({ path, id, change: 'new' })
  return changes
}
