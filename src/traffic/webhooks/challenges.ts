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

/** Responds to Twitter's challenge-response check: a GET with a token in its query. */
export function answerTwitter({ method, url }: SignedRequest, secret: string): ChallengeResponse | undefined {
  const token = new URL(url).searchParams.get('crc_token')
  if (method !== 'GET' || token === null) return undefined
  return json({ response_token: `sha256=${toBase64(mac(secret, token))}` })
}

/** Responds to Worldline's endpoint verification: a GET with a string to repeat in the response body. */
export function answerWorldline({ method, headers }: SignedRequest): ChallengeResponse | undefined {
  const text = headers.get('x-gcs-webhooks-endpoint-verification')
  if (method !== 'GET' || text === null) return undefined
  return { status: 200, headers: { 'content-type': 'text/plain' }, body: text }
}

/** Responds to Xero's "intent to receive" request, a signed list without events: 200 if the signature is correct, otherwise 401. */
export function answerXero(
  request: SignedRequest,
  _secret: string,
  isVerified: boolean,
): ChallengeResponse | undefined {
  // Bodies from unauthenticated senders aren't read.
  if (!request.headers.has('x-xero-signature')) return undefined
  const { events } = request.object
  if (!Array.isArray(events) || events.length > 0) return undefined
  return { status: isVerified ? 200 : 401, headers: {}, body: '' }
}

/** Responds to Zoom's URL validation. The request's signature must be correct; otherwise, anyone could obtain a signature for any text. */
export function answerZoom(request: SignedRequest, secret: string, isVerified: boolean): ChallengeResponse | undefined {
  if (!isVerified) return undefined
  const { event, payload } = request.object
  if (event !== 'endpoint.url_validation' || !isObject(payload)) return undefined
  const { plainToken } = payload
  if (typeof plainToken !== 'string') return undefined
  return json({ plainToken, encryptedToken: bytesToHex(mac(secret, plainToken)) })
}
