import { type Dialect, standard } from './contract/dialect.ts'
import { DURATION_ALLOWED, type Duration, durationMs } from './contract/duration.ts'
import { quote, quoteSecret } from './contract/quote.ts'
import type { Rules } from './contract/rules.ts'
import type { Initial } from './direct/initial.ts'
import { type Clock, systemClock } from './engine/clock.ts'
import type { RateLimit } from './engine/rate-limiter.ts'
import type { ControlAccess } from './http/control-access.ts'
import type { families } from './resources/index.ts'

/** The options of {@link createGateway}; all have defaults. */
export interface GatewayOptions<C extends Clock = Clock> {
  /** Where the time comes from. Default: the system clock, read at each call, so that faked dates apply. */
  readonly clock?: C
  /** What differs between services. Default: {@link standard}. */
  readonly dialect?: Dialect
  /** The same seed and the same calls give the same ids. Default: a fresh one for each gateway. */
  readonly seed?: string
  /** The API keys that HTTP requests may use. Default: any non-empty key. */
  readonly keys?: readonly string[]
  /** The base URL of every URI in a response. Default: the dialect's, and the server's own while served. */
  readonly baseUrl?: string
  /**
   * Which edges, routes, endpoint configurations and child backends exist: any id of the right prefix (the default),
   * or only those declared through `gateway.declare`.
   */
  readonly references?: 'any' | 'declared'
  /** What happens to traffic policy actions of an unknown type. Default: `refuse`. */
  readonly unknownActions?: 'refuse' | 'accept'
  /** A DELETE answers 200 with `{}` instead of 204, for clients that cannot read an empty answer. Default: false. */
  readonly emptyJsonOnDelete?: boolean
  /** Departures from the service document. */
  readonly quirks?: {
    /** A PATCH of a weighted backend without `backends` keeps them instead of emptying them. Default: false. */
    readonly keepBackendsOnPatch?: boolean
  }
  /** What exists from the beginning, and again after each `reset()`: bodies by family, under the API's own rules. */
  readonly initial?: Initial<typeof families>
  /** Answers 429 to too many HTTP requests: true for 120 within 60 seconds, as the public service. Default: false. */
  readonly rateLimit?: boolean | RateLimitOptions
  /** How many requests `gateway.requests` keeps. Default: 1000. */
  readonly journalSize?: number
  /** How many bytes `gateway.requests` keeps, at two bytes a character; the oldest requests go. Default: 16 MiB. */
  readonly journalBytes?: number
  /** How many addresses a region has, 1 to 2,000,000. Default: 2,000,000. */
  readonly addressesPerRegion?: number
  /** Whether attempts look at the zone of `gateway.dns`. Default: `off`. */
  readonly dns?: 'off' | 'simulated'
  /** From the start of a provisioning job to its first attempt; 0 issues within the creating call. Default: 30s. */
  readonly provisioningDelay?: Duration
  /** How long automatic certificates are valid. Default: 90d. */
  readonly certificateValidity?: Duration
  /** How long before its expiry a certificate is renewed; less than its validity. Default: 30d. */
  readonly renewalLead?: Duration
  /** How long a job waits after its first INTERNAL_ERROR, twice as long after each further one, up to the most. Default: 1m and 64m. */
  readonly internalErrorBackoff?: { readonly first: Duration; readonly most: Duration }
  /** How long a job waits after a DNS_ERROR. Default: 1h. */
  readonly dnsErrorRetry?: Duration
  /**
   * The keys of the authority: the published test keys, which are the same everywhere, or fresh secret ones for a
   * gateway that outlives its process; then the ECDSA keys of its certificates are secret too. RSA certificates always
   * have the published test key. The authority belongs in no trust store either way. Default: `test`.
   */
  readonly authorityKeys?: 'test' | 'fresh'
  /**
   * Who may use the control API below `/_fauxgate/`. Default: `loopback`, this machine only, by its own names.
   * With a `key`: everyone who sends it in the header `Fauxgate-Control-Key`, and nobody else.
   */
  readonly control?: 'loopback' | ControlOptions
}

/** Who may use the control API beside this machine by its own names. */
export interface ControlOptions {
  /** Asked of everyone, this machine included; then the names by which it is asked do not matter. */
  readonly key?: string
  /** Further names of this machine that requests may ask for, and pages may have, where there is no key. */
  readonly allowHosts?: readonly string[]
}

/** A rate limit of a test's own. */
export interface RateLimitOptions {
  /** How many requests. Default: 120. */
  readonly requests?: number
  /** Within which rolling window. Default: 60s. */
  readonly window?: Duration
}

/** The options with their defaults. */
export interface ReadOptions {
  readonly clock: Clock
  readonly dialect: Dialect
  readonly seed: string | undefined
  readonly keys: readonly string[] | undefined
  readonly baseUrl: string | undefined
  readonly emptyJsonOnDelete: boolean
  readonly authorityKeys: 'test' | 'fresh'
  readonly initial: Initial<typeof families> | undefined
  readonly rateLimit: RateLimit | undefined
  readonly journalSize: number
  readonly journalBytes: number
  readonly control: ControlAccess
  readonly rules: Rules
}

const DAY_MS = 86_400_000

const DEFAULTS: Rules = {
  references: 'any',
  unknownActions: 'refuse',
  keepBackendsOnPatch: false,
  addressesPerRegion: 2_000_000,
  dns: 'off',
  provisioningDelay: 30_000,
  certificateValidity: 90 * DAY_MS,
  renewalLead: 30 * DAY_MS,
  internalErrorBackoff: { first: 60_000, most: 64 * 60_000 },
  dnsErrorRetry: 3_600_000,
}

/** A test of one option, what a message says is allowed, and how it shows what was received. */
type Check = readonly [test: (value: unknown) => boolean, allowed: string, shown?: (value: unknown) => string]

const isBoolean: Check = [(value) => typeof value === 'boolean', 'true or false']
const isText: Check = [(value) => typeof value === 'string', 'a string']

const oneOf = (...allowed: readonly string[]): Check => [
  (value) => allowed.includes(value as string),
  allowed.map((text) => `"${text}"`).join(' or '),
]

const CHECKS: Readonly<Record<keyof GatewayOptions, Check>> = {
  clock: [isClock, 'an object with "now", a function or a number, in ms'],
  dialect: [isDialect, `an object with ${Object.keys(standard).join(', ')}, such as { ...standard, … }`],
  seed: isText,
  keys: [
    (value) =>
      Array.isArray(value) && value.every((key) => typeof key === 'string' && key.trim() === key && key !== ''),
    'an array of non-empty keys without white space around them',
    quoteSecret,
  ],
  baseUrl: [(value) => typeof value === 'string' && /^https?:\/\/[^/?#]+[^?#]*$/.test(value), 'an http or https URL'],
  references: oneOf('any', 'declared'),
  unknownActions: oneOf('refuse', 'accept'),
  emptyJsonOnDelete: isBoolean,
  quirks: [isQuirks, 'an object with "keepBackendsOnPatch", true or false'],
  addressesPerRegion: [(value) => isInteger(value, 1, DEFAULTS.addressesPerRegion), 'an integer from 1 to 2000000'],
  dns: oneOf('off', 'simulated'),
  provisioningDelay: isDuration(0),
  certificateValidity: isDuration(1000),
  renewalLead: isDuration(0),
  internalErrorBackoff: [
    isBackoff,
    `an object with "first" and "most", not less than first, each ${isDuration(1000)[1]}`,
  ],
  dnsErrorRetry: isDuration(1000),
  authorityKeys: oneOf('test', 'fresh'),
  initial: [isObject, 'an object with arrays of bodies, by family'],
  rateLimit: [
    (value) => typeof value === 'boolean' || isRateLimit(value),
    'true, false, or an object with requests and window',
  ],
  journalSize: [(value) => isInteger(value, 0, 1_000_000), 'an integer from 0 to 1000000'],
  journalBytes: [(value) => isInteger(value, 0, 2 ** 32), 'an integer from 0 to 4294967296'],
  control: [
    isControl,
    '"loopback", or an object with "key", visible ASCII characters without spaces, and "allowHosts", an array of host ' +
      'names without port',
    quoteSecret,
  ],
}

/**
 * Checks the options of a gateway and fills in the defaults.
 * @throws TypeError for an unknown option or a value that is not allowed.
 */
export function readOptions(options: GatewayOptions): ReadOptions {
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(CHECKS, name)) {
      throw new TypeError(`${quote(name)} is not an option. Supported: ${Object.keys(CHECKS).join(', ')}.`)
    }
    const [test, allowed, show = quote] = CHECKS[name as keyof GatewayOptions]
    if (value !== undefined && !test(value)) throw new TypeError(`${name} is ${show(value)}. Allowed: ${allowed}.`)
  }
  const { clock = systemClock, dialect = standard, authorityKeys = 'test', emptyJsonOnDelete = false } = options
  const { seed, keys, baseUrl } = options
  return {
    clock,
    dialect,
    seed,
    keys: keys && [...keys],
    baseUrl: baseUrl?.replace(/\/+$/, ''),
    emptyJsonOnDelete,
    authorityKeys,
    initial: options.initial,
    rateLimit: readRateLimit(options.rateLimit),
    journalSize: options.journalSize ?? 1000,
    journalBytes: options.journalBytes ?? 16 * 1024 * 1024,
    control: readControl(options.control),
    rules: readRules(options),
  }
}

function readControl(option: GatewayOptions['control'] = 'loopback'): ControlAccess {
  const { key, allowHosts = [] } = option === 'loopback' ? {} : option
  return { key, allowHosts: allowHosts.map((host) => host.toLowerCase()) }
}

function isControl(value: unknown): boolean {
  if (value === 'loopback') return true
  if (!isObject(value)) return false
  const { key, allowHosts, ...rest } = value
  const isKey = key === undefined || (typeof key === 'string' && /^[!-~]+$/.test(key))
  const areHosts = allowHosts === undefined || (Array.isArray(allowHosts) && allowHosts.every(isHost))
  return isKey && areHosts && Object.keys(rest).length === 0
}

/** A host as a `Host` header names it, without port; an IPv6 address without brackets. */
function isHost(value: unknown): boolean {
  return typeof value === 'string' && /^([a-z0-9_-]+(\.[a-z0-9_-]+)*|[0-9a-f]*(:[0-9a-f.]*){2,})$/i.test(value)
}

function readRateLimit(option: boolean | RateLimitOptions = false): RateLimit | undefined {
  if (option === false) return undefined
  const { requests = 120, window = '60s' } = option === true ? {} : option
  return { requests, window: durationMs(window) as number }
}

function isRateLimit(value: unknown): boolean {
  if (!isObject(value)) return false
  const { requests, window, ...rest } = value
  const isCount = requests === undefined || isInteger(requests, 1, 1_000_000)
  const isWindow = window === undefined || (durationMs(window) ?? 0) >= 1000
  return isCount && isWindow && Object.keys(rest).length === 0
}

function readRules(options: GatewayOptions): Rules {
  const { references, unknownActions, quirks, addressesPerRegion, dns, internalErrorBackoff } = options
  const duration = (value: Duration | undefined, otherwise: number) => durationMs(value) ?? otherwise
  const rules: Rules = {
    references: references ?? DEFAULTS.references,
    unknownActions: unknownActions ?? DEFAULTS.unknownActions,
    keepBackendsOnPatch: quirks?.keepBackendsOnPatch ?? DEFAULTS.keepBackendsOnPatch,
    addressesPerRegion: addressesPerRegion ?? DEFAULTS.addressesPerRegion,
    dns: dns ?? DEFAULTS.dns,
    provisioningDelay: duration(options.provisioningDelay, DEFAULTS.provisioningDelay),
    certificateValidity: duration(options.certificateValidity, DEFAULTS.certificateValidity),
    renewalLead: duration(options.renewalLead, DEFAULTS.renewalLead),
    internalErrorBackoff: {
      first: duration(internalErrorBackoff?.first, DEFAULTS.internalErrorBackoff.first),
      most: duration(internalErrorBackoff?.most, DEFAULTS.internalErrorBackoff.most),
    },
    dnsErrorRetry: duration(options.dnsErrorRetry, DEFAULTS.dnsErrorRetry),
  }
  if (rules.renewalLead >= rules.certificateValidity) {
    throw new TypeError(
      `renewalLead is ${rules.renewalLead} ms. Allowed: less than certificateValidity, ${rules.certificateValidity} ms.`,
    )
  }
  return rules
}

function isBackoff(value: unknown): boolean {
  if (!isObject(value)) return false
  const { first, most, ...rest } = value
  const isWhole = isDuration(1000)[0](first) && isDuration(1000)[0](most) && Object.keys(rest).length === 0
  return isWhole && (durationMs(first) as number) <= (durationMs(most) as number)
}

function isDuration(least: number): Check {
  const allowed = least === 0 ? DURATION_ALLOWED : `${DURATION_ALLOWED}, at least ${least} ms`
  return [(value) => (durationMs(value) ?? -1) >= least, allowed]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isClock(value: unknown): boolean {
  return isObject(value) && (typeof value.now === 'function' || typeof value.now === 'number')
}

function isDialect(value: unknown): boolean {
  return isObject(value) && Object.keys(standard).every((name) => name in value)
}

function isQuirks(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.keys(value).every((name) => name === 'keepBackendsOnPatch' && typeof value[name] === 'boolean')
  )
}

function isInteger(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most
}
