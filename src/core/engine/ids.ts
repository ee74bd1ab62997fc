import { customRandom } from 'nanoid'
import { BASE62, RANDOM_LENGTH, SEQUENCE_LENGTH } from '../schema/ids.ts'
import type { RandomSource } from './random.ts'

const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz'

/** Creates IDs, labels, and numbers. The same stream and sequence number always produce the same value. */
export interface Ids {
  /**
   * Returns an ID: a prefix, then 27 characters from `0-9A-Za-z`. The first 7 encode the sequence number, so IDs sort by sequence number
   * (rules: ids#order).
   */
  id(prefix: string, stream: string, sequence: number): string
  /** Returns a random label of lowercase letters and digits. */
  label(length: number, stream: string, sequence: number): string
  /** Returns a random whole number from 0 to `below` - 1. */
  integer(below: number, stream: string, sequence: number): number
}

export function createIds(random: RandomSource): Ids {
  let drawBytes: ReturnType<RandomSource['draw']>
  const randomPart = customRandom(BASE62, RANDOM_LENGTH, (size) => drawBytes(size))
  return {
    id(prefix, stream, sequence) {
      drawBytes = random.draw(stream, sequence)
      // V8 would copy a concatenated string again at its first comparison.
      return [prefix, '_', encodeSequence(sequence), randomPart()].join('')
    },
    label: (length, stream, sequence) => customRandom(BASE36, length, random.draw(stream, sequence))(),
    integer(below, stream, sequence) {
      let number = 0
      for (const byte of random.draw(stream, sequence)(4)) number = number * 256 + byte
      return Math.floor((number / 2 ** 32) * below)
    },
  }
}

function encodeSequence(sequence: number): string {
  let digits = ''
  for (let rest = sequence; digits.length < SEQUENCE_LENGTH; rest = Math.floor(rest / BASE62.length)) {
    digits = BASE62.charAt(rest % BASE62.length) + digits
  }
  return digits
}
