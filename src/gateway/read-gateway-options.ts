import * as v from 'valibot'
import { type Clock, systemClock } from '../engine/clock.ts'
import type { RateLimit } from '../engine/rate-limiter.ts'
import type { InitialResources } from '../generated/resources.ts'
import type { ControlAccess } from '../http/access.ts'
import type { Families } from '../operation/family.ts'
import type { Store } from '../operation/store.ts'
import type { ProvisioningRules } from '../provisioning/managed-domain.ts'
import type { ReferenceRules } from '../resources/declarations.ts'
import { type Dialect, standard } from '../resources/dialects.ts'
import type { AddressRules } from '../resources/reserved-addrs.ts'
import type { PolicyRules } from '../resources/traffic-policy.ts'
import type { BackendRules } from '../resources/weighted-backends.ts'
import {
  asOne,
  duration,
  integerFrom,
  oneOfThese,
  optionsOf,
  readOptions,
  type SchemasOf,
  switchOption,
  textOption,
  withDefaults,
} from '../schema/options.ts'
import { hasNoPrivateKey } from '../schema/secret-texts.ts'
import { quote } from '../schema/text.ts'
import { DURATION_ALLOWED, type Duration, durationText } from '../schema/time.ts'
import type { AnyOptions, AuthoritySecret } from './gateway-options.ts'

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
  requests: v.optional(integerFrom(1, 1_000_000), 120),
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
  optionsOf({ first: duration(1000), most: duration(1000) }),
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

/** What every option of {@link AnyOptions} can be; there is no other. */
export const gatewayOptions = optionsOf({
  clock: v.optional(clock),
  dialect: v.optional(dialect),
  // Snapshots show it.
  seed: v.optional(v.pipe(textOption, v.check(hasNoPrivateKey, 'a text without a private key'))),
  keys: v.optional(keys),
  baseUrl: v.optional(baseUrl),
  references: v.optional(oneOfThese(['any', 'declared'])),
  unknownActions: v.optional(oneOfThese(['refuse', 'accept'])),
  emptyJsonOnDelete: v.optional(switchOption),
  quirks: v.optional(quirks),
  families: v.optional(ownFamilies),
  initial: v.optional(v.custom<InitialResources>(isSomeObject, 'an object with arrays of bodies, by family')),
  rateLimit: v.optional(rateLimit),
  journalSize: v.optional(integerFrom(0, 1_000_000)),
  journalBytes: v.optional(integerFrom(0, 2 ** 32)),
  addressesPerRegion: v.optional(integerFrom(1, 2_000_000)),
  dns: v.optional(oneOfThese(['off', 'simulated'])),
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
  requireFittingTimes(options, rules)
  const controlAccess = { key: control.key, allowHosts: control.allowHosts }
  const ofHttp = { keys, emptyJsonOnDelete, rateLimit, journalSize, journalBytes, controlAccess }
  const ofState = { clock, dialect, seed, baseUrl, authorityKeys, store, families, initial }
  return Object.assign(ofHttp, ofState, { rules: Object.assign(rules, quirks) })
}

/** Refuses times that do not fit together. */
function requireFittingTimes(
  options: AnyOptions,
  {
    renewalLead,
    certificateValidity,
    internalErrorBackoff: { first, most },
  }: Pick<ProvisioningRules, 'renewalLead' | 'certificateValidity' | 'internalErrorBackoff'>,
): void {
  if (renewalLead >= certificateValidity) {
    const allowed = `less than certificateValidity, ${shown(options.certificateValidity, certificateValidity)}`
    throw new TypeError(`renewalLead is ${shown(options.renewalLead, renewalLead)}. Allowed: ${allowed}.`)
  }
  if (first > most) {
    const allowed = `at most internalErrorBackoff.most, ${shown(options.internalErrorBackoff?.most, most)}`
    const received = shown(options.internalErrorBackoff?.first, first)
    throw new TypeError(`internalErrorBackoff.first is ${received}. Allowed: ${allowed}.`)
  }
}

/** A duration as it was given, in whatever unit; the default, where none was. */
function shown(given: Duration | undefined, read: number): string {
  return given === undefined ? `${quote(durationText(read))}, its default` : quote(given)
}

/** A clock and a dialect may be of any class. */
function isSomeObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
