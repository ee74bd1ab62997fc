import { type Commit, createGateway, type Gateway, type GatewayOptions } from '../../src/index.ts'

/** Thursday 4 September 2025, 10:11:14.567 UTC. */
export const START = Date.UTC(2025, 8, 4, 10, 11, 14, 567)

/** A gateway whose ids are the same in every run and whose clock stands still. */
export function open(options: GatewayOptions = {}): Gateway {
  return createGateway({ seed: 'test', clock: { now: () => START }, ...options })
}

/** A clock that a test turns, starting at {@link START}. */
export function createTestClock() {
  const clock = {
    time: START,
    now: () => clock.time,
    advance(ms: number) {
      clock.time += ms
    },
  }
  return clock
}

/** The whole state as one text, to compare before and after. */
export function stateOf(gateway: Gateway): string {
  return JSON.stringify(gateway.snapshot())
}

/** The whole state with its secrets, and what is left over, as one text. */
export function stateWithSecretsOf(gateway: Gateway): string {
  return JSON.stringify([gateway.snapshot({ privateKeys: true }), gateway.leftovers()])
}

/** All commits of a gateway from now on. */
export function collectCommits(gateway: Gateway): Commit[] {
  const commits: Commit[] = []
  gateway.subscribe((commit) => commits.push(commit))
  return commits
}

/** Tests whether a value and everything in it is frozen. */
export function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen)
}
