import { once } from 'node:events'
import { readClock, systemClock } from '../engine/clock.ts'

/** Waits for some ms of real time. Resolves with false if the signal was aborted. */
export async function waited(ms: number, signal?: AbortSignal): Promise<boolean> {
  try {
    await systemClock.waitUntil?.(readClock(systemClock) + ms, signal)
    return true
  } catch {
    return false
  }
}

/** Calls back at signals to this process. Returns a function that ends this. */
export function onSignals(names: readonly NodeJS.Signals[], callback: () => void): () => void {
  for (const name of names) process.on(name, callback)
  return () => {
    for (const name of names) process.off(name, callback)
  }
}

/** Resolves at the first of some signals to this process. Rejects if the other signal aborts before. */
export async function signalled(names: readonly NodeJS.Signals[], until: AbortSignal): Promise<void> {
  await Promise.race(names.map((name) => once(process, name, { signal: until })))
}
