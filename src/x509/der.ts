/// <reference path="./forge.d.ts" />
import asn1 from 'node-forge/lib/asn1.js'
import { binaryOf, bytesOf, numberOf } from './bytes.ts'

/** Deeper than any certificate or key needs; the parser recurses once per level. */
const DEEPEST = 64
/** Identifiers in use have at most 20 bytes; a bound keeps their conversion to decimal cheap. */
const LONGEST_OID = 128

/**
 * Thrown for a certificate or key that cannot be read or is not supported. The message is a fragment for the
 * `problem` of a catalogue message, for example "its serial number is missing". It never repeats any content.
 */
export class Unreadable extends Error {}

/** What `read` answers, or what `otherwise` makes of the message where something was unreadable. */
export function readOr<T, U>(read: () => T, otherwise: (problem: string) => U): T | U {
  try {
    return read()
  } catch (error) {
    if (error instanceof Unreadable) return otherwise(error.message)
    throw error
  }
}

/** An element. `value` holds the children of a constructed one, else the content as a binary string. */
export interface Asn1 {
  readonly tagClass: number
  readonly type: number
  readonly constructed: boolean
  readonly value: string | readonly Asn1[]
}

/** Identifier octets of the elements that X.509 uses. */
export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  sequence: 0x30,
  set: 0x31,
} as const

/**
 * Parses one DER element that takes up all of `der`.
 *
 * @throws Unreadable where it is not DER, is cut off or has further bytes behind it
 */
export function parse(der: Uint8Array): Asn1 {
  try {
    return asn1.fromDer(binaryOf(der), {
      strict: true,
      parseAllBytes: true,
      decodeBitStrings: false,
      maxDepth: DEEPEST,
    })
  } catch {
    throw new Unreadable('its DER is damaged')
  }
}

/**
 * The elements directly inside the SEQUENCE that takes up all of `der`, each as its exact bytes. Signatures and names
 * are compared over bytes as received, which a parsed tree no longer has.
 *
 * @throws Unreadable where it is not a SEQUENCE or the lengths do not add up
 */
export function slices(der: Uint8Array, what: string): Uint8Array[] {
  if (der[0] !== tags.sequence) throw malformed(what)
  const { content, end } = header(der, 0)
  if (end > der.length) throw new Unreadable('its DER ends too early')
  if (end < der.length) throw new Unreadable('there are bytes behind the end of its DER')
  const found: Uint8Array[] = []
  for (let at = content; at < end; ) {
    const next = header(der, at).end
    if (next > end) throw new Unreadable('its DER is damaged')
    found.push(der.subarray(at, next))
    at = next
  }
  return found
}

/** Where the content of the element at `at` begins and where the element ends. */
function header(der: Uint8Array, at: number): { content: number; end: number } {
  const first = der[at + 1]
  if (first === undefined) throw new Unreadable('its DER ends too early')
  if (first < 0x80) return { content: at + 2, end: at + 2 + first }
  const count = first & 0x7f
  if (count === 0 || count > 4) throw new Unreadable('its DER is damaged')
  const content = at + 2 + count
  const length = Number(numberOf(der.subarray(at + 2, content)))
  return { content, end: content + length }
}

/** The identifier octet of an element: class, the constructed bit and the tag number. */
export function tagOf(element: Asn1): number {
  return element.tagClass | (element.constructed ? 0x20 : 0) | element.type
}

/**
 * The children of a constructed element of the given tag, by default a SEQUENCE. `what` names the element in the error.
 *
 * @throws Unreadable where it is missing or another element
 */
export function childrenOf(element: Asn1 | undefined, what: string, tag: number = tags.sequence): readonly Asn1[] {
  if (!element || tagOf(element) !== tag || typeof element.value === 'string') throw malformed(what)
  return element.value
}

/**
 * The content of a primitive element of the given tag.
 *
 * @throws Unreadable where it is missing or another element
 */
export function contentOf(element: Asn1 | undefined, what: string, tag: number): Uint8Array {
  return bytesOf(binaryContentOf(element, what, tag))
}

function binaryContentOf(element: Asn1 | undefined, what: string, tag: number): string {
  if (!element || tagOf(element) !== tag || typeof element.value !== 'string') throw malformed(what)
  return element.value
}

/**
 * The content bytes of an INTEGER, in two's complement.
 *
 * @throws Unreadable where it is not an INTEGER, empty or longer than it needs to be (X.690, 8.3.2)
 */
export function integerBytes(element: Asn1 | undefined, what: string): Uint8Array {
  const bytes = contentOf(element, what, tags.integer)
  const [first, second = 0] = bytes
  if (first === undefined) throw malformed(what)
  const padded = bytes.length > 1 && ((first === 0x00 && second < 0x80) || (first === 0xff && second >= 0x80))
  if (padded) throw malformed(what)
  return bytes
}

/**
 * An INTEGER that must not be negative.
 *
 * @throws Unreadable where it is not one
 */
export function natural(element: Asn1 | undefined, what: string): bigint {
  const bytes = integerBytes(element, what)
  if ((bytes[0] ?? 0) >= 0x80) throw malformed(what)
  return numberOf(bytes)
}

/**
 * An OBJECT IDENTIFIER in dotted form.
 *
 * @throws Unreadable where it is not one
 */
export function oidOf(element: Asn1 | undefined, what: string): string {
  const bytes = contentOf(element, what, tags.oid)
  const last = bytes.at(-1)
  if (last === undefined || last >= 0x80 || bytes.length > LONGEST_OID) throw malformed(what)
  const arcs: bigint[] = []
  let arc = 0n
  for (const byte of bytes) {
    arc = arc * 128n + BigInt(byte & 0x7f)
    if (byte >= 0x80) continue
    arcs.push(arc)
    arc = 0n
  }
  const [first = 0n, ...rest] = arcs
  const root = first < 80n ? first / 40n : 2n
  return [root, first - root * 40n, ...rest].join('.')
}

/**
 * A BIT STRING of whole bytes, as signatures and public keys are.
 *
 * @throws Unreadable where it is not one
 */
export function wholeBits(element: Asn1 | undefined, what: string): Uint8Array {
  const bytes = contentOf(element, what, tags.bitString)
  if (bytes[0] !== 0) throw malformed(what)
  return bytes.subarray(1)
}

/** The child with a context-specific tag such as 0xa0, or undefined. */
export function tagged(children: readonly Asn1[], tag: number): Asn1 | undefined {
  return children.find((child) => tagOf(child) === tag)
}

/** The error for a part that is missing or malformed. */
export function malformed(what: string): Unreadable {
  return new Unreadable(`its ${what} is missing or malformed`)
}
