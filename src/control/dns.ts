import * as v from 'valibot'
import type { Transaction } from '../core/operation/transaction.ts'
import { bodyReader } from '../core/schema/body.ts'
import { documented } from '../core/schema/documentation.ts'
import { refuse } from '../core/schema/errors.ts'
import { general } from '../core/schema/general-errors.ts'
import { optionsOf, readCallOptions } from '../core/schema/options.ts'
import { printWarning } from '../core/schema/print.ts'
import { quote } from '../core/schema/text.ts'
import type { Duration } from '../core/schema/time.ts'
import type { DnsRecord } from '../generated/controls.ts'
import {
  caaZone,
  dnsRecord,
  dnsRecordBody,
  listRecords,
  normalizeName,
  recordName,
  recordType,
  removeRecord,
  setRecord,
  zone,
} from '../service/provisioning/dns.ts'
import { provisioningOptions } from '../service/provisioning/managed-domain.ts'
import { type Control, type ControlHost, controlCall, createMembers, membersOf } from './control.ts'

const records = controlCall({
  method: 'GET',
  path: '/dns',
  summary: "List the simulated DNS zone's records, grouped by name",
  commands: [{ name: 'dns' }],
  response: v.array(dnsRecord),
  run: (host) => host.transact(listRecords),
  members: (call) => ({
    /** Returns all records, by name. */
    records: (): readonly DnsRecord[] => call(),
  }),
})

/** The options for a record in the simulated DNS zone. */
export interface DnsOptions {
  /** The record's propagation delay, on the gateway's clock. Until it has passed, resolvers don't find the record. Default: 0. */
  readonly after?: Duration
}

/** The options for a CAA record in the simulated DNS zone. */
export interface CaaOptions extends DnsOptions {
  /** The certificate authorities that may issue for wildcards; `[]` for none. Default: the same as `issue`. */
  readonly issuewild?: readonly string[]
}

const readFailure = bodyReader(v.object({ how: v.picklist(['SERVFAIL', 'TIMEOUT'], 'SERVFAIL or TIMEOUT') }))
const authorities = v.array(v.string())
const readAuthorities = bodyReader(v.object({ authorities, issuewild: v.optional(authorities) }))
const readWildcardAuthorities = bodyReader(v.object({ authorities: v.optional(v.undefined()), issuewild: authorities }))

const dnsOptions = optionsOf({ after: v.optional(v.unknown()) })
const caaOptions = optionsOf({ after: v.optional(v.unknown()), issuewild: v.optional(v.unknown()) })

const ZONE_IGNORED =
  "no attempt checks the zone, because the dns option is off. Create the gateway with { dns: 'simulated' }."

/** Returns true if attempts ignore the zone. */
function isZoneIgnored(host: ControlHost): boolean {
  return host.transact((tx) => provisioningOptions(tx.options).dns) !== 'simulated'
}

/** Returns the command that sets records of a type. */
function settingCommand(type: string, summary: string, value: string, example: string) {
  const words = { name: 'NAME', value }
  const flags = type === 'caa' ? (['after', 'issuewild'] as const) : (['after'] as const)
  return { name: `dns ${type}`, summary, words, flags, fixedFields: { type: type.toUpperCase() }, example }
}

const put = controlCall({
  method: 'PUT',
  path: '/dns',
  summary: 'Set a DNS record',
  commands: [
    settingCommand('cname', "Set a name's CNAME record", 'VALUE', 'app.example.com 2k3jd9.cname.ngrok.example'),
    settingCommand('a', "Set a name's A record", 'VALUE', 'app.example.com 192.0.2.1'),
    settingCommand(
      'caa',
      "Set a name's CAA record: the authorities that may issue for it, separated by commas",
      'AUTHORITIES',
      'example.com letsencrypt.org',
    ),
    settingCommand('proxy', "Put a name behind a CDN's proxy", 'CDN', 'app.example.com cloudflare'),
    {
      name: 'dns fail',
      summary: 'Make the name servers for NAME fail',
      words: { name: 'NAME', type: 'SERVFAIL|TIMEOUT' },
      flags: ['after'],
      example: 'app.example.com SERVFAIL',
    },
  ],
  from: 'body',
  schema: dnsRecordBody,
  response: dnsRecord,
  run: (host, sent) => host.transact((tx) => setRecord(tx, sent)),
  members(call, host) {
    let hasWarned = false
    const set = (record: object, options: unknown = {}) => {
      const read = call({ ...readCallOptions(dnsOptions, options), ...record })
      if (!hasWarned && isZoneIgnored(host)) {
        printWarning(`The record for ${read.name} has no effect: ${ZONE_IGNORED}`)
        hasWarned = true
      }
      return read
    }
    const { context } = host.engine
    return {
      /**
       * Sets the CNAME record for a name, such as `app.example.com`, to a target, such as the domain's `cname_target`.
       * @throws GatewayError `field_invalid` if the name, the target, or an option is not valid. The other methods that set a record also
       * throw it.
       */
      cname: (name: string, target: string | null, options?: DnsOptions): DnsRecord =>
        set({ name, type: 'CNAME', value: target }, options),
      /** Sets the A record for a name to an IPv4 address. Attempts for the name then fail, because they need a CNAME record. */
      a: (name: string, address: string, options?: DnsOptions): DnsRecord =>
        set({ name, type: 'A', value: address }, options),
      /**
       * Sets the CAA record for a name: only these certificate authorities, such as `letsencrypt.org`, may issue for this name and its
       * subdomains. `[]` allows none. With `undefined` and `issuewild`, the record restricts only wildcards. You can add parameters to a
       * certificate authority. The name's address record is kept.
       *
       * @example
       * ```ts
       * gateway.dns.caa('example.com', ['letsencrypt.org; validationmethods=http-01'], { issuewild: [] })
       * ```
       */
      caa(name: string, issue: readonly string[] | undefined, options: CaaOptions = {}): DnsRecord {
        const { issuewild, ...rest } = readCallOptions(caaOptions, options)
        const limitsWildcardsAlone = issue === undefined && issuewild !== undefined
        const read = (limitsWildcardsAlone ? readWildcardAuthorities : readAuthorities)(
          { ...(!limitsWildcardsAlone && { authorities: issue }), issuewild },
          {},
          context,
        )
        const value = read.authorities && { value: read.authorities.join(',') }
        const wild = read.issuewild && { issuewild: read.issuewild.join(',') }
        return set({ name, type: 'CAA', ...value, ...wild }, rest)
      },
      /**
       * Puts a name behind the proxy of a CDN, such as `Cloudflare`: resolvers see the CDN's addresses instead of a CNAME record.
       */
      proxy: (name: string, cdn: string, options?: DnsOptions): DnsRecord =>
        set({ name, type: 'PROXY', value: cdn }, options),
      /**
       * Makes the name servers for a name fail until you set or remove the name's record. They respond with `SERVFAIL` or, for `TIMEOUT`,
       * not at all.
       */
      fail: (name: string, how: 'SERVFAIL' | 'TIMEOUT', options?: DnsOptions): DnsRecord =>
        set({ name, type: readFailure({ how }, {}, context).how }, options),
    }
  },
})

const recordFilter = v.object({
  name: v.optional(documented(recordName, 'Only the record for this name.')),
  type: v.optional(documented(recordType, 'Only records of this type.')),
  value: v.optional(documented(v.pipe(v.string(), v.transform(normalizeName)), 'Only records with this value.')),
})

/** `gateway.dns.remove` requires a name. Over HTTP the name is optional: without it, all records are removed. */
const readRecordName = bodyReader(v.object({ name: recordName }))

const remove = controlCall({
  method: 'DELETE',
  path: '/dns',
  summary: "Remove a name's record, or all records",
  commands: [
    {
      name: 'dns remove',
      summary: "Remove a name's record",
      words: { name: 'NAME' },
      example: 'app.example.com',
    },
    { name: 'dns clear', summary: 'Remove all DNS records', flags: [] },
  ],
  from: 'query',
  schema: recordFilter,
  errors: [general.not_found],
  run: (host, sent) =>
    host.transact((tx) => {
      const { name } = sent
      if (removeMatching(tx, sent) || name === undefined) return
      refuse(general.not_found, { what: 'matching record with the name', received: quote(name) }, { name })
    }),
  members: (call, host) => ({
    /** Removes the records for a name. */
    remove(name: string): void {
      const sent = readRecordName({ name }, {}, host.engine.context)
      if (host.transact((tx) => listRecords(tx, sent.name)).length > 0) call(sent)
    },
    /** Removes all records. */
    clear: (): void => call(),
  }),
})

/** Removes the records that match. Returns true if there were any. */
function removeMatching(tx: Transaction, { name, type, value }: v.InferOutput<typeof recordFilter>): boolean {
  const matching = listRecords(tx, name).filter(
    (each) => (type ?? each.type) === each.type && (value === undefined || normalizeName(each.value ?? '') === value),
  )
  for (const each of matching) removeRecord(tx, each)
  return matching.length > 0
}

const calls = [records, put, remove] as const
const members = /* @__PURE__ */ membersOf(calls)

/**
 * The simulated DNS zone. It determines the outcomes of attempts if the gateway was created with `dns: 'simulated'`. Changes take effect
 * immediately. A name has one record, plus an optional CAA record if the first is an address record. Case and trailing dots don't matter.
 *
 * @example
 * ```ts
 * gateway.dns.cname('app.example.com', domain.cname_target)
 * ```
 */
export interface Dns extends NonNullable<typeof members> {}

export interface DnsMember {
  /** The simulated DNS zone. */
  readonly dns: Dns
}

export const dns: Control<DnsMember> = {
  calls,
  state: () => ({ collections: [zone, caaZone] }),
  members: (host) => ({ dns: createMembers(calls, host) }),
}
