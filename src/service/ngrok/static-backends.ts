import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { backendDeletion, backendErrors, backendHeading, declareBackend } from './backends.ts'

const errors = kit.declareErrors({
  static_address_missing: kit.entry(
    6505,
    400,
    'address is missing. Send a host and a port, such as "example.com:8080".',
  ),
  static_address_invalid: kit.field(6506, 400, 'a host and a port, such as "example.com:8080"'),
  static_address_without_host: kit.field(6507, 400, 'a host before the port, as in "example.com:8080"'),
})

const ADDRESS = 'The host and port that receive the traffic.'

/** Matches a name, an IPv4 address, or an IPv6 address in brackets, followed by a port. */
const HOST_AND_PORT = /^(\w([\w-]*\w)?(\.\w([\w-]*\w)?)*|\[(?<ipv6>[\da-f:.]*:[\da-f:.]*)\]):(?<port>\d{1,5})$/i

const address = kit.documented(
  v.pipe(
    v.string(),
    kit.rule([errors.static_address_invalid, errors.static_address_without_host], (text, report) => {
      const { ipv6 = '::', port = 0 } = HOST_AND_PORT.exec(text)?.groups ?? {}
      const isAddress = parts.ipBytes(ipv6) && Number(port) >= 1 && Number(port) <= 65_535
      if (/^:\d+$/.test(text)) report(errors.static_address_without_host, {})
      else if (text !== '' && !isAddress) report(errors.static_address_invalid, {})
    }),
  ),
  ADDRESS,
  { json: { examples: ['example.com:8080'] }, rules: 'backends#static-addresses' },
)

const TLS = kit.named(
  v.object({ enabled: kit.documented(v.boolean(), 'True if the connection to the address uses TLS.') }),
  'StaticBackendTls',
  'The settings of the connection to a static backend.',
)

const sentTls = kit.named(
  v.object({ enabled: v.optional(TLS.entries.enabled) }),
  'StaticBackendTlsBody',
  'The settings of the connection to the address. Omitted fields stay unchanged. Default: no TLS.',
)

const table = parts.columns(
  {
    ...backendHeading,
    name: 'static_backends',
    path: '/backends/static',
    prefix: 'bkdsc',
    what: 'static backend',
    tableFields: ['address'],
    title: 'StaticBackend',
    sentence: 'A backend that sends traffic to one address.',
    errors: { ...backendErrors, ...errors },
    examples: [{ address: 'example.com:8080' }, { tls: { enabled: true } }],
  },
  {
    address: parts.column({
      create: v.optional(address, ''),
      update: v.optional(address, ''),
      kept: v.string(),
      shown: kit.documented(v.string(), ADDRESS),
      keep: (sent, before = '') => sent || before,
    }),
    tls: parts.column({
      sent: sentTls,
      kept: TLS,
      first: { enabled: false },
      keep: ({ enabled }, before) => ({ enabled: enabled ?? before?.enabled ?? false }),
    }),
  },
)

/** The static backends. */
export const statics = table.records

/** Static backends (rules: backends#static-addresses). */
export const staticBackends = kit.resource(table.kind, {
  ...table.rules,
  create: {
    errors: [errors.static_address_missing],
    run(tx, body) {
      if (body.address === '') kit.refuse(errors.static_address_missing, {})
      return tx.put(statics, declareBackend(tx, table.newRecord(tx, body)))
    },
  },
  delete: backendDeletion,
})
