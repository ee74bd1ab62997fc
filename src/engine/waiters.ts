import { abortable } from './abortable.ts'

/** Who waits for a time of a gateway's clock. */
export class Waiters {
  readonly #waiting = new Set<Waiter>()
  /** Nobody waits for an earlier time, so that asking is cheap before every operation. */
  #earliest = Number.POSITIVE_INFINITY

  get size(): number {
    return this.#waiting.size
  }

  /** A time before which nobody waits, in ms: undefined where nobody does. */
  get earliest(): number | undefined {
    return this.#waiting.size === 0 ? undefined : this.#earliest
  }

  /** Resolves when {@link wake} hears of that time or of a later one; rejects when the signal is aborted. */
  until(at: number, signal?: AbortSignal): Promise<void> {
    return abortable(signal, (resolve) => {
      const waiter = { at, resolve }
      this.#waiting.add(waiter)
      this.#earliest = Math.min(this.#earliest, at)
      return () => void this.#waiting.delete(waiter)
    })
  }

  /** Lets go everyone whose time has come, the earliest first. */
  wake(now: number): void {
    if (now < this.#earliest) return
    const all = [...this.#waiting].sort((a, b) => a.at - b.at)
    const next = all.findIndex(({ at }) => at > now)
    const ready = next === -1 ? all : all.slice(0, next)
    this.#earliest = all[next]?.at ?? Number.POSITIVE_INFINITY
    for (const { resolve } of ready) resolve()
  }
}

interface Waiter {
  readonly at: number
  readonly resolve: () => void
}
