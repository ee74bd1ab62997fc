/// <reference path="./forge.d.ts" />
import asn1 from 'node-forge/lib/asn1.js'
import { utf8Bytes } from '../schema/platform.ts'
import { binaryOf, bitLength, bytesOf, bytesOfNumber } from './bytes.ts'
import { type Asn1, tags } from './der.ts'

const NULL = 0x05
const UTF8_STRING = 0x0c
const PRINTABLE_STRING = 0x13
const UTC_TIME = 0x17
const GENERALIZED_TIME = 0x18
const CONSTRUCTED = 0x20

/** The DER of an element. */
export function derOf(element: Asn1): Uint8Array {
  return bytesOf(binaryDerOf(element))
}

function binaryDerOf(element: Asn1): string {
  return asn1.toDer(element).getBytes()
}

/** An element with an identifier octet: of other elements where the octet says so, else of bytes. */
export function element(tag: number, content: readonly Asn1[] | Uint8Array): Asn1 {
  return create(tag, ArrayBuffer.isView(content) ? binaryOf(content) : content)
}

function create(tag: number, value: string | readonly Asn1[]): Asn1 {
  return asn1.create(tag & 0xc0, tag & 0x1f, (tag & CONSTRUCTED) !== 0, value)
}

/** A SEQUENCE of elements. */
export function sequence(...elements: readonly Asn1[]): Asn1 {
  return create(tags.sequence, elements)
}

/** A SET of one element. Several would have to be sorted (X.690, 11.6). */
export function setOf(only: Asn1): Asn1 {
  return create(tags.set, [only])
}

/** An INTEGER that is not negative, in as few bytes as it needs with its sign bit (X.690, 8.3). */
export function integer(value: bigint): Asn1 {
  return element(tags.integer, bytesOfNumber(value, Math.floor(bitLength(value) / 8) + 1))
}

/** The BOOLEAN that is true (X.690, 11.1). False is the default wherever X.509 has a BOOLEAN, so DER leaves it out. */
export function isTrue(): Asn1 {
  return create(tags.boolean, '\xff')
}

/** The NULL. */
export function nothing(): Asn1 {
  return create(NULL, '')
}

/** An OBJECT IDENTIFIER in dotted form. */
export function oid(dotted: string): Asn1 {
  return create(tags.oid, asn1.oidToDer(dotted).getBytes())
}

/** A BIT STRING of bytes or of an element's DER; the last `unused` bits of its last byte do not belong to it. */
export function bitString(content: Uint8Array | Asn1, unused = 0): Asn1 {
  return create(tags.bitString, String.fromCharCode(unused) + binaryContent(content))
}

/** An OCTET STRING around bytes or an element's DER. */
export function octetString(content: Uint8Array | Asn1): Asn1 {
  return create(tags.octetString, binaryContent(content))
}

function binaryContent(content: Uint8Array | Asn1): string {
  return ArrayBuffer.isView(content) ? binaryOf(content) : binaryDerOf(content)
}

/** A UTF8String. */
export function utf8String(text: string): Asn1 {
  return element(UTF8_STRING, utf8Bytes(text))
}

/** A PrintableString of characters that it can hold (X.680, 41.4). */
export function printableString(text: string): Asn1 {
  return create(PRINTABLE_STRING, text)
}

/**
 * A Time in whole seconds (RFC 5280, 4.1.2.5): UTCTime from 1950 through 2049, else GeneralizedTime. By hand: forge's
 * writer of a GeneralizedTime drops the zeros in front of a year before 1000.
 *
 * @param ms milliseconds since 1970, in the years 0 to 9999
 */
export function time(ms: number): Asn1 {
  const text = `${new Date(ms).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`
  const short = text >= '1950' && text < '2050'
  return create(short ? UTC_TIME : GENERALIZED_TIME, short ? text.slice(2) : text)
}
