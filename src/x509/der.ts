import { numberOf } from './bytes.ts'

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

/** A DER element (X.690, 8.1). Its bytes are views of what was parsed. */
export interface Asn1 {
  /** The identifier octet: class, the constructed bit and the tag number. */
  readonly tag: number
  /** The content octets. What is inside is parsed when it is asked for, so no depth of nesting matters. */
  readonly content: Uint8Array
  /** The whole element as received. Signatures and names are compared over these bytes. */
  readonly raw: Uint8Array
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
  const element = elementAt(der, 0)
  if (!element) throw new Unreadable('its DER ends too early')
  if (element.raw.length < der.length) throw new Unreadable('there are bytes behind the end of its DER')
  return element
}

/** The element that begins at `at`, or undefined where the bytes end before it does. */
function elementAt(der: Uint8Array, at: number): Asn1 | undefined {
  const [tag, first] = [der[at], der[at + 1]]
  if (tag === undefined || first === undefined) return undefined
  const long = first >= 0x80
  // An indefinite length, or one that no text here can have.
  if (first === 0x80 || first > 0x84) throw new Unreadable('its DER is damaged')
  const begin = at + 2 + (long ? first & 0x7f : 0)
  if (begin > der.length) return undefined
  const end = begin + (long ? Number(numberOf(der.subarray(at + 2, begin))) : first)
  return end > der.length ? undefined : { tag, content: der.subarray(begin, end), raw: der.subarray(at, end) }
}

/**
 * The children of a constructed element of the given tag, by default a SEQUENCE. `what` names the element in the error.
 *
 * @throws Unreadable where it is missing or another element, or where the lengths do not add up
 */
export function childrenOf(element: Asn1 | undefined, what: string, tag: number = tags.sequence): readonly Asn1[] {
  if (element?.tag !== tag) throw malformed(what)
  const { content } = element
  const children: Asn1[] = []
  for (let at = 0; at < content.length; ) {
    const child = elementAt(content, at)
    if (!child) throw new Unreadable('its DER is damaged')
    children.push(child)
    at += child.raw.length
  }
  return children
}

/**
 * The content of a primitive element of the given tag.
 *
 * @throws Unreadable where it is missing or another element
 */
export function contentOf(element: Asn1 | undefined, what: string, tag: number): Uint8Array {
  if (element?.tag !== tag) throw malformed(what)
  return element.content
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
  return children.find((child) => child.tag === tag)
}

/** The error for a part that is missing or malformed. */
export function malformed(what: string): Unreadable {
  return new Unreadable(`its ${what} is missing or malformed`)
}
