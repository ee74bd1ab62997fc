import { type CryptoKey, importJWK, type JWK } from 'jose'
import { isObject, lookUp } from '../../core/schema/values.ts'
import { TokenProblem } from './token-problem.ts'

/** The time, in ms, after which the keys at a URL are read again. */
const LIFETIME = 15 * 60 * 1000

/** Keys by JWKS document URL, with the gateway's time when they were read. */
export type KeyCache = Map<string, { readonly readAt: number; readonly keys: readonly JWK[] }>

/** The gateway's clock, and a function that reads documents. */
export interface KeySource {
  /** The gateway's time, in ms since the Unix epoch. */
  readonly now: number
  /** Returns the text at a JWKS document's URL. Rejects if nothing serves the URL. */
  readonly readUrl: (url: string) => Promise<string>
  /** The keys that earlier calls have read. Without this cache, each call reads all documents. */
  readonly cache?: KeyCache
}

/**
 * Returns the keys of a JWKS document (RFC 7517), which are read every 15 minutes of the gateway's clock (rules:
 * json-web-tokens#keys).
 *
 * @throws TokenProblem if the document cannot be read
 */
export async function readKeys(url: string, { now, readUrl, cache }: KeySource): Promise<readonly JWK[]> {
  const known = cache?.get(url)
  // After a snapshot is restored, the keys may be from a later time.
  if (known && known.readAt <= now && now < known.readAt + LIFETIME) return known.keys
  const keys = parseKeys(url, await readDocument(url, readUrl))
  cache?.set(url, { readAt: now, keys })
  return keys
}

async function readDocument(url: string, readUrl: KeySource['readUrl']): Promise<string> {
  try {
    return await readUrl(url)
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    throw new TokenProblem(3422, `The keys at ${url} cannot be read: ${problem}`)
  }
}

function parseKeys(url: string, text: string): readonly JWK[] {
  try {
    const document: unknown = JSON.parse(text)
    if (isObject(document) && Array.isArray(document.keys)) return document.keys.filter(isJwk)
  } catch {} // The message below covers anything else.
  throw new TokenProblem(
    3422,
    `The document at ${url} is not a JSON Web Key Set. It must be an object with a "keys" array.`,
  )
}

function isJwk(value: unknown): value is JWK {
  return isObject(value) && typeof value.kty === 'string'
}

/** The key types, by the prefixes of the algorithms that use them (RFC 7518, 3.1 and 6.1; RFC 8037). */
const KEY_TYPES: Readonly<Record<string, string>> = { RS: 'RSA', PS: 'RSA', ES: 'EC', HS: 'oct', Ed: 'OKP' }

const CURVES: Readonly<Record<string, string>> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' }

/**
 * Imports the keys that may have signed a token: keys whose type fits the token's algorithm and, if both have a `kid`, whose `kid` is the
 * same. Ignores keys that are malformed or for a different use or algorithm.
 */
export async function importCandidates(
  keys: readonly JWK[],
  { alg, kid }: { readonly alg: string; readonly kid?: unknown },
): Promise<(CryptoKey | Uint8Array)[]> {
  const candidates = keys.filter(
    (key) =>
      key.kty === lookUp(KEY_TYPES, alg.slice(0, 2)) &&
      (lookUp(CURVES, alg) ?? key.crv) === key.crv &&
      (key.alg ?? alg) === alg &&
      (key.use ?? 'sig') === 'sig' &&
      (typeof kid !== 'string' || (key.kid ?? kid) === kid),
  )
  const imported = await Promise.allSettled(candidates.map((key) => importJWK(key, alg)))
  return imported.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
}
