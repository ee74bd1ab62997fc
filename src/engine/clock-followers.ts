import type { ClockFollower } from './clock.ts'

/** Who runs by a clock. One that nobody can reach any more is forgotten, unless it is held. */
export class ClockFollowers {
  #known: WeakRef<ClockFollower>[] = []
  readonly #held = new Set<ClockFollower>()
  /** How many may be known before those that are gone are looked for again. */
  #most = 64

  add(follower: ClockFollower): void {
    if (this.#known.length >= this.#most) {
      this.#known = this.#known.filter((known) => known.deref() !== undefined)
      this.#most = 2 * this.#known.length + 64
    }
    this.#known.push(new WeakRef(follower))
  }

  /** Keeps one alive, whoever else can reach it. Answers what ends that. */
  hold(follower: ClockFollower): () => void {
    this.#held.add(follower)
    return () => void this.#held.delete(follower)
  }

  /** When the next event of any of them is due, in ms, or undefined where nothing is. */
  nextDueAt(): number | undefined {
    return this.#earliest((follower) => follower.nextDueAt())
  }

  /** Where the clock must stop next, in ms, or undefined where it need not. */
  nextStopAt(): number | undefined {
    return this.#earliest((follower) => follower.nextStopAt())
  }

  /** Has all of them handle what is due: gateways first, then timers. One that throws keeps none from it. */
  settle(): void {
    this.#each((follower) => follower.timers || follower.settle())
    this.#each((follower) => follower.timers && follower.settle())
  }

  /** Tells all of them that a move begins. Answers what is to be called at its end. */
  moves(): () => void {
    const ends: (() => void)[] = []
    this.#each((follower) => follower.moves && ends.push(follower.moves()))
    return () => eachThen(ends, (end) => end())
  }

  /** Tells all of them that the time is about to be set, which is not the same as to pass. */
  timeSet(ms: number): void {
    this.#each((follower) => follower.timers?.timeSet(ms))
  }

  /** Has gateways handle what is due; timers are not asked. */
  settleGateways(): void {
    this.#each((follower) => follower.timers || follower.settle())
  }

  /** Drops what timers wait for. */
  dropTimers(): void {
    this.#each((follower) => follower.timers?.reset())
  }

  #earliest(timeOf: (follower: ClockFollower) => number | undefined): number | undefined {
    let earliest: number | undefined
    for (const known of this.#known) {
      const follower = known.deref()
      const at = follower && timeOf(follower)
      if (at !== undefined) earliest = Math.min(at, earliest ?? at)
    }
    return earliest
  }

  #each(work: (follower: ClockFollower) => unknown): void {
    eachThen(this.#known, (known) => {
      const follower = known.deref()
      if (follower) work(follower)
    })
  }
}

/** Does something with each. One that throws keeps none from it; what was thrown first is thrown at the end. */
function eachThen<T>(all: Iterable<T>, work: (each: T) => void): void {
  let thrown: { readonly error: unknown } | undefined
  for (const each of all) {
    try {
      work(each)
    } catch (error) {
      thrown ??= { error }
    }
  }
  if (thrown) throw thrown.error
}
