import { type Commit, createGateway, type Gateway, type GatewayOptions } from '../../src/index.ts'

/** Thursday 4 September 2025, 10:11:14.567 UTC. */
export const START = Date.UTC(2025, 8, 4, 10, 11, 14, 567)

/** Creates a gateway with the same ids in every run and a clock that keeps its time. */
export function open(options: GatewayOptions = {}): Gateway {
  return createGateway({ seed: 'test', clock: { now: () => START }, ...options })
}

/** Creates a clock that a test advances, starting at {@link START}. */
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

/** Returns the whole state as a text, to compare before and after. */
export function stateOf(gateway: Gateway): string {
  return JSON.stringify(gateway.snapshot())
}

/** Returns the whole state with its secrets, and the leftover resources, as a text. */
export function stateWithSecretsOf(gateway: Gateway): string {
  return JSON.stringify([gateway.snapshot({ privateKeys: true }), gateway.leftovers()])
}

/** Returns a list that receives all further commits of a gateway. */
export function collectCommits(gateway: Gateway): Commit[] {
  const commits: Commit[] = []
  gateway.subscribe((commit) => commits.push(commit))
  return commits
}

/** Returns whether a value and everything in it is frozen. */
export function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen)
}
