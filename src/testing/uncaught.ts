/** The event target of Deno and browsers, which calls a listener before the runner shows the error. */
interface Events {
  addEventListener?(type: string, listener: (event: Uncaught) => void, options: object): void
  removeEventListener?(type: string, listener: (event: Uncaught) => void, options: object): void
}

interface Uncaught {
  /** The error of an `error` event. */
  readonly error?: unknown
  /** The error of an `unhandledrejection` event. */
  readonly reason?: unknown
}

const TYPES = ['error', 'unhandledrejection']
/** Calls the listener before the listeners of the runner. */
const FIRST = { capture: true }

/**
 * Calls a function with each uncaught error, until the returned function is called. It does nothing in Node, which does not
 * have these events.
 */
export function watchUncaught(onError: (error: unknown) => void): () => void {
  const { addEventListener, removeEventListener }: Events = globalThis
  const listener = (event: Uncaught) => onError(event.error ?? event.reason)
  for (const type of TYPES) addEventListener?.(type, listener, FIRST)
  return () => {
    for (const type of TYPES) removeEventListener?.(type, listener, FIRST)
  }
}
