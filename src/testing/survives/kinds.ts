import type { FaultEffect } from '../../http/fault-effects.ts'
import type { FaultKind, OptInFaultKind, ScheduledFault } from './types.ts'

/** A failure that can happen to a request, to a provisioning attempt, or to an effect. */
export interface Kind {
  /** The name in a replay text. */
  readonly name: string
  /** The option that switches it on. */
  readonly group: FaultKind | OptInFaultKind
  /** What it can happen to. */
  readonly at: 'request' | 'attempt' | 'effect'
  /** True if it differs from another failure only where the request changes something. */
  readonly needsChange?: true
  /** True if there must be a body. */
  readonly needsBody?: true
  /** What becomes of the response. */
  readonly effect?: FaultEffect
  /** The step of the client's `Date`, in ms. */
  readonly step?: number
  /** True if a story says what became of the answer as well. */
  readonly showsAnswer?: true
  /** What a story says. */
  readonly words: string
}

/** Node's `fetch` gives up after this time without an answer. */
const SILENCE_MS = 300_000

/** The time after which a late change happens: whoever waited has given up by then. */
export const LATE_MS = SILENCE_MS + 10_000

const HOUR_MS = 3_600_000

export const KINDS: readonly Kind[] = [
  ...request('lost', [
    { name: 'lost-before', effect: { drop: true }, words: 'the connection is lost' },
    {
      name: 'lost-after',
      needsChange: true,
      effect: { drop: true, phase: 'after' },
      words: 'done, but the answer is lost',
    },
  ]),
  ...request('5xx', [
    { name: '503', effect: { status: 503 }, words: '503' },
    { name: '503-after', needsChange: true, effect: { status: 503, phase: 'after' }, words: 'done, but 503' },
  ]),
  ...request('429', [
    { name: '429', effect: { error: 'too_many_requests', retryAfter: '1s' }, words: '429, Retry-After: 1' },
  ]),
  ...request('cut', [
    { name: 'cut', needsBody: true, showsAnswer: true, effect: { truncate: 0 }, words: 'cut in the middle' },
  ]),
  ...request('silent', [
    { name: 'silent', effect: { drop: true, latency: SILENCE_MS }, words: 'no answer' },
    {
      name: 'silent-after',
      needsChange: true,
      effect: { drop: true, latency: SILENCE_MS, phase: 'after' },
      words: 'done, but no answer',
    },
  ]),
  ...request('crash', [{ name: 'crash', words: 'the code crashes before the answer' }]),
  { name: 'crash-before', group: 'crash', at: 'effect', words: 'the code crashes before it' },
  { name: 'crash-after', group: 'crash', at: 'effect', words: 'the code crashes after it' },
  { name: 'DNS_ERROR', group: 'outcomes', at: 'attempt', words: 'DNS_ERROR' },
  { name: 'INTERNAL_ERROR', group: 'outcomes', at: 'attempt', words: 'INTERNAL_ERROR' },
  ...request('late', [
    {
      name: 'late',
      needsChange: true,
      effect: { drop: true, latency: SILENCE_MS },
      words: 'no answer, and done too late',
    },
  ]),
  ...request('slow', [{ name: 'slow', showsAnswer: true, effect: { latency: '30s' }, words: 'after 30s' }]),
  ...request('clock', [
    { name: 'clock-forward', step: HOUR_MS, showsAnswer: true, words: "the client's date jumps 1h ahead" },
    { name: 'clock-back', step: -HOUR_MS, showsAnswer: true, words: "the client's date jumps 1h back" },
  ]),
]

function request(group: Kind['group'], kinds: readonly Omit<Kind, 'group' | 'at'>[]): Kind[] {
  return kinds.map((kind) => ({ ...kind, group, at: 'request' }))
}

const byName = (name: string) => KINDS.find((kind) => kind.name === name)

/** Returns the kind of this name. @throws TypeError if there is none. */
export function kindNamed(name: string): Kind {
  const found = byName(name)
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
