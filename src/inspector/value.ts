/** A value that the page is drawn from: setting it draws the page anew, once for all that is set together. */
export class Value<T> {
  #value: T

  constructor(
    value: T,
    readonly draw: () => void,
  ) {
    this.#value = value
  }

  get value(): T {
    return this.#value
  }

  set value(value: T) {
    if (value === this.#value) return
    this.#value = value
    this.draw()
  }
}
