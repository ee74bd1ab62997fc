import { customRandom } from 'nanoid'
import { BASE62, RANDOM_LENGTH, SEQUENCE_LENGTH } from '../schema/ids.ts'
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
  let bytes: ReturnType<RandomSource['draw']>
  // Made once, not for each id.
  const randomPart = customRandom(BASE62, RANDOM_LENGTH, (size) => bytes(size))
  /** The codes of an id of each prefix, in which the number and the random part are put for the next one. */
  const codesOf = new Map<string, number[]>()
  return {
    id(prefix, stream, sequence) {
      bytes = random.draw(stream, sequence)
      let codes = codesOf.get(prefix)
      if (!codes) {
        codes = new Array<number>(prefix.length + 1 + SEQUENCE_LENGTH + RANDOM_LENGTH)
        putText(codes, 0, `${prefix}_`)
        codesOf.set(prefix, codes)
      }
      putSortable(codes, prefix.length + 1, sequence)
      putText(codes, prefix.length + 1 + SEQUENCE_LENGTH, randomPart())
      return String.fromCharCode.apply(null, codes)
    },
    label(length, stream, sequence) {
      const codes = new Array<number>(length)
      putText(codes, 0, customRandom(BASE36, length, random.draw(stream, sequence))())
      return String.fromCharCode.apply(null, codes)
    },
    integer(below, stream, sequence) {
      const [a = 0, b = 0, c = 0, d = 0] = random.draw(stream, sequence)(4)
      return Math.floor(((a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d) / 2 ** 32) * below)
    },
  }
}

function putSortable(codes: number[], at: number, sequence: number): void {
  let rest = sequence
  for (let i = at + SEQUENCE_LENGTH - 1; i >= at; i--) {
    codes[i] = BASE62.charCodeAt(rest % BASE62.length)
    rest = Math.floor(rest / BASE62.length)
  }
}

/**
 * Puts the codes of a text. Made of codes, an id is one text of 48 bytes; as `+` leaves a text that was put together
 * character by character, it takes 350, and a gateway keeps many of them.
 */
function putText(codes: number[], at: number, text: string): void {
  for (let i = 0; i < text.length; i++) codes[at + i] = text.charCodeAt(i)
}
