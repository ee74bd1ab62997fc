/** Checksum algorithms that the libraries lack. Both CRCs read the bits of a byte starting with the least significant bit. */

/** CRC-32 with the IEEE 802.3 polynomial. */
export function crc32(bytes: Uint8Array): Uint8Array {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return toBytes(BigInt(~crc >>> 0), 4)
}

/** CRC-64 with the ISO 3309 polynomial. */
export function crc64(bytes: Uint8Array): Uint8Array {
  let crc = MASK
  for (const byte of bytes) {
    crc ^= BigInt(byte)
    for (let bit = 0; bit < 8; bit++) crc = crc & 1n ? (crc >> 1n) ^ 0xd800000000000000n : crc >> 1n
  }
  return toBytes(crc ^ MASK, 8)
}

const MASK = 0xffffffffffffffffn
const [P1, P2, P3, P4, P5] = [
  0x9e3779b185ebca87n,
  0xc2b2ae3d27d4eb4fn,
  0x165667b19e3779f9n,
  0x85ebca77c2b2ae63n,
  0x27d4eb2f165667c5n,
] as const

const rotate = (value: bigint, by: bigint) => ((value << by) | (value >> (64n - by))) & MASK
const round = (lane: bigint, input: bigint) => (rotate((lane + input * P2) & MASK, 31n) * P1) & MASK
const merge = (hash: bigint, lane: bigint) => (((hash ^ round(0n, lane)) * P1) & MASK) + P4

/** XXH64 with seed 0, as defined in its specification. */
export function xxhash64(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  let hash: bigint = P5
  if (bytes.length >= 32) {
    const lanes = [(P1 + P2) & MASK, P2, 0n, -P1 & MASK]
    for (; at + 32 <= bytes.length; at += 32) {
      for (const lane of lanes.keys()) lanes[lane] = round(lanes[lane] ?? 0n, view.getBigUint64(at + lane * 8, true))
    }
    const [a = 0n, b = 0n, c = 0n, d = 0n] = lanes
    hash = (rotate(a, 1n) + rotate(b, 7n) + rotate(c, 12n) + rotate(d, 18n)) & MASK
    for (const lane of lanes) hash = merge(hash, lane) & MASK
  }
  hash = (hash + BigInt(bytes.length)) & MASK
  for (; at + 8 <= bytes.length; at += 8)
    hash = (rotate(hash ^ round(0n, view.getBigUint64(at, true)), 27n) * P1 + P4) & MASK
  if (at + 4 <= bytes.length) {
    hash = (rotate(hash ^ ((BigInt(view.getUint32(at, true)) * P1) & MASK), 23n) * P2 + P3) & MASK
    at += 4
  }
  for (const byte of bytes.subarray(at)) hash = (rotate(hash ^ ((BigInt(byte) * P5) & MASK), 11n) * P1) & MASK
  hash = ((hash ^ (hash >> 33n)) * P2) & MASK
  hash = ((hash ^ (hash >> 29n)) * P3) & MASK
  return toBytes(hash ^ (hash >> 32n), 8)
}

function toBytes(value: bigint, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let at = length - 1, rest = value; at >= 0; at--, rest >>= 8n) bytes[at] = Number(rest & 0xffn)
  return bytes
}
