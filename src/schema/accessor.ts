/**
 * Returns a function that gives an object a getter which all such objects share. V8 keeps the getter of an object literal,
 * with its whole closure, until it collects the old generation: creating many gateways would take four times as long.
 */
export function accessor<const Name extends string, Source, Value>(name: Name, read: (source: Source) => Value) {
  const from = Symbol(name)
  const get = function (this: { readonly [from]: Source }) {
    return read(this[from])
  }
  return <T extends object>(target: T, source: Source): T & { readonly [N in Name]: Value } => {
    Object.defineProperty(target, from, { value: source })
    const named = Object.defineProperty(target, name, { get, enumerable: true, configurable: true })
    return named as T & { readonly [N in Name]: Value } // `get` returns the type of the new name.
  }
}
