/** The SSH encoding (RFC 4251, 5): strings and numbers, each preceded by its length. */
import { numberToBytesBE } from '@noble/curves/utils.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { utf8Bytes } from '../../core/schema/platform.ts'
import { bitLength } from '../x509/bytes.ts'

/** Encodes a four-byte number. */
export function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}

/** Encodes an eight-byte number. */
export function uint64(value: number): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value))
  return bytes
}

/** Encodes bytes, or a string as UTF-8, preceded by their length. */
export function string(content: string | Uint8Array): Uint8Array {
  const bytes = typeof content === 'string' ? utf8Bytes(content) : content
  return concatBytes(uint32(bytes.length), bytes)
}

/** Encodes a natural number of any size, with the most significant byte first. */
export function mpint(value: bigint): Uint8Array {
  // The first bit is the sign, so there is one more than the number needs.
  return string(numberToBytesBE(value, Math.floor(bitLength(value) / 8) + 1))
}
