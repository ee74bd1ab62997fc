import type { ExplorationStep } from '../../generated/controls.ts'

interface Queued {
  readonly step: ExplorationStep
  readonly done: () => void
}

/** The steps of a program, in order. */
export class StepQueue {
  #steps: Queued[] = []
  #readers: (() => void)[] = []
  /** The steps that were passed on, until the program asks for the next step. */
  #passed: Queued[] = []

  /** Adds a step. Resolves once the program has received it and asks for the next one. */
  push(step: ExplorationStep): Promise<void> {
    return new Promise((done) => {
      this.#steps.push({ step, done })
      this.#readers.shift()?.()
    })
  }

  /** Returns the next step, as soon as there is one. @throws the reason of the signal, if it is aborted before. */
  async next(signal?: AbortSignal): Promise<ExplorationStep> {
    for (const { done } of this.#passed.splice(0)) done()
    for (;;) {
      const [first] = this.#steps
      if (first) {
        this.#steps.shift()
        this.#passed.push(first)
        return first.step
      }
      await this.#wait(signal)
    }
  }

  #wait(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const leave = () => {
        this.#readers = this.#readers.filter((each) => each !== read)
        reject(signal?.reason)
      }
      const read = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      this.#readers.push(read)
      signal?.addEventListener('abort', leave)
    })
  }
}
