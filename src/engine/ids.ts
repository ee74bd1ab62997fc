import { customRandom } from 'nanoid'
import type { RandomSource } from './random.ts'

/** In the order of their codes, so that texts of equal length sort like the numbers they stand for. */
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz'

const SEQUENCE_LENGTH = 7
const RANDOM_LENGTH = 20

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
  let bytes: (size: number) => Uint8Array
  const suffix = customRandom(BASE62, RANDOM_LENGTH, (size) => bytes(size))
  const labels = customRandom(BASE36, 1, (size) => bytes(size))
  return {
    id(prefix, stream, sequence) {
      bytes = random.draw(stream, sequence)
      return `${prefix}_${sortable(sequence)}${suffix()}`
    },
    label(length, stream, sequence) {
      bytes = random.draw(stream, sequence)
      return labels(length)
    },
    integer(below, stream, sequence) {
      const [a, b, c, d] = random.draw(stream, sequence)(4) as unknown as [number, number, number, number]
      return Math.floor(((a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d) / 2 ** 32) * below)
    },
  }
}

function sortable(sequence: number): string {
  let text = ''
  for (let rest = sequence, i = 0; i < SEQUENCE_LENGTH; i++, rest = Math.floor(rest / 62))
    text = BASE62[rest % 62] + text
  return text
}
