import type { Clock } from '../core/engine/clock.ts'
import { quote } from '../core/schema/text.ts'

const MOVES = ['advanceAsync', 'advanceToAsync', 'advanceToNextAsync'] as const

type Move = (...args: unknown[]) => Promise<unknown>

/**
 * Adds each asynchronous move of a clock to a set until the move ends, so that a test notices a forgotten `await`. Calls `onStart` with its
 * name before each move. Returns a function that restores the clock's own functions.
 */
export function watchMoves(
  clock: Clock,
  underWay: Set<{ readonly name: string }>,
  onStart: (move: string) => void,
): () => void {
  const originals = MOVES.flatMap((name) => {
    const move = Reflect.get(clock, name) as Move | undefined // Only manual clocks have these functions.
    return move ? [[name, move] as const] : []
  })
  for (const [name, move] of originals) {
    Reflect.set(clock, name, (...args: unknown[]) => {
      const call = { name: `clock.${name}(${args.map(quote).join(', ')})` }
      onStart(name)
      const result = move(...args)
      underWay.add(call)
      const ended = () => void underWay.delete(call)
      result.then(ended, ended)
      return result
    })
  }
  return () => Object.assign(clock, Object.fromEntries(originals))
}
