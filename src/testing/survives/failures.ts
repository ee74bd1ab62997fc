import { escapeUnprintable, quote } from '../../core/schema/text.ts'
import type { FaultEffect } from '../../gateway/http/fault-effects.ts'
import type { FaultKind, OptInFaultKind, ScheduledFault } from './types.ts'

/** A failure that can happen to a request, to a provisioning attempt, or to an effect of the code. */
export interface Failure {
  /** The name in a replay text. */
  readonly name: string
  /** The name of its kind in the `kinds` and `also` options. */
  readonly kind: FaultKind | OptInFaultKind
  /** The type of the events that the failure can happen to. */
  readonly type: 'request' | 'attempt' | 'effect'
  /**
   * True for a failure that is tried only at requests that change something, because at other requests it is equivalent to another failure.
   */
  readonly needsChange?: true
  /** True for a failure that is tried only at requests whose response has a body. */
  readonly needsBody?: true
  /** The change to the response. */
  readonly effect?: FaultEffect
  /** The amount by which the client's `Date` jumps, in ms. */
  readonly jump?: number
  /** True if a story about the failure also shows the response. */
  readonly showsResponse?: true
  /** The description of the failure in a story. */
  readonly text: string
}

/** The time without a response after which Node's `fetch` gives up. */
const FETCH_TIMEOUT_MS = 300_000

/** The delay of a late change, long enough for the client to give up first. */
export const LATE_MS = FETCH_TIMEOUT_MS + 10_000

const HOUR_MS = 3_600_000

const SILENT: FaultEffect = { drop: true, latency: FETCH_TIMEOUT_MS }

export const FAILURES: readonly Failure[] = [
  request('lost', 'lost-before', 'the connection is lost', { effect: { drop: true } }),
  request('lost', 'lost-after', 'done, but the response is lost', afterChange({ drop: true })),
  request('5xx', '503', '503', { effect: { status: 503 } }),
  request('5xx', '503-after', 'done, but 503', afterChange({ status: 503 })),
  request('429', '429', '429, Retry-After: 1', { effect: { error: 'too_many_requests', retryAfter: '1s' } }),
  request('cut', 'cut', 'truncated in the middle', { needsBody: true, showsResponse: true, effect: { truncate: 0 } }),
  request('silent', 'silent', 'no response', { effect: SILENT }),
  request('silent', 'silent-after', 'done, but no response', afterChange(SILENT)),
  request('crash', 'crash', 'the code crashes before the response', {}),
  { name: 'effect-fails', kind: 'effect', type: 'effect', text: 'it fails' },
  { name: 'crash-before', kind: 'crash', type: 'effect', text: 'the code crashes before it' },
  { name: 'crash-after', kind: 'crash', type: 'effect', text: 'the code crashes after it' },
  { name: 'DNS_ERROR', kind: 'outcomes', type: 'attempt', text: 'DNS_ERROR' },
  { name: 'INTERNAL_ERROR', kind: 'outcomes', type: 'attempt', text: 'INTERNAL_ERROR' },
  request('late', 'late', 'no response, and done too late', { needsChange: true, effect: SILENT }),
  request('slow', 'slow', 'after 30s', { showsResponse: true, effect: { latency: '30s' } }),
  request('clock', 'clock-forward', "the client's date jumps 1h ahead", { showsResponse: true, jump: HOUR_MS }),
  request('clock', 'clock-back', "the client's date jumps 1h back", { showsResponse: true, jump: -HOUR_MS }),
]

function request(kind: Failure['kind'], name: string, text: string, details: Partial<Failure>): Failure {
  return { ...details, name, kind, type: 'request', text }
}

/** Makes the same failure happen after the change. */
function afterChange(effect: FaultEffect): Partial<Failure> {
  return { needsChange: true, effect: { ...effect, phase: 'after' } }
}

/** Returns the failure with this name. @throws TypeError if there is none. */
export function requireFailure(name: string): Failure {
  const found = FAILURES.find((failure) => failure.name === name)
  if (found) return found
  throw new TypeError(
    `replay has ${quote(name)}, which is not a failure. Allowed: ${FAILURES.map((failure) => failure.name).join(', ')}.`,
  )
}

/** True if a schedule lets a request wait for its response. */
export const hasSilence = (schedule: readonly ScheduledFault[]) =>
  schedule.some(({ fault }) => requireFailure(fault).effect?.latency !== undefined)

/** Formats a schedule as a string, such as `POST /reserved_addrs#1 429, POST /reserved_addrs#2 503`. */
export function formatReplay(schedule: readonly ScheduledFault[]): string {
  return schedule.map(({ at, nth, fault }) => `${at}#${nth} ${fault}`).join(', ')
}

/** Parses a string from {@link formatReplay}. @throws TypeError for any other string. */
export function readReplay(text: string): ScheduledFault[] {
  const schedule = [...text.matchAll(/(.+?)#(\d+) ([\w-]+)(?:, |$)/gs)].map(([, at = '', nth, fault = '']) => ({
    at,
    nth: Number(nth),
    fault: requireFailure(fault).name,
  }))
  if (formatReplay(schedule) === text && schedule.length > 0) return schedule
  throw new TypeError(
    `replay is ${escapeUnprintable(JSON.stringify(text))}. Allowed: the text of a report, such as "POST /reserved_addrs#1 lost-after".`,
  )
}
