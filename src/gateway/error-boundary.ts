import type { Operation } from '../core/operation/operation.ts'
import { AssertionError } from '../core/schema/assertion-error.ts'
import type { Catalogue } from '../core/schema/catalogue.ts'
import { createErrorFacts } from '../core/schema/error-facts.ts'
import { Refusal } from '../core/schema/errors.ts'
import { findSecrets, type SecretNames } from '../core/schema/secret-fields.ts'
import { createRedactor } from '../core/schema/secret-texts.ts'
import type { Dialect } from '../service/resources/dialects.ts'
import { GatewayError } from './gateway-error.ts'

type Callable = (...args: never[]) => unknown

/** Creates the errors that a gateway's callers see, and wraps functions to throw these errors. */
export class ErrorBoundary {
  constructor(
    readonly dialect: Dialect,
    readonly secretNames: SecretNames,
    /** The gateway's API keys and control key. */
    readonly ownKeys: readonly string[],
    readonly catalogue: Catalogue,
  ) {}

  /** Returns the GatewayError for an error, without the secrets of `input`. Returns any other error unchanged. */
  createPublicError(error: unknown, input?: unknown, operation?: Operation): unknown {
    if (!(error instanceof Refusal)) return error
    const names = operation ? this.secretNames.of(operation) : this.secretNames
    const secrets = createRedactor([...this.ownKeys, ...findSecrets(input, names)])
    return new GatewayError(createErrorFacts(error, this.dialect, secrets), error.cause, () => this.catalogue.keys())
  }

  /** Returns the public error. Its stack begins at the caller of `call`; an error from other code keeps its own stack. */
  createErrorAtCaller(call: Callable, error: unknown, input?: unknown, operation?: Operation): unknown {
    if (!(error instanceof Refusal || error instanceof AssertionError)) return error
    return setCallerStack(this.createPublicError(error, input, operation), call)
  }

  /** Wraps the functions of `members` and its nested objects in place. Does not change `clock`. */
  wrapAll<T extends object>(members: T, clock?: unknown): T {
    for (const name of Object.keys(members)) {
      // Read from the descriptor, because reading the member would call a getter.
      const value: unknown = Object.getOwnPropertyDescriptor(members, name)?.value
      // The wrapper passes the caller's arguments unchanged.
      if (typeof value === 'function') Reflect.set(members, name, this.#wrap(value as Callable))
      else if (typeof value === 'object' && value !== null && value !== clock) this.wrapAll(value, clock)
    }
    return members
  }

  #wrap(work: Callable): Callable {
    const call = (...args: never[]) => {
      try {
        const result = work(...args)
        return result instanceof Promise ? this.#passOn(result) : result
      } catch (error) {
        throw this.createErrorAtCaller(call, error, args)
      }
    }
    return call
  }

  /** Passes on a result. The stack of a rejection includes the functions that await it, as with async functions. */
  async #passOn(result: Promise<unknown>): Promise<unknown> {
    try {
      return await result
    } catch (thrown) {
      throw this.createErrorAtCaller(this.#passOn, thrown)
    }
  }
}

/** Makes the stack of an error begin at the caller of `call`. */
export function setCallerStack<E>(error: E, call: Callable): E {
  if (error instanceof Error) Error.captureStackTrace?.(error, call)
  return error
}
