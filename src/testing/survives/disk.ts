import type { Disk } from './types.ts'

/** What a disk has, by name. */
export type Files = Map<string, unknown>

/** Makes a life's view of the files. The life of a crashed process writes no more. */
export function diskOf(files: Files, isDead: () => boolean): Disk {
  return {
    // The caller says what it has stored.
    get: <T>(name: string) => structuredClone(files.get(name)) as T | undefined,
    set: (name, value) => void (isDead() || files.set(name, structuredClone(value))),
    has: (name) => files.has(name),
    delete: (name) => void (isDead() || files.delete(name)),
  }
}
