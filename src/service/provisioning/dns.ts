import * as v from 'valibot'
import { collection } from '../../core/operation/collection.ts'
import type { Transaction } from '../../core/operation/transaction.ts'
import { documented, named } from '../../core/schema/documentation.ts'
import { facts } from '../../core/schema/facts.ts'
import { general } from '../../core/schema/general-errors.ts'
import { sentDuration } from '../../core/schema/options.ts'
import { toPunycode } from '../../core/schema/punycode.ts'
import { rule, ruleOnWhole } from '../../core/schema/rule.ts'
import { time } from '../../core/schema/schema.ts'
import { durationMs, roundUpToSecond, timeMs, timestamp } from '../../core/schema/time.ts'
import type { DnsRecord } from '../../generated/controls.ts'
import { ipBytes } from '../x509/ip.ts'
import { formatIssuers, hasValidParameters, parseIssuers } from './caa.ts'

const MAX_NAME_LENGTH = 253
const LABEL = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?'
const NAME = new RegExp(`^(\\*\\.)?(${LABEL}\\.)*${LABEL}$`)
const ADDRESS_END = /(^|\.)\d+$/

/**
 * Returns a name in lowercase without its trailing dot (rules: simulated-dns#names). Only A to Z are lowercased, so other characters whose
 * lowercase is an ASCII letter, such as the Kelvin sign, remain invalid.
 */
export function normalizeName(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).replace(/\.$/, '')
}

/** Returns whether a normalized name can have a record. Underscores and one leading `*` label are allowed. Addresses are not. */
export function isDnsName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && NAME.test(name) && !ADDRESS_END.test(name)
}

/** Returns the allowed form of a name: for a Unicode name, its Punycode form. */
function describeName(text: string): string {
  const punycode = toPunycode(text)
  // Letters such as the Kelvin sign would turn into ASCII letters.
  return punycode?.includes('xn--') && isDnsName(normalizeName(punycode))
    ? `a name in Punycode: "${punycode}"`
    : ALLOWED_NAME
}

const ALLOWED_NAME = 'a DNS name such as "app.example.com", not an IP address'

/** A DNS name in any form used by clients. The schema returns its normalized form. */
export const recordName = v.pipe(
  v.string(),
  rule([], (text, report) => {
    if (!isDnsName(normalizeName(text))) report(general.field_invalid, { allowed: describeName(text) })
  }),
  v.transform(normalizeName),
  facts({ json: { minLength: 1 } }),
)

const TYPES = ['CNAME', 'A', 'CAA', 'PROXY', 'SERVFAIL', 'TIMEOUT'] as const

type RecordType = (typeof TYPES)[number]

export const recordType = v.picklist(TYPES, TYPES.join(', '))

const fields = {
  name: documented(
    recordName,
    'The DNS name, optionally with a leading `*.`; stored in lowercase without a trailing dot.',
  ),
  type: documented(
    recordType,
    'The type of the record; `PROXY` for the addresses of a CDN that hides the record, `SERVFAIL` and `TIMEOUT` for name servers that fail.',
  ),
}

const value = documented(
  v.string(),
  "A CNAME's target, an A record's IPv4 address, the comma-separated authorities that a CAA record allows, or the name of " +
    'the CDN. Absent for name servers that fail, and for CAA with only `issuewild`.',
)

const ISSUEWILD =
  'The authorities that a CAA record allows for wildcards, in the same form. Default: the same as for other names.'

const NO_VALUE = { allowed: 'no value', isValid: (value: string) => value === '', normalize: (value: string) => value }

/** The values that each record type allows, as a description and as a test, and the stored form of a value. */
const VALUES: Readonly<
  Record<RecordType, { allowed: string; isValid(value: string): boolean; normalize(value: string): string }>
> = {
  CNAME: { allowed: ALLOWED_NAME, isValid: isDnsName, normalize: normalizeName },
  A: { allowed: 'an IPv4 address', isValid: (value) => ipBytes(value)?.length === 4, normalize: normalizeName },
  CAA: {
    allowed:
      'names of authorities, separated by commas, such as "letsencrypt.org" or "letsencrypt.org; validationmethods=dns-01", or "" for none',
    isValid: (value) => parseIssuers(value).every((each) => isDnsName(each.authority) && hasValidParameters(each)),
    normalize: formatIssuers,
  },
  PROXY: {
    allowed: 'the name of a CDN, with 1 to 100 characters',
    isValid: (value) => value !== '' && value.length <= 100,
    normalize: (value) => value.trim(),
  },
  SERVFAIL: NO_VALUE,
  TIMEOUT: NO_VALUE,
}

interface ValueOfType {
  readonly type: RecordType
  readonly value?: string | undefined
  readonly issuewild?: string | undefined
}

const NO_ISSUEWILD = 'no value, because only CAA records have one'

/** Creates the schema of a record whose value matches its type. The output is the stored form. */
function withFittingValue<T extends ValueOfType>(schema: v.GenericSchema<unknown, T>) {
  return v.pipe(
    schema,
    ruleOnWhole<T, never>([], ({ type, value, issuewild }, report) => {
      const known = TYPES.find((each) => each === type)
      if (!known) return
      const { allowed, isValid, normalize } = VALUES[known]
      const check = (field: string, sent: unknown) => {
        const text = sent ?? ''
        if (typeof text === 'string' && !isValid(normalize(text)))
          report(
            general.field_invalid,
            { allowed: known === 'CNAME' ? describeName(text) : allowed },
            { path: [field], value: sent },
          )
      }
      check('value', value)
      if (known === 'CAA') check('issuewild', issuewild)
      else if (issuewild !== undefined)
        report(general.field_invalid, { allowed: NO_ISSUEWILD }, { path: ['issuewild'], value: issuewild })
    }),
    v.transform(({ value, issuewild, ...sent }) => ({
      ...sent,
      // Without issue, CAA forbids wildcards alone (RFC 8659, 4.3). An empty issue forbids all.
      ...((value !== undefined || issuewild === undefined) && { value: VALUES[sent.type].normalize(value ?? '') }),
      ...(issuewild !== undefined && { issuewild: formatIssuers(issuewild) }),
    })),
  )
}

const record = v.object({
  ...fields,
  value: v.exactOptional(value),
  issuewild: v.exactOptional(documented(v.string(), ISSUEWILD)),
  visibleFrom: v.exactOptional(
    documented(
      v.pipe(
        time,
        v.check((text) => timeMs(text) !== undefined, 'a time'),
      ),
      'The time from which resolvers see the record; absent if they see the record immediately.',
    ),
  ),
})

export const dnsRecord: v.GenericSchema<unknown, DnsRecord> = named(
  withFittingValue(record),
  'DnsRecord',
  'A record in the simulated DNS zone, or the failure that resolvers see instead. A name has at most one ' +
    'record, but a CAA record can coexist with an address record.',
)

const body = v.object({
  ...fields,
  value: v.optional(value),
  issuewild: v.optional(documented(v.string(), ISSUEWILD)),
  after: v.optional(sentDuration("How long the record takes to propagate, by the gateway's clock. Default: no time.")),
})

export const dnsRecordBody = named(
  withFittingValue(body),
  'DnsRecordBody',
  "A record to set in the simulated DNS zone. It replaces the name's previous record. A CAA record and an " +
    'address record can coexist.',
)

/** The types that can coexist with CAA. A CNAME record excludes all other records (RFC 1034, 3.6.2), and so does a failure. */
const ADDRESSES: readonly RecordType[] = ['A', 'PROXY']

/** Sets the record for a name. Resolvers see it immediately, or after the delay in `after` (rules: simulated-dns#propagation). */
export function setRecord(tx: Transaction, { after, ...record }: v.InferOutput<typeof dnsRecordBody>): DnsRecord {
  const ms = durationMs(after) ?? 0
  const visible = ms === 0 ? {} : { visibleFrom: timestamp(roundUpToSecond(tx.now + ms)) }
  for (const other of listRecords(tx, record.name)) {
    const types = [record.type, other.type]
    const isBeside = types.includes('CAA') && types.some((type) => ADDRESSES.includes(type))
    if (!isBeside || other.type === record.type) removeRecord(tx, other)
    // Data from fauxgate 0.1.0 stores it where the address is.
    else if (other.type === 'CAA') tx.put(caaZone, other)
  }
  return tx.put(record.type === 'CAA' ? caaZone : zone, { ...record, ...visible })
}

/** Removes a record returned by {@link listRecords}. */
export function removeRecord(tx: Transaction, record: DnsRecord): void {
  for (const each of [zone, caaZone]) {
    const found = tx.get(each, reverseLabels(record.name))
    if (found?.type === record.type) tx.remove(each, found)
  }
}

/** Returns the CAA record with a key. */
export function getCaa(tx: Transaction, key: string): DnsRecord | undefined {
  const record = tx.get(zone, key)
  return record?.type === 'CAA' ? record : tx.get(caaZone, key)
}

/** The simulated zone. Keys are names with reversed labels, so a name sorts right before its subdomains. */
export const zone = collection<DnsRecord>({
  name: 'dns_records',
  key: (record) => reverseLabels(record.name),
  schema: dnsRecord,
  indexes: {
    /** Contains the records that resolvers did not see immediately. */
    delayed: ({ visibleFrom }) => (visibleFrom === undefined ? null : 'yes'),
  },
})

/** The CAA records of the zone, which can coexist with addresses. Data from fauxgate 0.1.0 stores them in {@link zone}. */
export const caaZone = collection<DnsRecord>({
  name: 'dns_caa_records',
  key: (record) => reverseLabels(record.name),
  schema: dnsRecord,
  indexes: {
    /** Contains the records that resolvers did not see immediately. */
    delayed: ({ visibleFrom }) => (visibleFrom === undefined ? null : 'yes'),
  },
})

const sortKey = ({ name, type }: DnsRecord): string => (type === 'CAA' ? `${name} ` : name)

/** Returns all records, ordered by name, or only those for one name. */
export function listRecords(tx: Transaction, name?: string): DnsRecord[] {
  if (name === undefined)
    return [...tx.newestFirst(zone), ...tx.newestFirst(caaZone)].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
  const key = reverseLabels(name)
  return [tx.get(zone, key), tx.get(caaZone, key)].flatMap((record) => record ?? [])
}

/**
 * Resolves a name to its own record, or else to the wildcard directly under its closest encloser. A name that exists, even if only through
 * its subdomains, doesn't match a wildcard (RFC 4592, 3.3.1).
 */
export function resolve(tx: Transaction, name: string): DnsRecord | undefined {
  const key = reverseLabels(name)
  const at = (key: string) => tx.get(zone, key) ?? tx.get(caaZone, key)
  const record = at(key)
  if (record || hasKeysBelow(tx, key)) return record
  for (let encloser = getParentKey(key); encloser !== ''; encloser = getParentKey(encloser)) {
    const wildcard = at(`${encloser}.*`)
    if (wildcard || at(encloser) || hasKeysBelow(tx, encloser)) return wildcard
  }
  return undefined
}

function hasKeysBelow(tx: Transaction, key: string): boolean {
  // "/" sorts right after ".", so if any key is below the name, the last one before this key is.
  return [zone, caaZone].some((each) => {
    const [last] = tx.newestFirst(each, `${key}/`)
    return last !== undefined && each.key(last).startsWith(`${key}.`)
  })
}

/** Converts `app.example.com` to `com.example.app`. */
export function reverseLabels(name: string): string {
  return name.split('.').reverse().join('.')
}

/** Returns the key of the parent name, or "". */
export function getParentKey(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('.')))
}
