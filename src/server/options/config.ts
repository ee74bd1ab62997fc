import * as v from 'valibot'
import type { Clock } from '../../engine/clock.ts'
import type { GatewayOptions } from '../../gateway/gateway-options.ts'
import { gatewayOptions } from '../../gateway/read-gateway-options.ts'
import type { InitialResources } from '../../generated/resources.ts'
import type { Families } from '../../operation/family.ts'
import type { Dialect } from '../../resources/dialects.ts'
import { integerFrom, oneOfThese, type SchemasOf, switchOption } from '../../schema/options.ts'
import { TIME_ALLOWED, timeMs } from '../../schema/time.ts'

/**
 * What `fauxgate serve` can be told: by a config file in these words, and, where it is a text, a number or a switch, by a
 * flag or a variable of the environment. Beside the options of `createGateway`, those of the server.
 */
export interface Config
  extends Omit<GatewayOptions, 'clock' | 'dialect' | 'initial' | 'authorityKeys' | 'baseUrl' | 'store'> {
  /** The TCP port; 0 for any free one. Default: 4747. */
  readonly port?: number
  /** The host name or address to listen on; `0.0.0.0` and `::` are all of this machine's. Default: `127.0.0.1`. */
  readonly host?: string
  /** HTTPS, with a certificate of the gateway's own authority. Default: false. */
  readonly tls?: boolean
  /** The file that the root certificate is written to, for clients to trust. Default: it is printed. */
  readonly tlsRoot?: string
  /** The SQLite file that every change is kept in before it is answered; made where there is none. Default: none. */
  readonly data?: string
  /** The file that the state is kept in: read at the start, written every minute, on SIGHUP, and at the end. Default: none. */
  readonly state?: string
  /** A JSON file or a module with what exists from the beginning, and again after each reset: bodies by family. */
  readonly initial?: string | InitialResources
  /** What differs between services; a module can have an object of its own. Default: `standard`. */
  readonly dialect?: 'standard' | 'ngrok' | Dialect
  /** The base URL of every URI in a response. Default: the server's own. */
  readonly baseUrl?: string
  /** Where the time comes from; a module can have a clock of its own. Default: `system`. */
  readonly clock?: 'system' | 'manual' | Clock
  /** Where a manual clock starts, as an RFC 3339 time. Default: now. */
  readonly start?: string
  /** The keys of the authority: fresh secret ones at each start, or the published test keys. Default: `fresh`. */
  readonly authorityKeys?: 'test' | 'fresh'
  /** Families of your own, made with `fauxgate/kit`: in a module. */
  readonly families?: Families
  /** Nothing but the line that says where it listens, and warnings. Default: false. */
  readonly quiet?: boolean
  /** How requests and provisioning are told: a line for people, or a JSON object, each. Default: `text`. */
  readonly log?: 'text' | 'json'
}

/** An option that is one of the names, or whatever else the gateway itself takes. */
const namedOr = <const T extends readonly string[], S extends v.GenericSchema>(names: T, schema: S) =>
  v.union([v.picklist(names), schema], names.map((name) => `"${name}"`).join(' or '))

const A_FILE = 'the path of a file'
const file = v.pipe(v.string(A_FILE), v.nonEmpty(A_FILE))
const A_HOST = 'a host name or an address'

const { entries } = gatewayOptions.pipe[1]

/** What every option of {@link Config} can be; there is no other. In the order of the help. */
export const configSchemas = {
  port: v.optional(integerFrom(0, 65_535)),
  host: v.optional(v.pipe(v.string(A_HOST), v.nonEmpty(A_HOST))),
  tls: v.optional(switchOption),
  tlsRoot: v.optional(file),
  data: v.optional(file),
  state: v.optional(file),
  quiet: v.optional(switchOption),
  log: v.optional(oneOfThese(['text', 'json'])),
  control: entries.control,
  dialect: v.optional(namedOr(['standard', 'ngrok'], entries.dialect.wrapped)),
  baseUrl: entries.baseUrl,
  keys: entries.keys,
  seed: entries.seed,
  initial: v.optional(
    v.union([file, entries.initial.wrapped], 'the path of a file, or an object with arrays of bodies'),
  ),
  references: entries.references,
  unknownActions: entries.unknownActions,
  emptyJsonOnDelete: entries.emptyJsonOnDelete,
  quirks: entries.quirks,
  rateLimit: entries.rateLimit,
  journalSize: entries.journalSize,
  journalBytes: entries.journalBytes,
  addressesPerRegion: entries.addressesPerRegion,
  families: entries.families,
  clock: v.optional(namedOr(['system', 'manual'], entries.clock.wrapped)),
  start: v.optional(
    v.custom<string>((value) => typeof value === 'string' && timeMs(value) !== undefined, TIME_ALLOWED),
  ),
  dns: entries.dns,
  provisioningDelay: entries.provisioningDelay,
  certificateValidity: entries.certificateValidity,
  renewalLead: entries.renewalLead,
  internalErrorBackoff: entries.internalErrorBackoff,
  dnsErrorRetry: entries.dnsErrorRetry,
  authorityKeys: v.optional(oneOfThese(['test', 'fresh'])),
} satisfies SchemasOf<Config>
