import type { Duration } from '../schema/time.ts'
import type { Clock } from './clock.ts'

/** A clock that stands until it is moved, such as that of `manualClock`. */
export interface MovableClock extends Clock {
  readonly now: number
  advance(duration: Duration): void
  advanceTo(time: string | number | Date): void
  advanceToNext(): boolean
  /** When the next event of its gateways is due, in ms, or undefined where nothing is. */
  nextDueAt?(): number | undefined
  set(time: string | number | Date): void
  reset(): void
}

/** Whether a clock can be moved by the names of {@link MovableClock}. */
export function isManual(clock: Clock): clock is MovableClock {
  return ['advance', 'advanceTo', 'advanceToNext', 'set'].every(
    (move) => typeof Reflect.get(clock, move) === 'function',
  )
}
