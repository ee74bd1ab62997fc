import type { Entered } from '../direct/entered.ts'
import type { Dialect } from '../resources/dialects.ts'
import { factsOf } from '../schema/error-facts.ts'
import { AssertionError, Refusal } from '../schema/errors.ts'
import { type SecretNames, secretsIn } from '../schema/secret-fields.ts'
import { valuesOf } from '../schema/secret-texts.ts'
import { GatewayError } from './gateway-error.ts'

/** Makes errors of the dialect of refusals; any other error stays what it is. */
export function outwardOf(dialect: Dialect, secretNames: SecretNames, ownKeys: readonly string[]) {
  return (error: unknown, input?: unknown): unknown => {
    if (!(error instanceof Refusal)) return error
    return new GatewayError(
      factsOf(error, dialect, valuesOf([...ownKeys, ...secretsIn(input, secretNames)])),
      error.cause,
    )
  }
}

/** Turns the refusals of direct calls into errors of the dialect, whose stacks begin where the call was made. */
export function guardedBy(entered: Entered, outward: (error: unknown, input?: unknown) => unknown) {
  return <T>(work: () => T, input?: unknown, call?: (...args: never[]) => unknown): T => {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof AssertionError)) throw error
      const shown = outward(error, input)
      throw shown instanceof Error ? entered.begin(shown, call) : shown
    }
  }
}
