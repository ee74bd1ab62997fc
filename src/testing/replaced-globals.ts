/** Members of the host's objects that are replaced until `restore` is called. */
export class ReplacedGlobals {
  readonly #who: string
  /** Functions that restore the host. Each returns the name of anything that it could not restore. */
  #undo: (() => string | undefined)[] = []

  /** Error messages begin with `who`. */
  constructor(who: string) {
    this.#who = who
  }

  /**
   * Replaces members of an object. `owner` precedes their names in messages.
   * @throws Error if a member is neither configurable nor writable
   */
  replace(object: object | undefined, members: Readonly<Record<string, unknown>>, owner = ''): void {
    if (!object) return
    for (const [name, value] of Object.entries(members)) {
      const before = Object.getOwnPropertyDescriptor(object, name)
      const original: unknown = Reflect.get(object, name)
      const setTo = (wanted: unknown) => Reflect.set(object, name, wanted) && Reflect.get(object, name) === wanted
      const replacement = { value, writable: true, configurable: true, enumerable: true }
      // A non-configurable property may still be writable.
      if (!Reflect.defineProperty(object, name, replacement) && !setTo(value))
        throw new Error(`${this.#who} cannot replace ${owner}${name}, which is neither configurable nor writable.`)
      this.addUndo(() => {
        const isRestored = before ? Reflect.defineProperty(object, name, before) : Reflect.deleteProperty(object, name)
        return isRestored || setTo(original) ? undefined : `${owner}${name}`
      })
    }
  }

  /** Adds a function that `restore` calls. The function returns the name of anything that it could not restore. */
  addUndo(undo: () => string | undefined): void {
    this.#undo.push(undo)
  }

  /**
   * Restores everything, starting with the last replacement. @throws Error that names the members that the code made unchangeable, after
   * restoring all others.
   */
  restore(): void {
    const stuck = this.#undo.reverse().flatMap((undo) => undo() ?? [])
    this.#undo = []
    if (stuck.length === 0) return
    throw new Error(
      `${this.#who} cannot restore ${stuck.join(', ')}: the code under test has made ${stuck.length === 1 ? 'it' : 'them'} ` +
        'unchangeable. Let it define only configurable or writable properties. All other globals are restored.',
    )
  }
}
