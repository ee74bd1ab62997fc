import * as v from 'valibot'
import {
  type DnsRecord,
  dnsRecord,
  normalName,
  recordName,
  recordOf,
  recordType,
  zone,
  zoneRecords,
} from '../provisioning/dns.ts'
import { bodyReader } from '../schema/body.ts'
import { documented } from '../schema/documentation.ts'
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
  schema: dnsRecord,
  answer: dnsRecord,
  run: (host, sent) => host.transact((tx) => tx.put(zone, sent)),
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
  return (type ?? record.type) === record.type && (value ?? record.value) === record.value
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
  /** Sets a name's CNAME record. */
  cname(name: string, target: string | null): DnsRecord
  /** Sets a name's A record. */
  a(name: string, address: string): DnsRecord
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

function direct(host: ControlHost): Dns {
  return {
    cname: (name, value) => put.run(host, { name, type: 'CNAME', value }),
    a: (name, value) => put.run(host, { name, type: 'A', value }),
    remove: (name) => remove.run(host, readRecordName({ name }, {}, host.context)),
    clear: () => remove.run(host, {}),
    records: () => records.run(host, {}),
  }
}
