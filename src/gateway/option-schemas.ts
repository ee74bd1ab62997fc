import * as v from 'valibot'
import type { Clock } from '../core/engine/clock.ts'
import type { Families } from '../core/operation/family.ts'
import type { Store } from '../core/operation/store.ts'
import { named } from '../core/schema/documentation.ts'
import { facts } from '../core/schema/facts.ts'
import { duration, integerFrom, objectOr, optionRow, optionsOf, switchOption } from '../core/schema/options.ts'
import { DURATION_ALLOWED } from '../core/schema/time.ts'
import { isObject, keysOf } from '../core/schema/values.ts'
import type { InitialResources } from '../generated/resources.ts'
import { type CertificateLifetime, PROFILES } from '../service/provisioning/certificate-profiles.ts'
import { nameProblem } from '../service/resources/reserved-domains/names.ts'

/** Returns true for any object, because clocks, dialects, and stores may be instances of any class. */
function isSomeObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Returns true for an object with values by name, such as a module namespace, which is not a plain object. */
function hasNames(value: unknown): boolean {
  return isObject(value) || Object.prototype.toString.call(value) === '[object Module]'
}

export const clock = v.pipe(
  v.custom<Clock>(
    (value) => isSomeObject(value) && (typeof value.now === 'function' || typeof value.now === 'number'),
    `manualClock('2026-01-01T00:00:00Z'), or another object with "now", a function or a number, in ms`,
  ),
  facts({ type: 'Clock', imports: { Clock: 'core/engine/clock.ts' } }),
)

const KEY_ALLOWED = 'a non-empty key without surrounding whitespace'

const apiKey = v.pipe(
  v.string(KEY_ALLOWED),
  v.check((text) => text !== '' && text.trim() === text, KEY_ALLOWED),
)

export const keys = v.array(apiKey, 'an array of non-empty keys without surrounding whitespace')

export const quirks = named(
  optionsOf(
    {
      keepBackendsOnPatch: optionRow(
        switchOption,
        'Keep the children of a weighted backend if a PATCH omits `backends`, instead of removing them.',
        { default: false, flag: 'keep-backends-on-patch' },
      ),
      lateStatus: optionRow(
        switchOption,
        'Return a null `certificate_management_status` from a PATCH that sets a certificate management policy. The next read shows the provisioning job.',
        { default: false, flag: 'late-status' },
      ),
      policyMayFallThrough: optionRow(
        switchOption,
        "Accept cloud endpoint policies that don't terminate traffic, so that a test can use an incomplete policy.",
        { default: false, flag: 'policy-may-fall-through' },
      ),
      takenStatus: optionRow(
        v.pipe(v.number('400 or 409'), v.values([400, 409], '400 or 409')),
        'The HTTP status for error code 413: the domain name is already reserved. Default: 400 in the ' +
          '`ngrok` dialect, as observed in ngrok, and 409 in `standard`.',
        { flag: 'taken-status', placeholder: 'STATUS' },
      ),
    },
    'an object with "keepBackendsOnPatch", "lateStatus", "policyMayFallThrough", and "takenStatus"',
  ),
  'Quirks',
  'Behavior of the real service that differs from its API reference.',
)

export const internalErrorBackoff = named(
  optionsOf(
    {
      first: optionRow(duration(1000), 'How long a job waits after its first INTERNAL_ERROR.', { default: '1m' }),
      most: optionRow(duration(1000), 'The maximum time that a job waits after an INTERNAL_ERROR.', { default: '64m' }),
    },
    `an object with "first" and "most", each ${DURATION_ALLOWED} and at least 1000 ms; "most" must not be less than "first"`,
  ),
  'ErrorBackoff',
  'How long a job waits after each INTERNAL_ERROR.',
)

const ADDRESS_ALLOWED = 'an http or https URL without a user name or password'

function isAddress(text: string): boolean {
  if (!/^https?:\/\/[^/?#]/.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

const address = (what: string, flag: string) =>
  optionRow(
    v.pipe(v.string(ADDRESS_ALLOWED), v.check(isAddress, ADDRESS_ALLOWED)),
    `The URL for events whose destination is ${what}.`,
    // Its query may contain a key.
    { isSecret: true, placeholder: 'URL', flag },
  )

export const destinations = named(
  optionsOf(
    {
      cloudwatch_logs: address('a CloudWatch log group', 'events-to-cloudwatch'),
      datadog: address('a Datadog account', 'events-to-datadog'),
      firehose: address('a Firehose delivery stream', 'events-to-firehose'),
      kinesis: address('a Kinesis stream', 'events-to-kinesis'),
      azure_logs_ingestion: address('an Azure data collection endpoint', 'events-to-azure'),
    },
    `an object with "cloudwatch_logs", "datadog", "firehose", "kinesis", and "azure_logs_ingestion", each ${ADDRESS_ALLOWED}`,
  ),
  'DestinationAddresses',
  'The URLs to post events to, by the kind of event destination.',
)

const profileNames = keysOf(PROFILES)

const PROFILES_ALLOWED = profileNames.map((name) => `"${name}"`).join(' or ')

/** The default validity periods, as text. They follow Let's Encrypt. */
export const DEFAULT_VALIDITIES = '90d, then 64d from 2027-02-10 and 45d from 2028-02-16'

const certificateOptions = named(
  optionsOf({
    validity: optionRow(duration(1000), 'The validity period of automatic certificates.', {
      defaultText: `depends on the gateway's time: ${DEFAULT_VALIDITIES}`,
      flag: 'certificate-validity',
    }),
    renewalLead: optionRow(
      duration(0),
      'How long before expiry a certificate is renewed. Must be less than its validity period.',
      { defaultText: 'a third of the validity period, or half if the period is under 10 days', flag: 'renewal-lead' },
    ),
  }),
  'CertificateOptions',
  'The validity period and renewal of automatic certificates.',
)

export const certificates = objectOr(
  certificateOptions,
  v.pipe(
    v.picklist(
      profileNames,
      `${PROFILES_ALLOWED}, or an object with "validity", ${DURATION_ALLOWED}, at least 1000 ms, and "renewalLead"`,
    ),
    v.transform((name): CertificateLifetime => ({ validity: PROFILES[name] })),
  ),
)

const rateLimitOptions = named(
  optionsOf({
    requests: optionRow(integerFrom(1, 1_000_000), 'The number of requests allowed within the window.', {
      default: 120,
    }),
    window: optionRow(duration(1000), 'The rolling window.', { default: '60s' }),
  }),
  'RateLimitOptions',
  'A rate limit.',
)

export const rateLimit = objectOr(
  rateLimitOptions,
  v.pipe(
    v.boolean('true, false, or an object with "requests" and "window"'),
    v.transform((isOn) => (isOn ? v.parse(rateLimitOptions, {}) : undefined)),
  ),
)

export const takenDomains = v.array(
  v.pipe(
    v.string('a domain name'),
    v.check((name) => nameProblem(name) === undefined, 'a domain name'),
    v.toLowerCase(),
  ),
  'an array of domain names, such as "example.com" or "*.example.com"',
)

const HOST_ALLOWED = 'a host name without a port'

/** A host as it appears in a `Host` header, without a port; an IPv6 address without brackets. */
const hostName = v.pipe(
  v.string(HOST_ALLOWED),
  v.regex(/^([a-z0-9_-]+(\.[a-z0-9_-]+)*|[0-9a-f]*(:[0-9a-f.]*){2,})$/i, HOST_ALLOWED),
  v.toLowerCase(),
)

const CONTROL_KEY_ALLOWED = 'visible ASCII characters without spaces'

const controlOptions = named(
  optionsOf({
    key: optionRow(
      v.pipe(v.string(CONTROL_KEY_ALLOWED), v.regex(/^[!-~]+$/, CONTROL_KEY_ALLOWED)),
      'Require this key for the control API, even from this machine. With a key set, the control API does not check the Host header.',
      { isSecret: true, placeholder: 'KEY' },
    ),
    allowHosts: optionRow(
      v.array(hostName, 'an array of host names without ports'),
      'Extra host names for this machine. Requests may use these names as their `Host`, and pages from these hosts ' +
        'may call the server.',
      { flag: 'allow-host', placeholder: 'NAME' },
    ),
  }),
  'ControlOptions',
  'Who may use the control API from other machines.',
)

export const control = objectOr(
  controlOptions,
  v.pipe(
    v.literal('loopback', '"loopback", or an object with "key" and "allowHosts"'),
    v.transform(() => v.parse(controlOptions, {})),
  ),
)

const ORIGIN_ALLOWED = 'an origin such as "https://app.example.com", or "*" for all'

const isOrigin = (text: string) => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text

/** The origins of pages. A page loaded from a file or in a sandboxed frame has the origin "null". */
export const origins = v.array(
  v.pipe(
    v.string(ORIGIN_ALLOWED),
    v.check((text) => text === '*' || text === 'null' || isOrigin(text), ORIGIN_ALLOWED),
  ),
  `an array of origins, each ${ORIGIN_ALLOWED}`,
)

const SECRET_ALLOWED = 'a string of at least 16 characters'
const AUTHORITY_SECRET_ALLOWED = `an object with "secret", ${SECRET_ALLOWED}`

const authoritySecret = named(
  optionsOf(
    {
      secret: v.pipe(
        v.string(SECRET_ALLOWED),
        v.minLength(16, SECRET_ALLOWED),
        v.description('At least 16 characters that are hard to guess.'),
      ),
    },
    AUTHORITY_SECRET_ALLOWED,
  ),
  'AuthoritySecret',
  "The secret that the authority's keys are derived from.",
)

export const authorityKeys = objectOr(
  authoritySecret,
  v.picklist(['test', 'fresh'], `"test", "fresh", or ${AUTHORITY_SECRET_ALLOWED}`),
)

export const store = v.pipe(
  v.custom<Store>(
    (value) =>
      isSomeObject(value) &&
      ['load', 'append'].every((name) => typeof value[name] === 'function') &&
      ['function', 'undefined'].includes(typeof value.flushed),
    'an object with the functions "load" and "append", and optionally "flushed"',
  ),
  facts({ type: 'Store', imports: { Store: 'core/operation/store.ts' } }),
)

/** `tableOf` checks the families. */
export const families = v.pipe(
  v.custom<Families>(hasNames, 'an object with families created with fauxgate/kit, by name'),
  facts({ type: 'CallableFamilies', imports: { CallableFamilies: 'gateway/direct/direct-api.ts' } }),
)

export const initial = v.pipe(
  v.custom<InitialResources>(hasNames, 'an object with arrays of bodies, by family'),
  facts({ type: 'InitialResources', imports: { InitialResources: 'generated/resources.ts' } }),
)
