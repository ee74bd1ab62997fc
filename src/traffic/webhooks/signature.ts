import { equalBytes } from '@noble/curves/utils.js'
import { hmac } from '@noble/hashes/hmac.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { DECISIONS, type Decision } from '../../service/policy/decisions.ts'
import { curves } from '../../service/x509/curves.ts'
import { hashes } from '../../service/x509/hashes.ts'
import { readPublicKey } from '../../service/x509/keys.ts'
import { decode, toBase64, toUtf8 } from './encoding.ts'
import { bodyField, type SignedRequest } from './request.ts'
import type { SecretForm, SignaturePlace, SignatureScheme } from './scheme.ts'

/** The maximum difference between a request's timestamp and the gateway's clock, in ms (rules: webhook-verification#signatures). */
const TOLERANCE = 5 * 60 * 1000

/** A problem with a request. Its message does not repeat secrets, signatures, or any part of the body. */
class Refusal extends Error {
  constructor(
    message: string,
    readonly decision?: Decision,
  ) {
    super(message)
  }
}

/** Returns the problem with a request that isn't signed as its provider would sign it, or undefined if it is. */
export function findRefusal(
  schemes: readonly SignatureScheme[],
  request: SignedRequest,
  { secret, now }: { readonly secret: string; readonly now: number },
): Pick<Refusal, 'message' | 'decision'> | undefined {
  const scheme = schemes.find((it) => readSignature(it, request) !== undefined)
  if (!scheme)
    return { message: `The request has no signature. Expected: ${schemes.map(describePlaces).join(', or ')}.` }
  try {
    verify(scheme, request, secret, now)
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

function verify(scheme: SignatureScheme, request: SignedRequest, secret: string, now: number): void {
  const entries = readSignature(scheme, request) ?? []
  const { prefix = '' } = scheme
  const signatures = entries.flatMap((entry) => afterPrefix(entry, prefix) ?? [])
  if (signatures.length === 0) throw new Refusal(`${describePlaces(scheme)} has nothing after "${prefix}".`)
  const values = readValues(scheme, request, entries, secret)
  if (values.timestamp !== undefined) checkTime(values.timestamp, now, scheme.isInSeconds)
  const problem = scheme.check?.(request)
  if (problem !== undefined) throw new Refusal(problem)
  const { signed = '{body}' } = scheme
  const checks = [signed].flat().map((form) => createCheck(scheme, secret, () => render(form, values, request)))
  if (checks.some((isSigned) => signatures.some(isSigned))) return
  throw new Refusal(`The signature in ${describePlaces(scheme)} does not match this request and this secret.`)
}

/** Returns the entries of the signature header, or undefined if the request does not have it. */
function readSignature({ signature, separator }: SignatureScheme, request: SignedRequest): string[] | undefined {
  const names = typeof signature === 'string' ? [signature] : 'field' in signature ? [] : signature
  const found =
    typeof signature === 'object' && 'field' in signature
      ? [bodyField(request, signature.field)]
      : names.map((name) => request.headers.get(name))
  const texts = found.filter((text) => text !== null && text !== undefined)
  if (texts.length === 0) return undefined
  return texts.flatMap((text) => (separator ? text.split(separator) : [text])).map((entry) => entry.trim())
}

/** Returns the text after a case-insensitive prefix, or undefined if nothing follows the prefix or the text does not begin with it. */
function afterPrefix(text: string, prefix: string): string | undefined {
  const hasPrefix = text.slice(0, prefix.length).toLowerCase() === prefix.toLowerCase()
  return hasPrefix && text.length > prefix.length ? text.slice(prefix.length) : undefined
}

function readValues(scheme: SignatureScheme, request: SignedRequest, entries: readonly string[], secret: string) {
  const { timestamp, isTimestampOptional } = scheme
  const values: Record<string, string> = { method: request.method, url: request.url, secret }
  for (const [name, place] of Object.entries({ ...(timestamp && { timestamp }), ...scheme.values })) {
    const value = readPlace(place, request, entries, values)
    if (value === undefined && name === 'timestamp' && isTimestampOptional) continue
    if (value === undefined) throw new Refusal(`The request has no ${name}. Expected: ${describePlace(place)}.`)
    values[name] = value
  }
  return values
}

function readPlace(
  place: SignaturePlace,
  request: SignedRequest,
  entries: readonly string[],
  values: Readonly<Record<string, string>>,
): string | undefined {
  if (typeof place === 'function') return place(request, values)
  if (typeof place === 'string') return request.headers.get(place) ?? undefined
  if ('field' in place) return bodyField(request, place.field)
  return entries.map((entry) => afterPrefix(entry, place.entry)).find((value) => value !== undefined)
}

/** Replaces the names in braces in a template. The body is inserted as raw bytes. */
function render(template: string, values: Readonly<Record<string, string>>, request: SignedRequest): Uint8Array {
  const parts = template.split(/\{(\w+)\}/)
  return concatBytes(
    ...parts.map((part, index) => {
      if (index % 2 === 0) return toUtf8(part)
      return part === 'body' ? request.body : toUtf8(values[part] ?? '')
    }),
  )
}

/** Returns a function that compares a signature with the signature of a message in constant time. */
function createCheck(
  scheme: SignatureScheme,
  secret: string,
  message: () => Uint8Array,
): (signature: string) => boolean {
  const { algorithm = 'hmac-sha256', encoding = 'hex' } = scheme
  if (algorithm === 'ecdsa-p256') return createEcdsaCheck(secret, message())
  const key = readSecret(secret, scheme.secret ?? 'text')
  if (algorithm === 'token') return (token) => equalBytes(toUtf8(token), key)
  const expected = algorithm === 'sha256' ? hashes.sha256.digest(message()) : mac(algorithm, key, message())
  return (signature) => {
    const bytes = decode(signature, encoding)
    return bytes !== undefined && equalBytes(bytes, expected)
  }
}

const MACS = { 'hmac-sha1': hashes.sha1, 'hmac-sha256': hashes.sha256, 'hmac-sha512': hashes.sha512 }

/** Returns the HMAC of a message. */
function mac(algorithm: keyof typeof MACS, key: Uint8Array, message: Uint8Array): Uint8Array {
  return hmac(MACS[algorithm].digest, key, message)
}

/** Returns the bytes of the key that a secret encodes. */
/** Returns the key of a secret. */
function readSecret(secret: string, form: SecretForm): Uint8Array {
  if (form === 'text') return toUtf8(secret)
  if (form === 'api-key') return toUtf8(secret.replace(/^[ps]k_/, ''))
  if (form === 'credentials') return toUtf8(toBase64(toUtf8(secret.replace('::', ':'))))
  const key = decode(form === 'whsec' ? secret.replace(/^whsec_/, '') : secret, 'base64')
  if (key) return key
  throw new Refusal("The secret is not base64. Copy this provider's secret verbatim.")
}

function createEcdsaCheck(secret: string, message: Uint8Array): (signature: string) => boolean {
  const point = readPoint(secret)
  return (signature) => {
    const der = decode(signature, 'base64')
    try {
      return der !== undefined && curves['P-256'].arithmetic().verify(der, message, point, ECDSA)
    } catch {
      return false // noble throws if the DER is malformed.
    }
  }
}

const ECDSA = { lowS: false, prehash: true, format: 'der' } as const

/** Returns the point of a P-256 public key, given as a base64 SPKI. */
function readPoint(secret: string): Uint8Array {
  const spki = decode(secret, 'base64')
  try {
    const key = spki && readPublicKey(spki)
    if (key?.kind === 'ecdsa' && key.curve === 'P-256') return key.point
  } catch {} // The message below covers anything else.
  throw new Refusal("The secret is not a P-256 public key. Copy this provider's verification key verbatim.")
}

function checkTime(timestamp: string, now: number, isInSeconds = false): void {
  const time = isInSeconds ? Number(timestamp) * 1000 : readTime(timestamp)
  if (Number.isNaN(time)) throw new Refusal('The timestamp is neither a Unix time nor an ISO 8601 time.')
  const difference = now - time
  if (Math.abs(difference) <= TOLERANCE) return
  const seconds = Math.round(Math.abs(difference) / 1000)
  const [limit, side] = [TOLERANCE / 1000, difference > 0 ? 'behind' : 'ahead of']
  throw new Refusal(
    `The timestamp is ${seconds} s ${side} the gateway's clock. The maximum is ${limit} s.`,
    DECISIONS.webhookTime,
  )
}

/** Reads a time in epoch seconds, in epoch milliseconds, or in ISO 8601, where a time without a zone is UTC. */
function readTime(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) < 1e11 ? Number(text) * 1000 : Number(text)
  const hasZone = /(z|[+-]\d\d:?\d\d)$/i.test(text)
  return /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(hasZone ? text : `${text}Z`) : Number.NaN
}

function describePlaces({ signature }: SignatureScheme): string {
  if (typeof signature === 'object' && 'field' in signature) return describePlace(signature)
  const [first = ''] = typeof signature === 'string' ? [signature] : signature
  return describePlace(first)
}

function describePlace(place: SignaturePlace): string {
  if (typeof place === 'string') return `the header ${place}`
  if (typeof place === 'function') return 'what the signature covers'
  return 'field' in place ? `the body field ${place.field}` : `an entry "${place.entry}…" in the signature's header`
}
