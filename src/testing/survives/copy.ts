import { describeThrown } from '../../core/schema/text.ts'
import type { Disk } from './types.ts'

/** The names of copies. */
export const COPY_NAMES = ['A', 'B', 'C'] as const

/** A copy of the code in a run: its lives, its disk, and its end. */
export class Copy {
  /** The number of times that the code was called. */
  life = 0
  /** True after a crash, until the code is called again. */
  hasCrashed = false
  settled: { readonly value?: unknown; readonly error?: Error } | undefined
  /** A number that represents everything that the copy has sent and received so far: equal numbers mean equal histories. */
  past = 0

  constructor(
    readonly name: string,
    readonly files: Map<string, unknown>,
  ) {}
}

/** Describes a thrown value for the middle of a sentence. */
export const thrownText = (thrown: unknown) => describeThrown(thrown).replace(/\.$/, '')

/** Returns the disk of a life. After a crash, the old life can no longer write. */
export function createDisk({ files }: Copy, hasCrashed = () => false): Disk {
  return {
    // The caller knows the type of the stored value.
    get: <T>(name: string) => structuredClone(files.get(name)) as T | undefined,
    set: (name, value) => void (hasCrashed() || files.set(name, structuredClone(value))),
    has: (name) => files.has(name),
    delete: (name) => void (hasCrashed() || files.delete(name)),
  }
}

/** Detects copies that share anything other than the gateway. After the same history, such a copy sends a different request. */
export class Pasts {
  readonly #numbers = new Map<string, number>()
  readonly #requests = new Map<number, string>()

  /** Records what a copy has received, or the time at which it started. */
  note(copy: Copy, text: string): void {
    const key = `${copy.past} ${text}`
    copy.past = this.#numbers.get(key) ?? this.#numbers.size + 1
    this.#numbers.set(key, copy.past)
  }

  /** Records a request. Returns the request that the copy sent earlier after the same history. */
  noteRequest(copy: Copy, text: string): string {
    const known = this.#requests.get(copy.past) ?? text
    this.#requests.set(copy.past, known)
    this.note(copy, text)
    return known
  }
}
