/// <reference path="./forge.d.ts" />
import { numberToBytesBE } from '@noble/curves/utils.js'
import asn1 from 'node-forge/lib/asn1.js'
import { bitLength, toBinary, toBytes } from './bytes.ts'
import { type Asn1, tags } from './der.ts'

const CONSTRUCTED = 0x20

export function encode(element: Asn1): Uint8Array {
  return toBytes(encodeBinary(element))
}

function encodeBinary(element: Asn1): string {
  return asn1.toDer(element).getBytes()
}

/**
 * Encodes an ASN.1 element. If its identifier octet has the constructed bit set, the content consists of elements; otherwise, it is bytes
 * or a binary string.
 */
export function element(tag: number, content: readonly Asn1[] | Uint8Array | string): Asn1 {
  const value = ArrayBuffer.isView(content) ? toBinary(content) : content
  return asn1.create(tag & 0xc0, tag & 0x1f, (tag & CONSTRUCTED) !== 0, value)
}

export function sequence(...elements: readonly Asn1[]): Asn1 {
  return element(tags.sequence, elements)
}

/** Creates a non-negative INTEGER, in the fewest bytes that hold it and its sign bit (X.690, 8.3). */
export function integer(value: bigint): Asn1 {
  return element(tags.integer, numberToBytesBE(value, Math.floor(bitLength(value) / 8) + 1))
}

/** Creates the BOOLEAN TRUE (X.690, 11.1). FALSE is the default of every BOOLEAN in X.509, so DER omits it. */
export function booleanTrue(): Asn1 {
  return element(tags.boolean, '\xff')
}

export function nullValue(): Asn1 {
  return element(tags.null, '')
}

export function oid(dotted: string): Asn1 {
  return element(tags.oid, asn1.oidToDer(dotted).getBytes())
}

/** Creates a BIT STRING that doesn't include the last `unused` bits of its last byte. */
export function bitString(content: Uint8Array, unused = 0): Asn1 {
  return element(tags.bitString, String.fromCharCode(unused) + toBinary(content))
}

/** Creates an OCTET STRING around bytes or an element's DER. */
export function octetString(content: Uint8Array | Asn1): Asn1 {
  return element(tags.octetString, ArrayBuffer.isView(content) ? content : encodeBinary(content))
}

/**
 * Creates a Time in whole seconds (RFC 5280, 4.1.2.5): UTCTime from 1950 through 2049, otherwise GeneralizedTime. forge is not used,
 * because it drops the leading zeros of years before 1000.
 *
 * @param ms epoch milliseconds, in the years 0 to 9999
 */
export function time(ms: number): Asn1 {
  const text = `${new Date(ms).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`
  const isUtcTime = text >= '1950' && text < '2050'
  return isUtcTime ? element(tags.utcTime, text.slice(2)) : element(tags.generalizedTime, text)
}
