import type { DomainTimeline, NeededRecord, Timelines } from '../../core/generated/controls.ts'
import { page } from '../page.ts'
import { formatRelative, formatTimes } from '../shared/format.ts'
import { MAX_OF_EACH_KIND, type Trouble } from './trouble.tsx'

/** Lists the failing domains, those with the same cause together, and the number of those that are not loaded. */
export function listFailingDomains({ timelines, states }: Timelines): Trouble[] {
  const groups = new Map<string, DomainTimeline[]>()
  for (const job of timelines) {
    const name = listWrongRecords(job)[0]?.name ?? job.domain
    // Without its name, the cause of one domain equals that of another.
    const key = findCause(job)
      ?.replaceAll(name, '')
      .replace(/ \w+ (?=[.,]|$)/, '')
    if (key) groups.set(key, [...(groups.get(key) ?? []), job])
  }
  const loaded = timelines.filter(({ state }) => state.includes('failing')).length
  const others = (states.failing ?? 0) + (states['renewal failing'] ?? 0) - loaded
  const troubles = [...groups].flatMap(([key, jobs]) =>
    jobs.slice(0, 1).map(
      (job): Trouble => ({
        kind: isFixed(job) ? 'fixed' : 'broken',
        count: jobs.length,
        cause:
          jobs.length > 1
            ? `${jobs.length} domains: ${key.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}`
            : formatTimes(findCause(job) ?? ''),
        about: <Domains jobs={jobs} />,
        fix: createFix(jobs),
      }),
    ),
  )
  if (others > 0)
    troubles.push({ kind: 'broken', count: others, cause: `${others} more domains fail.`, about: <All /> })
  return troubles
}

function All({ text = 'All failing domains' }: { text?: string }) {
  return <a href="#jobs?state=failing">{text}</a>
}

function listWrongRecords({ records }: DomainTimeline): NeededRecord[] {
  return records.filter(({ problem }) => problem)
}

/** Returns the last outcome of a failing domain. */
function findFailure({ state, timeline }: DomainTimeline) {
  return state.includes('failing') ? timeline.findLast(({ outcome }) => outcome) : undefined
}

/** Returns whether the DNS records that made a domain fail are right by now. */
function isFixed(job: DomainTimeline): boolean {
  return findFailure(job)?.outcome === 'DNS_ERROR' && job.records.length > 0 && listWrongRecords(job).length === 0
}

function findCause(job: DomainTimeline): string | undefined {
  const [record] = listWrongRecords(job)
  if (job.problem || record) return job.problem ?? describeFound(record)
  if (!isFixed(job)) return findFailure(job)?.message
  return `The DNS records are correct. The next attempt: ${job.due ? formatRelative(job.due.at, page.now) : 'none'}.`
}

/** Returns what was found instead of a record, without what was expected. */
export function describeFound({ problem }: Partial<NeededRecord> = {}): string {
  return problem?.split('. ').slice(1).join('. ') || `${problem}`
}

/** Returns the fix of all wrong records. If none is wrong, it runs the attempts. */
function createFix(jobs: readonly DomainTimeline[]): Trouble['fix'] {
  const records = jobs.flatMap(listWrongRecords)
  const count = records.length || jobs.length
  if (records.length > 0) {
    const calls = records.map(({ name, type, value }) => ['PUT', '/dns', { name, type, value }] as const)
    return { label: count === 1 ? 'Fix the record' : `Fix ${count} records`, calls }
  }
  if (!jobs.every(({ due }) => due?.event === 'attempt')) return undefined
  const calls = jobs.map(({ id }) => ['POST', '/provisioning/attempt', { id }] as const)
  return { label: count === 1 ? 'Run the attempt now' : `Run ${count} attempts now`, calls }
}

function Domains({ jobs }: { jobs: readonly DomainTimeline[] }) {
  const more = jobs.length - MAX_OF_EACH_KIND
  const [record] = jobs.flatMap(listWrongRecords)
  return (
    <>
      {jobs.slice(0, MAX_OF_EACH_KIND).flatMap(({ id, domain }, at) => [
        at > 0 && ', ',
        <a key={id} href={`#jobs/${id}`}>
          {domain}
        </a>,
      ])}
      {more > 0 && [' and ', <All key="more" text={`${more} more`} />]}
      {record && jobs.length === 1 && [` needs ${record.type} `, <code key="value">{record.value}</code>]}
    </>
  )
}
