/** A function that a user calls. */
export type Callable = (...args: never[]) => unknown

/** Lets the stack of an error begin where a function was called that is under way. */
export function begunAt<E>(error: E, call: Callable): E {
  if (error instanceof Error) Error.captureStackTrace?.(error, call)
  return error
}

/** Reads what a function was called with: the stack of an error about that begins where it was called. */
export function fromCaller<T>(call: Callable, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw begunAt(error, call)
  }
}
