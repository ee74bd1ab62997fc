import { describeThrown } from '../core/schema/text.ts'

/** An error of the command line, an environment variable or a config file, in one line. */
export class UsageError extends Error {}

/** Reads the code and the message in the body of an error response. Each is null if the body lacks it. */
export function readErrorBody(body: unknown): { readonly error: string | null; readonly message: string | null } {
  const { error_code, msg } = Object(body)
  return { error: textOrNull(error_code), message: textOrNull(msg) }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** Returns the message of a caught error, or names any other value that was thrown. Never throws. */
export function messageOf(thrown: unknown): string {
  try {
    const { message } = asSystemError(thrown)
    if (typeof message === 'string' && message !== '') return message
  } catch {
    // It is null, or its message throws.
  }
  return typeof thrown === 'string' ? thrown : `${describeThrown(thrown)} was thrown`
}

/**
 * Returns a caught error with the type of Node's system errors. It does not use `instanceof`, because in Jest, errors of
 * Node are from another realm.
 */
export function asSystemError(error: unknown): NodeJS.ErrnoException {
  return error as NodeJS.ErrnoException // Nothing else is thrown where this is called.
}
