/** Answers the object that it is given, so that a class that extends it can give that object private fields. */
class Itself {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: this is all that it is for
    return object
  }
}

/**
 * Something that an object of ours carries out of everybody's sight. It goes where the object itself goes in this process;
 * its JSON, a copy, a clone and a print of it do not have it, and nobody else can put it there.
 */
export class Sealed extends Itself {
  readonly #content: unknown

  private constructor(object: object, content: unknown) {
    super(object)
    this.#content = content
  }

  /** Seals something into an object. */
  static into(object: object, content: unknown): void {
    new Sealed(object, content)
  }

  /** What is sealed into a value, or undefined. */
  static in(value: unknown): unknown {
    return typeof value === 'object' && value !== null && #content in value ? value.#content : undefined
  }
}
