import { toError } from '../../core/schema/text.ts'
import { LATEST_TIME } from '../../core/schema/time.ts'
import type { Arrivals } from './arrivals.ts'
import type { Copy } from './copy.ts'
import type { World } from './world.ts'

/** The maximum number of event loop turns at one time on the clock. Detects an endless `setImmediate` loop. */
const MAX_TURNS = 20_000

/** The maximum number of successive clock moves of 1 ms or less. */
const MAX_SMALL_MOVES = 5000

/** The maximum number of clock moves after the code has ended. */
const MAX_STOPS_AFTER = 1000

/** The number of pauses in the first runs. They may load modules that a test runner fetches from another thread. */
const FIRST_PAUSES = 500

/** The reason for stopping code before it ended. */
export type StopReason = 'nothing' | 'time' | 'real-time' | 'requests' | 'turns' | 'timers'

/**
 * Advances a run: lets the code run as far as it can, then lets the next request through or, if there is none, advances the clock.
 */
export class Driver {
  readonly #world: World
  readonly #arrivals: Arrivals
  readonly #within: number
  readonly #maxPauses: number
  #smallMoves = 0

  /** @param within the maximum time, in ms, on the clock */
  constructor(world: World, arrivals: Arrivals, within: number, isFirst: boolean) {
    this.#world = world
    this.#arrivals = arrivals
    this.#within = within
    this.#maxPauses = isFirst ? FIRST_PAUSES : world.host.lastPauses
  }

  /** Runs the function of an option to its end. */
  async runToEnd(option: string, work: () => unknown): Promise<unknown> {
    let settled: Copy['settled']
    void (async () => work())().then(
      (value) => (settled = { value }),
      (thrown) => (settled = { error: toError(thrown) }),
    )
    await this.advanceUntil(() => settled !== undefined)
    if (!settled) throw new Error(`The function \`${option}\` never finishes.`)
    if (settled.error) throw settled.error
    return settled.value
  }

  /** Advances the run whenever nothing else can happen, until `isOver`. If the run stopped earlier, returns the reason. */
  async advanceUntil(isOver: () => boolean): Promise<StopReason | undefined> {
    const world = this.#world
    const { interleaving } = this.#arrivals
    const end = world.clock.now + this.#within
    for (let lastActivity = -1, turns = 0, pauses = 0; ; turns++) {
      await world.host.turn()
      if (turns > MAX_TURNS) return 'turns'
      if (lastActivity !== world.activity) {
        lastActivity = world.activity
        pauses = 0
        continue
      }
      if (await world.outside.wait(this.#arrivals.waitingSockets)) continue
      if (isOver()) return undefined
      if (lastActivity !== world.activity) continue
      if (interleaving?.next()) {
        world.activity++
        turns = 0
        continue
      }
      if (this.#arrivals.isOverloaded) return 'requests'
      const next = this.#nextAt()
      if (next === undefined) {
        if (pauses++ === this.#maxPauses) return 'nothing'
        await world.host.pause()
        continue
      }
      if (next > end) return 'time'
      this.#smallMoves = next > world.clock.now + 1 ? 0 : this.#smallMoves + 1
      if (this.#smallMoves > MAX_SMALL_MOVES) return 'timers'
      turns = 0
      this.#advanceTo(next)
    }
  }

  /** Runs everything that the code left pending. */
  async finishWork(): Promise<void> {
    const world = this.#world
    for (let stops = 0; stops < MAX_STOPS_AFTER; stops++) {
      await world.host.turn()
      while (this.#arrivals.interleaving?.next()) await world.host.turn()
      const next = this.#nextAt()
      if (next === undefined || (world.remainingDelays().length === 0 && !this.#arrivals.isWaiting)) break
      this.#advanceTo(next)
    }
    await world.host.turn()
  }

  /** Calls a function at the end of a run, and advances the clock until its promise settles. */
  async cleanUp(work: () => unknown): Promise<void> {
    let isOver = false
    const end = () => {
      isOver = true
    }
    const done = (async () => work())()
    done.then(end, end)
    const { host } = this.#world
    for (await host.turn(); !isOver; await host.pause()) {
      const next = this.#nextAt()
      if (next !== undefined) this.#advanceTo(next)
    }
    await done
  }

  #nextAt(): number | undefined {
    const next = Math.min(this.#world.timers.nextStopAt() ?? LATEST_TIME, this.#arrivals.nextAt())
    return next === LATEST_TIME ? undefined : next
  }

  #advanceTo(at: number): void {
    this.#world.advanceTo(at)
    this.#arrivals.settle(this.#world.clock.now)
  }
}
