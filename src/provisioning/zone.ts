import * as v from 'valibot'
import { collection } from '../operation/collection.ts'
import type { Transaction } from '../operation/transaction.ts'
import { documented, facts, named } from '../schema/documentation.ts'
import { general } from '../schema/general-errors.ts'
import { type Report, rule, ruleOnWhole } from '../schema/rule.ts'
import { ipBytes } from '../x509/ip.ts'
import { isDnsName, normalName } from './dns-names.ts'

/** The types of record that the simulated zone knows. */
export const RECORD_TYPES = ['CNAME', 'A'] as const

const NAME_ALLOWED = 'a DNS name such as "app.example.com", not an address'

/** The name of a record, brought to the form in which the zone keeps it. */
export const recordName = v.pipe(
  v.string(),
  rule([], checkName),
  v.transform(normalName),
  facts({ json: { minLength: 1 } }),
)

function checkName(text: string, report: Report): void {
  if (!isDnsName(normalName(text))) report(general.field_invalid, { allowed: NAME_ALLOWED })
}

export const recordType = v.picklist(RECORD_TYPES, RECORD_TYPES.join(' or '))

const fields = v.object({
  name: documented(recordName, 'The DNS name, or `*.` and one; kept in lower case without a trailing dot.'),
  type: documented(recordType, 'The type of the record.'),
  value: documented(v.string(), "A CNAME's name, or an A record's IPv4 address."),
})

/** A record of the simulated DNS zone. A name has one record. */
export interface DnsRecord {
  /** The DNS name, or `*.` and one; kept in lower case without a trailing dot. */
  readonly name: string
  /** The type of the record. */
  readonly type: 'CNAME' | 'A'
  /** A CNAME's name, or an A record's IPv4 address. */
  readonly value: string
}

/** A CNAME's value is a name, an A record's an IPv4 address. */
const typedValue = ruleOnWhole<v.InferOutput<typeof fields>, never>([], ({ type, value }, report) => {
  if (typeof value !== 'string') return
  const at = { path: ['value'], value }
  const plain = normalName(value)
  if (type === 'A' && ipBytes(plain)?.length !== 4) report(general.field_invalid, { allowed: 'an IPv4 address' }, at)
  if (type === 'CNAME' && !isDnsName(plain)) report(general.field_invalid, { allowed: NAME_ALLOWED }, at)
})

const normalValue = v.transform((sent: DnsRecord): DnsRecord => ({ ...sent, value: normalName(sent.value) }))

/** Reads a record, and brings it to the form in which the zone keeps it. */
export const dnsRecord = named(
  v.pipe(fields, typedValue, normalValue),
  'DnsRecord',
  'A record of the simulated DNS zone; a name has one.',
)

/** Keyed by the names read from their ends, so that a name stands right before those below it. */
export const zone = collection<DnsRecord>({
  name: 'dns_records',
  key: (record) => fromEnd(record.name),
  schema: dnsRecord,
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
