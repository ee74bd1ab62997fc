import { isObject } from '../contract/json.ts'
import { quote } from '../contract/quote.ts'
import { LATEST_TIME, TIME_ALLOWED, timeMs, timestamp } from '../contract/view.ts'
import type { Time } from '../engine/manual-clock.ts'
import { ipBytes } from '../x509/ip.ts'
import type { Attribute } from '../x509/issue.ts'
import { type KeyType, keyTypes } from './certificates-keys.ts'

/** The subject of a certificate. An attribute that is "" is left out. */
export interface PairSubject {
  /** Default: the first of the names, else of the IPs, unless it is longer than a common name can be, 64 characters. */
  readonly commonName?: string
  readonly organization?: string
  readonly organizationalUnit?: string
  readonly locality?: string
  readonly province?: string
  /** Two letters, such as `DE`. */
  readonly country?: string
}

/** What a certificate and its key are to be; all of it has defaults. */
export interface PairOptions {
  /** DNS names; the first is the common name. Default: `['app.example.com']`. */
  readonly names?: readonly string[]
  /** IPv4 and IPv6 addresses. Default: none. */
  readonly ips?: readonly string[]
  /** Default: `ecdsa`, on P-256. `rsa` is always the same published key of 2048 bits. */
  readonly keyType?: KeyType
  /** From when on it is valid, in whole seconds. Default: the start of 2026. */
  readonly notBefore?: Time
  /** Until when it is valid, in whole seconds. Default: the start of 2036. */
  readonly notAfter?: Time
  /** Default: a common name alone, or the organization `fauxgate` where that would leave the subject empty. */
  readonly subject?: PairSubject
  /**
   * How many CA certificates follow the leaf: 0 for a self-signed leaf (the default), 1 for a root, 2 for an intermediate
   * and a root, up to 5. Pairs of the same seed have the same CAs, with ECDSA keys, whatever the leaf's are.
   */
  readonly issuers?: number
  /** The same seed and options give the same bytes. Default: `fauxgate`. */
  readonly seed?: string
}

/** Options that are checked, with the defaults filled in. */
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

/** The first time that every reader of certificates knows. */
const EARLIEST = Date.UTC(1950, 0, 1)
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

/** A test of one option, and what a message says is allowed. */
type Check = readonly [test: (value: unknown) => boolean, allowed: string]

const isTime: Check = isTimeWithin(0, 0)
const CHECKS = {
  names: [
    isListOf((name) => /^[!-~]{1,253}$/.test(name)),
    'an array of DNS names of 1 to 253 ASCII characters without spaces, other scripts in the form "xn--…"',
  ],
  ips: [isListOf((ip) => ipBytes(ip) !== undefined), 'an array of IPv4 and IPv6 addresses'],
  keyType: [(value) => keyTypes.includes(value as KeyType), keyTypes.map((type) => `"${type}"`).join(' or ')],
  notBefore: isTime,
  notAfter: isTime,
  subject: [isObject, `an object with ${Object.keys(ATTRIBUTES).join(', ')}`],
  issuers: isCount(0),
  seed: [(value) => typeof value === 'string', 'a string'],
} as const satisfies Readonly<Record<keyof PairOptions, Check>>

/**
 * Checks the options of a pair and fills in the defaults.
 *
 * @param fewestIssuers how many CA certificates the pair needs at least
 * @throws TypeError for an unknown option or a value that is not allowed
 */
export function readPairOptions(options: PairOptions = {}, fewestIssuers = 0): Plan {
  check('options', options, [isObject, 'an object'])
  checkAll('', options, { ...CHECKS, issuers: isCount(fewestIssuers) })
  const { names = ['app.example.com'], ips = [], keyType = 'ecdsa', seed = 'fauxgate' } = options
  if (names.length + ips.length === 0) {
    throw new TypeError('names and ips are both empty. Allowed: at least one name or IP address.')
  }
  const notBefore = wholeSeconds(options.notBefore ?? Date.UTC(2026, 0, 1))
  const notAfter = wholeSeconds(options.notAfter ?? Date.UTC(2036, 0, 1))
  if (notAfter < notBefore) {
    throw new TypeError(
      `notAfter is ${timestamp(notAfter)}. Allowed: ${timestamp(notBefore)}, which is notBefore, or later.`,
    )
  }
  return {
    names: [...names],
    ips: ips.map((ip) => ipBytes(ip) as Uint8Array),
    keyType,
    notBefore,
    notAfter,
    subject: readSubject(options.subject ?? {}, names[0] ?? (ips[0] as string)),
    issuers: options.issuers ?? fewestIssuers,
    seed,
  }
}

/**
 * Checks an option that is a time and fills in the start of 2026.
 *
 * @param room how many ms there must be before and after it
 * @returns ms since 1970
 * @throws TypeError where it is none
 */
export function readMoment(name: string, value: Time = Date.UTC(2026, 0, 1), room = 0): number {
  check(name, value, isTimeWithin(room, room))
  return timeMs(value) as number
}

function readSubject(subject: PairSubject, name: string): readonly Attribute[] {
  const checks = Object.entries(ATTRIBUTES).map(([key, [, most]]) => [key, isAttribute(key, most)] as const)
  checkAll('subject.', subject, Object.fromEntries(checks))
  const [, longest] = ATTRIBUTES.commonName
  const texts = { ...subject, commonName: subject.commonName ?? (name.length > longest ? '' : name) }
  const attributes = Object.entries(ATTRIBUTES).flatMap(([key, [type]]): Attribute[] => {
    const text = texts[key as keyof PairSubject]
    return text ? [[type, text]] : []
  })
  return attributes.length > 0 ? attributes : [['O', 'fauxgate']]
}

function checkAll(prefix: string, values: object, checks: Readonly<Record<string, Check>>): void {
  for (const [name, value] of Object.entries(values)) {
    const allowed = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (!allowed) {
      throw new TypeError(`${quote(prefix + name)} is not an option. Supported: ${Object.keys(checks).join(', ')}.`)
    }
    if (value !== undefined) check(prefix + name, value, allowed)
  }
}

function check(name: string, value: unknown, [test, allowed]: Check): void {
  if (!test(value)) throw new TypeError(`${name} is ${quote(value)}. Allowed: ${allowed}.`)
}

function isTimeWithin(before: number, after: number): Check {
  const [from, to] = [EARLIEST + before, LATEST_TIME - after]
  const isWithin = (value: unknown) => {
    const ms = timeMs(value)
    return ms !== undefined && ms >= from && ms < to + 1000
  }
  const range = `from ${timestamp(from)} to ${timestamp(to)}`
  return [isWithin, `${TIME_ALLOWED}, a number of ms since 1970, or a Date, ${range}`]
}

function isCount(least: number): Check {
  const allowed = `an integer from ${least} to ${MOST_ISSUERS}`
  return [(value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= MOST_ISSUERS, allowed]
}

function isAttribute(name: string, longest: number): Check {
  if (name === 'country') return [(value) => typeof value === 'string' && /^([A-Za-z]{2})?$/.test(value), 'two letters']
  const fits = (value: unknown) =>
    typeof value === 'string' && [...value].length <= longest && !/\p{Surrogate}/u.test(value)
  return [fits, `a string of up to ${longest} characters`]
}

function isListOf(test: (text: string) => boolean) {
  return (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === 'string' && test(item))
}

function wholeSeconds(time: Time): number {
  return Math.floor((timeMs(time) as number) / 1000) * 1000
}
