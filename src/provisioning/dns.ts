import * as v from 'valibot'
import type { DnsRecord, NeededRecord } from '../generated/controls.ts'
import { collection } from '../operation/collection.ts'
import type { Transaction } from '../operation/transaction.ts'
import { documented, facts, named } from '../schema/documentation.ts'
import { general } from '../schema/general-errors.ts'
import { rule, ruleOnWhole } from '../schema/rule.ts'
import { ipBytes } from '../x509/ip.ts'

const LONGEST_NAME = 253
const LABEL = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?'
const NAME = new RegExp(`^(\\*\\.)?(${LABEL}\\.)*${LABEL}$`)
const ADDRESS_END = /(^|\.)\d+$/

/**
 * Returns a name without its trailing dot and in lower case (rules: simulated-dns#names). Only the letters A to Z have
 * case here: other letters, which become a to z in lower case, stay invalid.
 */
export function normalName(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).replace(/\.$/, '')
}

/** Tells whether a normal name can have a record. Underscores and one leading `*` label are allowed; an address is not. */
export function isDnsName(name: string): boolean {
  return name.length <= LONGEST_NAME && NAME.test(name) && !ADDRESS_END.test(name)
}

const NAME_ALLOWED = 'a DNS name such as "app.example.com", not an address'

/** A DNS name in any form that clients write. It is read as its normal name. */
export const recordName = v.pipe(
  v.string(),
  rule([], (text, report) => {
    if (!isDnsName(normalName(text))) report(general.field_invalid, { allowed: NAME_ALLOWED })
  }),
  v.transform(normalName),
  facts({ json: { minLength: 1 } }),
)

export const recordType = v.picklist(['CNAME', 'A'], 'CNAME or A')

const fields = v.object({
  name: documented(recordName, 'The DNS name, or `*.` and one; kept in lower case without a trailing dot.'),
  type: documented(recordType, 'The type of the record.'),
  value: documented(v.string(), "A CNAME's name, or an A record's IPv4 address."),
})

export type { DnsRecord }

const valueFitsType = ruleOnWhole<v.InferOutput<typeof fields>, never>([], ({ type, value }, report) => {
  if (typeof value !== 'string') return
  const at = { path: ['value'], value }
  const name = normalName(value)
  if (type === 'A' && ipBytes(name)?.length !== 4) report(general.field_invalid, { allowed: 'an IPv4 address' }, at)
  if (type === 'CNAME' && !isDnsName(name)) report(general.field_invalid, { allowed: NAME_ALLOWED }, at)
})

export const dnsRecord = named(
  v.pipe(
    fields,
    valueFitsType,
    v.transform((sent): DnsRecord => ({ ...sent, value: normalName(sent.value) })),
  ),
  'DnsRecord',
  'A record of the simulated DNS zone; a name has one.',
)

/** The simulated zone. Keys are names with their labels reversed, so that a name sorts right before the names below it. */
export const zone = collection<DnsRecord>({
  name: 'dns_records',
  key: (record) => reversed(record.name),
  schema: dnsRecord,
})

export function zoneRecords(tx: Transaction): DnsRecord[] {
  return [...tx.newestFirst(zone)].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Returns the record of a name itself, without those of wildcards. */
export function recordOf(tx: Transaction, name: string): DnsRecord | undefined {
  return tx.get(zone, reversed(name))
}

/**
 * Resolves one name: its own record, else that of the wildcard right below its closest encloser. A name that exists, if
 * only because there are names below it, matches no wildcard (RFC 4592, 3.3.1).
 */
function resolve(tx: Transaction, name: string): DnsRecord | undefined {
  const key = reversed(name)
  const record = tx.get(zone, key)
  if (record || hasKeysBelow(tx, key)) return record
  for (let encloser = parentOf(key); encloser !== ''; encloser = parentOf(encloser)) {
    const wildcard = tx.get(zone, `${encloser}.*`)
    if (wildcard || tx.get(zone, encloser) || hasKeysBelow(tx, encloser)) return wildcard
  }
  return undefined
}

function hasKeysBelow(tx: Transaction, key: string): boolean {
  // "/" sorts right after ".", so the last key before this one is below the name, if any is.
  const [last] = tx.newestFirst(zone, `${key}/`)
  return last !== undefined && zone.key(last).startsWith(`${key}.`)
}

/** Turns `app.example.com` into `com.example.app`. */
function reversed(name: string): string {
  return name.split('.').reverse().join('.')
}

/** Returns the key of the name above, or "". */
function parentOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('.')))
}

interface Targets {
  readonly domain: string
  readonly cname_target: string | null
  readonly acme_challenge_cname_target: string | null
}

/**
 * Returns the records that a domain needs: its own CNAME and, for a wildcard, that of the ACME challenge
 * (rules: simulated-dns#needed-records).
 */
export function neededRecords(tx: Transaction, domain: Targets): NeededRecord[] {
  const targets = [
    [domain.domain, domain.cname_target],
    [`_acme-challenge.${domain.domain.replace(/^\*\./, '')}`, domain.acme_challenge_cname_target],
  ] as const
  return targets.flatMap(([name, value]) => {
    if (value === null) return []
    const found = mismatch(tx, name, normalName(value))
    const problem = found && `Expected a CNAME record for ${name} with the value ${value}. Found ${found}.`
    return [{ name, type: 'CNAME', value, problem }]
  })
}

const LONGEST_CHAIN = 8

/** Follows the CNAME records of a name to its target. Returns null if they lead there, else what they lead to. */
function mismatch(tx: Transaction, name: string, target: string): string | null {
  const chain: string[] = []
  for (let at = name; chain.length < LONGEST_CHAIN; at = chain.at(-1) ?? name) {
    const record = resolve(tx, at)
    if (record?.type !== 'CNAME') {
      const end = record
        ? `an A record with the value ${record.value}`
        : `no record${chain.length ? '' : ` for ${name}`}`
      return chain.length === 0 ? end : `a CNAME record to ${path(chain)}, which has ${end}`
    }
    if (record.value === target) return null
    if (record.value === name || chain.includes(record.value)) {
      return `a loop of CNAME records: ${path([name, ...chain, record.value])}`
    }
    chain.push(record.value)
  }
  return `a chain of more than ${LONGEST_CHAIN} CNAME records: ${path([name, ...chain])}`
}

function path(names: readonly string[]): string {
  return names.join(' -> ')
}
