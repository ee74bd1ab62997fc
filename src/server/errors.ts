/** An error of the command line, an environment variable or a config file, in one line. */
export class UsageError extends Error {}

/**
 * Gives a caught error its type, with what Node adds to errors of the system. Without `instanceof`: in Jest, errors of Node
 * itself are of another realm.
 */
export function caught(error: unknown): NodeJS.ErrnoException {
  return error as NodeJS.ErrnoException // Nothing else is thrown where this is called.
}
