import * as v from 'valibot'
import { bodyReader } from '../contract/request-body.ts'
import { as, type Report, rule, ruleOnWhole } from '../contract/schema.ts'
import { isDnsName, isIpv4, normalName } from '../provisioning/dns-names.ts'
import { type DnsRecord, ownRecord, RECORD_TYPES, zone, zoneRecords } from '../provisioning/zone.ts'
import { control, plainControl } from './control-operation.ts'

const NAME_ALLOWED = 'a DNS name such as "app.example.com", not an address'

const name = v.pipe(v.string(), rule<string>(checkName), v.transform(normalName))

function checkName(text: string, report: Report): void {
  if (!isDnsName(normalName(text))) report('field_invalid', { allowed: NAME_ALLOWED })
}

const type = v.picklist(RECORD_TYPES, as('field_invalid', { allowed: RECORD_TYPES.join(' or ') }))

const record = v.object({ name, type, value: v.string() })

/** A CNAME's value is a name, an A record's an IPv4 address. */
const typedValue = ruleOnWhole<v.InferOutput<typeof record>>(({ type, value }, report) => {
  if (typeof value !== 'string') return
  const at = { path: ['value'], value }
  const plain = normalName(value)
  if (type === 'A' && !isIpv4(plain)) report('field_invalid', { allowed: 'an IPv4 address' }, at)
  if (type === 'CNAME' && !isDnsName(plain)) report('field_invalid', { allowed: NAME_ALLOWED }, at)
})

const normalValue = v.transform((sent: DnsRecord): DnsRecord => ({ ...sent, value: normalName(sent.value) }))

/** Reads the name of a record that must be named. */
export const readRecordName = bodyReader(v.object({ name }))

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
    input: v.pipe(record, typedValue, normalValue),
    run: (host, sent) => host.control((tx) => tx.put(zone, sent)),
  }),
  remove: control({
    method: 'DELETE',
    path: '/dns',
    summary: 'Remove the record of a name, or all records',
    from: 'query',
    input: v.object({
      name: v.optional(name),
      type: v.optional(type),
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
