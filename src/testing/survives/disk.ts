import type { Disk } from './types.ts'

/** Makes a life's view of what is stored. The life of a crashed process writes no more. */
export function diskOf(files: Map<string, unknown>, isDead: () => boolean): Disk {
  return {
    // The caller says what it has stored.
    get: <T>(name: string) => structuredClone(files.get(name)) as T | undefined,
    set: (name, value) => void (isDead() || files.set(name, structuredClone(value))),
    has: (name) => files.has(name),
    delete: (name) => void (isDead() || files.delete(name)),
  }
}
