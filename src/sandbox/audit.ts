import { timestamp } from '../core/schema/time.ts'
import type { HttpResponse } from '../gateway/http/messages.ts'
import { computeDigest } from './keys.ts'

/** An account call that changed something, read all sandboxes, or failed despite the correct account key. */
export interface AuditEntry {
  readonly at: string
  /** The first digits of the account key's SHA-256 hash. */
  readonly by: string
  readonly call: string
  readonly sandbox: string | null
  /** The fork, key, or prefix that the call named, or null if the call was rejected. */
  readonly target: string | null
  readonly status: number
  readonly error_code: string | null
  /** The number of sandboxes that were removed or restored, or null for other calls. */
  readonly sandboxes: number | null
}

/** The parts of a call that its entry shows. */
interface AuditedCall {
  readonly call: string
  readonly name: string
  readonly key: string
  readonly sent: { readonly name?: unknown; readonly prefix?: unknown }
  readonly accountKey: string
  readonly now: number
}

/** The parts of a response that its entry shows. */
interface AuditedBody {
  readonly error_code?: string
  readonly removed?: number
  readonly restored?: number
  readonly details?: { readonly restored?: string }
}

/** Returns the audit log entry for a call. Platform responses are streams, so only their status is known. */
export function auditEntry(audited: AuditedCall, response: HttpResponse | Response): AuditEntry {
  const { call, name, key, sent, accountKey, now } = audited
  const { status } = response
  const body = response instanceof Response ? null : response.body
  const { error_code, removed, restored, details }: AuditedBody = JSON.parse(body ?? '{}')
  const target = key || sent.name || sent.prefix
  const sandboxes = removed ?? restored ?? details?.restored
  return {
    at: timestamp(now),
    by: computeDigest(accountKey).slice(0, 8),
    call,
    sandbox: name || null,
    // A rejected call may name anything.
    target: status < 300 && target ? String(target) : null,
    status,
    error_code: error_code ?? null,
    sandboxes: sandboxes === undefined ? null : Number(sandboxes),
  }
}
