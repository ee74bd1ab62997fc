import type { ControlHost } from '../control/control-operation.ts'
import { dnsControls, readRecordName } from '../control/dns.ts'
import type { DnsRecord } from '../provisioning/zone.ts'
import type { Guarded } from './provisioning.ts'

/**
 * The simulated DNS zone. It decides attempts when the gateway was created with `dns: 'simulated'`; an edit counts from
 * the moment it is made. A name has one record; case and trailing dots do not matter (decisions, "Simulated DNS").
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
  /** All records, by name. */
  records(): readonly DnsRecord[]
}

/** Makes the DNS controls of a gateway. */
export function dnsApi(host: ControlHost, guarded: Guarded): Dns {
  const { put, remove, records } = dnsControls
  return {
    cname: (name, value) => guarded(() => put.run(host, { name, type: 'CNAME', value })),
    a: (name, value) => guarded(() => put.run(host, { name, type: 'A', value })),
    remove: (name) => guarded(() => remove.run(host, readRecordName({ name }, {}, host.context))),
    clear: () => guarded(() => remove.run(host, {})),
    records: () => guarded(() => records.run(host, {})),
  }
}
