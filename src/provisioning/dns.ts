import * as v from 'valibot'
import type { DnsRecord, NeededRecord } from '../generated/controls.ts'
import { collection } from '../operation/collection.ts'
import type { Transaction } from '../operation/transaction.ts'
import { documented, facts, named } from '../schema/documentation.ts'
import { general } from '../schema/general-errors.ts'
import { sentDuration } from '../schema/options.ts'
import { rule, ruleOnWhole } from '../schema/rule.ts'
import { time } from '../schema/schema.ts'
import { formatCount } from '../schema/text.ts'
import { durationMs, timeMs, timestamp } from '../schema/time.ts'
import { ipBytes } from '../x509/ip.ts'

const MAX_NAME_LENGTH = 253
const LABEL = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?'
const NAME = new RegExp(`^(\\*\\.)?(${LABEL}\\.)*${LABEL}$`)
const ADDRESS_END = /(^|\.)\d+$/

/**
 * Returns a name without its trailing dot and in lower case (rules: simulated-dns#names). It lowers only A to Z. Other
 * characters that would become a to z, such as the Kelvin sign, stay invalid.
 */
export function normalizeName(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).replace(/\.$/, '')
}

/** Tells whether a normal name can have a record. Underscores and one leading `*` label are allowed; an address is not. */
export function isDnsName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && NAME.test(name) && !ADDRESS_END.test(name)
}

const ALLOWED_NAME = 'a DNS name such as "app.example.com", not an address'

/** A DNS name in any form that clients write. The schema returns its normal name. */
export const recordName = v.pipe(
  v.string(),
  rule([], (text, report) => {
    if (!isDnsName(normalizeName(text))) report(general.field_invalid, { allowed: ALLOWED_NAME })
  }),
  v.transform(normalizeName),
  facts({ json: { minLength: 1 } }),
)

const TYPES = ['CNAME', 'A', 'CAA', 'PROXY', 'SERVFAIL', 'TIMEOUT'] as const

type RecordType = (typeof TYPES)[number]

export const recordType = v.picklist(TYPES, TYPES.join(', '))

const fields = {
  name: documented(recordName, 'The DNS name, perhaps after `*.`; stored in lower case without a trailing dot.'),
  type: documented(
    recordType,
    'The type of the record; `PROXY` for the addresses of a CDN that hides the record, `SERVFAIL` and `TIMEOUT` for name servers that fail.',
  ),
}

const value = documented(
  v.string(),
  "A CNAME's name, an A record's IPv4 address, the authorities that CAA allows, separated by commas, or the name of the CDN; nothing for name servers that fail.",
)

export type { DnsRecord }

const NO_VALUE = { allowed: 'no value', isValid: (value: string) => value === '', normalize: (value: string) => value }

/** The values that each type of record allows, in words and as a test, and the form in which a value is stored. */
const VALUES: Readonly<
  Record<RecordType, { allowed: string; isValid(value: string): boolean; normalize(value: string): string }>
> = {
  CNAME: { allowed: ALLOWED_NAME, isValid: isDnsName, normalize: normalizeName },
  A: { allowed: 'an IPv4 address', isValid: (value) => ipBytes(value)?.length === 4, normalize: normalizeName },
  CAA: {
    allowed: 'names of authorities, separated by commas, such as "letsencrypt.org", or "" for none',
    isValid: (value) => parseAuthorities(value).every(isDnsName),
    normalize: (value) => parseAuthorities(value).join(', '),
  },
  PROXY: {
    allowed: 'the name of a CDN, of 1 to 100 characters',
    isValid: (value) => value !== '' && value.length <= 100,
    normalize: (value) => value.trim(),
  },
  SERVFAIL: NO_VALUE,
  TIMEOUT: NO_VALUE,
}

function parseAuthorities(value: string): readonly string[] {
  return value
    .split(',')
    .map((each) => normalizeName(each.trim()))
    .filter((each) => each !== '')
}

type ValueOfType = { readonly type: RecordType; readonly value?: string | undefined }

/** Makes the schema of a record whose value fits its type, in the form in which values are stored. */
function withFittingValue<T extends ValueOfType>(schema: v.GenericSchema<unknown, T>) {
  return v.pipe(
    schema,
    ruleOnWhole<T, never>([], ({ type, value }, report) => {
      const known = TYPES.find((each) => each === type)
      if ((value !== undefined && typeof value !== 'string') || !known) return
      const { allowed, isValid, normalize } = VALUES[known]
      if (!isValid(normalize(value ?? ''))) report(general.field_invalid, { allowed }, { path: ['value'], value })
    }),
    v.transform((sent) => ({ ...sent, value: VALUES[sent.type].normalize(sent.value ?? '') })),
  )
}

const record = v.object({
  ...fields,
  value,
  visibleFrom: v.exactOptional(
    documented(
      v.pipe(
        time,
        v.check((text) => timeMs(text) !== undefined, 'a time'),
      ),
      'The time from which resolvers see the record; absent if they see it at once.',
    ),
  ),
})

export const dnsRecord: v.GenericSchema<unknown, DnsRecord> = named(
  withFittingValue(record),
  'DnsRecord',
  'A record of the simulated DNS zone, or the failure that resolvers see in its place. Each name has at most one.',
)

const body = v.object({
  ...fields,
  value: v.optional(value),
  after: v.optional(
    sentDuration(
      "How long the record takes to propagate, on the gateway's clock: resolvers do not find it before. Default: no time.",
    ),
  ),
})

export const dnsRecordBody = named(
  withFittingValue(body),
  'DnsRecordBody',
  'A record to set in the simulated DNS zone; it replaces the previous record of the name.',
)

/** Sets the record of a name. Resolvers see it at once, or after the delay `after` (rules: simulated-dns#propagation). */
export function setRecord(tx: Transaction, { after, ...record }: v.InferOutput<typeof dnsRecordBody>): DnsRecord {
  const ms = durationMs(after) ?? 0
  const visible = ms === 0 ? {} : { visibleFrom: timestamp(Math.ceil((tx.now + ms) / 1000) * 1000) }
  return tx.put(zone, { ...record, ...visible })
}

/** The simulated zone. Keys are names with their labels reversed, so that a name sorts right before the names below it. */
export const zone = collection<DnsRecord>({
  name: 'dns_records',
  key: (record) => reverseLabels(record.name),
  schema: dnsRecord,
})

/** Returns all records, ordered by name, or only the record of one name, if any. */
export function listRecords(tx: Transaction, name?: string): DnsRecord[] {
  if (name === undefined) return [...tx.newestFirst(zone)].sort((a, b) => (a.name < b.name ? -1 : 1))
  const record = tx.get(zone, reverseLabels(name))
  return record ? [record] : []
}

/**
 * Resolves a name to its own record, else to the wildcard directly below its closest encloser. A name that exists, even
 * only because there are names below it, matches no wildcard (RFC 4592, 3.3.1).
 */
function resolve(tx: Transaction, name: string): DnsRecord | undefined {
  const key = reverseLabels(name)
  const record = tx.get(zone, key)
  if (record || hasKeysBelow(tx, key)) return record
  for (let encloser = getParentKey(key); encloser !== ''; encloser = getParentKey(encloser)) {
    const wildcard = tx.get(zone, `${encloser}.*`)
    if (wildcard || tx.get(zone, encloser) || hasKeysBelow(tx, encloser)) return wildcard
  }
  return undefined
}

function hasKeysBelow(tx: Transaction, key: string): boolean {
  // "/" sorts right after ".", so if any key is below the name, the last one before this key is.
  const [last] = tx.newestFirst(zone, `${key}/`)
  return last !== undefined && zone.key(last).startsWith(`${key}.`)
}

/** Turns `app.example.com` into `com.example.app`. */
function reverseLabels(name: string): string {
  return name.split('.').reverse().join('.')
}

/** Returns the key of the name above, or "". */
function getParentKey(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('.')))
}

interface DomainTargets {
  readonly domain: string
  readonly policy: { readonly authority: string } | null
  readonly cname_target: string | null
  readonly acme_challenge_cname_target: string | null
}

/**
 * Returns the records that a domain needs: its own CNAME and, for a wildcard, the CNAME of the ACME challenge. If these
 * are right, also returns the CAA record that forbids the authority to issue (rules: simulated-dns#needed-records, simulated-dns#caa).
 */
export function checkNeededRecords(tx: Transaction, domain: DomainTargets): NeededRecord[] {
  const targets = [
    [domain.domain, domain.cname_target],
    [`_acme-challenge.${domain.domain.replace(/^\*\./, '')}`, domain.acme_challenge_cname_target],
  ] as const
  const needed = targets.flatMap(([name, value]): NeededRecord[] => {
    if (value === null) return []
    const found = describeMismatch(tx, name, normalizeName(value))
    const problem = found && `Expected a CNAME record for ${name} with the value ${value}. Found ${found}.`
    return [{ name, type: 'CNAME', value, problem }]
  })
  return needed.every(({ problem }) => problem === null) ? [...needed, ...findForbiddingCaa(tx, domain)] : needed
}

/** Returns the CAA record, at the name or the nearest name above, that forbids the authority to issue (RFC 8659, 3). */
function findForbiddingCaa(tx: Transaction, { domain, policy }: DomainTargets): NeededRecord[] {
  if (!policy) return []
  const { authority } = policy
  for (let key = reverseLabels(domain.replace(/^\*\./, '')); key !== ''; key = getParentKey(key)) {
    const record = tx.get(zone, key)
    if (!record || !isVisible(tx, record)) continue
    const { name, type, value } = record
    const isFailing = type === 'SERVFAIL' || type === 'TIMEOUT'
    if (type !== 'CAA' && !isFailing) continue
    // The service names its authority by the first label of the name that CAA has, such as letsencrypt.org.
    const isAllowed = parseAuthorities(value).some((each) => each === authority || each.startsWith(`${authority}.`))
    if (isAllowed) return []
    const caa = `one for ${name} that ${describeAuthorities(value)}. Add ${authority} to it, or remove it`
    const expected = `Expected no CAA record for ${domain} that forbids ${authority} to issue, at it or above it.`
    return [
      {
        name,
        type: 'CAA',
        value: authority,
        problem: `${expected} Found ${isFailing ? describeInsteadOfCname(tx, record, name) : caa}.`,
      },
    ]
  }
  return []
}

function describeAuthorities(value: string): string {
  return value === '' ? 'allows no authority' : `allows only ${value}`
}

function isVisible({ now }: Transaction, { visibleFrom }: DnsRecord): boolean {
  return (timeMs(visibleFrom) ?? now) <= now
}

/** Describes the record that a name has instead of a CNAME record, as a fragment for a message. */
function describeInsteadOfCname(tx: Transaction, record: DnsRecord | undefined, name: string): string {
  if (record && !isVisible(tx, record)) {
    const left = formatCount(Math.ceil(((timeMs(record.visibleFrom) ?? 0) - tx.now) / 1000), 'second')
    return `no record for ${name} yet: the one that was set propagates until ${record.visibleFrom}. Wait for another ${left}`
  }
  switch (record?.type) {
    case 'A':
      return `an A record with the value ${record.value}`
    case 'CAA':
      return `a CAA record that ${describeAuthorities(record.value)}`
    case 'PROXY':
      return `addresses of ${record.value}, a CDN that proxies ${name} and hides its CNAME record. Switch its proxy off for this name`
    case 'SERVFAIL':
      return `the answer SERVFAIL of the name servers of ${name}. Correct their zone, for example its DNSSEC`
    case 'TIMEOUT':
      return `no answer of the name servers of ${name} in time. Check that they run and can be reached`
    default:
      return `no record for ${name}`
  }
}

const MAX_CHAIN_LENGTH = 8

/** Follows the CNAME records of a name to its target. Returns null if they lead to the target, else a fragment for a message. */
function describeMismatch(tx: Transaction, name: string, target: string): string | null {
  const chain: string[] = []
  for (let at = name; ; at = chain.at(-1) ?? name) {
    const record = resolve(tx, at)
    if (record?.type !== 'CNAME' || !isVisible(tx, record)) {
      if (chain.length === 0) return describeInsteadOfCname(tx, record, at)
      return `a CNAME record to ${joinNames(chain)}, which has ${record ? describeInsteadOfCname(tx, record, at) : 'no record'}`
    }
    if (chain.length === MAX_CHAIN_LENGTH) {
      return `a chain of more than ${MAX_CHAIN_LENGTH} CNAME records: ${joinNames([name, ...chain, record.value])}`
    }
    if (record.value === target) return null
    if (record.value === name || chain.includes(record.value)) {
      return `a loop of CNAME records: ${joinNames([name, ...chain, record.value])}`
    }
    chain.push(record.value)
  }
}

function joinNames(names: readonly string[]): string {
  return names.join(' -> ')
}
