import type { Clock } from '../engine/clock.ts'
import type { InitialResources } from '../generated/resources.ts'
import type { Families } from '../operation/family.ts'
import type { Store } from '../operation/store.ts'
import type { Dialect } from '../resources/dialects.ts'
import type { Duration } from '../schema/time.ts'

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
    readonly first?: Duration
    /** The most that a job waits after an INTERNAL_ERROR. Default: 64m. */
    readonly most?: Duration
  }
  /** How long a job waits after a DNS_ERROR. Default: 1h. */
  readonly dnsErrorRetry?: Duration
  /**
   * The keys of the authority: the published test keys; fresh secret ones, kept in the store if there is one; or keys made
   * from a secret of yours, the same for every gateway with it. With secret ones the ECDSA keys of certificates are secret
   * too; RSA certificates always have the published test key. The authority belongs in no trust store. Default: `test`.
   */
  readonly authorityKeys?: 'test' | 'fresh' | AuthoritySecret
  /**
   * Where every change is kept, private keys and other secrets too, so that the state outlives the process. With a state
   * in it, the gateway goes on from there: its seed, its manual clock's time, without `initial`. Default: nowhere.
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

/** The options of any gateway, with and without families of a test's own. */
export type AnyOptions = GatewayOptions & { readonly families?: Families }
