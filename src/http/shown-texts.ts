/** How many texts are kept, and of how many characters each. */
const MOST_TEXTS = 256
const MOST_CHARACTERS = 8192

/** The JSON texts of records as they were shown, which are asked for again and again and never change. */
export class ShownTexts {
  #texts: Map<object, string> | undefined

  /** The JSON text of a record as it is shown, which is frozen. */
  of(shown: object): string {
    this.#texts ??= new Map()
    const known = this.#texts.get(shown)
    if (known !== undefined) return known
    const text = JSON.stringify(shown)
    if (text.length > MOST_CHARACTERS) return text
    if (this.#texts.size === MOST_TEXTS) this.#texts.clear()
    this.#texts.set(shown, text)
    return text
  }
}
