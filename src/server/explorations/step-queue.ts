import { EventEmitter, once } from 'node:events'
import type { ExplorationStep } from '../../generated/controls.ts'

interface Queued {
  readonly step: ExplorationStep
  readonly done: () => void
}

/** The steps of a program, in order. */
export class StepQueue {
  readonly #pushed = new EventEmitter()
  readonly #steps: Queued[] = []
  /** The steps that were passed on, until the program asks for the next step. */
  readonly #passed: Queued[] = []

  /** Adds a step. Resolves once the program has received it and asks for the next one. */
  push(step: ExplorationStep): Promise<void> {
    return new Promise((done) => {
      this.#steps.push({ step, done })
      this.#pushed.emit('step')
    })
  }

  /** Returns the next step, as soon as there is one. Rejects if the signal aborts first. */
  async next(signal?: AbortSignal): Promise<ExplorationStep> {
    for (const { done } of this.#passed.splice(0)) done()
    for (;;) {
      const first = this.#steps.shift()
      if (first) {
        this.#passed.push(first)
        return first.step
      }
      await once(this.#pushed, 'step', { signal })
    }
  }
}
