/** The same function, which remembers what it made of the last value. */
export function ofLast<T, Made>(make: (value: T) => Made): (value: T) => Made {
  let last: { readonly value: T; readonly made: Made } | undefined
  return (value) => {
    if (!last || last.value !== value) last = { value, made: make(value) }
    return last.made
  }
}
