import { readdirSync, readFileSync } from 'node:fs'
import { Refusal } from '../../../src/core/schema/errors.ts'
import { toBytes } from '../../../src/service/x509/bytes.ts'
import { Unreadable } from '../../../src/service/x509/der.ts'
import { splitPem } from '../../../src/service/x509/pem.ts'

const folder = new URL('../../fixtures/x509/', import.meta.url)

/** Returns the text of a fixture, by its name without ".pem". */
export function fixture(name: string): string {
  return readFileSync(new URL(`${name}.pem`, folder), 'utf8')
}

/** Returns the names of the fixtures that begin with a text. */
export function fixtures(start: string): string[] {
  const names = readdirSync(folder).map((file) => file.replace('.pem', ''))
  return names.filter((name) => name.startsWith(start)).sort()
}

/** Returns the content of the last block of a PEM text: the key or the only certificate of a fixture. */
export function derOf(pem: string): Uint8Array {
  const der = splitPem(pem).blocks.at(-1)?.der
  if (!der) throw new Error('the fixture is not PEM')
  return der
}

/** Returns the blocks of a PEM text, each as a text. */
export function blocksOf(pem: string): string[] {
  return pem.split(/(?<=-----END [A-Z0-9 ]+-----\n)/)
}

/** Returns the error for clients of a function that must reject. */
export function expectRefusal(run: () => unknown): { key: string; message: string; field?: string } {
  try {
    run()
  } catch (error) {
    if (error instanceof Refusal) {
      const { error: catalogueError, message, field } = error.problems[0]
      return { key: catalogueError.key, message, ...(field !== undefined && { field }) }
    }
    throw error
  }
  throw new Error('nothing was rejected')
}

/** Returns the message of a function that must throw `Unreadable`. */
export function findUnreadable(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof Unreadable) return error.message
    throw error
  }
  throw new Error('everything was readable')
}

/** Creates a DER element from its parts. A text means the bytes of its characters. */
export function element(tag: number, ...parts: (Uint8Array | string)[]): Uint8Array {
  const content = parts.flatMap((part) => [...(typeof part === 'string' ? toBytes(part) : part)])
  const size = content.length
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Uint8Array.from([tag, ...length, ...content])
}

/** Returns a generator of numbers from 0 up to `below`, the same numbers in every run. */
export function createNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
