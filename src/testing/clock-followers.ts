import type { ClockFollower } from '../engine/clock.ts'

/** The gateways that run by a clock. One that nobody can reach any more is forgotten, unless it is held. */
export class ClockFollowers {
  #known: WeakRef<ClockFollower>[] = []
  readonly #held = new Set<ClockFollower>()
  /** How many may be known before those that are gone are looked for again. */
  #most = 64

  add(follower: ClockFollower): void {
    if (this.#known.length >= this.#most) this.#most = 2 * this.all().length + 64
    this.#known.push(new WeakRef(follower))
  }

  /** Keeps one alive, whoever else can reach it. Answers what ends that. */
  hold(follower: ClockFollower): () => void {
    this.#held.add(follower)
    return () => void this.#held.delete(follower)
  }

  /** All that are still there, in the order in which they were added. */
  all(): readonly ClockFollower[] {
    const there: ClockFollower[] = []
    this.#known = this.#known.filter((known) => {
      const follower = known.deref()
      if (follower) there.push(follower)
      return follower !== undefined
    })
    return there
  }

  /** When the next event of any of them is due, in ms, or undefined where nothing is. */
  nextDueAt(): number | undefined {
    let next: number | undefined
    for (const follower of this.all()) {
      const due = follower.nextDueAt()
      if (due !== undefined) next = Math.min(due, next ?? due)
    }
    return next
  }

  settle(): void {
    for (const follower of this.all()) follower.settle()
  }
}
