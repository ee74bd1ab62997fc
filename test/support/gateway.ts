import { createGateway, type Gateway, type GatewayOptions } from '../../src/index.ts'

/** Thursday 4 September 2025, 10:11:14.567 UTC. */
export const START = Date.UTC(2025, 8, 4, 10, 11, 14, 567)

/** A gateway whose ids are the same in every run and whose clock stands still. */
export function open(options: GatewayOptions = {}): Gateway {
  return createGateway({ seed: 'test', clock: { now: () => START }, ...options })
}

/** A clock that a test turns, starting at {@link START}. */
export function handClock() {
  const clock = {
    time: START,
    now: () => clock.time,
    turn(ms: number) {
      clock.time += ms
    },
  }
  return clock
}

/** The whole state as one text, to compare before and after. */
export function stateOf(gateway: Gateway): string {
  return JSON.stringify(gateway.snapshot())
}

/** Tests whether a value and everything in it is frozen. */
export function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen)
}
