import type { Clock } from '../engine/clock.ts'
import { quote } from '../schema/text.ts'

const MOVES = ['advanceAsync', 'advanceToAsync', 'advanceToNextAsync'] as const

type Move = (...args: unknown[]) => Promise<unknown>

/**
 * Adds each asynchronous move of a clock to a set until it ends, so that a test notices a forgotten `await`. Returns a
 * function that gives the clock its own functions back.
 */
export function watchMoves(clock: Clock, underWay: Set<{ readonly name: string }>): () => void {
  const own = MOVES.flatMap((name) => {
    const move = Reflect.get(clock, name) as Move | undefined // Clocks that are not manual have none.
    return move ? [[name, move] as const] : []
  })
  for (const [name, move] of own) {
    Reflect.set(clock, name, (...args: unknown[]) => {
      const call = { name: `clock.${name}(${args.map(quote).join(', ')})` }
      const moved = move(...args)
      underWay.add(call)
      const ended = () => void underWay.delete(call)
      moved.then(ended, ended)
      return moved
    })
  }
  return () => Object.assign(clock, Object.fromEntries(own))
}
