import { constants } from 'node:os'
import { describeThrown } from '../core/schema/text.ts'

/** An error in the command line, an environment variable, or a config file, described in one line. */
export class UsageError extends Error {}

/** A signal stopped `survives` before its verdict. */
export class StoppedError extends Error {
  /** The exit code that shells show for a process that the signal ended. */
  readonly exitCode: number

  constructor(signal: NodeJS.Signals) {
    super(`stopped by ${signal}; the running commands were killed.`)
    this.exitCode = 128 + constants.signals[signal]
  }
}

interface ErrorBody {
  readonly error: string | null
  readonly message: string | null
  readonly details: Readonly<Record<string, string>>
}

/** Reads the body of an error response. The code and the message are null if they are missing from the body. */
export function readErrorBody(body: unknown): ErrorBody {
  const { error_code, msg, details } = Object(body)
  const texts = Object.entries<unknown>(Object(details)).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  )
  return { error: textOrNull(error_code), message: textOrNull(msg), details: Object.fromEntries(texts) }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** Returns the message of a caught error, or a description of any other thrown value. Never throws. */
export function messageOf(thrown: unknown): string {
  try {
    const { message } = asSystemError(thrown)
    if (typeof message === 'string' && message !== '') return message
  } catch {
    // The value is null, or its message throws.
  }
  return typeof thrown === 'string' ? thrown : `${describeThrown(thrown)} was thrown`
}

/**
 * Returns a caught error with the type of Node's system errors. Does not use `instanceof`, because Node's errors are from another realm in
 * Jest.
 */
export function asSystemError(error: unknown): NodeJS.ErrnoException {
  return error as NodeJS.ErrnoException // Callers only catch such errors.
}
