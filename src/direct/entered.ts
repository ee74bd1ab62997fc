/** A function that a user calls. */
// biome-ignore lint/suspicious/noExplicitAny: any function is one.
type Callable = (...args: any[]) => unknown

/**
 * Knows which function of a gateway is being called from outside, so that the stack of an error begins at the caller's
 * line and not inside.
 */
export class Entered {
  #call: Callable | undefined

  /** Knows from now on when one of these functions, or of those in objects among them, is being called. */
  know(members: object): void {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(members))) {
      if (typeof value === 'function') Object.assign(members, { [name]: this.#known(value) })
      else if (typeof value === 'object' && value !== null) this.know(value)
    }
  }

  /** Lets the stack of an error begin where this function, or the one being called, was called. */
  begin<E extends Error>(error: E, call: Callable | undefined = this.#call): E {
    if (call) Error.captureStackTrace?.(error, call)
    return error
  }

  #known(work: Callable): Callable {
    const call: Callable = (...args) => {
      const before = this.#call
      this.#call = call
      try {
        return work(...args)
      } finally {
        this.#call = before
      }
    }
    return call
  }
}
