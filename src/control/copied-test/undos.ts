import type { JournalEntry, UsedControl } from '../../generated/controls.ts'

export type Step = JournalEntry | UsedControl

export interface Undos {
  /** The variables with the states that undos return to, by the step before which each state is saved. */
  readonly remembered: ReadonlyMap<Step, string>
  /** The variable with the state that an undo returns to, by the undo's step. */
  readonly undone: ReadonlyMap<Step, string>
}

/** Finds the state that each undo returns to: the state before the last clock move, then the last saved state. */
export function findUndos(steps: readonly Step[]): Undos {
  const remembered = new Map<Step, string>()
  const undone = new Map<Step, string>()
  /** The last remembered state, and the state before the last move after that. */
  let last: readonly Step[] = []
  for (const step of steps) {
    const isUndo = step.path === '/_fauxgate/undo'
    const to = last.at(-1)
    if (isUndo && step.method === 'PUT') last = [step]
    else if (isUndo && to) {
      const name = remembered.get(to) ?? `state${remembered.size + 1}`
      remembered.set(to, name)
      undone.set(step, name)
      last = last.slice(0, -1)
    } else if ('body' in step && step.body?.remember) last = [...last.filter(({ method }) => method === 'PUT'), step]
  }
  return { remembered, undone }
}
