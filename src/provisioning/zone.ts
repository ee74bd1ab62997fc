import { collection } from '../contract/collection.ts'
import type { Transaction } from '../contract/transaction.ts'

/** The types of record that the simulated zone knows. */
export const RECORD_TYPES = ['CNAME', 'A'] as const

/** A record of the simulated DNS zone. A name has one record; names are in lower case without a trailing dot. */
export interface DnsRecord {
  readonly name: string
  readonly type: (typeof RECORD_TYPES)[number]
  readonly value: string
}

/** Keyed by the names read from their ends, so that a name stands right before those below it. */
export const zone = collection<DnsRecord>({
  name: 'dns_records',
  key: (record) => fromEnd(record.name),
  fields: ['name', 'type', 'value'],
})

/** All records of the zone, by name. */
export function zoneRecords(tx: Transaction): DnsRecord[] {
  return [...tx.newestFirst(zone)].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The record of a name itself, without what a wildcard has to say. */
export function ownRecord(tx: Transaction, name: string): DnsRecord | undefined {
  return tx.get(zone, fromEnd(name))
}

/**
 * The record that answers for a name: its own, else that of the wildcard right below its closest encloser. A name that
 * exists, if only because there are names below it, is no wildcard's (RFC 4592, 3.3.1).
 */
export function answerFor(tx: Transaction, name: string): DnsRecord | undefined {
  const own = ownRecord(tx, name)
  if (own || hasNamesBelow(tx, name)) return own
  for (let encloser = parentOf(name); encloser !== ''; encloser = parentOf(encloser)) {
    const wildcard = ownRecord(tx, `*.${encloser}`)
    if (wildcard || ownRecord(tx, encloser) || hasNamesBelow(tx, encloser)) return wildcard
  }
  return undefined
}

function hasNamesBelow(tx: Transaction, name: string): boolean {
  const key = fromEnd(name)
  // "/" comes right after ".", so the last key before this one is below the name, if any is.
  const [last] = tx.newestFirst(zone, `${key}/`)
  return last !== undefined && zone.key(last).startsWith(`${key}.`)
}

/** `app.example.com` as `com.example.app`. */
function fromEnd(name: string): string {
  return name.split('.').reverse().join('.')
}

/** The name without its first label; "" above a single label. */
function parentOf(name: string): string {
  const dot = name.indexOf('.')
  return dot < 0 ? '' : name.slice(dot + 1)
}
