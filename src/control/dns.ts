import * as v from 'valibot'
import { bodyReader } from '../contract/request-body.ts'
import { normalName } from '../provisioning/dns-names.ts'
import {
  type DnsRecord,
  dnsRecord,
  ownRecord,
  recordName,
  recordType,
  zone,
  zoneRecords,
} from '../provisioning/zone.ts'
import { control, plainControl } from './control-operation.ts'

/** Reads the name of a record that must be named. */
export const readRecordName = bodyReader(v.object({ name: recordName }))

export const dnsControls = {
  records: plainControl({
    method: 'GET',
    path: '/dns',
    summary: 'The records of the simulated DNS zone, by name',
    run: (host) => host.control(zoneRecords),
  }),
  put: control({
    method: 'PUT',
    path: '/dns',
    summary: 'Set the record of a name',
    from: 'body',
    input: dnsRecord,
    run: (host, sent) => host.control((tx) => tx.put(zone, sent)),
  }),
  remove: control({
    method: 'DELETE',
    path: '/dns',
    summary: 'Remove the record of a name, or all records',
    from: 'query',
    input: v.object({
      name: v.optional(recordName),
      type: v.optional(recordType),
      value: v.optional(v.pipe(v.string(), v.transform(normalName))),
    }),
    run: (host, sent) =>
      host.control((tx) => {
        const named = sent.name === undefined ? zoneRecords(tx) : [ownRecord(tx, sent.name)]
        for (const each of named) if (each && isMatch(each, sent)) tx.remove(zone, each)
      }),
  }),
}

function isMatch(
  record: DnsRecord,
  { type, value }: { type?: string | undefined; value?: string | undefined },
): boolean {
  return (type ?? record.type) === record.type && (value ?? record.value) === record.value
}
