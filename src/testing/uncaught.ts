/** The events of Deno and browsers, which call a listener before the runner shows the error. */
interface Events {
  addEventListener?(type: string, listener: (event: Uncaught) => void, options: object): void
  removeEventListener?(type: string, listener: (event: Uncaught) => void, options: object): void
}

interface Uncaught {
  /** Of an `error` event. */
  readonly error?: unknown
  /** Of an `unhandledrejection` event. */
  readonly reason?: unknown
}

const TYPES = ['error', 'unhandledrejection']
/** Before the listeners of the runner. */
const FIRST = { capture: true }

/**
 * Calls a function with each error that no code catches, until the returned function is called. It does nothing in Node,
 * which has no such events.
 */
export function watchUncaught(seen: (error: unknown) => void): () => void {
  const { addEventListener, removeEventListener }: Events = globalThis
  const listener = (event: Uncaught) => seen(event.error ?? event.reason)
  for (const type of TYPES) addEventListener?.(type, listener, FIRST)
  return () => {
    for (const type of TYPES) removeEventListener?.(type, listener, FIRST)
  }
}
