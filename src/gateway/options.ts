import * as v from 'valibot'
import { type Clock, systemClock } from '../engine/clock.ts'
import type { GatewayOptions } from '../generated/options.ts'
import type { InitialResources } from '../generated/resources.ts'
import type { Families } from '../operation/family.ts'
import type { Store } from '../operation/store.ts'
import { type Dialect, standard } from '../resources/dialects.ts'
import type { Rules } from '../schema/dialect.ts'
import { facts, marksOf, named } from '../schema/documentation.ts'
import {
  asOne,
  duration,
  integerFrom,
  oneOfThese,
  optionRow,
  optionsOf,
  readOptions,
  switchOption,
  textOption,
  withDefaults,
} from '../schema/options.ts'
import { hasNoPrivateKey } from '../schema/secret-texts.ts'
import { quote } from '../schema/text.ts'
import { DURATION_ALLOWED, type Duration, durationText } from '../schema/time.ts'

/** Clocks, dialects and stores may be instances of any class. */
function isSomeObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** The schema of a clock. */
export const clockOption = v.pipe(
  v.custom<Clock>(
    (value) => isSomeObject(value) && (typeof value.now === 'function' || typeof value.now === 'number'),
    'an object with "now", a function or a number, in ms',
  ),
  facts({ type: 'Clock', imports: { Clock: 'engine/clock.ts' } }),
)

const dialect = v.pipe(
  v.custom<Dialect>(
    (value) => isSomeObject(value) && Object.keys(standard).every((name) => name in value),
    () => `an object with ${Object.keys(standard).join(', ')}, such as { ...standard, … }`,
  ),
  facts({ type: 'Dialect', imports: { Dialect: 'resources/dialects.ts' } }),
)

const key = v.pipe(
  v.string(),
  v.check((text) => text !== '' && text.trim() === text, 'a non-empty key without white space around it'),
)

const baseUrl = v.pipe(
  v.string('an http or https URL'),
  v.regex(/^https?:\/\/[^/?#]+[^?#]*$/, 'an http or https URL'),
  v.transform((url) => url.replace(/\/+$/, '')),
)

const quirks = named(
  optionsOf({
    keepBackendsOnPatch: optionRow(
      switchOption,
      'A PATCH of a weighted backend without `backends` keeps them instead of emptying them.',
      { default: false, flag: 'keep-backends-on-patch' },
    ),
  }),
  'Quirks',
  'Departures from the API reference.',
)

const internalErrorBackoff = named(
  optionsOf({
    first: optionRow(duration(1000), 'How long a job waits after its first INTERNAL_ERROR.', { default: '1m' }),
    most: optionRow(duration(1000), 'The most that a job waits after an INTERNAL_ERROR.', { default: '64m' }),
  }),
  'ErrorBackoff',
  'How long a job waits after INTERNAL_ERRORs.',
)

const rateLimits = named(
  optionsOf({
    requests: optionRow(integerFrom(1, 1_000_000), 'How many requests are let through.', { default: 120 }),
    window: optionRow(duration(1000), 'The rolling window that they are counted in.', { default: '60s' }),
  }),
  'RateLimitOptions',
  "A rate limit of a test's own.",
)

const rateLimit = v.union([
  v.pipe(
    v.boolean(),
    v.transform((isOn) => (isOn ? v.parse(rateLimits, {}) : undefined)),
  ),
  rateLimits,
])

/** A host as a `Host` header names it, without port; an IPv6 address without brackets. */
const host = v.pipe(
  v.string(),
  v.regex(/^([a-z0-9_-]+(\.[a-z0-9_-]+)*|[0-9a-f]*(:[0-9a-f.]*){2,})$/i, 'a host name without port'),
  v.toLowerCase(),
)

const controlAccess = named(
  optionsOf({
    key: optionRow(
      v.pipe(v.string(), v.regex(/^[!-~]+$/, 'visible ASCII characters without spaces')),
      'A key that the control API asks of everyone, this machine included; by which names it is asked does not matter then.',
      { isSecret: true, placeholder: 'KEY' },
    ),
    allowHosts: optionRow(
      v.array(host),
      'Further names of this machine by which the control API can be asked, and which pages may have, without a key.',
      { flag: 'allow-host', placeholder: 'NAME' },
    ),
  }),
  'ControlOptions',
  'Who may use the control API beside this machine by its own names.',
)

const control = v.union([
  v.pipe(
    v.literal('loopback'),
    v.transform(() => v.parse(controlAccess, {})),
  ),
  controlAccess,
])

const authoritySecret = named(
  optionsOf({
    secret: v.pipe(v.string(), v.minLength(16), v.description('At least 16 characters that nobody can guess.')),
  }),
  'AuthoritySecret',
  "What an authority's keys are made from.",
)

const store = v.pipe(
  v.custom<Store>(
    (value) =>
      isSomeObject(value) &&
      ['load', 'append'].every((name) => typeof value[name] === 'function') &&
      ['function', 'undefined'].includes(typeof value.flushed),
    'an object with the functions "load" and "append", and perhaps "flushed"',
  ),
  facts({ type: 'Store', imports: { Store: 'operation/store.ts' } }),
)

/** Checks that the kit made each of them. Whether they fit beside the others is checked where all families meet. */
export const familiesOption = v.pipe(
  v.custom<Families>(
    (value) => isSomeObject(value) && Object.values(value).every(isFamily),
    'an object with families that fauxgate/kit made, by name',
  ),
  facts({ type: 'Families', imports: { Families: 'operation/family.ts' } }),
)

function isFamily(value: unknown): boolean {
  return isSomeObject(value) && ['operations', 'collections', 'errors'].every((name) => name in value)
}

/** All options of `createGateway`. The command has them too, but for `store`. */
export const gatewayRows = {
  control: optionRow(
    asOne(
      control,
      '"loopback", or an object with "key", visible ASCII characters without spaces, and "allowHosts", an array of host ' +
        'names without port',
    ),
    'Who may use the control API below `/_fauxgate/`. Default: `loopback`, this machine only, by its own names. ' +
      'With a `key`: everyone who sends it in the header `Fauxgate-Control-Key`, and nobody else.',
    { default: 'loopback', defaultText: '', isSecret: true },
  ),
  dialect: optionRow(dialect, 'What differs between services.', { default: standard, defaultText: '`standard`' }),
  baseUrl: optionRow(baseUrl, 'The base URL of every URI in a response.', {
    defaultText: "the dialect's, and the server's own while served",
    placeholder: 'URL',
  }),
  keys: optionRow(
    asOne(v.array(key), 'an array of non-empty keys without white space around them'),
    'The API keys that HTTP requests may use.',
    { defaultText: 'any non-empty key', isSecret: true, flag: 'key', placeholder: 'KEY' },
  ),
  seed: optionRow(
    // Snapshots show it.
    v.pipe(textOption, v.check(hasNoPrivateKey, 'a text without a private key')),
    'The same seed and the same calls give the same ids.',
    { defaultText: 'a fresh one for each gateway' },
  ),
  initial: optionRow(
    v.pipe(
      v.custom<InitialResources>(isSomeObject, 'an object with arrays of bodies, by family'),
      facts({ type: 'InitialResources', imports: { InitialResources: 'generated/resources.ts' } }),
    ),
    "What exists from the beginning, and again after each `reset()`: bodies by family, under the API's own rules.",
  ),
  references: optionRow(
    oneOfThese(['any', 'declared']),
    'Which edges, routes, endpoint configurations and child backends exist: any id of the right prefix (the default), ' +
      'or only those declared through `gateway.declare`.',
    { default: 'any', defaultText: '' },
  ),
  unknownActions: optionRow(
    oneOfThese(['refuse', 'accept']),
    'What happens to traffic policy actions of an unknown type.',
    { default: 'refuse' },
  ),
  emptyJsonOnDelete: optionRow(
    switchOption,
    'A DELETE answers 200 with `{}` instead of 204, for clients that cannot read an empty answer.',
    { default: false },
  ),
  quirks: optionRow(
    asOne(quirks, 'an object with "keepBackendsOnPatch", true or false'),
    'Departures from the API reference.',
    { default: {}, defaultText: '' },
  ),
  rateLimit: optionRow(
    asOne(rateLimit, 'true, false, or an object with requests and window'),
    'Answers 429 to too many HTTP requests: true for 120 within 60 seconds.',
    { defaultText: 'false' },
  ),
  journalSize: optionRow(integerFrom(0, 1_000_000), 'How many requests `gateway.requests` keeps.', { default: 1000 }),
  journalBytes: optionRow(
    integerFrom(0, 2 ** 32),
    'How many bytes `gateway.requests` keeps, at two bytes a character; the oldest requests go.',
    { default: 16 * 1024 * 1024, defaultText: '16 MiB' },
  ),
  addressesPerRegion: optionRow(integerFrom(1, 2_000_000), 'How many addresses a region has, 1 to 2,000,000.', {
    default: 2_000_000,
    defaultText: '2,000,000',
  }),
  families: optionRow(
    familiesOption,
    'Families of your own, made with `fauxgate/kit`, by their names in the direct API.',
    {
      isUnoffered: true,
    },
  ),
  clock: optionRow(clockOption, 'Where the time comes from.', {
    default: systemClock,
    defaultText: 'the system clock, read at each call, so that faked dates apply',
    // The gateway has the type of the clock that it was created with.
    type: 'C',
  }),
  dns: optionRow(oneOfThese(['off', 'simulated']), 'Whether attempts look at the zone of `gateway.dns`.', {
    default: 'off',
  }),
  provisioningDelay: optionRow(
    duration(0),
    'From the start of a provisioning job to its first attempt; 0 issues within the creating call.',
    { default: '30s' },
  ),
  certificateValidity: optionRow(duration(1000), 'How long automatic certificates are valid.', { default: '90d' }),
  renewalLead: optionRow(duration(0), 'How long before its expiry a certificate is renewed; less than its validity.', {
    default: '30d',
  }),
  internalErrorBackoff: optionRow(
    asOne(
      internalErrorBackoff,
      `an object with "first" and "most", not less than first, each ${DURATION_ALLOWED}, at least 1000 ms`,
    ),
    'How long a job waits after its first INTERNAL_ERROR, twice as long after each further one, up to the most.',
    { default: {}, defaultText: '1m and 64m' },
  ),
  dnsErrorRetry: optionRow(duration(1000), 'How long a job waits after a DNS_ERROR.', { default: '1h' }),
  authorityKeys: optionRow(
    asOne(
      v.union([v.picklist(['test', 'fresh']), authoritySecret]),
      '"test", "fresh", or an object with "secret", a text of at least 16 characters',
    ),
    'The keys of the authority: the published test keys; fresh secret ones, kept in the store if there is one; or keys ' +
      'made from a secret of yours, the same for every gateway with it. With secret ones the ECDSA keys of ' +
      'certificates are secret too; RSA certificates always have the published test key. The authority belongs in no ' +
      'trust store.',
    { default: 'test', isSecret: true },
  ),
  store: optionRow(
    store,
    'Where every change is kept, private keys and other secrets too, so that the state outlives the process. With a ' +
      "state in it, the gateway goes on from there: its seed, its manual clock's time, without `initial`.",
    { defaultText: 'nowhere' },
  ),
}

/** The schema of {@link GatewayOptions}. */
export const gatewayOptions = named(
  optionsOf(gatewayRows),
  'GatewayOptions',
  'The options of {@link createGateway}; all have defaults.',
  { parameters: 'C extends Clock = Clock' },
)

/** The options of any gateway, with and without families of a test's own. */
export type AnyOptions = GatewayOptions & { readonly families?: Families | undefined }

/** The options with their defaults. */
export type ReadOptions = v.InferOutput<typeof gatewayOptions>

const DEFAULTS: ReadOptions = /* @__PURE__ */ v.parse(gatewayOptions, {})

/** The same schema without defaults. To read them again for each gateway would take as long as all other options. */
const received = optionsOf(
  Object.fromEntries(Object.entries(gatewayRows).map(([name, { wrapped }]) => [name, v.optional(wrapped)])),
)

const secret = Object.entries(gatewayRows).flatMap(([name, row]) => (marksOf(row).secret ? [name] : []))

/** Returns the options that rules may read: all but secret ones. */
export function rulesIn(options: ReadOptions): Rules {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !secret.includes(name)))
}

/**
 * Reads the options of a gateway and fills in the defaults.
 * @throws TypeError for an unknown option or a value that is not allowed.
 */
export function readGatewayOptions(options: AnyOptions): ReadOptions {
  // Each was read by the schema of its row.
  const read = withDefaults(readOptions(received, options, { secret }), DEFAULTS) as ReadOptions
  requireFittingTimes(options, read)
  return read
}

/** Refuses times that do not fit together. */
function requireFittingTimes(
  options: AnyOptions,
  { renewalLead, certificateValidity, internalErrorBackoff: { first, most } }: ReadOptions,
): void {
  if (renewalLead >= certificateValidity) {
    const allowed = `less than certificateValidity, ${quoted(options.certificateValidity, certificateValidity)}`
    throw new TypeError(`renewalLead is ${quoted(options.renewalLead, renewalLead)}. Allowed: ${allowed}.`)
  }
  if (first > most) {
    const allowed = `at most internalErrorBackoff.most, ${quoted(options.internalErrorBackoff?.most, most)}`
    const received = quoted(options.internalErrorBackoff?.first, first)
    throw new TypeError(`internalErrorBackoff.first is ${received}. Allowed: ${allowed}.`)
  }
}

/** Quotes a duration in the unit in which it was passed, or the default. */
function quoted(passed: Duration | undefined, ms: number): string {
  return passed === undefined ? `${quote(durationText(ms))}, its default` : quote(passed)
}
