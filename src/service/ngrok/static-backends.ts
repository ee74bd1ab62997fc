import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { backendDeletion, backendErrors, backendTexts, createBackend } from './backends.ts'
import { defineBodies, descriptionAndMetadata } from './shared.ts'

const errors = kit.declareErrors({
  static_address_missing: kit.entry(
    6505,
    400,
    () => 'address is missing. Send a host and a port, such as "example.com:8080".',
  ),
  static_address_invalid: kit.field(6506, 400, () => 'a host and a port, such as "example.com:8080"'),
  static_address_without_host: kit.field(6507, 400, () => 'a host before the port, as in "example.com:8080"'),
})

const PATH = '/backends/static'
const ADDRESS = 'The host and the port that the traffic goes to.'

/** A name, an IPv4 address, or an IPv6 address in brackets, and a port. */
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
  'The settings of the connection to the address. Fields that are not sent stay unchanged. Default: without TLS.',
)

const record = v.object({
  ...kit.recordHead('bkdsc', descriptionAndMetadata()),
  address: v.string(),
  tls: v.object({ enabled: v.boolean() }),
})

type StaticRecord = kit.Frozen<v.InferOutput<typeof record>>

/** The static backends. */
export const statics = kit.collection<StaticRecord>({ name: 'static_backends', schema: record })

const shape = kit.named(
  v.object({ ...kit.resourceHead, address: kit.documented(v.string(), ADDRESS), tls: TLS }),
  'StaticBackend',
  'A backend that sends traffic to one address.',
)

const fields = { ...backendTexts, address: v.optional(address, ''), tls: v.optional(sentTls) }

const bodies = defineBodies('StaticBackend', 'a static backend', {
  create: fields,
  update: fields,
  examples: [{ address: 'example.com:8080' }, { tls: { enabled: true } }],
})

/** Static backends (rules: backends#static-addresses). */
export const staticBackends = kit.resource(
  {
    name: 'static_backends',
    path: PATH,
    items: 'backends',
    prefix: 'bkdsc',
    what: 'static backend',
    filterable: [],
    errors: { ...backendErrors, ...errors },
    limits: kit.accountLimits({
      static_backends: { what: 'static backends', none: backendErrors.backends_not_allowed },
    }),
    collection: statics,
    shape,
    ...bodies,
  },
  {
    view: ({ address, tls, ...rest }, wire) => ({ ...kit.viewHead(rest, wire, PATH), address, tls }),
    create: {
      errors: [errors.static_address_missing],
      run(tx, { address, tls, ...rest }) {
        if (address === '') kit.refuse(errors.static_address_missing, {})
        return createBackend(tx, statics, 'bkdsc', rest, { address, tls: { enabled: tls?.enabled ?? false } })
      },
    },
    update: {
      run(tx, before, { address, tls, ...rest }) {
        const after = { address: address || before.address, tls: { enabled: tls?.enabled ?? before.tls.enabled } }
        return tx.put(statics, { ...before, ...kit.described(rest, before), ...after })
      },
    },
    delete: backendDeletion,
  },
)
