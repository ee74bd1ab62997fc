/** An error of the command line, an environment variable or a config file, in one line. */
export class UsageError extends Error {}

/**
 * Returns a caught error with the type of Node's system errors. It does not use `instanceof`, because in Jest, errors of
 * Node are from another realm.
 */
export function caught(error: unknown): NodeJS.ErrnoException {
  return error as NodeJS.ErrnoException // Nothing else is thrown where this is called.
}
