import { type Dialect, standard } from './contract/dialect.ts'
import { quote } from './contract/quote.ts'
import type { Rules } from './contract/rules.ts'
import { type Clock, systemClock } from './engine/clock.ts'

/** The options of {@link createGateway}; all have defaults. */
export interface GatewayOptions {
  /** Where the time comes from. Default: the system clock, read at each call, so that faked dates apply. */
  readonly clock?: Clock
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
  /** How many addresses a region has, 1 to 2,000,000. Default: 2,000,000. */
  readonly addressesPerRegion?: number
  /** The time in ms from the start of a provisioning job to its first attempt. Default: 30,000. */
  readonly provisioningDelay?: number
}

/** The options with their defaults. */
export interface ReadOptions {
  readonly clock: Clock
  readonly dialect: Dialect
  readonly seed: string | undefined
  readonly keys: readonly string[] | undefined
  readonly baseUrl: string | undefined
  readonly emptyJsonOnDelete: boolean
  readonly rules: Rules
}

const DEFAULTS: Rules = {
  references: 'any',
  unknownActions: 'refuse',
  keepBackendsOnPatch: false,
  addressesPerRegion: 2_000_000,
  provisioningDelay: 30_000,
}

/** A test of one option, and what a message says is allowed. */
type Check = readonly [test: (value: unknown) => boolean, allowed: string]

const isBoolean: Check = [(value) => typeof value === 'boolean', 'true or false']
const isText: Check = [(value) => typeof value === 'string', 'a string']

const oneOf = (...allowed: readonly string[]): Check => [
  (value) => allowed.includes(value as string),
  allowed.map((text) => `"${text}"`).join(' or '),
]

const CHECKS: Readonly<Record<keyof GatewayOptions, Check>> = {
  clock: [isClock, 'an object with "now", a function or a number, in ms'],
  dialect: [(value) => isObject(value) && typeof value.errorPrefix === 'string', 'a dialect object'],
  seed: isText,
  keys: [
    (value) => Array.isArray(value) && value.every((key) => typeof key === 'string' && key.trim() === key && key !== ''),
    'an array of non-empty keys without white space around them',
  ],
  baseUrl: [(value) => typeof value === 'string' && /^https?:\/\/[^/?#]+[^?#]*$/.test(value), 'an http or https URL'],
  references: oneOf('any', 'declared'),
  unknownActions: oneOf('refuse', 'accept'),
  emptyJsonOnDelete: isBoolean,
  quirks: [isQuirks, 'an object with "keepBackendsOnPatch", true or false'],
  addressesPerRegion: [(value) => isInteger(value, 1, DEFAULTS.addressesPerRegion), 'an integer from 1 to 2000000'],
  provisioningDelay: [(value) => isInteger(value, 0, Number.MAX_SAFE_INTEGER), 'an integer of ms, 0 or more'],
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
    const [test, allowed] = CHECKS[name as keyof GatewayOptions]
    if (value !== undefined && !test(value)) throw new TypeError(`${name} is ${quote(value)}. Allowed: ${allowed}.`)
  }
  const { clock = systemClock, dialect = standard, seed, keys, baseUrl, emptyJsonOnDelete = false } = options
  const { references, unknownActions, quirks, addressesPerRegion, provisioningDelay } = options
  return {
    clock,
    dialect,
    seed,
    keys: keys && [...keys],
    baseUrl: baseUrl?.replace(/\/+$/, ''),
    emptyJsonOnDelete,
    rules: {
      references: references ?? DEFAULTS.references,
      unknownActions: unknownActions ?? DEFAULTS.unknownActions,
      keepBackendsOnPatch: quirks?.keepBackendsOnPatch ?? DEFAULTS.keepBackendsOnPatch,
      addressesPerRegion: addressesPerRegion ?? DEFAULTS.addressesPerRegion,
      provisioningDelay: provisioningDelay ?? DEFAULTS.provisioningDelay,
    },
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isClock(value: unknown): boolean {
  return isObject(value) && (typeof value.now === 'function' || typeof value.now === 'number')
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
