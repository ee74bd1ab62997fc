import { bitLength, bytesOf, bytesOfNumber } from './bytes.ts'
import { tags } from './der.ts'

const UTF8_STRING = 0x0c
const PRINTABLE_STRING = 0x13
const UTC_TIME = 0x17
const GENERALIZED_TIME = 0x18
const TRUE = Uint8Array.of(0xff)

const utf8 = new TextEncoder()

/** One DER element (X.690, 8.1): its identifier octet, its length and the parts of its content, one after the other. */
export function element(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const size = parts.reduce((sum, part) => sum + part.length, 0)
  const head = Uint8Array.of(tag, ...lengthOctets(size))
  const der = new Uint8Array(head.length + size)
  let at = 0
  for (const part of [head, ...parts]) {
    der.set(part, at)
    at += part.length
  }
  return der
}

function lengthOctets(size: number): readonly number[] {
  if (size < 0x80) return [size]
  const octets = bytesOfNumber(BigInt(size), size < 0x100 ? 1 : size < 0x10000 ? 2 : 4)
  return [0x80 | octets.length, ...octets]
}

/** A SEQUENCE of elements. */
export function sequence(...elements: readonly Uint8Array[]): Uint8Array {
  return element(tags.sequence, ...elements)
}

/** A SET of one element. Several would have to be sorted (X.690, 11.6). */
export function setOf(only: Uint8Array): Uint8Array {
  return element(tags.set, only)
}

/** An INTEGER that is not negative, in as few bytes as it needs with its sign bit (X.690, 8.3). */
export function integer(value: bigint): Uint8Array {
  return element(tags.integer, bytesOfNumber(value, Math.floor(bitLength(value) / 8) + 1))
}

/** The BOOLEAN that is true (X.690, 11.1). False is the default wherever X.509 has a BOOLEAN, so DER leaves it out. */
export function isTrue(): Uint8Array {
  return element(tags.boolean, TRUE)
}

/** The NULL. */
export function nothing(): Uint8Array {
  return element(0x05)
}

/** An OBJECT IDENTIFIER in dotted form. */
export function oid(dotted: string): Uint8Array {
  const [root = 0, second = 0, ...arcs] = dotted.split('.').map(Number)
  return element(tags.oid, Uint8Array.from([root * 40 + second, ...arcs].flatMap(base128)))
}

function base128(arc: number): number[] {
  const digits = [arc % 128]
  for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) digits.unshift(0x80 | (rest % 128))
  return digits
}

/** A BIT STRING; the last `unused` bits of its last byte do not belong to it. */
export function bitString(bytes: Uint8Array, unused = 0): Uint8Array {
  return element(tags.bitString, Uint8Array.of(unused), bytes)
}

/** An OCTET STRING around some bytes. */
export function octetString(bytes: Uint8Array): Uint8Array {
  return element(tags.octetString, bytes)
}

/** A UTF8String. */
export function utf8String(text: string): Uint8Array {
  return element(UTF8_STRING, utf8.encode(text))
}

/** A PrintableString of characters that it can hold (X.680, 41.4). */
export function printableString(text: string): Uint8Array {
  return element(PRINTABLE_STRING, bytesOf(text))
}

/**
 * A Time in whole seconds (RFC 5280, 4.1.2.5): UTCTime from 1950 through 2049, else GeneralizedTime.
 *
 * @param ms milliseconds since 1970, in the years 0 to 9999
 */
export function time(ms: number): Uint8Array {
  const text = `${new Date(ms).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`
  const short = text >= '1950' && text < '2050'
  return element(short ? UTC_TIME : GENERALIZED_TIME, bytesOf(short ? text.slice(2) : text))
}
