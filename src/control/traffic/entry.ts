import type { Target } from '../../traffic/exchange.ts'
import type { Trace } from '../../traffic/trace.ts'
import type { Visitor } from '../../traffic/visitor.ts'

/** A request through the gateway and its result. Secrets are `[redacted]`. */
export interface TrafficEntry {
  /** The number of the request since the journal was cleared, starting at 1. */
  readonly number: number
  /** The time at which the request arrived. */
  readonly at: string
  readonly method: string
  readonly url: string
  /** The address of the visitor. */
  readonly ip: string
  /** The visitor, as described by the caller. */
  readonly from: Visitor
  /** The edge, route, and backend named by the caller. */
  readonly target: Target
  /** The body, or null if there was none. Absent if it is larger than 16 KB, or is neither JSON nor a form. */
  readonly body?: string | null
  /** The request headers, by lowercase name. Multiple values are joined by commas. */
  readonly headers: Readonly<Record<string, string>>
  /** The status of the response, or null if the connection closed or the visitor rejected the certificate. */
  readonly status: number | null
  /** The response headers, in the same form. */
  readonly responseHeaders: Readonly<Record<string, string>>
  /** The ID of the endpoint, edge, or route that received the request, or null if none did. */
  readonly endpoint: string | null
  /** The URL or the ID of the upstream that received the request, or null if none did. */
  readonly upstream: string | null
  /** The rule whose action responded or closed the connection, by name or, without a name, by position; null if no rule did. */
  readonly rule: string | null
  /** The gateway's own error code, or null if there was no error. */
  readonly error: string | null
  /** The trace of the request: each rule, matched or not, with the values of its expressions, and each action. */
  readonly trace: Trace
}

/** Formats a visitor request in one line: the request, the response, and the reason for the response. */
export function describeTraffic({ at, method, url, status, rule, error, upstream }: TrafficEntry): string {
  const reasons = [
    ...(error === null ? [] : [error]),
    ...(rule === null ? [] : [`by the rule ${rule}`]),
    ...(upstream === null ? [] : [`to ${upstream}`]),
  ]
  return [`${at} ${method} ${url} ${status ?? 'without a response'}`, ...reasons].join(' ')
}
