import { atCaller } from './caller-stack.ts'

/** Returns the name of an option as the caller wrote it, by its path, such as `certificates.validity`. */
type NameOf = (option: string) => string

/** Formats the message of an error about options, with the names that the caller uses. */
type Describe = (nameOf: NameOf) => string

/** The name of the property that reformats an error's message. A command line needs it because it does not use paths as names. */
const DESCRIBE: unique symbol = Symbol.for('fauxgate.describe')

/** Creates the error for an option whose value is not allowed. Its message shows options by path. */
export function createOptionError(describe: Describe): TypeError {
  return withDescription(atCaller(new TypeError(describe((option) => option))), describe)
}

export function withDescription<E extends Error>(error: E, describe: Describe): E {
  return Object.defineProperty(error, DESCRIBE, { value: describe })
}

/** Returns the message of an error with different option names. */
export function describeByNames(error: Error & { readonly [DESCRIBE]?: Describe }, nameOf: NameOf): string {
  const { [DESCRIBE]: describe } = error
  return describe ? describe(nameOf) : error.message
}
