import { BASE62, RANDOM_LENGTH, SEQUENCE_LENGTH } from '../contract/ids.ts'
import type { RandomSource } from './random.ts'

const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz'

/** Makes the texts that are unique: ids and DNS labels. */
export interface Ids {
  /**
   * An id: prefix, then 27 characters of `0-9A-Za-z`, of which the first 7 are the sequence number. Ids of rising
   * numbers sort in that order (decisions, "Wire").
   */
  id(prefix: string, stream: string, sequence: number): string
  /** A random label of lower-case letters and digits. */
  label(length: number, stream: string, sequence: number): string
  /** A random whole number from 0 to `below` - 1. */
  integer(below: number, stream: string, sequence: number): number
}

/** Makes the ids of one gateway. */
export function ids(random: RandomSource): Ids {
  return {
    id(prefix, stream, sequence) {
      const codes: number[] = []
      for (let i = 0; i < prefix.length; i++) codes.push(prefix.charCodeAt(i))
      codes.push(95)
      pushSortable(codes, sequence)
      pushRandom(codes, BASE62, RANDOM_LENGTH, random.draw(stream, sequence))
      return String.fromCharCode(...codes)
    },
    label(length, stream, sequence) {
      const codes: number[] = []
      pushRandom(codes, BASE36, length, random.draw(stream, sequence))
      return String.fromCharCode(...codes)
    },
    integer(below, stream, sequence) {
      const [a, b, c, d] = random.draw(stream, sequence)(4) as unknown as [number, number, number, number]
      return Math.floor(((a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d) / 2 ** 32) * below)
    },
  }
}

function pushSortable(codes: number[], sequence: number): void {
  let place = 62 ** (SEQUENCE_LENGTH - 1)
  for (let i = 0; i < SEQUENCE_LENGTH; i++, place /= 62)
    codes.push(BASE62.charCodeAt(Math.floor(sequence / place) % 62))
}

/**
 * Pushes random characters of an alphabet of up to 64, each equally likely. The codes become one flat string: texts
 * that are joined character by character take five times the memory, and a gateway keeps many of them.
 */
function pushRandom(codes: number[], alphabet: string, length: number, bytes: (size: number) => Uint8Array): void {
  for (let left = length; left > 0; ) {
    for (const byte of bytes(left + 4)) {
      const index = byte & 63
      if (index >= alphabet.length || left === 0) continue
      codes.push(alphabet.charCodeAt(index))
      left--
    }
  }
}
