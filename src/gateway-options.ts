import * as v from 'valibot'
import { DURATION_ALLOWED, type Duration } from './contract/duration.ts'
import {
  asOne,
  duration,
  integer,
  oneOfTexts,
  optionsOf,
  readOptions,
  type SchemasOf,
  switchOption,
  textOption,
  withDefaults,
} from './contract/options.ts'
import { showsNoPrivateKey } from './contract/private-key-text.ts'
import type { Families } from './contract/resource.ts'
import type { Store } from './contract/store.ts'
import { type Clock, systemClock } from './engine/clock.ts'
import type { RateLimit } from './engine/rate-limiter.ts'
import type { ControlAccess } from './http/control-access.ts'
import type { ProvisioningRules } from './provisioning/rules.ts'
import type { ReferenceRules } from './resources/declarations.ts'
import { type Dialect, standard } from './resources/dialects.ts'
import type { AddressRules } from './resources/reserved-addrs.ts'
import type { PolicyRules } from './resources/traffic-policy/rules.ts'
import type { InitialResources } from './resources/types/index.ts'
import type { BackendRules } from './resources/weighted-backends.ts'

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
  /** Departures from the API reference. */
  readonly quirks?: {
    /** A PATCH of a weighted backend without `backends` keeps them instead of emptying them. Default: false. */
    readonly keepBackendsOnPatch?: boolean
  }
  /** What exists from the beginning, and again after each `reset()`: bodies by family, under the API's own rules. */
  readonly initial?: InitialResources
  /** Answers 429 to too many HTTP requests: true for 120 within 60 seconds. Default: false. */
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
  readonly internalErrorBackoff?: {
    /** How long a job waits after its first INTERNAL_ERROR. Default: 1m. */
    readonly first: Duration
    /** The most that a job waits after an INTERNAL_ERROR. Default: 64m. */
    readonly most: Duration
  }
  /** How long a job waits after a DNS_ERROR. Default: 1h. */
  readonly dnsErrorRetry?: Duration
  /**
   * The keys of the authority: the published test keys, which are the same everywhere, or fresh secret ones for a
   * gateway that others can reach, kept in its store if it has one; or keys made from a secret of yours, the same for
   * every gateway with that secret. Then the ECDSA keys of certificates are secret too; RSA certificates always have the
   * published test key. The authority belongs in no trust store either way. Default: `test`.
   */
  readonly authorityKeys?: 'test' | 'fresh' | AuthoritySecret
  /**
   * Where every change is kept, so that the state outlives the process; private keys and other secrets too. With a state
   * in it already, the gateway goes on from there: by its seed, with a manual clock at its time, and without `initial`.
   * Default: nowhere.
   */
  readonly store?: Store
  /**
   * Who may use the control API below `/_fauxgate/`. Default: `loopback`, this machine only, by its own names.
   * With a `key`: everyone who sends it in the header `Fauxgate-Control-Key`, and nobody else.
   */
  readonly control?: 'loopback' | ControlOptions
}

/** What an authority's keys are made from. */
export interface AuthoritySecret {
  /** At least 16 characters that nobody can guess. */
  readonly secret: string
}

/** Who may use the control API beside this machine by its own names. */
export interface ControlOptions {
  /** A key that the control API asks of everyone, this machine included; by which names it is asked does not matter then. */
  readonly key?: string
  /** Further names of this machine by which the control API can be asked, and which pages may have, without a key. */
  readonly allowHosts?: readonly string[]
}

/** A rate limit of a test's own. */
export interface RateLimitOptions {
  /** How many requests are let through. Default: 120. */
  readonly requests?: number
  /** The rolling window that they are counted in. Default: 60s. */
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
  readonly authorityKeys: 'test' | 'fresh' | AuthoritySecret
  readonly store: Store | undefined
  readonly families: Families | undefined
  readonly initial: InitialResources | undefined
  readonly rateLimit: RateLimit | undefined
  readonly journalSize: number
  readonly journalBytes: number
  readonly controlAccess: ControlAccess
  readonly rules: ProvisioningRules & ReferenceRules & AddressRules & BackendRules & PolicyRules
}

const clock = v.custom<Clock>(
  (value) => isSomeObject(value) && (typeof value.now === 'function' || typeof value.now === 'number'),
  'an object with "now", a function or a number, in ms',
)

const rateLimited = optionsOf({
  requests: v.optional(integer(1, 1_000_000), 120),
  window: v.optional(duration(1000), '60s'),
})

const dialect = v.custom<Dialect>(
  (value) => isSomeObject(value) && Object.keys(standard).every((name) => name in value),
  () => `an object with ${Object.keys(standard).join(', ')}, such as { ...standard, … }`,
)

const keys = asOne(
  v.array(
    v.pipe(
      v.string(),
      v.check((key) => key !== '' && key.trim() === key, 'a non-empty key without white space around it'),
    ),
  ),
  'an array of non-empty keys without white space around them',
)

const baseUrl = v.pipe(
  v.string('an http or https URL'),
  v.regex(/^https?:\/\/[^/?#]+[^?#]*$/, 'an http or https URL'),
  v.transform((url) => url.replace(/\/+$/, '')),
)

const quirks = asOne(
  optionsOf({ keepBackendsOnPatch: v.optional(switchOption, false) }),
  'an object with "keepBackendsOnPatch", true or false',
)

const internalErrorBackoff = asOne(
  v.pipe(
    optionsOf({ first: duration(1000), most: duration(1000) }),
    v.check(({ first, most }) => first <= most),
  ),
  `an object with "first" and "most", not less than first, each ${DURATION_ALLOWED}, at least 1000 ms`,
)

const rateLimit = asOne(
  v.union([
    v.pipe(
      v.boolean(),
      v.transform((isOn): RateLimit | undefined => (isOn ? v.parse(rateLimited, {}) : undefined)),
    ),
    rateLimited,
  ]),
  'true, false, or an object with requests and window',
)

/** A host as a `Host` header names it, without port; an IPv6 address without brackets. */
const host = v.pipe(
  v.string(),
  v.regex(/^([a-z0-9_-]+(\.[a-z0-9_-]+)*|[0-9a-f]*(:[0-9a-f.]*){2,})$/i, 'a host name without port'),
  v.toLowerCase(),
)

const control = asOne(
  v.union([
    v.pipe(
      v.literal('loopback'),
      v.transform((): ControlAccess => ({ key: undefined, allowHosts: [] })),
    ),
    optionsOf({
      key: v.optional(v.pipe(v.string(), v.regex(/^[!-~]+$/, 'visible ASCII characters without spaces'))),
      allowHosts: v.optional(v.array(host), []),
    }),
  ]),
  '"loopback", or an object with "key", visible ASCII characters without spaces, and "allowHosts", an array of host ' +
    'names without port',
)

const authorityKeys = asOne(
  v.union([v.picklist(['test', 'fresh']), optionsOf({ secret: v.pipe(v.string(), v.minLength(16)) })]),
  '"test", "fresh", or an object with "secret", a text of at least 16 characters',
)

const store = v.custom<Store>(
  (value) =>
    isSomeObject(value) &&
    ['load', 'append'].every((name) => typeof value[name] === 'function') &&
    ['function', 'undefined'].includes(typeof value.flushed),
  'an object with the functions "load" and "append", and perhaps "flushed"',
)

/** A family is what the kit makes; whether it fits beside the others is looked at where they are put together. */
const ownFamilies = v.custom<Families>(
  (value) => isSomeObject(value) && Object.values(value).every(isFamily),
  'an object with families that fauxgate/kit made, by name',
)

function isFamily(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['operations', 'collections', 'errors'].every((name) => name in value)
  )
}

/** The options of any gateway, with and without families of a test's own. */
export type AnyOptions = GatewayOptions & { readonly families?: Families }

/** What every option of {@link AnyOptions} can be; there is no other. */
export const gatewayOptions = optionsOf({
  clock: v.optional(clock),
  dialect: v.optional(dialect),
  // Snapshots show it.
  seed: v.optional(v.pipe(textOption, v.check(showsNoPrivateKey, 'a text without a private key'))),
  keys: v.optional(keys),
  baseUrl: v.optional(baseUrl),
  references: v.optional(oneOfTexts('any', 'declared')),
  unknownActions: v.optional(oneOfTexts('refuse', 'accept')),
  emptyJsonOnDelete: v.optional(switchOption),
  quirks: v.optional(quirks),
  families: v.optional(ownFamilies),
  initial: v.optional(v.custom<InitialResources>(isSomeObject, 'an object with arrays of bodies, by family')),
  rateLimit: v.optional(rateLimit),
  journalSize: v.optional(integer(0, 1_000_000)),
  journalBytes: v.optional(integer(0, 2 ** 32)),
  addressesPerRegion: v.optional(integer(1, 2_000_000)),
  dns: v.optional(oneOfTexts('off', 'simulated')),
  provisioningDelay: v.optional(duration(0)),
  certificateValidity: v.optional(duration(1000)),
  renewalLead: v.optional(duration(0)),
  internalErrorBackoff: v.optional(internalErrorBackoff),
  dnsErrorRetry: v.optional(duration(1000)),
  authorityKeys: v.optional(authorityKeys),
  store: v.optional(store),
  control: v.optional(control),
} satisfies SchemasOf<AnyOptions>)

const DAY_MS = 86_400_000

/** What the options are that are left out, as they are read: schemas would read them again for each gateway. */
export const DEFAULTS = {
  clock: systemClock,
  dialect: standard,
  emptyJsonOnDelete: false,
  authorityKeys: 'test',
  journalSize: 1000,
  journalBytes: 16 * 1024 * 1024,
  control: { key: undefined, allowHosts: [] },
  references: 'any',
  unknownActions: 'refuse',
  quirks: { keepBackendsOnPatch: false },
  addressesPerRegion: 2_000_000,
  dns: 'off',
  provisioningDelay: 30_000,
  certificateValidity: 90 * DAY_MS,
  renewalLead: 30 * DAY_MS,
  internalErrorBackoff: { first: 60_000, most: 64 * 60_000 },
  dnsErrorRetry: 3_600_000,
} as const satisfies Partial<v.InferOutput<typeof gatewayOptions>>

/**
 * Reads the options of a gateway and fills in the defaults.
 * @throws TypeError for an unknown option or a value that is not allowed.
 */
export function readGatewayOptions(options: AnyOptions): ReadOptions {
  const read = withDefaults(
    readOptions(gatewayOptions, options, { secret: ['keys', 'control', 'authorityKeys'] }),
    DEFAULTS,
  )
  const { clock, dialect, seed, keys, baseUrl, emptyJsonOnDelete, authorityKeys, store, families, ...others } = read
  const { initial, rateLimit, journalSize, journalBytes, control, quirks, ...rules } = others
  requireLead(rules)
  const controlAccess = { key: control.key, allowHosts: control.allowHosts }
  const ofHttp = { keys, emptyJsonOnDelete, rateLimit, journalSize, journalBytes, controlAccess }
  const ofState = { clock, dialect, seed, baseUrl, authorityKeys, store, families, initial }
  return Object.assign(ofHttp, ofState, { rules: Object.assign(rules, quirks) })
}

function requireLead({
  renewalLead,
  certificateValidity,
}: Pick<ProvisioningRules, 'renewalLead' | 'certificateValidity'>): void {
  if (renewalLead < certificateValidity) return
  const allowed = `less than certificateValidity, ${certificateValidity} ms`
  throw new TypeError(`renewalLead is ${renewalLead} ms. Allowed: ${allowed}.`)
}

/** A clock and a dialect may be of any class. */
function isSomeObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
