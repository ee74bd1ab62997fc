import { dialects } from '../resources/dialects.ts'
import { timestamp } from '../schema/time.ts'
import { Asker, type Asking } from './asker.ts'
import { cleaned, type Remaining } from './cleaning.ts'
import { type Listed, listed } from './inventory.ts'
import { MARK, MadeEntries, type MadeList } from './made.ts'
import { Pace } from './pace.ts'
import { type InventoryChange, operationResults, type Report } from './report.ts'
import { type CallerOptions, Run } from './run.ts'
import { type PlanOptions, planOf } from './scenarios.ts'

export interface VerifyOptions extends PlanOptions, CallerOptions {
  readonly key: string
  /** The most requests of a minute. */
  readonly perMinute: number
  /** The ms to wait for an answer. */
  readonly timeout: number
  /** The list in which each creation is noted before it is sent. */
  readonly list: MadeList
  /** Called before each request, and before longer waits. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** The progress of a run. */
export interface Progress {
  readonly done: number
  readonly total: number
  /** The present work, as text for people. */
  readonly now: string
}

/**
 * Sends the scenarios to a server and to a fresh gateway, and compares their answers. Changes and deletes only
 * resources that it has made, and deletes all of them at the end. Never rejects, whatever the server does.
 */
export async function verify(options: VerifyOptions): Promise<Report> {
  const { url, run, dialect, host, signal } = options
  const startedAt = timestamp(host.now())
  const plan = planOf(options)
  const entries = new MadeEntries(options.list)
  if (!options.isReadOnly) entries.add({ entry: 'run', run, url, dialect })
  const paths = plan.scenarios.flatMap(({ path }) => path || [])
  const pace = new Pace(options.perMinute, host)
  const progress = (now: string) => options.onProgress?.({ done: pace.count, total: plan.requests, now })
  const askerUntil = (ended: AbortSignal) =>
    new Asker({
      url,
      key: options.key,
      versionHeader: dialects[dialect].versionHeader,
      timeout: options.timeout,
      pace,
      signal: ended,
      onWait: (seconds) => progress(`waiting ${seconds} s, as the service asks`),
    })
  const asker = askerUntil(signal)
  const work = new Run({ ...options, asker, entries, onStep: progress })
  const before = await work.inventory(paths)
  for (const scenario of plan.scenarios) await work.scenario(scenario)
  // A signal ends the requests, not the cleaning.
  const last = askerUntil(new AbortController().signal)
  if (entries.left.made.length + entries.left.unsure.length > 0) progress('deleting what was made')
  const remaining = [...(await cleaned(last, entries, MARK + run, url))]
  const inventory: InventoryChange[] = []
  for (const [path, list] of work.hasChanged ? before : []) {
    progress(`reading ${path} again`)
    if (remaining.length > 0) break
    const left = await leftInList(last, entries, { path, mark: MARK + run, url }, list)
    if ('problem' in left) {
      work.stopped ??= `the inventory cannot be compared: ${left.problem}`
      break
    }
    remaining.push(...left.remaining)
    inventory.push(...left.changes)
  }
  return {
    url,
    dialect,
    run,
    startedAt,
    requests: pace.count,
    outcomes: work.outcomes,
    operations: operationResults(plan.operations, work.outcomes, plan.notAsked),
    inventory,
    remaining,
    ...(work.stopped !== undefined && { stopped: work.stopped }),
  }
}

/** A list, and the mark by which resources of the run are recognised in it. */
interface OwnList {
  readonly path: string
  readonly mark: string
  readonly url: string
}

/**
 * Compares a list with its state before the run. Deletes resources with the mark of the run whose ids the run did not
 * know.
 */
async function leftInList(
  asker: Asking,
  entries: MadeEntries,
  { path, mark, url }: OwnList,
  before: Listed,
): Promise<{ changes: readonly InventoryChange[]; remaining: readonly Remaining[] } | { problem: string }> {
  if ('problem' in before) return { changes: [], remaining: [] }
  const after = await listed(asker, path, url)
  if ('problem' in after) return after
  const ownIn = (items: Items) => [...items].filter(([id, json]) => !before.items.has(id) && json.includes(mark))
  const own = ownIn(after.items)
  for (const [id] of own) entries.add({ entry: 'made', n: entries.asking('found in the list', path), id })
  const remaining = own.length > 0 ? [...(await cleaned(asker, entries, mark, url))] : []
  const last = own.length > 0 && remaining.length === 0 ? await listed(asker, path, url) : after
  if ('problem' in last) return last
  // A GET may answer 404 of an id that the list has.
  if (last !== after)
    for (const [id] of ownIn(last.items)) remaining.push({ path: `${path}/${id}`, reason: 'the list still has it' })
  const isOwn = (id: string) => own.some(([found]) => found === id)
  return { remaining, changes: changesOf(path, before.items, after.items).filter(({ id }) => !isOwn(id)) }
}

/** Fields that change without a request, which are not compared. */
const VOLATILE_FIELDS = ['certificate', 'certificate_management_status']

type Items = ReadonlyMap<string, string>

function changesOf(path: string, before: Items, after: Items): readonly InventoryChange[] {
  const steady = (json: string) =>
    JSON.stringify(JSON.parse(json), (name, value) => (VOLATILE_FIELDS.includes(name) ? undefined : value))
  const changes: InventoryChange[] = []
  for (const [id, json] of before) {
    const now = after.get(id)
    if (now === undefined) changes.push({ path, id, change: 'missing' })
    else if (steady(now) !== steady(json)) changes.push({ path, id, change: 'changed' })
  }
  for (const id of after.keys()) if (!before.has(id)) changes.push({ path, id, change: 'new' })
  return changes
}
