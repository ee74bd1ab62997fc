import { type Problem, Refusal } from './errors.ts'

/** How many problems of one request are put into words; the others are counted (rules: errors#all-problems). */
const MOST_WORDED = 20

/** What is wrong with one request. */
export class Problems {
  readonly #worded: Problem[] = []
  #further = 0
  #isCountedToItsEnd = true

  /** Adds a problem. It is put into words only where those are shown: a body can have very many. */
  add(word: () => Problem): void {
    if (this.#worded.length < MOST_WORDED) this.#worded.push(word())
    else this.#further++
  }

  /** Adds problems that were only counted, perhaps not to the end of the body. */
  addCounted(count: number, isOpen: boolean): void {
    this.#further += count
    if (isOpen) this.#isCountedToItsEnd = false
  }

  /** Refuses the request if anything is wrong with it. */
  refuse(): void {
    const [first, ...others] = this.#worded
    if (!first) return
    const further = { count: this.#further, isCountedToItsEnd: this.#isCountedToItsEnd }
    throw new Refusal([first, ...others], { further })
  }
}
