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
  return {
    id(prefix, stream, sequence) {
      const codes = new Array<number>(prefix.length + 1 + SEQUENCE_LENGTH + RANDOM_LENGTH)
      for (let i = 0; i < prefix.length; i++) codes[i] = prefix.charCodeAt(i)
      codes[prefix.length] = UNDERSCORE
      putSortable(codes, prefix.length + 1, sequence)
      putRandom(codes, prefix.length + 1 + SEQUENCE_LENGTH, BASE62, random.draw(stream, sequence))
      return String.fromCharCode.apply(null, codes)
    },
    label(length, stream, sequence) {
      const codes = new Array<number>(length)
      putRandom(codes, 0, BASE36, random.draw(stream, sequence))
      return String.fromCharCode.apply(null, codes)
    },
    integer(below, stream, sequence) {
      const [a = 0, b = 0, c = 0, d = 0] = random.draw(stream, sequence)(4)
      return Math.floor(((a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d) / 2 ** 32) * below)
    },
  }
}

const UNDERSCORE = 95

function putSortable(codes: number[], at: number, sequence: number): void {
  let rest = sequence
  for (let i = at + SEQUENCE_LENGTH - 1; i >= at; i--) {
    codes[i] = BASE62.charCodeAt(rest % BASE62.length)
    rest = Math.floor(rest / BASE62.length)
  }
}

/**
 * Puts random characters up to the end, the same that nanoid's `customRandom` makes of the same bytes. That puts them
 * together one by one as a text, which costs every request 1.2 kB of garbage and an id that is kept 350 bytes; one text
 * made of codes takes 48.
 */
function putRandom(codes: number[], at: number, alphabet: string, draw: (size: number) => Uint8Array): void {
  // Bytes from here on would favour the first characters.
  const fair = 256 - (256 % alphabet.length)
  const size = Math.ceil((1.6 * 256 * (codes.length - at)) / fair)
  let next = at
  while (next < codes.length) {
    const bytes = draw(size)
    for (let i = size - 1; i >= 0 && next < codes.length; i--) {
      const byte = bytes[i] as number
      if (byte < fair) codes[next++] = alphabet.charCodeAt(byte % alphabet.length)
    }
  }
}
