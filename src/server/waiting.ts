import { once } from 'node:events'
import { readClock, systemClock } from '../core/engine/clock.ts'

/** Waits for a number of ms in real time. Resolves with false if the signal aborts. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<boolean> {
  try {
    await systemClock.waitUntil?.(readClock(systemClock) + ms, signal)
    return true
  } catch {
    return false
  }
}

/** Calls `work` after a number of ms in real time. Returns a function that cancels the call. */
export function later(ms: number, work: () => void): () => void {
  const cancelled = new AbortController()
  void sleep(ms, cancelled.signal).then((isOver) => isOver && work())
  return () => cancelled.abort()
}

/** Calls `callback` for each of these signals to this process. Returns a function that removes the listeners. */
export function onSignals(names: readonly NodeJS.Signals[], callback: (name: NodeJS.Signals) => void): () => void {
  for (const name of names) process.on(name, callback)
  return () => {
    for (const name of names) process.off(name, callback)
  }
}

/** Resolves at the first of these signals to this process. Rejects if `until` aborts first. */
export async function waitForSignal(names: readonly NodeJS.Signals[], until: AbortSignal): Promise<void> {
  await Promise.race(names.map((name) => once(process, name, { signal: until })))
}
