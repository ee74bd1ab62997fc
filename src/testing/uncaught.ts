/** The global object of Deno and browsers. It calls a listener before the runner shows the error. */
interface ErrorEventTarget {
  addEventListener?(type: string, listener: (event: UncaughtErrorEvent) => void, options: object): void
  removeEventListener?(type: string, listener: (event: UncaughtErrorEvent) => void, options: object): void
}

interface UncaughtErrorEvent {
  /** The error in an `error` event. */
  readonly error?: unknown
  /** The error in an `unhandledrejection` event. */
  readonly reason?: unknown
}

const EVENT_TYPES = ['error', 'unhandledrejection']
/** Makes a listener run before the listeners of the runner. */
const FIRST = { capture: true }

/**
 * Calls a function with each uncaught error, until the returned function is called. Does nothing in Node, because Node does not have these
 * events.
 */
export function watchUncaught(onError: (error: unknown) => void): () => void {
  const { addEventListener, removeEventListener }: ErrorEventTarget = globalThis
  const listener = (event: UncaughtErrorEvent) => onError(event.error ?? event.reason)
  for (const type of EVENT_TYPES) addEventListener?.(type, listener, FIRST)
  return () => {
    for (const type of EVENT_TYPES) removeEventListener?.(type, listener, FIRST)
  }
}
