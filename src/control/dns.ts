import * as v from 'valibot'
import { as, type Report, rule, ruleOnWhole } from '../contract/schema.ts'
import { type DnsRecord, normalName, RECORD_TYPES, zone, zoneRecords } from '../provisioning/zone.ts'
import { control, plainControl } from './control-operation.ts'

const NAME = /^(\*\.)?([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/
const IPV4 = /^((25[0-5]|2[0-4]\d|1?\d?\d)(\.(?!$)|$)){4}$/

const name = v.pipe(v.string(), v.transform(normalName), rule<string>(checkName))

function checkName(text: string, report: Report): void {
  if (text.length > 253 || !NAME.test(text))
    report('field_invalid', { allowed: 'a DNS name such as "app.example.com"' })
}

const type = v.picklist(RECORD_TYPES, as('field_invalid', { allowed: RECORD_TYPES.join(' or ') }))

const record = v.object({
  name,
  type,
  value: v.pipe(v.string(), v.transform(normalName)),
})

/** A CNAME's value is a name, an A record's an IPv4 address. */
const typedValue = ruleOnWhole<v.InferOutput<typeof record>>(({ type, value }, report) => {
  if (typeof value !== 'string') return
  const at = { path: ['value'], value }
  if (type === 'A' && !IPV4.test(value)) report('field_invalid', { allowed: 'an IPv4 address' }, at)
  if (type === 'CNAME' && !NAME.test(value)) report('field_invalid', { allowed: 'a DNS name' }, at)
})

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
    input: v.pipe(record, typedValue),
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
      value: v.optional(v.string()),
    }),
    run: (host, sent) =>
      host.control((tx) => {
        for (const each of zoneRecords(tx)) if (isMatch(each, sent)) tx.remove(zone, each)
      }),
  }),
}

function isMatch(
  record: DnsRecord,
  { name: wanted, type, value }: { [K in keyof DnsRecord]?: string | undefined },
): boolean {
  return (
    (wanted ?? record.name) === record.name &&
    (type ?? record.type) === record.type &&
    (value === undefined || normalName(value) === record.value)
  )
}
