import { customRandom } from 'nanoid'
import { BASE62, RANDOM_LENGTH, SEQUENCE_LENGTH } from '../contract/ids.ts'
import type { RandomSource } from './random.ts'

const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz'

/** Makes the texts that are unique: ids and DNS labels. */
export interface Ids {
  /**
   * An id: prefix, then 27 characters of `0-9A-Za-z`, of which the first 7 are the sequence number. Ids of rising
   * numbers sort in that order (rules: ids#order).
   */
  id(prefix: string, stream: string, sequence: number): string
  /** A random label of lower-case letters and digits. */
  label(length: number, stream: string, sequence: number): string
  /** A random whole number from 0 to `below` - 1. */
  integer(below: number, stream: string, sequence: number): number
}

/** Makes the ids of one gateway. */
export function ids(random: RandomSource): Ids {
  const text = (alphabet: string, length: number, stream: string, sequence: number) =>
    customRandom(alphabet, length, random.draw(stream, sequence))()
  return {
    id(prefix, stream, sequence) {
      const codes: number[] = []
      pushText(codes, prefix)
      pushText(codes, '_')
      pushSortable(codes, sequence)
      pushText(codes, text(BASE62, RANDOM_LENGTH, stream, sequence))
      return String.fromCharCode(...codes)
    },
    label(length, stream, sequence) {
      const codes: number[] = []
      pushText(codes, text(BASE36, length, stream, sequence))
      return String.fromCharCode(...codes)
    },
    integer(below, stream, sequence) {
      const [a = 0, b = 0, c = 0, d = 0] = random.draw(stream, sequence)(4)
      return Math.floor(((a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d) / 2 ** 32) * below)
    },
  }
}

function pushSortable(codes: number[], sequence: number): void {
  for (let place = 62 ** (SEQUENCE_LENGTH - 1); place >= 1; place /= 62) {
    codes.push(BASE62.charCodeAt(Math.floor(sequence / place) % 62))
  }
}

/**
 * Pushes the codes of a text. Made of codes, an id is one text of 48 bytes; as `+` leaves a text that was put together
 * character by character, it takes 350, and a gateway keeps many of them.
 */
function pushText(codes: number[], text: string): void {
  for (let i = 0; i < text.length; i++) codes.push(text.charCodeAt(i))
}
