import type { FaultEffect } from '../../http/fault-effects.ts'
import type { FaultKind, OptInFaultKind, ScheduledFault } from './types.ts'

/** A failure that can happen to a request, to a provisioning attempt, or to an effect. */
export interface Kind {
  /** The name in a replay text. */
  readonly name: string
  /** The option that switches it on. */
  readonly group: FaultKind | OptInFaultKind
  /** The kind of event that it can happen to. */
  readonly at: 'request' | 'attempt' | 'effect'
  /** True if it differs from another failure only where the request changes something. */
  readonly needsChange?: true
  /** True if there must be a body. */
  readonly needsBody?: true
  /** The change of the response. */
  readonly effect?: FaultEffect
  /** The step of the client's `Date`, in ms. */
  readonly step?: number
  /** True if a story says what became of the answer as well. */
  readonly showsAnswer?: true
  /** The words of a story for it. */
  readonly words: string
}

/** Node's `fetch` gives up after this time without an answer. */
const SILENCE_MS = 300_000

/** The time after which a late change happens: whoever waited has given up by then. */
export const LATE_MS = SILENCE_MS + 10_000

const HOUR_MS = 3_600_000

const SILENT: FaultEffect = { drop: true, latency: SILENCE_MS }

export const KINDS: readonly Kind[] = [
  request('lost', 'lost-before', 'the connection is lost', { effect: { drop: true } }),
  request('lost', 'lost-after', 'done, but the answer is lost', after({ drop: true })),
  request('5xx', '503', '503', { effect: { status: 503 } }),
  request('5xx', '503-after', 'done, but 503', after({ status: 503 })),
  request('429', '429', '429, Retry-After: 1', { effect: { error: 'too_many_requests', retryAfter: '1s' } }),
  request('cut', 'cut', 'cut in the middle', { needsBody: true, showsAnswer: true, effect: { truncate: 0 } }),
  request('silent', 'silent', 'no answer', { effect: SILENT }),
  request('silent', 'silent-after', 'done, but no answer', after(SILENT)),
  request('crash', 'crash', 'the code crashes before the answer', {}),
  { name: 'crash-before', group: 'crash', at: 'effect', words: 'the code crashes before it' },
  { name: 'crash-after', group: 'crash', at: 'effect', words: 'the code crashes after it' },
  { name: 'DNS_ERROR', group: 'outcomes', at: 'attempt', words: 'DNS_ERROR' },
  { name: 'INTERNAL_ERROR', group: 'outcomes', at: 'attempt', words: 'INTERNAL_ERROR' },
  request('late', 'late', 'no answer, and done too late', { needsChange: true, effect: SILENT }),
  request('slow', 'slow', 'after 30s', { showsAnswer: true, effect: { latency: '30s' } }),
  request('clock', 'clock-forward', "the client's date jumps 1h ahead", { showsAnswer: true, step: HOUR_MS }),
  request('clock', 'clock-back', "the client's date jumps 1h back", { showsAnswer: true, step: -HOUR_MS }),
]

function request(group: Kind['group'], name: string, words: string, more: Partial<Kind>): Kind {
  return { ...more, name, group, at: 'request', words }
}

/** Makes the same failure happen after the change. */
function after(effect: FaultEffect): Partial<Kind> {
  return { needsChange: true, effect: { ...effect, phase: 'after' } }
}

/** Returns the kind of this name. @throws TypeError if there is none. */
export function kindNamed(name: string): Kind {
  const found = KINDS.find((kind) => kind.name === name)
  if (found) return found
  throw new TypeError(`${name} is not a failure. Supported: ${KINDS.map((kind) => kind.name).join(', ')}.`)
}

/** Writes a schedule as a text, such as `POST /reserved_addrs#1 429, POST /reserved_addrs#2 503`. */
export function replayText(schedule: readonly ScheduledFault[]): string {
  return schedule.map(({ at, nth, fault }) => `${at}#${nth} ${fault}`).join(', ')
}

/** Reads what {@link replayText} has written. @throws TypeError for any other text. */
export function readReplay(text: string): ScheduledFault[] {
  const schedule = [...text.matchAll(/(.+?)#(\d+) ([\w-]+)(?:, |$)/g)].map(([, at = '', nth, fault = '']) => ({
    at,
    nth: Number(nth),
    fault: kindNamed(fault).name,
  }))
  if (replayText(schedule) === text && schedule.length > 0) return schedule
  throw new TypeError(
    `replay is ${JSON.stringify(text)}. Allowed: the text of a report, such as "POST /reserved_addrs#1 lost-after".`,
  )
}
