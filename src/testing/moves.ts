import type { Clock } from '../engine/clock.ts'
import { quote } from '../schema/text.ts'

const MOVES = ['advanceAsync', 'advanceToAsync', 'advanceToNextAsync'] as const

type Move = (...args: unknown[]) => Promise<unknown>

/** The asynchronous moves of a test's clock that have not ended, so that a test notices a forgotten `await`. */
export class Moves {
  readonly #underWay = new Set<{ readonly name: string }>()

  /** Watches the moves of a clock. Returns a function that gives it its own functions back. */
  watch(clock: Clock): () => void {
    const own = MOVES.flatMap((name) => {
      const move = Reflect.get(clock, name) as Move | undefined // Clocks that are not manual have none.
      return move ? [[name, move] as const] : []
    })
    for (const [name, move] of own) Reflect.set(clock, name, this.#watched(name, move))
    return () => Object.assign(clock, Object.fromEntries(own))
  }

  /** Returns each move that has not ended, as it was called. */
  get underWay(): readonly string[] {
    return [...this.#underWay].map(({ name }) => name)
  }

  #watched(name: string, move: Move): Move {
    return (...args) => {
      const call = { name: `clock.${name}(${args.map(quote).join(', ')})` }
      const moved = move(...args)
      this.#underWay.add(call)
      const ended = () => void this.#underWay.delete(call)
      moved.then(ended, ended)
      return moved
    }
  }
}
