import * as v from 'valibot'
import { systemClock } from '../core/engine/clock.ts'
import type { Families } from '../core/operation/family.ts'
import type { RuleOptions } from '../core/schema/dialect.ts'
import { named } from '../core/schema/documentation.ts'
import { createOptionError } from '../core/schema/option-error.ts'
import {
  baseUrl,
  duration,
  integerFrom,
  oneOfThese,
  optionRow,
  optionsOf,
  readOptions,
  switchOption,
  textOption,
} from '../core/schema/options.ts'
import { marksOf } from '../core/schema/schema-parts.ts'
import { hasNoPrivateKey } from '../core/schema/secret-texts.ts'
import { quote } from '../core/schema/text.ts'
import { type Duration, durationText } from '../core/schema/time.ts'
import { isObject, omit } from '../core/schema/values.ts'
import type { GatewayOptions } from '../generated/options.ts'
import { MIN_DEFAULT_PROFILE, PROFILES } from '../service/provisioning/certificate-profiles.ts'
import { dialect, standard } from '../service/resources/dialects.ts'
import { account } from './account-schema.ts'
import {
  authorityKeys,
  certificates,
  clock,
  control,
  DEFAULT_VALIDITIES,
  destinations,
  families,
  initial,
  internalErrorBackoff,
  keys,
  origins,
  quirks,
  rateLimit,
  store,
  takenDomains,
} from './option-schemas.ts'

/** All options of `createGateway`. The command supports all options except `store`. */
export const gatewayRows = {
  control: optionRow(
    control,
    'Who may use the control API under `/_fauxgate/`. Default: `loopback`, that is, only from this machine under its own names. ' +
      'With a `key`, only clients that send it in the `Fauxgate-Control-Key` header.',
    { default: 'loopback', defaultText: '', isSecret: true },
  ),
  cors: optionRow(
    origins,
    'Additional origins whose pages may call the server. Its own pages and pages from this machine may always ' +
      'call it. `*` allows all origins.',
    { default: [], defaultText: 'none', placeholder: 'ORIGIN' },
  ),
  dialect: optionRow(dialect, 'The differences between services.', { default: standard, defaultText: '`standard`' }),
  baseUrl: optionRow(baseUrl, 'The base URL of the URIs in responses.', {
    defaultText: "the dialect's, or the server's URL while the gateway is served",
    placeholder: 'URL',
  }),
  keys: optionRow(keys, 'The API keys that HTTP requests may use.', {
    defaultText: 'any made-up key',
    isSecret: true,
    flag: 'key',
    placeholder: 'KEY',
  }),
  seed: optionRow(
    // Snapshots show the seed.
    v.pipe(textOption, v.check(hasNoPrivateKey, 'a string without a private key')),
    'The seed for IDs and certificates: the same seed and calls produce the same IDs.',
    { defaultText: 'a random one for each gateway' },
  ),
  initial: optionRow(
    initial,
    "The resources that exist at the start and after each `reset()`: request bodies by family. The API's rules apply to them.",
  ),
  references: optionRow(
    oneOfThese(['any', 'declared']),
    'Which edges, routes, endpoint configurations, and child backends are treated as existing: any whose ID has the ' +
      'right prefix (the default), or only those declared with `gateway.declare`.',
    { default: 'any', defaultText: '' },
  ),
  unknownActions: optionRow(
    oneOfThese(['refuse', 'accept']),
    'How to treat traffic policy actions of an unknown type.',
    { default: 'refuse' },
  ),
  emptyJsonOnDelete: optionRow(
    switchOption,
    'Return 200 and `{}` instead of 204, for clients that cannot read an empty response.',
    { default: false },
  ),
  errorText: optionRow(
    oneOfThese(['usual', 'varied']),
    'The `msg` of errors. With `varied`, it contains nothing useful and is different each time, so code that matches ' +
      'on it fails. Reports still show the usual text.',
    { default: 'usual' },
  ),
  quirks: optionRow(quirks, 'Behavior of the real service that differs from its API reference.', {
    default: {},
    defaultText: '',
  }),
  rateLimit: optionRow(rateLimit, 'Return 429 for too many HTTP requests. `true` allows 120 requests per 60 seconds.', {
    defaultText: 'false',
  }),
  account: optionRow(
    account,
    "The account that owns the gateway's resources: a plan, and limits by name. A call that exceeds a limit fails.",
    { defaultText: 'no limits' },
  ),
  journalSize: optionRow(
    integerFrom(0, 1_000_000),
    'The maximum number of requests in the journal, `gateway.requests`.',
    { default: 1000 },
  ),
  journalBytes: optionRow(
    integerFrom(0, 2 ** 32),
    'The maximum size of the journal, and of the traffic journal, in bytes, counting two bytes per character. Beyond ' +
      'this size, the oldest requests are dropped.',
    { default: 16 * 1024 * 1024, defaultText: '16 MiB' },
  ),
  addressesPerRegion: optionRow(integerFrom(1, 2_000_000), 'The number of addresses in each region, 1 to 2,000,000.', {
    default: 2_000_000,
    defaultText: '2,000,000',
  }),
  takenDomains: optionRow(
    takenDomains,
    'Domain names that another account has reserved. Reserving any of these names fails, and so does reserving a ' +
      'subdomain of one or a wildcard that covers one.',
    { default: [], defaultText: 'none', flag: 'taken-domain', placeholder: 'NAME' },
  ),
  destinations: optionRow(
    destinations,
    'The URLs to post events to, by the kind of event destination. Events without a URL are not posted.',
    { defaultText: 'none', isSecret: true },
  ),
  families: optionRow(families, 'Your own families, created with `fauxgate/kit`, by their name in the direct API.', {
    isUnoffered: true,
  }),
  clock: optionRow(clock, 'The source of the time.', {
    default: systemClock,
    defaultText: 'the system clock, including faked dates',
    // C is the type parameter of `createGateway`.
    type: 'C',
  }),
  dns: optionRow(
    oneOfThese(['off', 'simulated']),
    'The DNS zone that provisioning attempts check: with `simulated`, the zone in `gateway.dns`; with `off`, none.',
    { default: 'off' },
  ),
  provisioningDelay: optionRow(
    duration(0),
    'The time from the start of a provisioning job to its first attempt. With 0, the certificate is issued during ' +
      'the creating call.',
    { default: '30s' },
  ),
  certificates: optionRow(
    certificates,
    'How long automatic certificates are valid, and how long before expiry they are renewed.',
    { defaultText: `the values of Let's Encrypt at the gateway's time: ${DEFAULT_VALIDITIES}` },
  ),
  internalErrorBackoff: optionRow(
    internalErrorBackoff,
    'How long a job waits after its first INTERNAL_ERROR. The wait doubles after each further error, up to `most`.',
    { default: {}, defaultText: '1m and 64m' },
  ),
  dnsErrorRetry: optionRow(duration(1000), 'How long a job waits after a DNS_ERROR.', { default: '1h' }),
  authorityKeys: optionRow(
    authorityKeys,
    'The keys of the authority. `test`: the published test keys. `fresh`: new secret keys, which a store ' +
      'persists. `{ secret }`: keys derived from your secret, the same in every gateway that uses it. RSA ' +
      'certificates always use the published test key. Never add the authority to a trust store.',
    { default: 'test', isSecret: true },
  ),
  store: optionRow(
    store,
    'A store that saves every change, so that the state outlives the process. It contains private keys and other ' +
      'secrets. A gateway with a filled store resumes from it, including the seed and the time of a manual clock, ' +
      'and ignores `initial`.',
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

/** The options of any gateway, with or without your own families. */
export type AnyOptions = GatewayOptions & { readonly families?: Families | undefined }

export type ParsedGatewayOptions = v.InferOutput<typeof gatewayOptions>

const secretNames = Object.entries(gatewayRows).flatMap(([name, row]) => (marksOf(row).secret ? [name] : []))

/** Returns the options that rules may read: all except secrets. */
export function selectRuleOptions(options: ParsedGatewayOptions): RuleOptions {
  return omit(options, secretNames)
}

/** The options that gateways don't share: where a gateway is, how it starts, and what it stores. */
const OWN_OPTIONS = 'dialect baseUrl seed initial families clock store journalSize journalBytes'.split(' ')

/** Returns the options that another gateway needs to respond like this one: the options that differ from the defaults, without secrets. */
export function listRepeatable(options: AnyOptions): Readonly<Record<string, unknown>> {
  const isRepeatable = ([name, value]: [string, unknown]) =>
    !OWN_OPTIONS.includes(name) &&
    !secretNames.includes(name) &&
    value !== undefined &&
    JSON.stringify(value) !== JSON.stringify(v.getDefault(Reflect.get(gatewayRows, name)))
  return Object.fromEntries(Object.entries(options).filter(isRepeatable))
}

/** Returns the options for creating a sibling of a gateway, except its clock. */
export function listShared(options: AnyOptions): AnyOptions {
  const { baseUrl: _baseUrl, clock: _clock, store: _store, ...shared } = options
  return shared
}

/**
 * Reads the options of a gateway and fills in the defaults.
 * @throws TypeError for an unknown option or a value that is not allowed.
 */
export function readGatewayOptions(options: AnyOptions): ParsedGatewayOptions {
  const parsed = readOptions(gatewayOptions, options, { secret: secretNames })
  requireConsistentDurations(options, parsed)
  const { dialect, quirks } = parsed
  if (quirks.takenStatus === undefined) return parsed
  const errorStatuses = { ...dialect.errorStatuses, domain_taken: quirks.takenStatus }
  return { ...parsed, dialect: { ...dialect, errorStatuses } }
}

function requireConsistentDurations(passed: AnyOptions, parsed: ParsedGatewayOptions): void {
  const { validity = PROFILES[MIN_DEFAULT_PROFILE], renewalLead = 0 } = parsed.certificates ?? {}
  if (renewalLead >= validity && isObject(passed.certificates)) {
    const { validity: passedValidity, renewalLead: passedLead } = passed.certificates
    const shortest = passedValidity ? quote(passedValidity) : `${quote(MIN_DEFAULT_PROFILE)}, its shortest default`
    throw createOptionError(
      (nameOf) =>
        `${nameOf('certificates.renewalLead')} is ${quote(passedLead)}. ` +
        `Allowed: less than ${nameOf('certificates.validity')}, ${shortest}.`,
    )
  }
  const { first, most } = parsed.internalErrorBackoff
  if (first > most) {
    const received = quoteDuration(passed.internalErrorBackoff?.first, first)
    const largest = quoteDuration(passed.internalErrorBackoff?.most, most)
    throw createOptionError(
      (nameOf) =>
        `${nameOf('internalErrorBackoff.first')} is ${received}. ` +
        `Allowed: at most ${nameOf('internalErrorBackoff.most')}, ${largest}.`,
    )
  }
}

/** Quotes a duration in the unit in which it was passed, or the default. */
function quoteDuration(passed: Duration | undefined, ms: number): string {
  return passed === undefined ? `${quote(durationText(ms))}, its default` : quote(passed)
}
