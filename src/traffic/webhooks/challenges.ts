import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { isObject } from '../../core/schema/values.ts'
import { toBase64, toUtf8 } from './encoding.ts'
import type { SignedRequest } from './request.ts'
import type { ChallengeResponse } from './scheme.ts'

const mac = (secret: string, text: string) => hmac(sha256, toUtf8(secret), toUtf8(text))

const json = (body: Readonly<Record<string, string>>): ChallengeResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** Answers the challenge-response check of Twitter: a GET with a token in its query. */
export function answerTwitter({ method, url }: SignedRequest, secret: string): ChallengeResponse | undefined {
  const token = new URL(url).searchParams.get('crc_token')
  if (method !== 'GET' || token === null) return undefined
  return json({ response_token: `sha256=${toBase64(mac(secret, token))}` })
}

/** Answers the verification of an endpoint by Worldline: a GET with a text that the body of the response repeats. */
export function answerWorldline({ method, headers }: SignedRequest): ChallengeResponse | undefined {
  const text = headers.get('x-gcs-webhooks-endpoint-verification')
  if (method !== 'GET' || text === null) return undefined
  return { status: 200, headers: { 'content-type': 'text/plain' }, body: text }
}

/** Answers Xero's intent to receive, a signed event list that is empty: 200 if the signature is right, otherwise 401. */
export function answerXero(
  request: SignedRequest,
  _secret: string,
  isVerified: boolean,
): ChallengeResponse | undefined {
  // A stranger's body is not read.
  if (!request.headers.has('x-xero-signature')) return undefined
  const { events } = request.object
  if (!Array.isArray(events) || events.length > 0) return undefined
  return { status: isVerified ? 200 : 401, headers: {}, body: '' }
}

/**
 * Answers Zoom's validation of a URL. Its signature must be right: otherwise a stranger would get a signature for any text.
 */
export function answerZoom(request: SignedRequest, secret: string, isVerified: boolean): ChallengeResponse | undefined {
  if (!isVerified) return undefined
  const { event, payload } = request.object
  if (event !== 'endpoint.url_validation' || !isObject(payload)) return undefined
  const { plainToken } = payload
  if (typeof plainToken !== 'string') return undefined
  return json({ plainToken, encryptedToken: bytesToHex(mac(secret, plainToken)) })
}
