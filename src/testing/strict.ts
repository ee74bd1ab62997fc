import type { Gateway } from '../gateway/gateway.ts'
import { AssertionError } from '../schema/errors.ts'

/** What {@link assertStrict} looks at. */
export type Strict = Pick<Gateway, 'faults' | 'provisioning' | 'requests'>

/**
 * Throws an error where a test has left something on order that nobody met, a fault or the outcome of an attempt, or
 * where a request asked for a path or a method that the API does not have. It says which, and what did not match.
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
