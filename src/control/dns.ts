import * as v from 'valibot'
import {
  type DnsRecord,
  dnsRecord,
  dnsRecordBody,
  normalName,
  recordName,
  recordOf,
  recordType,
  setRecord,
  zone,
  zoneRecords,
} from '../provisioning/dns.ts'
import { bodyReader } from '../schema/body.ts'
import { documented } from '../schema/documentation.ts'
import { optionsOf, readCallOptions } from '../schema/options.ts'
import type { Duration } from '../schema/time.ts'
import { type Control, type ControlHost, controlCall } from './control.ts'

const records = controlCall({
  method: 'GET',
  path: '/dns',
  summary: 'The records of the simulated DNS zone, by name',
  answer: v.array(dnsRecord),
  run: (host) => host.transact(zoneRecords),
})

const put = controlCall({
  method: 'PUT',
  path: '/dns',
  summary: 'Set the record of a name',
  from: 'body',
  schema: dnsRecordBody,
  answer: dnsRecord,
  run: (host, sent) => host.transact((tx) => setRecord(tx, sent)),
})

const remove = controlCall({
  method: 'DELETE',
  path: '/dns',
  summary: 'Remove the record of a name, or all records',
  from: 'query',
  schema: v.object({
    name: v.optional(documented(recordName, 'Only the record of this name.')),
    type: v.optional(documented(recordType, 'Only records of this type.')),
    value: v.optional(documented(v.pipe(v.string(), v.transform(normalName)), 'Only records with this value.')),
  }),
  run: (host, sent) =>
    host.transact((tx) => {
      const named = sent.name === undefined ? zoneRecords(tx) : [recordOf(tx, sent.name)]
      for (const each of named) if (each && isMatch(each, sent)) tx.remove(zone, each)
    }),
})

function isMatch(
  record: DnsRecord,
  { type, value }: { type?: string | undefined; value?: string | undefined },
): boolean {
  return (type ?? record.type) === record.type && (value === undefined || normalName(record.value) === value)
}

/** How a record of the simulated DNS zone comes to be seen. */
export interface DnsOptions {
  /** The time that the record takes to propagate, on the gateway's clock. Until then resolvers do not find it. Default: 0. */
  readonly after?: Duration
}

/**
 * The simulated DNS zone. If the gateway was created with `dns: 'simulated'`, it decides the outcomes of attempts. An edit
 * takes effect at once. A name has one record; case and trailing dots do not matter.
 *
 * @example
 * ```ts
 * gateway.dns.cname('app.example.com', domain.cname_target)
 * ```
 */
export interface Dns {
  /** Sets the CNAME record of a name, such as `app.example.com`, to a target, such as the domain's `cname_target`. */
  cname(name: string, target: string | null, options?: DnsOptions): DnsRecord
  /** Sets the A record of a name to an IPv4 address. Attempts for the name fail: they need a CNAME record. */
  a(name: string, address: string, options?: DnsOptions): DnsRecord
  /**
   * Sets the CAA record of a name: only these authorities, such as `letsencrypt.org`, may issue for this name and the
   * names below it. `[]` allows none.
   */
  caa(name: string, authorities: readonly string[], options?: DnsOptions): DnsRecord
  /** Puts a name behind the proxy of a CDN, such as `Cloudflare`: resolvers see its addresses instead of a CNAME record. */
  proxy(name: string, cdn: string, options?: DnsOptions): DnsRecord
  /**
   * Makes the name servers of a name fail, until you set or remove its record: they answer with `SERVFAIL`, or, with
   * `TIMEOUT`, not at all.
   */
  fail(name: string, how: 'SERVFAIL' | 'TIMEOUT', options?: DnsOptions): DnsRecord
  /** Removes the record of a name. */
  remove(name: string): void
  /** Removes all records. */
  clear(): void
  /** Returns all records, by name. */
  records(): readonly DnsRecord[]
}

export interface DnsMember {
  /** The simulated DNS zone. */
  readonly dns: Dns
}

export const dns: Control<DnsMember> = {
  calls: { records, put, remove },
  state: () => ({ collections: [zone] }),
  members: (host) => ({ dns: direct(host) }),
}

/** Over HTTP the name may be left out, which removes all records. */
const readRecordName = bodyReader(v.object({ name: recordName }))

const readFailure = bodyReader(v.object({ how: v.picklist(['SERVFAIL', 'TIMEOUT'], 'SERVFAIL or TIMEOUT') }))
const readAuthorities = bodyReader(v.object({ authorities: v.array(v.string()) }))

const dnsOptions = optionsOf({ after: v.optional(v.unknown()) })

function direct(host: ControlHost): Dns {
  const set = (record: object, options: unknown = {}) =>
    put.run(host, { ...readCallOptions(dnsOptions, options), ...record })
  const joined = (authorities: unknown) => readAuthorities({ authorities }, {}, host.context).authorities.join(',')
  return {
    cname: (name, value, options) => set({ name, type: 'CNAME', value }, options),
    a: (name, value, options) => set({ name, type: 'A', value }, options),
    caa: (name, authorities, options) => set({ name, type: 'CAA', value: joined(authorities) }, options),
    proxy: (name, value, options) => set({ name, type: 'PROXY', value }, options),
    fail: (name, how, options) => set({ name, type: readFailure({ how }, {}, host.context).how }, options),
    remove: (name) => remove.run(host, readRecordName({ name }, {}, host.context)),
    clear: () => remove.run(host, {}),
    records: () => records.run(host, {}),
  }
}
