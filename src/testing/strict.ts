import { AssertionError } from '../core/schema/assertion-error.ts'
import { atCaller } from '../core/schema/caller-stack.ts'
import { quote } from '../core/schema/text.ts'
import type { Gateway } from '../gateway/types.ts'

/** The parts of a gateway that {@link assertStrict} checks. */
export type Strict = Pick<Gateway, 'faults' | 'provisioning' | 'requests'>

/**
 * Throws if the test left something unused: a fault that no request triggered, a scripted outcome that no attempt
 * consumed, or a request that does not belong to the API. The error lists each of these, and why it is unused.
 *
 * @example
 * ```ts
 * import { createNgrok } from 'fauxgate/ngrok'
 * import { assertStrict } from 'fauxgate/testing'
 * const gateway = createNgrok()
 * gateway.faults.add({ operation: 'reserved_domains.create', times: 1 })
 * assertStrict(gateway) // throws: 1 fault is still waiting for requests. …
 * ```
 */
export function assertStrict(gateway: Strict): void {
  const received: Partial<Strict> | undefined = gateway
  if (PARTS.some((part) => !received?.[part])) {
    throw atCaller(new TypeError(`assertStrict received ${quote(received)}. Allowed: a gateway.`))
  }
  const unused = unusedIn(gateway)
  if (unused.length === 0) return
  const error = new AssertionError(unused.join('\n'))
  Error.captureStackTrace?.(error, assertStrict)
  throw error
}

const PARTS = ['faults', 'provisioning', 'requests'] as const

/** Describes the unused faults, outcomes, and requests of a gateway, and why each is unused. */
export function unusedIn(gateway: Strict, parts: readonly (keyof Strict)[] = PARTS): readonly string[] {
  const checks: Record<keyof Strict, () => void> = {
    faults: () => gateway.faults.assertNoPendingFaults(),
    provisioning: () => gateway.provisioning.assertNoPendingOutcomes(),
    requests: () => gateway.requests.assertAllKnown(),
  }
  return parts.flatMap((part) => messageOf(checks[part]) ?? [])
}

function messageOf(check: () => void): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    // Checked by name, because the gateway may come from another bundle, with a different class.
    if (error instanceof Error && error.name === 'GatewayAssertionError') return error.message
    throw error
  }
}
