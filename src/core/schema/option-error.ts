import { atCaller } from './caller-stack.ts'

/** Returns the name of an option as its caller wrote it, by its path, such as `certificates.validity`. */
type NameOf = (option: string) => string

/** Makes the message of an error about options, with the names that these have for the caller. */
type Describe = (nameOf: NameOf) => string

/** The name of the property that describes an error again. A command line has other names for options than their paths. */
const DESCRIBE: unique symbol = Symbol.for('fauxgate.describe')

/** Makes the error of an option whose value is not allowed. Its message names options by path. */
export function createOptionError(describe: Describe): TypeError {
  return withDescription(atCaller(new TypeError(describe((option) => option))), describe)
}

export function withDescription<E extends Error>(error: E, describe: Describe): E {
  return Object.defineProperty(error, DESCRIBE, { value: describe })
}

/** Returns the message of an error, with other names of the options in it. */
export function describeByNames(error: Error & { readonly [DESCRIBE]?: Describe }, nameOf: NameOf): string {
  const { [DESCRIBE]: describe } = error
  return describe ? describe(nameOf) : error.message
}
