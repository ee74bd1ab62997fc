import { formatCount } from '../schema/text.ts'
import { timestamp } from '../schema/time.ts'
import type { Snapshot } from './snapshot.ts'

type Row = Readonly<Record<string, unknown>>

const MAX_NAMED = 10

/** Describes the differences between two states. It names fields but no values, because some values are secret. */
export function describeDifference(from: Snapshot, to: Snapshot): string {
  // Within a second, only the milliseconds differ.
  const format = timestamp(from.now) === timestamp(to.now) ? (ms: number) => new Date(ms).toISOString() : timestamp
  const clock = from.now === to.now ? [] : [`The clock: ${format(from.now)}, then ${format(to.now)}.`]
  const names = [...new Set([...Object.keys(from.records), ...Object.keys(to.records)])]
  const lines = names.flatMap((name) => describeChanges(name, from.records[name], to.records[name]))
  return [...clock, ...lines].join('\n') || 'There is no difference.'
}

function describeChanges(collection: string, before: readonly object[] = [], after: readonly object[] = []): string[] {
  const [old, now] = [indexByKey(before), indexByKey(after)]
  const created = [...now].filter(([key]) => !old.has(key)).map(([, row]) => labelOf(row))
  const removed = [...old].filter(([key]) => !now.has(key)).map(([, row]) => labelOf(row))
  const changed = [...now].flatMap(([key, row]) => {
    const fields = findChangedFields(old.get(key) ?? row, row)
    return fields.length === 0 ? [] : [`${labelOf(row)} (${fields.join(', ')})`]
  })
  const line = (what: string, rows: readonly string[]) => {
    if (rows.length === 0) return []
    const more = rows.length > MAX_NAMED ? ` and ${rows.length - MAX_NAMED} more` : ''
    const records = formatCount(rows.length, 'record')
    return [`${collection}: ${records} ${what}: ${rows.slice(0, MAX_NAMED).join(', ')}${more}.`]
  }
  return [...line('created', created), ...line('removed', removed), ...line('changed', changed)]
}

function indexByKey(rows: readonly object[]): Map<string, Row> {
  // A record is an object with fields.
  return new Map(rows.map((each) => [keyOf(each as Row), each as Row]))
}

function keyOf({ id, domain, place, name, type, edge_id }: Row): string {
  return JSON.stringify([id, domain, place, name, type, edge_id])
}

function labelOf({ domain, name, id }: Row): string {
  return String(domain ?? name ?? id)
}

function findChangedFields(before: Row, after: Row): string[] {
  if (before === after) return []
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
}
