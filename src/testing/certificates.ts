import type { Time } from '../engine/manual-clock.ts'
import { type Callable, fromCaller } from '../schema/caller.ts'
import { writePem } from '../x509/pem.ts'
import { type Material, materialOf } from './certificates-chain.ts'
import { type PairOptions, readMoment, readPairOptions } from './certificates-options.ts'

export type { KeyType } from './certificates-keys.ts'
export type { PairOptions, PairSubject } from './certificates-options.ts'

const DAY = 86_400_000
const YEAR = 365 * DAY

/** A certificate and its key, as POST /tls_certificates takes them. */
export interface Pair {
  /** The leaf and the CA certificates after it. */
  readonly certificate_pem: string
  /** PKCS#8. */
  readonly private_key_pem: string
}

/** The options of a pair whose validity lies before or after a moment. */
export interface PairAroundOptions extends Omit<PairOptions, 'notBefore' | 'notAfter'> {
  /** The moment, usually the time of the test's clock. Default: the start of 2026. */
  readonly at?: Time
}

/**
 * Makes a certificate and its private key. Keys are for tests: whoever knows the seed has them.
 *
 * @example
 * ```ts
 * import { createGateway } from 'fauxgate'
 * import { certificatePair } from 'fauxgate/testing'
 * const gateway = createGateway()
 * const pair = certificatePair({ names: ['shop.example.com', '*.shop.example.com'], keyType: 'rsa', issuers: 2 })
 * console.log(gateway.tlsCertificates.create(pair).subject_common_name) // shop.example.com
 * ```
 * @throws TypeError for an unknown option or a value that is not allowed.
 */
export function certificatePair(options?: PairOptions): Pair {
  return goodPair(certificatePair, options)
}

/**
 * Makes a good pair that was valid for a year until a day before `at`. The API takes it.
 *
 * @throws TypeError as {@link certificatePair}.
 */
export function expiredPair(options: PairAroundOptions = {}): Pair {
  const { at, rest } = around(expiredPair, options)
  return goodPair(expiredPair, { ...rest, notBefore: at - DAY - YEAR, notAfter: at - DAY })
}

/**
 * Makes a good pair that becomes valid a day after `at`, for a year. The API takes it.
 *
 * @throws TypeError as {@link certificatePair}.
 */
export function notYetValidPair(options: PairAroundOptions = {}): Pair {
  const { at, rest } = around(notYetValidPair, options)
  return goodPair(notYetValidPair, { ...rest, notBefore: at + DAY, notAfter: at + DAY + YEAR })
}

/** The pair as an upload has it. */
export function pairOf({ chain, key }: Pick<Material, 'chain' | 'key'>): Pair {
  const certificate_pem = chain.map((der) => writePem('CERTIFICATE', der)).join('')
  return { certificate_pem, private_key_pem: writePem('PRIVATE KEY', key.pkcs8) }
}

/** A pair that the API takes, for the function that was called with its options. */
export function goodPair(call: Callable, options: PairOptions | undefined): Pair {
  return pairOf(materialOf(readPairOptions(call, options)))
}

function around(call: Callable, { at, ...rest }: PairAroundOptions) {
  return fromCaller(call, () => {
    for (const name of ['notBefore', 'notAfter']) {
      if (name in rest) throw new TypeError(`"${name}" is not an option here. It follows from "at".`)
    }
    return { at: readMoment('at', at, DAY + YEAR), rest }
  })
}
