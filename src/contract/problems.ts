import { type Problem, Refusal } from './errors.ts'

/** How many problems of one request are put into words; the others are counted (decisions, "Requests", 5). */
const MOST_WORDED = 20

/** What is wrong with one request. */
export class Problems {
  readonly #worded: Problem[] = []
  #further = 0

  /** Adds a problem. It is put into words only where those are shown: a body can have very many. */
  add(word: () => Problem): void {
    if (this.#worded.length < MOST_WORDED) this.#worded.push(word())
    else this.#further++
  }

  /** Refuses the request if anything is wrong with it. */
  refuse(): void {
    const [first, ...others] = this.#worded
    if (first) throw new Refusal([first, ...others], { further: this.#further })
  }
}
