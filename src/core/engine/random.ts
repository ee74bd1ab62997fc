import { sha256 } from '@noble/hashes/sha2.js'
import { utf8Bytes } from '../schema/platform.ts'
import type { Draw } from '../schema/values.ts'

/**
 * The single source of randomness. It is stateless: each value is a function of the seed, a stream's name, and a number. Draws therefore
 * never need to be undone, and identical calls produce identical values.
 */
export interface RandomSource {
  readonly draw: Draw
}

/** Creates the random source for a seed. */
export function createRandomSource(seed: string): RandomSource {
  const streams = new Map<string, readonly number[]>()
  return {
    draw(stream, number) {
      let state = streams.get(stream)
      if (!state) {
        state = hash(`${stream}\n${seed}`)
        streams.set(stream, state)
      }
      return createGenerator(state, number)
    },
  }
}

/**
 * Creates a random source for keys that outlive a test. It is based on SHA-256 and can't be predicted without the secret. Identical draws
 * also produce identical bytes.
 */
export function createSecretSource(text: string): RandomSource {
  const secret = sha256(utf8Bytes(text))
  return {
    draw(stream, number) {
      let block = 0
      return (size) => {
        const bytes = new Uint8Array(size)
        for (let at = 0; at < size; at += 32) {
          const input = utf8Bytes(`${stream}\n${number}\n${block++}`)
          bytes.set(sha256(Uint8Array.of(...secret, ...input)).subarray(0, size - at), at)
        }
        return bytes
      }
    },
  }
}

/** Returns a fresh secret for {@link createSecretSource}. */
export function createSecret(): string {
  return [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Returns a fresh seed, for a gateway that was created without a seed. */
export function createSeed(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('.')
}

/** Returns four 32-bit numbers from a string (the cyrb128 mixing scheme). */
function hash(text: string): readonly [number, number, number, number] {
  let [a, b, c, d] = [1779033703, 3144134277, 1013904242, 2773480762]
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    a = b ^ Math.imul(a ^ code, 597399067)
    b = c ^ Math.imul(b ^ code, 2869860233)
    c = d ^ Math.imul(c ^ code, 951274213)
    d = a ^ Math.imul(d ^ code, 2716044179)
  }
  return [a >>> 0, b >>> 0, c >>> 0, d >>> 0]
}

/** Starts the sfc32 generator from a stream's state and the draw's number. */
function createGenerator(state: readonly number[], number: number): (size: number) => Uint8Array {
  let [a = 0, b = 0, c = 0, d = 0] = state
  b ^= number >>> 0
  c ^= Math.floor(number / 2 ** 32)
  d += number
  const next = () => {
    const t = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + t) | 0
    return t
  }
  for (let round = 0; round < 12; round++) next()
  return (size) => {
    const bytes = new Uint8Array(size)
    for (let i = 0; i < size; i += 4) {
      const word = next()
      bytes[i] = word
      bytes[i + 1] = word >>> 8
      bytes[i + 2] = word >>> 16
      bytes[i + 3] = word >>> 24
    }
    return bytes
  }
}
