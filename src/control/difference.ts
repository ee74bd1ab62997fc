import type { Collection } from '../core/operation/collection.ts'
import { formatCount } from '../core/schema/text.ts'
import { timestamp } from '../core/schema/time.ts'
import type { Snapshot } from '../generated/controls.ts'

type Row = Readonly<Record<string, unknown>>

type KeyOf = (row: object) => string

const MAX_NAMED = 10

/**
 * Describes the differences between two states with these collections. Names fields but not values, because some values are secret.
 */
export function describeDifference(from: Snapshot, to: Snapshot, collections: readonly Collection<object>[]): string {
  // Within a second, only the milliseconds differ.
  const format = timestamp(from.now) === timestamp(to.now) ? (ms: number) => new Date(ms).toISOString() : timestamp
  const clock = from.now === to.now ? [] : [`The clock: ${format(from.now)}, then ${format(to.now)}.`]
  const names = [...new Set([...Object.keys(from.records), ...Object.keys(to.records)])]
  const lines = names.flatMap((name) => {
    const collection = collections.find((each) => each.name === name)
    // A saved snapshot can contain a collection whose family is no longer in the gateway.
    const keyOf: KeyOf = collection ? (row) => collection.key(row) : JSON.stringify
    return describeChanges(name, keyOf, from.records[name], to.records[name])
  })
  return [...clock, ...lines].join('\n') || 'There are no differences.'
}

function describeChanges(
  collection: string,
  keyOf: KeyOf,
  before: readonly object[] = [],
  after: readonly object[] = [],
): string[] {
  const [oldRows, newRows] = [indexByKey(before, keyOf), indexByKey(after, keyOf)]
  const created = [...newRows].filter(([key]) => !oldRows.has(key)).map(createLabel)
  const removed = [...oldRows].filter(([key]) => !newRows.has(key)).map(createLabel)
  const changed = [...newRows].flatMap(([key, row]) => {
    const fields = findChangedFields(oldRows.get(key) ?? row, row)
    return fields.length === 0 ? [] : [`${createLabel([key, row])} (${fields.join(', ')})`]
  })
  const line = (change: string, labels: readonly string[]) => {
    if (labels.length === 0) return []
    const more = labels.length > MAX_NAMED ? ` and ${labels.length - MAX_NAMED} more` : ''
    const records = formatCount(labels.length, 'record')
    return [`${collection}: ${records} ${change}: ${labels.slice(0, MAX_NAMED).join(', ')}${more}.`]
  }
  return [...line('created', created), ...line('removed', removed), ...line('changed', changed)]
}

function indexByKey(rows: readonly object[], keyOf: KeyOf): Map<string, Row> {
  // A record is an object with fields.
  return new Map(rows.map((row) => [keyOf(row), row as Row]))
}

function createLabel([key, { domain, name }]: readonly [string, Row]): string {
  return String(domain ?? name ?? key)
}

function findChangedFields(before: Row, after: Row): string[] {
  if (before === after) return []
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
}
