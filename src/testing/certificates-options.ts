import * as v from 'valibot'
import type { Time } from '../engine/manual-clock.ts'
import {
  asOne,
  integerFrom,
  moment,
  oneOfThese,
  optionsOf,
  readOptions,
  type SchemasOf,
  textOption,
  withDefaults,
} from '../schema/options.ts'
import { LATEST_TIME, timestamp } from '../schema/time.ts'
import { ipBytes } from '../x509/ip.ts'
import type { Attribute } from '../x509/issue.ts'

const keyTypes = ['rsa', 'ecdsa', 'ed25519'] as const
/** The kind of a key. */
export type KeyType = (typeof keyTypes)[number]

/** The subject of a certificate. An attribute that is `""` is left out. */
export interface PairSubject {
  /** The common name. Default: the first of the names, else of the IPs, if it has at most 64 characters. */
  readonly commonName?: string
  /** The organization. */
  readonly organization?: string
  /** The organizational unit. */
  readonly organizationalUnit?: string
  /** The locality, such as a town. */
  readonly locality?: string
  /** The state or province. */
  readonly province?: string
  /** Two letters, such as `DE`. */
  readonly country?: string
}

/** The options of a certificate and its key. */
export interface PairOptions {
  /** DNS names. The first one is also the common name. Default: `['app.example.com']`. */
  readonly names?: readonly string[]
  /** IPv4 and IPv6 addresses. Default: none. */
  readonly ips?: readonly string[]
  /** The type of the key. Default: `ecdsa`, on P-256. `rsa` is always the same published key of 2048 bits. */
  readonly keyType?: KeyType
  /** The start of validity, in whole seconds. Default: the start of 2026. */
  readonly notBefore?: Time
  /** The end of validity, in whole seconds. Default: the start of 2036. */
  readonly notAfter?: Time
  /** The subject. Default: the common name, or the organization `fauxgate` if there is no common name. */
  readonly subject?: PairSubject
  /**
   * The number of CA certificates after the leaf, up to 5: 0 for a self-signed leaf, 1 for a root, 2 for an intermediate
   * and a root. Pairs of the same seed have the same CAs, with ECDSA keys. Default: 0.
   */
  readonly issuers?: number
  /** The seed: the same seed and options give the same bytes. Default: `fauxgate`. */
  readonly seed?: string
}

/** Parsed options, with the defaults filled in. */
export interface Plan {
  readonly names: readonly string[]
  readonly ips: readonly Uint8Array[]
  readonly keyType: KeyType
  /** In ms since 1970, in whole seconds. */
  readonly notBefore: number
  readonly notAfter: number
  readonly subject: readonly Attribute[]
  readonly issuers: number
  readonly seed: string
}

/** The first year of UTCTime, which every reader of certificates knows. */
const EARLIEST = Date.UTC(1950, 0, 1)
const START_OF_2026 = Date.UTC(2026, 0, 1)
const MOST_ISSUERS = 5
/** The longest texts of RFC 5280, appendix A.1, in the order in which names have them. */
const ATTRIBUTES = {
  country: ['C', 2],
  province: ['ST', 128],
  locality: ['L', 128],
  organization: ['O', 64],
  organizationalUnit: ['OU', 64],
  commonName: ['CN', 64],
} as const satisfies Readonly<Record<keyof PairSubject, readonly [type: Attribute[0], longest: number]>>

const names = asOne(
  v.array(v.pipe(v.string(), v.regex(/^[!-~]{1,253}$/))),
  'an array of DNS names of 1 to 253 ASCII characters without spaces, other scripts in the form "xn--…"',
)

const ips = asOne(
  v.array(
    v.pipe(
      v.string(),
      v.check((ip) => ipBytes(ip) !== undefined),
    ),
  ),
  'an array of IPv4 and IPv6 addresses',
)

function attribute(longest: number) {
  const allowed = `a string of up to ${longest} characters`
  return v.pipe(
    v.string(allowed),
    v.check((text) => [...text].length <= longest && !/\p{Surrogate}/u.test(text), allowed),
  )
}

const subject = () =>
  optionsOf(
    {
      country: v.optional(v.pipe(v.string('two letters'), v.regex(/^([A-Za-z]{2})?$/, 'two letters'))),
      province: v.optional(attribute(ATTRIBUTES.province[1])),
      locality: v.optional(attribute(ATTRIBUTES.locality[1])),
      organization: v.optional(attribute(ATTRIBUTES.organization[1])),
      organizationalUnit: v.optional(attribute(ATTRIBUTES.organizationalUnit[1])),
      commonName: v.optional(attribute(ATTRIBUTES.commonName[1])),
    } satisfies SchemasOf<PairSubject>,
    `an object with ${Object.keys(ATTRIBUTES).join(', ')}`,
  )

/** A time with `room` ms before and after it. */
const momentWithin = (room = 0) => moment(EARLIEST + room, LATEST_TIME - room)

const pairOptions = (fewestIssuers: number) =>
  optionsOf({
    names: v.optional(names),
    ips: v.optional(ips),
    keyType: v.optional(oneOfThese(keyTypes)),
    notBefore: v.optional(momentWithin()),
    notAfter: v.optional(momentWithin()),
    subject: v.optional(subject()),
    issuers: v.optional(integerFrom(fewestIssuers, MOST_ISSUERS)),
    seed: v.optional(textOption),
  } satisfies SchemasOf<PairOptions>)

const NO_IPS: readonly string[] = []

const DEFAULTS = {
  names: ['app.example.com'],
  ips: NO_IPS,
  keyType: 'ecdsa',
  notBefore: START_OF_2026,
  notAfter: Date.UTC(2036, 0, 1),
  subject: {},
  seed: 'fauxgate',
} as const

/**
 * Reads the options of a pair and fills in the defaults.
 *
 * @param fewestIssuers the number of CA certificates that the pair needs at least
 * @throws TypeError for an unknown option or a value that is not allowed
 */
export function readPairOptions(options: PairOptions = {}, fewestIssuers = 0): Plan {
  const read = withDefaults(readOptions(pairOptions(fewestIssuers), options), DEFAULTS)
  const { names, ips, keyType, seed, issuers = fewestIssuers } = read
  if (names.length + ips.length === 0) {
    throw new TypeError('names and ips are both empty. Allowed: at least one name or IP address.')
  }
  const [notBefore, notAfter] = [wholeSeconds(read.notBefore), wholeSeconds(read.notAfter)]
  if (notAfter < notBefore) {
    throw new TypeError(
      `notAfter is ${timestamp(notAfter)}. Allowed: ${timestamp(notBefore)}, which is notBefore, or later.`,
    )
  }
  return {
    names,
    ips: ips.map((ip) => ipBytes(ip) as Uint8Array), // Each is one, as just read.
    keyType,
    notBefore,
    notAfter,
    subject: attributesOf(read.subject, names[0] ?? ips[0] ?? ''),
    issuers,
    seed,
  }
}

/**
 * Reads an option that is a time, by default the start of 2026.
 *
 * @param room the ms that there must be before and after it
 * @returns ms since 1970
 * @throws TypeError where it is none
 */
export function readMoment(name: string, value: Time = START_OF_2026, room = 0): number {
  return readOptions(momentWithin(room), value, { whole: name })
}

function attributesOf(
  subject: { readonly [Name in keyof PairSubject]?: string | undefined },
  name: string,
): readonly Attribute[] {
  const [, longest] = ATTRIBUTES.commonName
  const texts = { ...subject, commonName: subject.commonName ?? (name.length > longest ? '' : name) }
  const attributes = Object.entries(ATTRIBUTES).flatMap(([key, [type]]): Attribute[] => {
    const text = texts[key as keyof PairSubject] // They are called as the options are.
    return text ? [[type, text]] : []
  })
  return attributes.length > 0 ? attributes : [['O', 'fauxgate']]
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000
}
