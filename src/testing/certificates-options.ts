import * as v from 'valibot'
import { ipAddresses, requireUsableCertificate } from '../control/authority.ts'
import type { Time } from '../core/engine/manual-clock.ts'
import { named } from '../core/schema/documentation.ts'
import {
  integerFrom,
  moment,
  oneOfThese,
  optionRow,
  optionsOf,
  readOptions,
  textOption,
} from '../core/schema/options.ts'
import { LATEST_TIME } from '../core/schema/time.ts'
import { keysOf } from '../core/schema/values.ts'
import type { PairOptions, PairSubject } from '../generated/options.ts'
import { ipBytes } from '../service/x509/ip.ts'
import type { Attribute } from '../service/x509/issue.ts'

const keyTypes = ['rsa', 'ecdsa', 'ed25519'] as const
/** The type of a key. */
export type KeyType = (typeof keyTypes)[number]

/** The first year of UTCTime. Every certificate parser supports UTCTime. */
const EARLIEST_TIME = Date.UTC(1950, 0, 1)
const START_OF_2026 = Date.UTC(2026, 0, 1)
const MAX_ISSUERS = 5
/** The attribute types, in the order of a distinguished name. RFC 5280, appendix A.1, limits their lengths. */
const ATTRIBUTES = {
  country: 'C',
  province: 'ST',
  locality: 'L',
  organization: 'O',
  organizationalUnit: 'OU',
  commonName: 'CN',
} as const satisfies Readonly<Record<keyof PairSubject, Attribute[0]>>
const MAX_COMMON_NAME_LENGTH = 64

const NAME_ALLOWED = 'a DNS name of 1 to 253 ASCII characters without spaces, with other scripts encoded as "xn--…"'

const NO_IP_ALLOWED = `${NAME_ALLOWED}; the option "ips" takes IP addresses`

const names = v.array(
  v.pipe(
    v.string(NAME_ALLOWED),
    v.regex(/^[!-~]{1,253}$/, NAME_ALLOWED),
    v.check((name) => ipBytes(name) === undefined, NO_IP_ALLOWED),
  ),
  'an array of DNS names',
)

/** Creates the schema of a string with a maximum length. */
function attribute(maxLength: number) {
  const allowed = `a string of up to ${maxLength} characters`
  return v.pipe(
    v.string(allowed),
    v.check((text) => [...text].length <= maxLength && !/\p{Surrogate}/u.test(text), allowed),
  )
}

const DEFAULT_NAMES: string[] = ['app.example.com']
const NO_IPS: string[] = []

const subject = /* @__PURE__ */ named(
  optionsOf(
    {
      commonName: optionRow(attribute(MAX_COMMON_NAME_LENGTH), 'The common name.', {
        defaultText:
          'the first name, or the first IP address if there are no names, if it is at most 64 characters long',
      }),
      organization: optionRow(attribute(64), 'The organization.'),
      organizationalUnit: optionRow(attribute(64), 'The organizational unit.'),
      locality: optionRow(attribute(128), 'The locality, such as a town.'),
      province: optionRow(attribute(128), 'The state or province.'),
      country: optionRow(
        v.pipe(v.string('two letters'), v.regex(/^([A-Za-z]{2})?$/, 'two letters')),
        'The two-letter country code, such as `DE`.',
      ),
    },
    `an object with ${Object.keys(ATTRIBUTES).join(', ')}`,
  ),
  'PairSubject',
  'The subject of a certificate. Default: the common name, or the organization `fauxgate` if there is no common name. ' +
    'An attribute with the value `""` is omitted.',
)

const momentWithin = (margin = 0) => moment(EARLIEST_TIME + margin, LATEST_TIME - margin)

/** Creates the options schema for a pair with at least `minIssuers` CA certificates. */
export const pairOptions = (minIssuers = 0) =>
  named(
    optionsOf({
      names: optionRow(names, 'DNS names. The first one is also the common name.', {
        default: DEFAULT_NAMES,
        defaultText: "`['app.example.com']`",
      }),
      ips: optionRow(ipAddresses, 'IPv4 and IPv6 addresses.', { default: NO_IPS, defaultText: 'none' }),
      keyType: optionRow(oneOfThese(keyTypes), 'The key type. `rsa` always uses the same published 2048-bit key.', {
        default: 'ecdsa',
        defaultText: '`ecdsa`, on P-256',
      }),
      notBefore: optionRow(momentWithin(), 'The start of the validity period, in whole seconds.', {
        default: START_OF_2026,
        defaultText: 'the start of 2026',
      }),
      notAfter: optionRow(momentWithin(), 'The end of the validity period, in whole seconds.', {
        default: Date.UTC(2036, 0, 1),
        defaultText: 'the start of 2036',
      }),
      subject: v.optional(subject, {}),
      issuers: optionRow(
        integerFrom(minIssuers, MAX_ISSUERS),
        'The number of CA certificates after the leaf, at most 5: 0 for a self-signed leaf, 1 for a root, 2 for an ' +
          'intermediate and a root. Pairs with the same seed share the same CAs, which use ECDSA keys.',
        { default: minIssuers },
      ),
      seed: optionRow(textOption, 'The seed. The same seed and options produce the same bytes.', {
        default: 'fauxgate',
      }),
    }),
    'PairOptions',
    'The options for a certificate and its key.',
  )

/** The options for a pair, with the defaults filled in. Times are in ms since the Unix epoch, in whole seconds. */
export type ReadPairOptions = ReturnType<typeof readPairOptions>

/**
 * Reads the options for a pair and fills in the defaults.
 *
 * @param minIssuers the minimum number of CA certificates that the pair needs
 * @throws TypeError for an unknown option or a value that is not allowed
 */
export function readPairOptions(options: PairOptions = {}, minIssuers = 0) {
  const read = readOptions(pairOptions(minIssuers), options)
  requireUsableCertificate(read)
  const { names, ips, keyType, seed, issuers } = read
  return {
    names,
    ips: ips.map((ip) => ipBytes(ip) as Uint8Array), // Checked by the schema.
    keyType,
    notBefore: wholeSeconds(read.notBefore),
    notAfter: wholeSeconds(read.notAfter),
    subject: attributesOf(read.subject, names[0] ?? ips[0] ?? ''),
    issuers,
    seed,
  }
}

/**
 * Reads a time option, by default the start of 2026.
 *
 * @param margin how many ms before and after the time must also be allowed
 * @returns epoch ms
 * @throws TypeError if the value is not a time
 */
export function readMoment(name: string, value: Time = START_OF_2026, margin: number): number {
  return readOptions(momentWithin(margin), value, { whole: name })
}

/** Returns the attributes of a subject, whose common name is `name` by default. */
function attributesOf(subject: PairSubject, name: string): readonly Attribute[] {
  const texts = { ...subject, commonName: subject.commonName ?? (name.length > MAX_COMMON_NAME_LENGTH ? '' : name) }
  const attributes = keysOf(ATTRIBUTES).flatMap((key): Attribute[] => {
    const text = texts[key]
    return text ? [[ATTRIBUTES[key], text]] : []
  })
  return attributes.length > 0 ? attributes : [['O', 'fauxgate']]
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000
}
