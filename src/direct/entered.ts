import { begunAt, type Callable, fromCaller } from '../schema/caller.ts'

/**
 * Knows which function of a gateway is being called from outside, so that the stack of an error begins at the caller's
 * line and not inside.
 */
export class Entered {
  #call: Callable | undefined

  /** Knows from now on when one of these functions, or of those in objects among them but `own`, is being called. */
  know(members: object, own: unknown): void {
    const entries = members as Record<string, unknown> // Asked by its own names only.
    for (const name of Object.keys(members)) {
      // An accessor is not asked.
      const value: unknown = Object.getOwnPropertyDescriptor(members, name)?.value
      if (typeof value === 'function')
        entries[name] = this.#known(value as Callable) // It is called with what it was given.
      else if (typeof value === 'object' && value !== null && value !== own) this.know(value, own)
    }
  }

  /** Lets the stack of an error begin where this function, or the one being called, was called. */
  begin<E extends Error>(error: E, call: Callable | undefined = this.#call): E {
    return call ? begunAt(error, call) : error
  }

  /** Reads what the function being called was given: the stack of an error about that begins where it was called. */
  reads<T>(read: () => T): T {
    return this.#call ? fromCaller(this.#call, read) : read()
  }

  #known(work: Callable): Callable {
    const call = (...args: unknown[]) => {
      const before = this.#call
      this.#call = call
      try {
        return Reflect.apply(work, undefined, args)
      } finally {
        this.#call = before
      }
    }
    return call
  }
}
