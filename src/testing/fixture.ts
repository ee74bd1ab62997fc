import type { Gateway } from '../gateway/gateway.ts'
import { type Installed, type InstallOptions, installFetch } from '../http/install.ts'
import { AssertionError } from '../schema/errors.ts'
import { Traffic } from './traffic.ts'

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

/** Throws what {@link assertStrict} throws, and for requests without an answer. The error has no lines of a stack. */
export function requireStrict(gateway: Gateway, underWay: readonly string[]): void {
  try {
    requireAnswered(underWay)
    assertStrict(gateway)
  } catch (error) {
    const { name, message } = error as Error // Nothing else is thrown there.
    const found = new Error(`${PASSED}\n${message}`)
    // No line of the test is to blame, and none of this file.
    throw Object.assign(found, { name, stack: `${name}: ${found.message}` })
  }
}

function requireAnswered(underWay: readonly string[]): void {
  if (underWay.length > 0) throw new AssertionError(unanswered(underWay))
}

function unanswered(underWay: readonly string[]): string {
  const requests = underWay.length === 1 ? '1 request was' : `${underWay.length} requests were`
  return `${requests} still under way when the test ended: ${underWay.join(', ')}. Is an await missing?`
}

/** Adds to the error of a failing test the report, unless a matcher has added it, and the requests without an answer. */
export function explain(error: Shown | undefined, gateway: Gateway, underWay: readonly string[]): void {
  if (!error) return
  const { message, stack } = error
  const more = [
    ...(/^The gateway at /m.test(message) ? [] : [reportAfter(message, gateway)]),
    ...(underWay.length === 0 || message.startsWith(PASSED) ? [] : [unanswered(underWay)]),
  ]
  if (more.length === 0) return
  const explained = `${message}\n\n${more.join('\n')}\n`
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

/** The requests of a test, and the end of what the test installed. */
export interface Connection {
  /** The method and path of each request without an answer. */
  readonly underWay: readonly string[]
  /** Uninstalls the gateway. More than once does nothing. */
  end(): void
}

/** Connects a gateway with a test: requests travel as in {@link Traffic}, and the end of the test uninstalls it. */
export function connect(gateway: Gateway): Connection {
  const traffic = new Traffic()
  const detach = traffic.lead(gateway)
  const installed: Installed[] = []
  gateway.install = (options?: InstallOptions) => {
    const each = installFetch(gateway.fetch, () => gateway.url, options)
    installed.push(each)
    return each
  }
  return {
    get underWay() {
      return traffic.underWay
    },
    end() {
      detach()
      for (const each of installed) each.uninstall()
    },
  }
}
