/** Returns the line and the column of a position in a string. Both start at 1. */
export type ReadPlace = (offset: number) => { readonly line: number; readonly column: number }

/** Returns a function that returns lines and columns in a string. */
export function placesOf(text: string): ReadPlace {
  const starts: number[] = []
  for (let start = 0; start >= 0; start = text.indexOf('\n', start) + 1 || -1) starts.push(start)
  return (offset) => {
    let [line, end] = [0, starts.length]
    while (end - line > 1) {
      const middle = (line + end) >> 1
      if ((starts[middle] ?? 0) <= offset) line = middle
      else end = middle
    }
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 }
  }
}
