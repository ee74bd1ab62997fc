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

export const zone = collection<DnsRecord>({
  name: 'dns_records',
  key: (record) => record.name,
  fields: ['name', 'type', 'value'],
})

/** A DNS name as the zone keeps it: case and a trailing dot do not matter. */
export function normalName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}

/** All records of the zone, by name. */
export function zoneRecords(tx: Transaction): DnsRecord[] {
  return [...tx.newestFirst(zone)].reverse()
}
