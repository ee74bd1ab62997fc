/// <reference path="./forge.d.ts" />
import { bytesToNumberBE } from '@noble/curves/utils.js'
import asn1 from 'node-forge/lib/asn1.js'
import { toBinary, toBytes } from './bytes.ts'

/** A nesting limit higher than any certificate or key needs. The parser recurses once per level. */
const MAX_DEPTH = 64
/** A length limit for identifiers, which keeps the conversion to decimal cheap. Real ones have at most 20 bytes. */
const MAX_OID_BYTES = 128

/**
 * Thrown for a certificate or key that cannot be read or is not supported. The message is a fragment for the `problem` of a catalogue
 * message, for example "its serial number is missing". It never contains input.
 */
export class Unreadable extends Error {}

export function malformedError(what: string): Unreadable {
  return new Unreadable(`its ${what} is missing or malformed`)
}

/**
 * Calls `read` and returns its result. If it throws {@link Unreadable}, passes the message to `otherwise` and returns that function's
 * result.
 */
export function readOr<T, U>(read: () => T, otherwise: (problem: string) => U): T | U {
  try {
    return read()
  } catch (error) {
    if (error instanceof Unreadable) return otherwise(error.message)
    throw error
  }
}

/** An ASN.1 element. `value` contains the children of a constructed element, or the content of a primitive element as a binary string. */
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
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const

/**
 * Parses one DER element that takes up all of `der`.
 *
 * @throws Unreadable if it isn't DER, is truncated, or is followed by more bytes
 */
export function parse(der: Uint8Array): Asn1 {
  const options = { strict: true, parseAllBytes: true, decodeBitStrings: false, maxDepth: MAX_DEPTH }
  try {
    return asn1.fromDer(toBinary(der), options)
  } catch {
    throw new Unreadable('its DER is damaged')
  }
}

/**
 * Returns the exact bytes of each direct child of the SEQUENCE that spans all of `der`. Signatures and names are checked on the received
 * bytes, which a parsed tree doesn't preserve.
 */
export function sliceElements(der: Uint8Array, what: string): Uint8Array[] {
  if (der[0] !== tags.sequence) throw malformedError(what)
  const { content, end } = readHeader(der, 0)
  if (end > der.length) throw new Unreadable('its DER ends too early')
  if (end < der.length) throw new Unreadable('there are bytes after the end of its DER')
  const elements: Uint8Array[] = []
  for (let at = content; at < end; ) {
    const next = readHeader(der, at).end
    if (next > end) throw new Unreadable('its DER is damaged')
    elements.push(der.subarray(at, next))
    at = next
  }
  return elements
}

/** Returns where the content of the element at an offset starts and ends. */
function readHeader(der: Uint8Array, at: number): { readonly content: number; readonly end: number } {
  const first = der[at + 1]
  if (first === undefined) throw new Unreadable('its DER ends too early')
  if (first < 0x80) return { content: at + 2, end: at + 2 + first }
  const count = first & 0x7f
  if (count === 0 || count > 4) throw new Unreadable('its DER is damaged')
  const content = at + 2 + count
  return { content, end: content + Number(bytesToNumberBE(der.subarray(at + 2, content))) }
}

/** Returns the identifier octet of an element: the class, the constructed bit, and the tag number. */
export function getTag(element: Asn1): number {
  return element.tagClass | (element.constructed ? 0x20 : 0) | element.type
}

/** Returns the children of a constructed element with this tag. `what` names the element in the error, here and below. */
export function readChildren(element: Asn1 | undefined, what: string, tag: number = tags.sequence): readonly Asn1[] {
  if (!element || getTag(element) !== tag || typeof element.value === 'string') throw malformedError(what)
  return element.value
}

/** Returns the child with a context-specific tag such as 0xa0, or undefined. */
export function findTagged(children: readonly Asn1[], tag: number): Asn1 | undefined {
  return children.find((child) => getTag(child) === tag)
}

/** Returns the content of a primitive element with this tag. */
export function readContent(element: Asn1 | undefined, what: string, tag: number): Uint8Array {
  if (!element || getTag(element) !== tag || typeof element.value !== 'string') throw malformedError(what)
  return toBytes(element.value)
}

/** Returns the content bytes of an INTEGER, in two's complement. Throws if the INTEGER has unnecessary leading bytes (X.690, 8.3.2). */
export function readIntegerBytes(element: Asn1 | undefined, what: string): Uint8Array {
  const bytes = readContent(element, what, tags.integer)
  const [first, second] = bytes
  const isPadded = second !== undefined && ((first === 0x00 && second < 0x80) || (first === 0xff && second >= 0x80))
  if (first === undefined || isPadded) throw malformedError(what)
  return bytes
}

/** Reads an INTEGER, which must not be negative. */
export function readNatural(element: Asn1 | undefined, what: string): bigint {
  const bytes = readIntegerBytes(element, what)
  if ((bytes[0] ?? 0) >= 0x80) throw malformedError(what)
  return bytesToNumberBE(bytes)
}

/** Reads an OBJECT IDENTIFIER in dotted form. forge is not used, because it rejects arcs longer than 53 bits. */
export function readOid(element: Asn1 | undefined, what: string): string {
  const bytes = readContent(element, what, tags.oid)
  const last = bytes.at(-1)
  if (last === undefined || last >= 0x80 || bytes.length > MAX_OID_BYTES) throw malformedError(what)
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

/** Reads a BIT STRING that consists of whole bytes, such as a signature or a public key. */
export function readWholeBits(element: Asn1 | undefined, what: string): Uint8Array {
  const bytes = readContent(element, what, tags.bitString)
  if (bytes[0] !== 0) throw malformedError(what)
  return bytes.subarray(1)
}
