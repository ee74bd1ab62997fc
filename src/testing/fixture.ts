import type { Gateway } from '../gateway/gateway.ts'
import type { Installed, InstallOptions } from '../http/install.ts'
import { AssertionError } from '../schema/errors.ts'

export const START = '2026-01-01T00:00:00Z'

const PASSED = 'Your assertions passed, but the test left something behind (set `strict: false` to allow this):'

/** The parts of a gateway that {@link assertStrict} checks. */
export type Strict = Pick<Gateway, 'faults' | 'provisioning' | 'requests'>

/** An error, as runners show it: some the message, some the stack, which begins with it. */
export interface Shown {
  message: string
  stack?: string
}

/**
 * Throws if the test left something unused: a fault that no request triggered, a scripted outcome that no attempt
 * consumed, or a request to a path or method that the API does not have. The error names each of them, and what did not
 * match.
 *
 * @example
 * ```ts
 * import { createGateway } from 'fauxgate'
 * import { assertStrict } from 'fauxgate/testing'
 * const gateway = createGateway()
 * gateway.faults.add({ operation: 'reserved_domains.create', times: 1 })
 * assertStrict(gateway) // throws: 1 fault still waits for requests. …
 * ```
 */
export function assertStrict({ faults, provisioning, requests }: Strict): void {
  const checks = [faults.assertNoPendingFaults, provisioning.assertNoPendingOutcomes, requests.assertAllKnown]
  const found = checks.flatMap((check) => messageOf(check) ?? [])
  if (found.length === 0) return
  const error = new AssertionError(found.join('\n'))
  Error.captureStackTrace?.(error, assertStrict)
  throw error
}

function messageOf(check: () => void): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    // Not by its class: the gateway may come from another bundle than this.
    if (error instanceof Error && error.name === 'GatewayAssertionError') return error.message
    throw error
  }
}

export function requireStrict(gateway: Gateway): void {
  try {
    assertStrict(gateway)
  } catch (error) {
    const { name, message } = error as Error // Nothing else is thrown there.
    const found = new Error(`${PASSED}\n${message}`)
    // No line of the test is to blame, and none of this file.
    throw Object.assign(found, { name, stack: `${name}: ${found.message}` })
  }
}

export function explain(error: Shown | undefined, gateway: Gateway): void {
  // A matcher of ours has appended it itself.
  if (!error || /^The gateway at /m.test(error.message)) return
  const { message, stack } = error
  const explained = `${message}\n\n${reportAfter(message, gateway)}\n`
  overwrite(error, 'message', explained)
  // By a function, since a text might have patterns such as "$&".
  const explainedStack = stack?.replace(message, () => explained)
  if (explainedStack) overwrite(error, 'stack', explainedStack)
}

/** Sets a text of an error; not of one that is frozen. The message of a DOMException, as of an abort, has only a getter. */
function overwrite(error: Shown, name: keyof Shown, value: string): void {
  Reflect.defineProperty(error, name, { value, writable: true, configurable: true })
}

function reportAfter(message: string, gateway: Gateway): string {
  const report = gateway.report()
  return message.startsWith(PASSED) ? report.replace(/\n {2}pending:(?:\n {4}.*)*/, '') : report
}

/** Records each installation that a test makes of its gateway. The function that it returns undoes all of them. */
export function installedForNow(gateway: Gateway): () => void {
  const { install } = gateway
  const installed: Installed[] = []
  gateway.install = (options?: InstallOptions) => {
    const each = install(options)
    installed.push(each)
    return each
  }
  return () => {
    for (const each of installed) each.uninstall()
  }
}
