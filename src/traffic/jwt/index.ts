import { type CryptoKey, decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose'
import { DECISIONS, type Decision } from '../../service/policy/decisions.ts'
import { type Requirements, readRequirements, type TokenSource } from './config.ts'
import { findToken, place, type TokenRequest } from './find-token.ts'
import { importCandidates, type KeySource, readKeys } from './keys.ts'
import { TokenProblem } from './token-problem.ts'

export type { TokenRequest } from './find-token.ts'
export type { KeyCache, KeySource } from './keys.ts'

/** A token in a request, with the names of the `jwt-validation` variables. */
export interface Token {
  readonly header: object
  readonly payload: object
  /** The signature as it appears in the token: base64url (RFC 7515, 2). */
  readonly signature: string
  /** `header` or `body`. */
  readonly location: string
  /** The name of the header or of the body field. */
  readonly location_property: string
  readonly verified: boolean
}

type ClaimError = errors.JWTExpired | errors.JWTClaimValidationFailed

/** The result of a validation: the tokens up to the first rejected token, and the number and message of its error. */
export type JwtResult =
  | { readonly ok: true; readonly tokens: readonly Token[] }
  | {
      readonly ok: false
      readonly number: number
      readonly reason: string
      readonly tokens: readonly Token[]
      readonly decision: Decision | undefined
    }

/**
 * Validates all tokens that a `jwt-validation` config requires: their location, signature, algorithm, issuer, audience, and times on the
 * gateway's clock (rules: json-web-tokens#claims). Reasons do not repeat tokens or claims. Tokens in headers come first, then tokens in the
 * body. The body is read only for these. Within each group, the config determines the order.
 *
 * @throws any error that `readBody` throws
 */
export async function validateJwt(request: TokenRequest, config: unknown, options: KeySource): Promise<JwtResult> {
  const requirements = readRequirements(config)
  const tokens: Token[] = []
  try {
    const { sources } = requirements
    const isInHeader = ({ method }: TokenSource) => method === 'header'
    for (const source of [...sources.filter(isInHeader), ...sources.filter((each) => !isInHeader(each))]) {
      const { jwt, alg, kid, token } = decode(await findToken(request, source), source)
      tokens.push(token)
      await verify(jwt, { alg, kid }, source, requirements, options)
      tokens.splice(-1, 1, { ...token, verified: true })
    }
    return { ok: true, tokens }
  } catch (error) {
    if (!(error instanceof TokenProblem)) throw error
    const { number, message: reason, decision } = error
    return { ok: false, number, reason, tokens, decision }
  }
}

function decode(jwt: string, source: TokenSource) {
  try {
    const header = decodeProtectedHeader(jwt)
    const [payload, signature = ''] = [decodeJwt(jwt), jwt.split('.')[2]]
    const [location, location_property] = [source.method, source.name]
    const token: Token = { header, payload, signature, location, location_property, verified: false }
    return { jwt, alg: header.alg ?? '', kid: header.kid, token }
  } catch {
    throw new TokenProblem(3416, `The text in ${place(source)} is not a signed JSON Web Token.`)
  }
}

async function verify(
  jwt: string,
  { alg, kid }: { readonly alg: string; readonly kid: unknown },
  source: TokenSource,
  requirements: Requirements,
  options: KeySource,
): Promise<void> {
  if (!requirements.algorithms.includes(alg)) {
    const allowed = requirements.algorithms.join(', ')
    throw new TokenProblem(3401, `The token in ${place(source)} is signed with an algorithm other than ${allowed}.`)
  }
  let unread: TokenProblem | undefined
  for (const url of requirements.jwksUrls) {
    try {
      const keys = await importCandidates(await readKeys(url, options), { alg, kid })
      for (const key of keys) if (await isSignedBy(key, jwt, source, requirements, options.now)) return
    } catch (error) {
      // The keys at the next URL may fit.
      if (!(error instanceof TokenProblem) || error.number !== 3422) throw error
      unread ??= error
    }
  }
  throw unread ?? new TokenProblem(3401, `None of the keys signed the token in ${place(source)}. ${KEYS_TRIED}`)
}

const KEYS_TRIED =
  "fauxgate tries only keys of the type that the token's alg needs. It tries a key with a kid only if the token has the same kid."

/**
 * Returns whether a token was signed with a key.
 *
 * @throws TokenProblem if it was, but the claims are not as required
 */
async function isSignedBy(
  key: CryptoKey | Uint8Array,
  jwt: string,
  source: TokenSource,
  { algorithms, issuers, audiences }: Requirements,
  now: number,
): Promise<boolean> {
  try {
    await jwtVerify(jwt, key, {
      algorithms: [...algorithms],
      issuer: [...issuers],
      ...(audiences && { audience: [...audiences] }),
      currentDate: new Date(now),
    })
    return true
  } catch (error) {
    if (error instanceof errors.JWTExpired || error instanceof errors.JWTClaimValidationFailed)
      throw new TokenProblem(
        3401,
        `The token in ${place(source)} is signed, but ${claimProblem(error)}.`,
        isDecided(error, now) ? DECISIONS.claims : undefined,
      )
    // Web Crypto rejects keys that are too short or empty.
    if ([errors.JOSEError, TypeError, DOMException].some((kind) => error instanceof kind)) return false
    throw error
  }
}

/** The usual maximum tolerance for the times of a token, in seconds. */
const USUAL_TOLERANCE = 300

/** Returns whether the documentation leaves open that a claim is a problem: a time within a usual tolerance, or a missing audience. */
function isDecided({ claim, reason, payload }: ClaimError, now: number): boolean {
  if (claim === 'aud') return reason === 'missing'
  const time = claim === 'exp' || claim === 'nbf' ? payload[claim] : undefined
  return typeof time === 'number' && Math.abs(time - now / 1000) <= USUAL_TOLERANCE
}

/** Returns the problem with a claim, as the end of a sentence. */
function claimProblem({ claim, reason }: ClaimError): string {
  if (reason === 'missing') return `it has no claim ${claim}`
  if (reason === 'invalid') return `its claim ${claim} is malformed`
  if (claim === 'exp') return "it has expired on the gateway's clock (exp)"
  if (claim === 'nbf') return "it is not yet valid on the gateway's clock (nbf)"
  if (claim === 'iss') return 'its issuer (iss) does not exactly match an allowed issuer, including any trailing slash'
  return claim === 'aud' ? 'none of its audiences (aud) is allowed' : `its claim ${claim} is not allowed`
}
