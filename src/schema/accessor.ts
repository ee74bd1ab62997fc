/**
 * An accessor that many objects share: `name` answers what `read` makes of what each object was given. V8 keeps the getter
 * of an object literal, with all that it closes over, until it collects the old generation: whoever makes many gateways
 * then waits up to three times as long for each.
 */
export function accessor<const Name extends string, Source, Value>(name: Name, read: (source: Source) => Value) {
  const from = Symbol(name)
  const get = function (this: { readonly [from]: Source }) {
    return read(this[from])
  }
  /** Gives an object the accessor. */
  return <T extends object>(target: T, source: Source): T & { readonly [N in Name]: Value } => {
    Object.defineProperty(target, from, { value: source })
    const named = Object.defineProperty(target, name, { get, enumerable: true, configurable: true })
    return named as T & { readonly [N in Name]: Value } // What `get` answers is the type of the new name.
  }
}
